//! The queue in the order considered, each job with its decision and the reasons.

use std::sync::Arc;

use qscope_engine::cluster::{Amount, Job, JobId, ResourceId, Seconds};
use qscope_engine::cycle::{Outcome, Run};
use qscope_explain::decision::DecisionLine;
use qscope_explain::{Assumptions, BriefExplanation, Cause, Explainer, is_likely, words};
use qscope_session::records::REFUSED;

use crate::parts::by_parts;

/// Maximum number of jobs whose decision is listed stage by stage; the others have their causes.
const MAX_STAGES: usize = 600;
/// Maximum number of lines of one decision.
const MAX_LINES: usize = 24;
/// Maximum length of a line, in characters.
const LONGEST: usize = 400;

/// One job.
#[derive(Debug)]
pub(super) struct QueueRow {
    /// Its position in the order considered; `None` for jobs that were not considered.
    pub(super) order: Option<u32>,
    /// The id without the server.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) user: String,
    pub(super) queue: String,
    pub(super) request: String,
    pub(super) verdict: &'static str,
    /// The deepest cause, as tables name it.
    pub(super) tier: String,
    pub(super) headline: String,
    /// Where it starts, or when and where it is planned.
    pub(super) place: Option<String>,
    /// The scheduler's comment, and an assessment of it.
    pub(super) comment: Option<String>,
    /// The other causes, and notes.
    pub(super) also: Vec<String>,
    /// The decision, stage by stage.
    pub(super) stages: Vec<String>,
}

/// Returns all jobs that the cycle decided on.
pub(super) fn rows(run: &Arc<Run>) -> Vec<QueueRow> {
    let mut seen = rustc_hash::FxHashSet::default();
    let jobs: Vec<JobId> =
        run.outcomes().map(|outcome| outcome.job).filter(|job| seen.insert(*job)).collect();
    let staged: rustc_hash::FxHashSet<JobId> = jobs.iter().take(MAX_STAGES).copied().collect();
    by_parts(&jobs, |part| part_of(run, part, &staged)).into_iter().flatten().collect()
}

/// Returns the rows of some jobs; those in `staged` have the stages of their decisions.
fn part_of(run: &Arc<Run>, jobs: &[JobId], staged: &rustc_hash::FxHashSet<JobId>) -> Vec<QueueRow> {
    let (mut inquiry, mut assumptions) = (Explainer::new(run), Assumptions::new(run));
    let row = |job: &JobId| {
        let decision = if staged.contains(job) { inquiry.decision(*job) } else { Vec::new() };
        let mut found = row(run, *job, &inquiry.brief(*job), &decision);
        if is_likely(assumptions.of(run, *job)) {
            found.headline = format!("likely: {}", found.headline);
        }
        found
    };
    jobs.iter().map(row).collect()
}

fn row(run: &Run, id: JobId, why: &BriefExplanation, decision: &[DecisionLine]) -> QueueRow {
    let job = run.plan.job(id);
    let outcome = why.outcome.as_ref();
    let mut also: Vec<String> = Vec::new();
    for (nth, cause) in why.causes.iter().enumerate() {
        if nth > 0 {
            also.push(format!("{}: {}", cause.name(), cause.sentence));
        }
        also.extend(cause.notes.iter().cloned());
    }
    also.truncate(MAX_LINES);
    let mut stages: Vec<String> = decision.iter().filter_map(line).collect();
    if stages.len() > MAX_LINES {
        let more = stages.len() - MAX_LINES;
        stages.truncate(MAX_LINES);
        stages.push(format!("and {more} more lines: qscope why {}", job.short_name()));
    }
    QueueRow {
        order: outcome.and_then(|outcome| outcome.order),
        id: job.short_name().to_owned(),
        name: job.name.to_string(),
        title: job.title.to_string(),
        user: job.user.to_string(),
        queue: job.queue.to_string(),
        request: request(job),
        verdict: outcome.map_or("running", |outcome| verdict(run, outcome)),
        tier: why.causes.first().map_or_else(String::new, Cause::name),
        place: outcome.and_then(|outcome| place(run, outcome)),
        comment: why.comment.as_ref().map(|comment| {
            let remark = comment.remark.as_ref().map_or(String::new(), |remark| format!(" ({remark})"));
            cut(&format!("{}{remark}", comment.text))
        }),
        headline: cut(&why.headline),
        also: also.iter().map(|text| cut(text)).collect(),
        stages: stages.iter().map(|text| cut(text)).collect(),
    }
}

/// Returns the outcome of a job; a start that the server refuses has its own word, as in the table of the cycle.
fn verdict(run: &Run, outcome: &Outcome) -> &'static str {
    if run.is_refused(outcome) { REFUSED } else { run.verdict(outcome).word() }
}

fn request(job: &Job) -> String {
    let select = job.select.as_ref().map_or("no select", |select| &*select.text);
    let place = job.place.as_ref().map(|place| format!(" place={place}")).unwrap_or_default();
    let walltime = job.requested.amount(ResourceId::walltime());
    let length = |amount: Amount| Seconds(amount.0 as i64);
    let walltime = walltime.map(|amount| format!(" walltime={}", length(amount))).unwrap_or_default();
    cut(&format!("select={select}{place}{walltime}"))
}

fn place(run: &Run, outcome: &Outcome) -> Option<String> {
    if let Some(placed) = outcome.placed.as_ref().filter(|_| run.is_start(outcome)) {
        return Some(cut(&format!("on {}", words::node_list(&run.plan, &placed.allocation.nodes()))));
    }
    let top = outcome.estimate.as_ref()?;
    let on = words::node_list(&run.plan, &top.allocation.nodes());
    Some(cut(&format!("planned at {} on {on}", words::moment(&run.plan.snap, top.start))))
}

fn line(line: &DecisionLine) -> Option<String> {
    match line {
        DecisionLine::Stage { passed, label, text, result_name, .. } => {
            let mark = match passed {
                Some(true) => "passed",
                Some(false) => "FAILED",
                None => "-",
            };
            let aside = if result_name.is_empty() { String::new() } else { format!(": {result_name}") };
            Some(format!("{mark}  {label}: {text}{aside}{}", line.rule_words()))
        }
        DecisionLine::SkippedNode(node, why) => Some(format!("passed over  {node}: {why}")),
        DecisionLine::MorePassedOver(more) => Some(format!("passed over  {more} more nodes")),
        DecisionLine::Offers(_) => None,
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}
