//! The answer as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use qscope_engine::placement::PlacementPath;
use qscope_simulate::figures::rounded;
use qscope_simulate::{
    CycleResult, JobEnd, JobResult, Measures, PastAgreement, ScalingResult, SimulationCondition,
    SimulationResult,
};

use super::cycles::{CycleRecorder, SimulatedCycleJson};
use super::load::LoadSampleJson;
use super::unfair::UnfairJson;
use super::waited::{self, WaitedJson};

/// The whole answer.
#[derive(Serialize)]
pub(super) struct SimulateJson<'a> {
    format: &'static str,
    from: i64,
    to: i64,
    cycles: u64,
    empty_cycles: u64,
    refused: u64,
    /// Fair share usage by leaf, where fair share is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<BTreeMap<&'a str, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_decay: Option<i64>,
    measures: &'a Measures,
    /// How far the starts are from the real ones, where these are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_against_the_past: Option<PastAgreement>,
    jobs: Vec<SimulatedJobJson<'a>>,
    /// The moment of the cycle, the number of jobs considered, and the ids started.
    runs: Vec<StartingCycleJson<'a>>,
    /// The load over time, if requested: a sample for each second with a change, which holds until the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Vec<LoadSampleJson<'a>>>,
    /// Core-hours waited by reason, the largest first, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    waited: Option<Vec<WaitedJson<'a>>>,
    /// The jobs named with `--unfair`.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfair: Option<Vec<UnfairJson<'a>>>,
    /// What every cycle decided, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<&'a [SimulatedCycleJson]>,
    /// Vnodes that were ordered and given back, by kind.
    #[serde(skip_serializing_if = "<[ScalingResult]>::is_empty")]
    scaled: &'a [ScalingResult],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<ConditionJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    /// Whether it was interrupted; the answer then covers what was simulated until then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// Parts that are only there if they were requested.
#[derive(Default)]
pub(super) struct RequestedJson<'a> {
    pub(super) series: Option<Vec<LoadSampleJson<'a>>>,
    pub(super) unfair: Option<Vec<UnfairJson<'a>>>,
}

/// One job.
#[derive(Serialize)]
#[serde(untagged)]
enum SimulatedJobJson<'a> {
    Rejected { id: &'a str, state: &'static str },
    Taken(Box<AcceptedJobJson<'a>>),
}

/// A job that the server took.
#[derive(Serialize)]
struct AcceptedJobJson<'a> {
    id: &'a str,
    at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<bool>,
    start: Option<i64>,
    end: Option<i64>,
    state: String,
    #[serde(flatten)]
    placed: Option<LastPlacementJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pset: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    preempted: Vec<(i64, char)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated: Option<(i64, i64)>,
    /// Why it last waited, if reasons were requested and it waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<i64>,
}

/// The placement of its last start.
#[derive(Serialize)]
struct LastPlacementJson<'a> {
    exec_vnode: &'a str,
    /// Null for a start before the simulation.
    path: Option<&'static str>,
}

/// A cycle that started something.
type StartingCycleJson<'a> = (i64, usize, Vec<&'a str>);

/// A condition of `--fail-if`.
#[derive(Serialize)]
pub(super) struct ConditionJson<'a> {
    condition: &'a str,
    value: Option<f64>,
    holds: bool,
}

impl<'a> SimulateJson<'a> {
    pub(super) fn of(
        simulated: &'a SimulationResult,
        cycles: &'a CycleRecorder,
        conditions: &'a [SimulationCondition],
        extra: RequestedJson<'a>,
    ) -> Self {
        let usage = simulated.usage.as_ref();
        let rounded_usage = |(usage, _): &'a (BTreeMap<_, f64>, _)| {
            usage
                .iter()
                .map(|(name, usage): (&'a std::sync::Arc<str>, &f64)| (&**name, rounded(*usage, 6)))
                .collect()
        };
        Self {
            format: "days 1",
            from: simulated.from.0,
            to: simulated.to.0,
            cycles: simulated.counters.cycles,
            empty_cycles: simulated.counters.empty_cycles,
            refused: simulated.counters.refused,
            usage: usage.map(rounded_usage),
            last_decay: usage.map(|(_, decayed)| decayed.0),
            measures: &simulated.measures,
            held_against_the_past: PastAgreement::of(simulated),
            jobs: simulated.jobs.iter().map(SimulatedJobJson::of).collect(),
            runs: simulated.runs.iter().map(run).collect(),
            series: extra.series,
            waited: simulated.waited.as_deref().map(waited::to_json),
            unfair: extra.unfair,
            decided: cycles.decided(),
            scaled: &simulated.scaled,
            conditions: conditions_json(conditions, simulated),
            warnings: &simulated.warnings,
            cut: simulated.is_cut,
        }
    }
}

/// Returns which of the conditions hold.
pub(super) fn conditions_json<'a>(
    conditions: &'a [SimulationCondition],
    simulated: &SimulationResult,
) -> Vec<ConditionJson<'a>> {
    let one = |condition: &'a SimulationCondition| ConditionJson {
        condition: condition.text(),
        value: condition.value(simulated),
        holds: condition.holds(simulated),
    };
    conditions.iter().map(one).collect()
}

fn run(run: &CycleResult) -> StartingCycleJson<'_> {
    (run.at.0, run.considered, run.started.iter().map(|name| &**name).collect())
}

impl<'a> SimulatedJobJson<'a> {
    fn of(job: &'a JobResult) -> Self {
        if job.state == JobEnd::Rejected {
            return Self::Rejected { id: &job.name, state: "rejected" };
        }
        let nodes = job.exec_vnode.as_deref().filter(|_| !job.is_array);
        let placed =
            nodes.map(|exec_vnode| LastPlacementJson { exec_vnode, path: job.path.map(PlacementPath::word) });
        Self::Taken(Box::new(AcceptedJobJson {
            id: &job.name,
            at: job.at.0,
            array: job.is_array.then_some(true),
            start: job.start.map(|at| at.0),
            end: job.end.map(|at| at.0),
            state: job.state.word(),
            placed,
            pset: job.pset.as_deref(),
            runs: Some(job.runs).filter(|runs| *runs > 1),
            preempted: job.preempted.iter().map(|(at, method)| (at.0, method.letter())).collect(),
            refused: Some(job.refused).filter(|times| *times > 0),
            estimated: job.estimated.map(|(promised, start)| (promised.0, start.0)),
            last_reason: job.last_reason.as_deref(),
            was: job.was.map(|was| was.0),
        }))
    }
}
