//! Answers about one node.

use crate::node_story::{NodeReport, PartOnNode, PlannedOccupant, StartLocation};
use crate::{AnswerSection, AnswerTopic, FailedCondition, waiting_name_of, words};
use qscope_engine::cluster::short_id;
use qscope_engine::cycle::Run;
use qscope_engine::universe::NodeUse;

/// States why one node does not accept the job.
pub fn on_node(job: &str, node: &str, parts: &[PartOnNode]) -> AnswerSection {
    let mut section =
        AnswerSection::new(AnswerTopic::OnNode, format!("What {job} misses on {node} at its turn"));
    for part in parts {
        if part.failures.is_empty() {
            let text = format!("{}: {node} meets them all; {}", part.part, outcome_on_node(job, part));
            section.line_about(text, [job.to_owned()]);
        }
        for failure in &part.failures {
            let found = if failure.has.is_empty() { String::new() } else { format!(": {}", failure.has) };
            section.line(format!("{}: fails {}{found}", part.part, failure.condition.label()));
        }
        if let Some(text) = &part.would_pass {
            section.line(format!("{}: would pass if {text}", part.part));
        }
    }
    section
}

/// Returns the title of an answer about a node and a job: `cn025: kept by job 40, not in the dump; 54 refused at whole
/// node (excl)`; without a problem of the node, what becomes of the job there.
pub fn node_title(story: &NodeReport, job: &str, parts: &[PartOnNode]) -> String {
    let node = &story.node;
    // A chunk spec that meets all conditions is not refused.
    let first: Option<Vec<&FailedCondition>> = parts.iter().map(|part| part.failures.first()).collect();
    let refused = first.and_then(|first| Some(first.first()?.condition.label()));
    let is_here = parts.iter().any(|part| part.starts == Some(StartLocation::OnThisNode));
    match (&story.problem, refused) {
        (Some(problem), Some(condition)) => format!("{node}: {problem}; {job} refused at {condition}"),
        (None, Some(condition)) => format!("{node}: {job} refused at {condition}"),
        (Some(problem), None) => format!("{node}: {problem}"),
        (None, None) if is_here => format!("{node}: {job} starts there in this cycle"),
        (None, None) => format!("{node}: meets every condition of {job}"),
    }
}

/// States what happens to a job on a node that meets all its conditions.
fn outcome_on_node(job: &str, part: &PartOnNode) -> String {
    match (part.starts, part.after.first()) {
        (Some(StartLocation::OnThisNode), _) => format!("{job} starts there in this cycle"),
        (Some(StartLocation::ChunkOnOthers), _) => {
            format!("these chunks of {job} start on other nodes in this cycle")
        }
        (Some(StartLocation::OnOthers), _) => format!("{job} starts on other nodes in this cycle"),
        (None, Some(FailedCondition { condition, has, .. })) => format!(
            "{job} waits for another reason, and after this cycle it fails {}: {has}",
            condition.label()
        ),
        (None, None) => format!("{job} waits for another reason"),
    }
}

/// Describes a node and the queue: its resources and jobs, and the waiting jobs it does not accept.
pub fn node_sections(run: &Run, story: &NodeReport) -> Vec<AnswerSection> {
    let named = |names: &[String], most: usize| {
        words::first_names(&names.iter().map(|name| waiting_name_of(run, name)).collect::<Vec<_>>(), most)
    };
    let mut found = vec![holds(story)];
    let mut section =
        AnswerSection::new(AnswerTopic::Refusal, "Waiting jobs refused by this node after this cycle");
    for refusals in &story.refusals {
        const MAX_SAMPLE: usize = 5;
        // If there are few, all of them are named.
        let such_as =
            if refusals.jobs <= refusals.sample.len().min(MAX_SAMPLE) as u64 { "" } else { "such as " };
        let text = format!(
            "{}: {} ({such_as}{})",
            words::count(refusals.jobs, "job"),
            refusals.reason,
            named(&refusals.sample, MAX_SAMPLE)
        );
        section.line_about(text, refusals.sample.clone());
    }
    if story.refusals.is_empty() {
        section.line(match story.could.is_empty() {
            true => words::no_waiting_jobs(&run.plan.snap, "No waiting jobs."),
            false => "none: every waiting job fits a chunk here",
        });
    }
    if !story.could.is_empty() {
        let jobs = named(&story.could, 8);
        let text = format!("has room for a chunk of {jobs}: they wait for other reasons");
        section.line_about(text, story.could.iter().take(8).cloned());
    }
    found.push(section);
    found
}

fn holds(report: &NodeReport) -> AnswerSection {
    let since = match &report.since {
        _ if report.is_changed => " after this cycle".to_owned(),
        Some(since) => format!(", since {since}"),
        None => String::new(),
    };
    // PBS calls a node free as long as it takes jobs.
    let used = report.node_use.filter(|used| *used != NodeUse::Free && report.state == "free");
    let state = match used {
        Some(used) if !report.starting.is_empty() => {
            format!("{} after this cycle (PBS: free{since})", used.word())
        }
        Some(used) => format!("{} (PBS: free{since})", used.word()),
        None => format!("{}{since}", report.state),
    };
    let mut section = AnswerSection::new(AnswerTopic::Node, format!("Node {}: {state}", report.node));
    for alert in &report.alerts {
        section.line_about(alert.clone(), [report.node.clone()]);
    }
    report.fixes.iter().for_each(|fix| section.line(format!("fix: {fix}")));
    if let Some(comment) = &report.comment {
        section.line(format!("comment: {comment}"));
    }
    let left: Vec<String> =
        report.left.iter().map(|one| format!("{} of {} {}", one.left, one.total, one.resource)).collect();
    section.line_about(format!("left after this cycle: {}", left.join(", ")), [report.node.clone()]);
    if !report.sets.is_empty() {
        section.line(format!("placement sets: {}", report.sets.join(", ")));
    }
    let refused = ("started in this cycle and refused by the server", &report.refused);
    let runs: Vec<String> = report.jobs.iter().filter(|job| !report.kept_by.contains(job)).cloned().collect();
    let runs = [("runs", &runs), ("kept by jobs not in the dump", &report.kept_by)];
    for (what, jobs) in runs.into_iter().chain([("starts in this cycle", &report.starting), refused]) {
        if !jobs.is_empty() {
            section
                .line_about(format!("{what}: {}", words::some_jobs(jobs, 8)), jobs.iter().take(8).cloned());
        }
    }
    if !report.planned.is_empty() {
        let text = |one: &PlannedOccupant| format!("{} from {}", short_id(&one.occupant), one.from);
        let texts: Vec<String> = report.planned.iter().map(text).collect();
        let who = report.planned.iter().take(8).map(|one| one.occupant.clone());
        section.line_about(format!("planned for {}", words::first_names(&texts, 8)), who);
    }
    section
}
