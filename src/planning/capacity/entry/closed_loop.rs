//! The closed loop.

use serde::{Deserialize, Serialize, Serializer};

use crate::capacity::closed_loop::{LoopEnd, LoopJob, LoopScenario, LoopState, simulate};
use crate::capacity::services::{ServiceCheck, check};
use crate::capacity::{CapacityShape, Fidelity, PackError, ShapeError, node_type};

use super::estimates::EstimateConfig;
use super::read::{
    Count, EntryError, EntrySeconds, FiniteNumber, Flag, NamedNodeShape, PathValue, WholeNumber, repeated,
};
use super::write::{NodeTypeRow, PlainNumber};

#[derive(Deserialize)]
struct LoopProblem {
    types: Vec<NamedNodeShape>,
    config: EstimateConfig,
    jobs: LoopJobs,
}

/// `[submit, name, seconds or null, memory, cores, disk, preemptible]`, possibly followed by a repeat count.
#[derive(Deserialize)]
struct LoopJobRow(
    EntrySeconds,
    String,
    Option<EntrySeconds>,
    WholeNumber,
    FiniteNumber,
    WholeNumber,
    Flag,
    #[serde(default)] Option<Count>,
);

#[derive(Deserialize)]
#[serde(try_from = "LoopJobRow")]
struct RepeatedJob(LoopJob, u64);

impl TryFrom<LoopJobRow> for RepeatedJob {
    type Error = ShapeError;

    fn try_from(row: LoopJobRow) -> Result<Self, ShapeError> {
        let LoopJobRow(
            EntrySeconds(submit),
            name,
            seconds,
            WholeNumber(memory),
            FiniteNumber(cores),
            WholeNumber(disk),
            Flag(preemptible),
            count,
        ) = row;
        let shape =
            CapacityShape { memory, cores, disk, preemptible, ..CapacityShape::default() }.checked()?;
        let seconds = seconds.map(|EntrySeconds(seconds)| seconds);
        let job = LoopJob { submit, name: name.as_str().into(), seconds, shape };
        Ok(Self(job, count.map_or(1, |Count(count)| count)))
    }
}

/// The jobs, repeats expanded.
#[derive(Deserialize)]
#[serde(try_from = "Vec<RepeatedJob>")]
struct LoopJobs(Vec<LoopJob>);

impl TryFrom<Vec<RepeatedJob>> for LoopJobs {
    type Error = String;

    fn try_from(rows: Vec<RepeatedJob>) -> Result<Self, String> {
        repeated(rows.into_iter().map(|RepeatedJob(job, count)| (job, count))).map(Self)
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LoopAnswer {
    /// When the last job that is no service ended; null if not all did.
    pub makespan: Option<f64>,
    /// When it ended, or in words how it came to no end.
    #[serde(serialize_with = "end")]
    pub end: LoopEnd,
    /// Seconds of nodes from launch to termination.
    pub node_seconds: f64,
    /// The most nodes held at once.
    pub most_nodes: usize,
    /// Jobs on nodes that were terminated under them.
    killed: usize,
    /// The states after cycles, where something changed.
    pub trace: Vec<LoopStateRow>,
    /// The node types, in the order in which they are tried.
    order: Vec<NodeTypeRow>,
    /// Whether the services alone can leave their clients without room; absent from the original's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_check: Option<ServiceCheckJson>,
    /// Cycles that the original loses by its own failures; absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_cycles: Option<u64>,
}

/// `[time, queued, running, wanted by type, ready, held, draining]`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LoopStateRow(pub PlainNumber, pub usize, pub usize, pub Vec<i64>, pub usize, pub usize, pub usize);

impl From<&LoopState> for LoopStateRow {
    fn from(m: &LoopState) -> Self {
        Self(PlainNumber(m.time), m.queued, m.running, m.wanted.clone(), m.ready, m.held, m.ignored)
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ServiceCheckJson {
    /// How many services there are.
    services: u64,
    /// How many of them fit on the most nodes that are allowed.
    fit: u64,
    /// How many distinct shapes of clients there are.
    kinds_of_clients: u64,
    /// How many of these find room for one job next to the services.
    served: u64,
    /// Whether nothing but services may come to run.
    can_deadlock: bool,
    /// The finding in a sentence.
    pub finding: String,
}

impl From<ServiceCheck> for ServiceCheckJson {
    fn from(found: ServiceCheck) -> Self {
        Self {
            services: found.services,
            fit: found.fit,
            kinds_of_clients: found.clients,
            served: found.served,
            can_deadlock: found.can_deadlock(),
            finding: found.sentence(),
        }
    }
}

/// Answers a problem of the closed loop.
pub(super) fn answer(at: &PathValue<'_>, fidelity: Fidelity) -> Result<LoopAnswer, EntryError> {
    let problem: LoopProblem = at.read()?;
    let options = problem.config.options(at, fidelity)?;
    let compat = fidelity == Fidelity::Compat;
    let interval = problem.config.interval.map_or(60.0, |FiniteNumber(seconds)| seconds);
    let boot = problem.config.boot.map_or(120.0, |FiniteNumber(seconds)| seconds);
    let types = problem.config.bounds.of(problem.types, at)?;
    let types = node_type::sort_types(types, compat).map_err(|error| at.error(error))?;
    let scenario = LoopScenario { types, options, interval, boot, jobs: problem.jobs.0 };
    let outcome = simulate(&scenario, &|| false).map_err(|error| at.error_at("config", error))?;
    let services = if compat { None } else { Some(services(&scenario).map_err(|error| at.error(error))?) };
    Ok(LoopAnswer {
        makespan: outcome.makespan,
        end: outcome.end,
        node_seconds: outcome.node_seconds,
        most_nodes: outcome.max_nodes,
        killed: outcome.killed,
        trace: outcome.trace.iter().map(LoopStateRow::from).collect(),
        order: scenario.types.iter().map(NodeTypeRow::from).collect(),
        service_check: services,
        lost_cycles: Some(outcome.lost_cycles).filter(|lost| *lost > 0),
    })
}

/// Checks whether the services alone can leave their clients without room.
fn services(scenario: &LoopScenario) -> Result<ServiceCheckJson, PackError> {
    let (services, clients): (Vec<&LoopJob>, Vec<&LoopJob>) =
        scenario.jobs.iter().partition(|job| job.seconds.is_none());
    let usable = node_type::usable_shapes(&scenario.types, scenario.options.zero_overhead);
    let found = check(&shapes(&services), &shapes(&clients), &scenario.types, &usable)?;
    Ok(found.into())
}

fn shapes(jobs: &[&LoopJob]) -> Vec<CapacityShape> {
    jobs.iter().map(|job| job.shape).collect()
}

fn end<S: Serializer>(end: &LoopEnd, to: S) -> Result<S::Ok, S::Error> {
    match *end {
        LoopEnd::Done(time) => PlainNumber(time).serialize(to),
        LoopEnd::Deadlock(time) => to.collect_str(&format_args!("service deadlock at {time}")),
        LoopEnd::Stuck(time) => to.collect_str(&format_args!("stuck at {time}")),
        LoopEnd::CycleLimit(time) => to.collect_str(&format_args!("ended at {time}")),
    }
}
