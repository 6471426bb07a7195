//! The same question at other target times, and the scaler's way there over time.

use qscope_engine::cluster::Snapshot;

use super::closed_loop::{LoopError, LoopJob, LoopOutcome, LoopScenario, simulate};
use super::node_type::{self, NodeType};
use super::question::{CapacityCase, CapacityCaseError, CapacityQuestion};
use super::{CapacityShape, TypeSetIx, TypeSupply};

/// The target times that are tried, in seconds.
pub const TARGETS: [f64; 10] =
    [60.0, 300.0, 900.0, 1800.0, 3600.0, 7200.0, 14_400.0, 28_800.0, 43_200.0, 86_400.0];

/// The intervals between cycles that are tried, in seconds.
pub const INTERVALS: [f64; 5] = [30.0, 60.0, 300.0, 900.0, 1800.0];

/// The result for one target time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepPoint {
    /// Target time in seconds.
    pub target: f64,
    pub nodes: u64,
    /// Node-hours, boot time included.
    pub hours: f64,
    /// Price of the node-hours without boot time, if every type has a price.
    pub cost: Option<f64>,
    /// Seconds from now until the last job ends.
    pub makespan: f64,
}

/// Answers the question at another target time. `boot` is the time in seconds for which a node is paid before
/// it accepts jobs.
pub fn point(
    snap: &Snapshot,
    question: &CapacityQuestion,
    target: f64,
    boot: f64,
) -> Result<SweepPoint, CapacityCaseError> {
    let mut question = question.clone();
    question.options.target = target;
    let answer = CapacityCase::new(snap, &question)?.answer(snap)?;
    let boots = answer.nodes() as f64 * boot / 3600.0;
    Ok(SweepPoint {
        target,
        nodes: answer.nodes(),
        hours: answer.hours() + boots,
        cost: answer.cost(),
        makespan: answer.makespan,
    })
}

/// Maximum number of chunks that are simulated; a simulation packs all of them again in every cycle.
pub const MAX_SIMULATED: usize = 5_000;

/// Returns the scenario in which the scaler serves the jobs of a case, all submitted now and running for
/// their assumed time, each chunk as a job of its own; none when there are too many. Jobs that fit no type
/// are left out: nothing would ever start them.
pub fn scenario(snap: &Snapshot, case: &CapacityCase, interval: f64, boot: f64) -> Option<LoopScenario> {
    let mut jobs = Vec::new();
    for demand in &case.demands.all {
        let name = snap.jobs[demand.job].title.clone();
        let copies = usize::try_from(demand.copies).unwrap_or(usize::MAX);
        for (chunk, count) in &demand.chunks {
            let fits = |kind: &CapacityShape| super::fit::lacks(chunk, kind).is_empty();
            if !case.shapes.iter().any(fits) {
                continue;
            }
            let shape = CapacityShape { site: TypeSetIx::default(), exclusive: false, ..*chunk };
            let seconds = (!demand.service).then_some(chunk.wall_time);
            let one = LoopJob { submit: 0.0, name: name.clone(), seconds, shape };
            let all = copies.saturating_mul(*count as usize);
            if all.saturating_add(jobs.len()) > MAX_SIMULATED {
                return None;
            }
            jobs.extend(std::iter::repeat_n(one, all));
        }
    }
    let types: Vec<NodeType> = case.stocks.iter().map(from_nothing).collect();
    let types = node_type::sort_types(types, false).ok()?;
    Some(LoopScenario { types, options: case.options, interval, boot, jobs })
}

/// Returns the type for a scenario that begins without nodes: the nodes of the cluster that are up are not a
/// minimum there, but the minimum of a type defined by the operator is.
fn from_nothing(stock: &TypeSupply) -> NodeType {
    let min = if stock.hosts.is_empty() { stock.node_type.min } else { 0 };
    NodeType { min, ..stock.node_type.clone() }
}

/// Runs the scaler on a case.
pub fn run(scenario: &LoopScenario, stop: &dyn Fn() -> bool) -> Result<LoopOutcome, LoopError> {
    simulate(scenario, stop)
}
