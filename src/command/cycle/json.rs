//! The answer of `qscope cycle` as JSON.

mod considered;

use std::fmt;

use serde::Serialize;

use qscope_engine::cluster::{JobId, Severity, Snapshot};
use qscope_engine::cycle::{Confirmation, QuirkOccurrence, Run, ServerAction};
use qscope_exits::json::StreamedList;
use qscope_session::Generation;

use super::CyclePart;
use super::JobFilter;
use super::reservations::ReservationJson;
use crate::command::buckets::{BucketJson, buckets_json};
use crate::command::cycle_policy::CyclePolicyComparison;
use crate::command::cycle_qrun::QrunJson;
use crate::command::pools::{PlacementSetJson, sets_json};
use considered::{ConsideredJobJson, jobs};

/// The cycle: the outcome of every job, and what it was decided on.
#[derive(Serialize)]
pub(super) struct CycleJson<'a> {
    /// The title of the folder.
    case: &'a str,
    /// The moment of the cycle, in seconds since 1970.
    now: i64,
    /// The scheduler behaviour that is modelled: observed, fixed or design.
    semantics: &'static str,
    /// Considered jobs in order, then the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<StreamedList<'a, ConsideredJobJson>>,
    /// The jobs that start, in order, by full id.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_order: Option<StreamedList<'a, String>>,
    /// The answers to the server about reservations.
    #[serde(skip_serializing_if = "Option::is_none")]
    resv_confirms: Option<StreamedList<'a, String>>,
    /// How each reservation that waited to be confirmed was examined.
    #[serde(skip_serializing_if = "Option::is_none")]
    reservations: Option<Vec<ReservationJson>>,
    /// The placement sets at the start, in the order tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    psets: Option<StreamedList<'a, PlacementSetJson>>,
    /// The node buckets at the start, in the order tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    buckets: Option<StreamedList<'a, BucketJson>>,
    /// Bugs and departures of the scheduler that took effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    quirks: Option<StreamedList<'a, WitnessJson<'a>>>,
    /// What the model leaves out, then the warnings of the readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<StreamedList<'a, String>>,
    /// Requests to the server other than starts: `preempt JOB S|C|Q|D`, `sigjob JOB resume`, `estimated.soft_walltime
    /// JOB LENGTH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<StreamedList<'a, String>>,
    /// With `--policy`: the cycle under an allocation policy compared with the live one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<CyclePolicyComparison>,
    /// With `--qrun`: the reply to the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) qrun: Option<QrunJson<'a>>,
    /// With `--timing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timing_ms: Option<CycleTiming>,
}

/// How long the work took, in milliseconds.
#[derive(Serialize)]
pub(super) struct CycleTiming {
    read: f64,
    build: f64,
    cycle: f64,
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
    /// Takes these parts of the cycle, or all if none is named, with the jobs that match.
    pub(super) fn new(
        generation: &'a Generation,
        filter: &'a JobFilter,
        only: &[CyclePart],
        semantics: &'static str,
    ) -> Self {
        let (snap, run) = (&generation.snapshot, &generation.run);
        let is_wanted = |part| only.is_empty() || only.contains(&part);
        let with_jobs = is_wanted(CyclePart::Jobs);
        let starts = || run.outcomes().filter(|outcome| outcome.placed.is_some());
        let confirmations = || run.confirmations.iter().map(|tried| confirmation(run, tried));
        let quirks = || run.witnesses.iter().map(|witness| WitnessJson::of(snap, witness));
        let actions = || run.actions.iter().map(|action| action_words(snap, *action));
        Self {
            case: &snap.title,
            now: snap.now.0,
            semantics,
            jobs: with_jobs.then(|| StreamedList::of(move || jobs(run, filter))),
            run_order: with_jobs
                .then(|| StreamedList::of(move || starts().map(|outcome| outcome.name(snap)))),
            resv_confirms: with_jobs.then(|| StreamedList::of(confirmations)),
            reservations: Some(ReservationJson::all(run)).filter(|all| with_jobs && !all.is_empty()),
            psets: is_wanted(CyclePart::Psets).then(|| StreamedList::of(|| sets_json(run))),
            buckets: is_wanted(CyclePart::Buckets).then(|| StreamedList::of(|| buckets_json(run))),
            quirks: is_wanted(CyclePart::Quirks).then(|| StreamedList::of(quirks)),
            warnings: is_wanted(CyclePart::Warnings).then(|| StreamedList::of(|| warnings(generation))),
            actions: (with_jobs && !run.actions.is_empty()).then(|| StreamedList::of(actions)),
            policy: None,
            qrun: None,
            timing_ms: None,
        }
    }
}

impl CycleTiming {
    pub(super) fn of(generation: &Generation) -> Self {
        let ms = |took: std::time::Duration| took.as_secs_f64() * 1000.0;
        Self {
            read: ms(generation.read_took),
            build: ms(generation.build_took),
            cycle: ms(generation.cycle_took),
        }
    }
}

impl fmt::Display for CycleTiming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read, build, cycle } = self;
        write!(f, "took: {read:.1} ms to read, {build:.1} ms to build, {cycle:.1} ms for the cycle")
    }
}

impl<'a> WitnessJson<'a> {
    fn of(snap: &'a Snapshot, occurrence: &'a QuirkOccurrence) -> Self {
        Self {
            quirk: occurrence.quirk.name(),
            job: &snap.jobs[occurrence.job].name,
            what: &occurrence.what,
            about: occurrence.quirk.sentence(),
        }
    }
}

/// Returns the scheduler's answer to the server about a reservation.
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

/// Formats a request to the server about a job.
fn action_words(snap: &Snapshot, action: ServerAction) -> String {
    let name = |job: JobId| &snap.jobs[job].name;
    match action {
        ServerAction::Preempt(job, method) => {
            format!("preempt {} {}", name(job), method.letter())
        }
        ServerAction::Resume(job) => format!("sigjob {} resume", name(job)),
        ServerAction::ExtendSoft(job, length) => format!("estimated.soft_walltime {} {length}", name(job)),
    }
}
