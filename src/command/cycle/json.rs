//! The answer of `qscope cycle` for programs.

use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{JobId, Severity, Snapshot};
use qscope_engine::cycle::{Action, Confirmation, Run, Stage, Witness};
use qscope_engine::placement::Path;
use qscope_engine::universe::PreemptMethod;
use qscope_exits::json::Listed;
use qscope_explain::{Assumption, Assumptions, is_likely};
use qscope_session::Generation;
use qscope_session::query::Query;
use qscope_session::records::JobRecord;

use super::super::buckets::{BucketJson, buckets_json};
use super::super::cli::CyclePart;
use super::super::cycle_policy::UnderPolicy;
use super::super::cycle_qrun::QrunJson;
use super::super::pools::{SetJson, sets_json};
use super::reservations::ReservationJson;
use super::rows::{OutcomeRow, rows};

/// The cycle: what becomes of every job, and what it was decided on.
#[derive(Serialize)]
pub(super) struct CycleJson<'a> {
    /// The title of the folder.
    case: &'a str,
    /// The moment of the cycle, in seconds since 1970.
    now: i64,
    /// The scheduler behaviour that is modelled: observed, fixed or design.
    semantics: &'static str,
    /// Considered jobs in order, the others last.
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Listed<'a, ConsideredJobJson>>,
    /// The jobs that start, in order, by full id.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_order: Option<Listed<'a, String>>,
    /// The answers to the server about reservations.
    #[serde(skip_serializing_if = "Option::is_none")]
    resv_confirms: Option<Listed<'a, String>>,
    /// How each reservation that waited to be confirmed was examined.
    #[serde(skip_serializing_if = "Option::is_none")]
    reservations: Option<Vec<ReservationJson>>,
    /// The placement sets at the start, in the order tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    psets: Option<Listed<'a, SetJson>>,
    /// The node buckets at the start, in the order tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    buckets: Option<Listed<'a, BucketJson>>,
    /// Bugs and departures of the scheduler that took effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    quirks: Option<Listed<'a, WitnessJson<'a>>>,
    /// What the model leaves out, then the warnings of the readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Listed<'a, String>>,
    /// Requests to the server besides starts: `preempt JOB S|C|Q|D`, `sigjob JOB resume`,
    /// `estimated.soft_walltime JOB LENGTH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Listed<'a, String>>,
    /// With `--policy`: the cycle under an allocation policy beside the live one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<UnderPolicy>,
    /// With `--qrun`: the reply to the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) qrun: Option<QrunJson<'a>>,
    /// With `--timing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timing_ms: Option<Timing>,
}

/// How long the work took, in milliseconds.
#[derive(Serialize)]
pub(super) struct Timing {
    read: f64,
    build: f64,
    cycle: f64,
}

/// What becomes of one job.
#[derive(Serialize)]
struct ConsideredJobJson {
    /// The full id; of the subjob, where one was started.
    id: String,
    /// The place in the order considered, from 1; null if it was not.
    order: Option<u32>,
    /// `run`, `not_now`, `never` or `not_considered`.
    verdict: &'static str,
    /// Whether the job can never run as the cluster is, whatever the scheduler reports.
    never: bool,
    /// Why it can never run, in the scheduler's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    never_because: Option<String>,
    /// Whether the verdict could turn with a fact that was not seen.
    likely: bool,
    /// The facts that it rests on and that were not seen.
    rests_on: Vec<Assumption>,
    /// The path entered: `bucket`, `node` or null.
    path: Option<&'static str>,
    /// The path by which it starts after a preemption.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_preempt: Option<&'static str>,
    /// The path that it would use.
    would_use: Option<&'static str>,
    /// The rule that decided that.
    path_rule: Option<&'static str>,
    /// The id of that rule, as the list of rules has it: `bucket-excl`.
    rule: Option<&'static str>,
    /// Why no path was entered.
    turned_away_by: Option<&'static str>,
    /// Where it starts.
    exec_vnode: Option<String>,
    /// Why the server refuses to start it there: nodes that this cycle gave to another job before.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_by_server: Option<String>,
    /// The comment that the server gets if it does not start.
    comment: Option<String>,
    /// Whether its start is planned.
    topjob: bool,
    /// The planned start of a top job.
    estimated: Option<EstimateJson>,
    /// The placement set that holds it; of an array the one tried last.
    pset: Option<String>,
    /// The sets that were tried; `too small:` and the name for those that can never hold it.
    psets_tried: Vec<String>,
    examined: ExaminedJson,
    /// The attributes that change with the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    alters: Option<AltersJson>,
}

/// When and where a top job is planned.
#[derive(Serialize)]
struct EstimateJson {
    /// Seconds since 1970.
    start: i64,
    exec_vnode: String,
}

/// How many were examined for a job.
#[derive(Serialize)]
struct ExaminedJson {
    sets: u64,
    buckets: u64,
    nodes: u64,
}

/// The attributes that change as a job is shrunk to fit.
#[derive(Serialize)]
struct AltersJson {
    #[serde(rename = "Resource_List.walltime")]
    walltime: String,
}

/// A bug or departure that took effect.
#[derive(Serialize)]
struct WitnessJson<'a> {
    quirk: &'static str,
    /// The job by full id.
    job: &'a str,
    /// What happened to it.
    what: &'a str,
    /// What the quirk is, in a sentence.
    about: &'static str,
}

impl<'a> CycleJson<'a> {
    /// These parts of the cycle, all without any, with the jobs that fit.
    pub(super) fn new(
        generation: &'a Generation,
        query: &'a Query,
        only: &[CyclePart],
        semantics: &'static str,
    ) -> Self {
        let (snap, run) = (&generation.snapshot, &generation.run);
        let has = |part| only.is_empty() || only.contains(&part);
        let with_jobs = has(CyclePart::Jobs);
        let starts = || run.outcomes().filter(|outcome| outcome.placed.is_some());
        let confirmations = || run.confirmations.iter().map(|tried| confirmation(run, tried));
        let quirks = || run.witnesses.iter().map(|witness| WitnessJson::of(snap, witness));
        let actions = || run.actions.iter().map(|action| action_words(snap, *action));
        Self {
            case: &snap.title,
            now: snap.now.0,
            semantics,
            jobs: with_jobs.then(|| Listed::of(move || jobs(run, query))),
            run_order: with_jobs.then(|| Listed::of(move || starts().map(|outcome| outcome.name(snap)))),
            resv_confirms: with_jobs.then(|| Listed::of(confirmations)),
            reservations: Some(ReservationJson::all(run)).filter(|all| with_jobs && !all.is_empty()),
            psets: has(CyclePart::Psets).then(|| Listed::of(|| sets_json(run))),
            buckets: has(CyclePart::Buckets).then(|| Listed::of(|| buckets_json(run))),
            quirks: has(CyclePart::Quirks).then(|| Listed::of(quirks)),
            warnings: has(CyclePart::Warnings).then(|| Listed::of(|| warnings(generation))),
            actions: (with_jobs && !run.actions.is_empty()).then(|| Listed::of(actions)),
            policy: None,
            qrun: None,
            timing_ms: None,
        }
    }
}

impl Timing {
    pub(super) fn of(generation: &Generation) -> Self {
        let ms = |took: std::time::Duration| took.as_secs_f64() * 1000.0;
        Self {
            read: ms(generation.read_took),
            build: ms(generation.build_took),
            cycle: ms(generation.cycle_took),
        }
    }
}

/// What becomes of every job that fits.
fn jobs<'a>(run: &'a Arc<Run>, query: &'a Query) -> impl Iterator<Item = ConsideredJobJson> + use<'a> {
    let mut judge = Assumptions::new(run);
    let fitting = rows(run).into_iter().filter(|row| query.fits(&JobRecord::of(run, &row.outcome)));
    fitting.map(move |row| ConsideredJobJson::of(run, &row, judge.of_outcome(&row.outcome)))
}

impl ConsideredJobJson {
    fn of(run: &Run, OutcomeRow { outcome, set }: &OutcomeRow, rests_on: Vec<Assumption>) -> Self {
        let (plan, snap) = (&run.plan, &run.plan.snap);
        let tried =
            |(name, too_small)| if too_small { format!("too small: {name}") } else { format!("{name}") };
        let estimate = outcome.estimate.as_ref();
        let never = run.impossible().reason(outcome.job);
        Self {
            id: outcome.name(snap),
            order: outcome.order,
            verdict: outcome.verdict.word(),
            never: never.is_some(),
            never_because: never.map(|reason| reason.text(&snap.catalogue)),
            likely: is_likely(&rests_on),
            rests_on,
            path: outcome.path.map(Path::word),
            path_preempt: outcome.by_preemption.then(|| Path::Node.word()),
            would_use: outcome.would_use.map(|choice| choice.path.word()),
            path_rule: outcome.would_use.map(|choice| choice.rule.name()),
            rule: outcome.would_use.map(|choice| choice.rule.id()),
            turned_away_by: outcome.refused_at.map(Stage::word),
            exec_vnode: outcome.placed.as_ref().map(|placed| placed.allocation.exec_vnode(plan)),
            refused_by_server: outcome
                .placed
                .as_ref()
                .and_then(|_| qscope_explain::refused_by_server(run, outcome.job)),
            comment: outcome.comment(snap),
            topjob: estimate.is_some() && !plan.job(outcome.job).is_array(),
            estimated: estimate
                .map(|top| EstimateJson { start: top.start.0, exec_vnode: top.allocation.merged(plan) }),
            pset: set.as_deref().map(str::to_owned),
            psets_tried: outcome.tries.named(&run.end).into_iter().map(tried).collect(),
            examined: ExaminedJson {
                sets: outcome.examined.sets,
                buckets: outcome.examined.buckets,
                nodes: outcome.examined.nodes,
            },
            alters: outcome.shrunk_to.map(|length| AltersJson { walltime: length.to_string() }),
        }
    }
}

impl<'a> WitnessJson<'a> {
    fn of(snap: &'a Snapshot, witness: &'a Witness) -> Self {
        Self {
            quirk: witness.quirk.name(),
            job: &snap.jobs[witness.job].name,
            what: &witness.what,
            about: witness.quirk.sentence(),
        }
    }
}

/// The scheduler's answer to the server about a reservation.
fn confirmation(run: &Run, tried: &Confirmation) -> String {
    let snap = &run.plan.snap;
    let name = &snap.reservations[tried.reservation].name;
    let partition = snap.scheduler.partitions.first().map_or("pbs-default", |name| &**name);
    match &tried.result {
        Ok(placed) => format!(
            "{name} PBS_RESV_CONFIRM_SUCCESS:partition={partition} {} {}",
            tried.start.0,
            placed.exec_vnode(&run.plan)
        ),
        Err(_) => format!("{name} PBS_RESV_CONFIRM_FAIL 0 null"),
    }
}

fn warnings(generation: &Generation) -> impl Iterator<Item = String> + use<'_> {
    let read = generation.snapshot.diagnostics.iter().filter(|d| d.severity > Severity::Note);
    generation.run.warnings.iter().cloned().chain(read.map(ToString::to_string))
}

/// A request to the server about a job.
fn action_words(snap: &Snapshot, action: Action) -> String {
    let name = |job: JobId| &snap.jobs[job].name;
    match action {
        Action::Preempt(job, method) => {
            let letter = match method {
                PreemptMethod::Suspend => 'S',
                PreemptMethod::Checkpoint => 'C',
                PreemptMethod::Requeue => 'Q',
                PreemptMethod::Delete => 'D',
            };
            format!("preempt {} {letter}", name(job))
        }
        Action::Resume(job) => format!("sigjob {} resume", name(job)),
        Action::ExtendSoft(job, length) => format!("estimated.soft_walltime {} {length}", name(job)),
    }
}
