//! `qscope cycle`: the outcome of every job.

mod json;
mod reservations;
mod rows;

use clap::{Args, ValueEnum};
use color_eyre::eyre::Result;

use qscope_engine::cluster::{JobId, Snapshot, count};
use qscope_engine::cycle::{Outcome, Run, ServerAction};
use qscope_engine::universe::PreemptMethod;
use qscope_exits::Lines;
use qscope_explain::{Assumptions, in_one_line, refused_by_server, words};
use qscope_session::Generation;
use qscope_session::query::Query;
use qscope_session::records::{JobReasons, JobRecord, REFUSED, job_fields};

use super::arguments::ClusterArgs;
use super::cycle_policy::CyclePolicyComparison;
use super::cycle_qrun::QrunJob;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};
use json::{CycleJson, CycleTiming};
use reservations::ReservationJson;

/// The arguments of `cycle`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope cycle /var/spool/qscope --where 'user=ann and wait' --json")]
pub(super) struct CycleArgs {
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Run the cycle that an operator's qrun of this job would start: it is considered alone, on the node path, and
    /// neither limits nor its queue's time of day apply.
    #[arg(long, value_name = "JOB")]
    pub qrun: Option<String>,
    /// Only these parts of the JSON, for example `jobs,warnings`; the other parts are not computed.
    #[arg(long, value_name = "PARTS", value_delimiter = ',', requires = "json")]
    pub only: Vec<CyclePart>,
    /// Add how long reading, building and the cycle took.
    #[arg(long)]
    pub timing: bool,
    /// Only jobs that match, for example `user:ann path:node wait` or `walltime>2h and not verdict=run`.
    #[arg(long = "where", value_name = "QUERY")]
    pub query: Option<String>,
}

/// A part of the JSON answer of `cycle`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum CyclePart {
    /// The outcome of every job, and the order in which jobs start.
    Jobs,
    /// The placement sets.
    Psets,
    /// The node buckets.
    Buckets,
    /// The bugs and departures of the scheduler that took effect.
    Quirks,
    /// What the model leaves out, and the warnings of the readers.
    Warnings,
}

/// Runs the cycle and prints it.
pub(super) fn run(args: &CycleArgs) -> Result<u8> {
    let mut generation = open::what_if(&args.cluster)?;
    if let Some(code) =
        plain::print_if_no_verdicts(&generation, args.cluster.as_json(), NoVerdictsSubject::Queue)?
    {
        return Ok(code);
    }
    let under = CyclePolicyComparison::of(&generation);
    let qrun = args.qrun.as_deref().map(|job| QrunJob::replace(&mut generation, job)).transpose()?;
    let filter = JobFilter::of(&generation, args.query.as_deref().unwrap_or_default())?;
    if args.cluster.as_json() {
        let semantics = args.cluster.at.form.reading.semantics.name();
        let mut answer = CycleJson::new(&generation, &filter, &args.only, semantics);
        answer.policy = under;
        answer.qrun = qrun.map(|qrun| qrun.to_json(&generation));
        answer.timing_ms = args.timing.then(|| CycleTiming::of(&generation));
        output::print_json_about(output::AnswerContext::from(&generation).with_scheduling(), answer)?;
    } else {
        let mut text = Lines::new();
        text.extend(under.iter().flat_map(CyclePolicyComparison::to_text));
        text.extend(qrun.map(|qrun| qrun.to_text(&generation)));
        text.append(&table(&generation, &filter));
        if args.timing {
            text.line(CycleTiming::of(&generation));
        }
        output::print_about(output::AnswerContext::from(&generation).with_scheduling(), &text)?;
    }
    Ok(0)
}

/// Maximum number of groups of a placement in a line of text; JSON has them all.
const MAX_GROUPS: usize = 2000;

/// Returns the cycle as text: one line a job.
fn table(generation: &Generation, filter: &JobFilter) -> Lines {
    let (snap, run) = (&generation.snapshot, &generation.run);
    let mut text = Lines::new();
    let jobs = count(run.considered, "job");
    let rest = words::not_considered(run.not_considered(), run.represented_subjobs());
    text.line(format_args!("{}: {jobs} considered, {rest}", snap.title));
    for reservation in ReservationJson::all(run) {
        text.line(format_args!("{}", reservation.line()));
    }
    for action in &run.actions {
        text.line(format_args!("{}", action_line(snap, *action)));
    }
    let mut judge = Assumptions::new(run);
    for outcome in run.outcomes().filter(|outcome| filter.fits(run, outcome)) {
        let order = outcome.order.map_or("-".to_owned(), |order| order.to_string());
        let path = outcome.entered().map_or("-", |path| path.word());
        let what = match (&outcome.placed, &outcome.rejection) {
            (Some(placed), _) => placed.allocation.exec_vnode_within(&run.plan, MAX_GROUPS),
            (None, Some(rejection)) => rejection.comment(&snap.catalogue),
            (None, None) => String::new(),
        };
        let name = outcome.name(snap);
        let rests_on = in_one_line(&judge.of_outcome(outcome));
        let rests_on = rests_on.map_or(String::new(), |text| format!("  [{text}]"));
        let refused = refused_by_server(run, outcome);
        let verdict = if refused.is_some() { REFUSED } else { run.verdict(outcome).word() };
        let refused = refused.map_or(String::new(), |why| format!("  [the server refuses it: {why}]"));
        text.line(format_args!("{order:>5}  {name:<14} {verdict:<14} {path:<6}  {what}{rests_on}{refused}"));
    }
    for warning in &run.warnings {
        text.line(format_args!("warning: {warning}"));
    }
    text
}

/// Describes what the cycle does to a job that runs or is suspended: `job 1 is preempted: suspended`.
fn action_line(snap: &Snapshot, action: ServerAction) -> String {
    let name = |job: JobId| snap.jobs[job].short_name();
    match action {
        ServerAction::Preempt(job, method) => {
            let how = match method {
                PreemptMethod::Checkpoint => "checkpointed and requeued",
                method => method.word(),
            };
            format!("job {} is preempted: {how}", name(job))
        }
        ServerAction::Resume(job) => format!("job {} is resumed", name(job)),
        ServerAction::ExtendSoft(job, length) => {
            format!("job {}: its soft walltime has passed, and is extended to {length}", name(job))
        }
    }
}

/// A filter over the jobs of a cycle.
struct JobFilter {
    query: Query,
    reasons: JobReasons,
}

impl JobFilter {
    /// # Errors
    /// If the filter cannot be read.
    fn of(generation: &Generation, text: &str) -> Result<Self> {
        let fields = job_fields(&generation.snapshot.catalogue).by_clock_of(&generation.snapshot);
        let query = Query::parse(text, &fields)
            .map_err(|error| open::error_with_mark("--where cannot be read", &error.pointed(text)))?;
        let reasons = JobReasons::for_filter(&generation.run, &query);
        Ok(Self { query, reasons })
    }

    fn fits(&self, run: &Run, outcome: &Outcome) -> bool {
        self.query.fits(&JobRecord::of(run, outcome).with_reason(self.reasons.of(outcome.job)))
    }
}
