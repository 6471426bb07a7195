//! Forecasts when a job would start: runs the cycle forward, event by event, assuming that every job lasts as long as
//! it declares and no new job arrives.

mod all_starts;
mod remaining_walltimes;
mod stepper;
mod unknown_start;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, JobId, JobState, NodeId, Snapshot};
use qscope_engine::cycle::{Eligibility, Exclusion, Outcome, Run};
use qscope_engine::universe::Bit;

use super::cause::state_cause;
use super::turn::decided;
use super::undone_starts::LastUndoneStart;
use super::why::overruns;
use super::words::clock;
pub use all_starts::{ForecastStarts, all_starts, forecasts};
pub use remaining_walltimes::RemainingWalltimes;
pub use stepper::{ForecastStepper, after_cycle, move_clock};
use unknown_start::after_dependency;
pub use unknown_start::unknown_start;

/// The source of an estimate, or why there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ForecastSource {
    /// It starts in the current cycle.
    Now,
    /// It is a top job: the scheduler's own calendar gives its start.
    TopJob,
    /// The cycle was run forward.
    Forecast,
    /// It did not start even after all running jobs had ended.
    Nothing,
    /// The forecast was stopped before it started.
    Ended,
}

/// An estimated start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Forecast {
    pub start: Option<Epoch>,
    /// Its nodes, in the scheduler's format.
    pub exec_vnode: Option<String>,
    /// The source of the estimate.
    pub source: ForecastSource,
    pub cycles: u32,
    /// The last moment examined.
    pub until: Epoch,
    /// The condition on the job itself before it is considered, such as its release or its dependency, in words.
    #[serde(skip_serializing_if = "Option::is_none", rename = "waits_for")]
    pub until_state: Option<String>,
    /// Running jobs that the cycle which starts it preempts for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preempts: Vec<String>,
    /// Jobs considered after it that start earlier on nodes it later gets, in order of time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overtaken_by: Vec<Overtaking>,
    /// What the running jobs declare, on which the error of the estimate depends.
    #[serde(skip)]
    pub declared: Option<RemainingWalltimes>,
}

/// A later job that starts before another one on nodes that it needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Overtaking {
    pub job: String,
    /// Its start.
    pub at: Epoch,
    /// Those of its nodes that the other job needs.
    pub nodes: Vec<String>,
}

/// Progress of a forecast: cycles run, and the moment of the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForecastProgress {
    pub cycles: u32,
    /// The moment of the last cycle.
    pub at: Epoch,
}

impl ForecastProgress {
    /// Continues for at most `most` cycles.
    pub fn up_to(self, most: u32) -> ControlFlow<()> {
        if self.cycles < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Receives the progress of a forecast, and may stop it.
pub type ForecastListener<'l> = &'l mut dyn FnMut(ForecastProgress) -> ControlFlow<()>;

/// Returns the assumption of every estimate of a cluster, in words. Usage by the jobs that start is not charged while the
/// cycle is run forward, so that with fair-share its order stays.
pub fn assumption(snap: &Snapshot) -> &'static str {
    match snap.policy.fair_share.both_periods().contains(&&true) {
        true => "assumes walltimes hold, no new jobs, holds or limits, and unchanged fair-share usage",
        false => "assumes walltimes hold and no new jobs, holds or limits",
    }
}

/// Forecasts the start of a job. `listener` receives the progress and may stop the forecast.
pub fn forecast(run: &Arc<Run>, job: JobId, listener: ForecastListener<'_>) -> Option<Forecast> {
    let outcome = decided(run, job)?;
    let found = Forecast {
        start: None,
        exec_vnode: None,
        source: ForecastSource::Nothing,
        cycles: 0,
        until: run.plan.snap.now,
        until_state: until_state(run, job),
        preempts: Vec::new(),
        overtaken_by: Vec::new(),
        declared: RemainingWalltimes::of(run),
    };
    if let Some(found) = at_once(run, job, outcome, &found) {
        return Some(found);
    }
    let (mut forward, mut current, mut cycles) = (ForecastStepper::new(run), run.clone(), 0);
    let mut later = if overruns(run, job).next().is_some() { started_after(run, job) } else { Vec::new() };
    loop {
        let (after, next) = forward.after(current);
        let until = after.now;
        let Some(next) = next else {
            let until_state = found.until_state.clone().or_else(|| until_value(run, job, until));
            return Some(Forecast { cycles, until, until_state, ..found });
        };
        if listener(ForecastProgress { cycles, at: next }).is_break() {
            return Some(Forecast { source: ForecastSource::Ended, cycles, until, ..found });
        }
        current = forward.cycle_at(after, next);
        cycles += 1;
        let started = all_starts::started(&current).find(|(started, _)| *started == job);
        if let Some((_, outcome)) = started
            && let Some(placed) = &outcome.placed
        {
            let snap = &current.plan.snap;
            return Some(Forecast {
                start: Some(next),
                exec_vnode: Some(placed.allocation.exec_vnode(&current.plan)),
                source: ForecastSource::Forecast,
                cycles,
                until: next,
                preempts: outcome.victims.iter().map(|(job, _)| snap.jobs[*job].name.to_string()).collect(),
                overtaken_by: overtaking(&current, later, &placed.allocation.nodes()),
                ..found
            });
        }
        later.extend(started_after(&current, job));
    }
}

/// Returns what the current cycle alone shows: that the job starts in it, its planned start, or that it never starts.
fn at_once(run: &Arc<Run>, job: JobId, outcome: &Outcome, forecast: &Forecast) -> Option<Forecast> {
    if let Some(placed) = outcome.placed.as_ref().filter(|_| run.is_start(outcome)) {
        let (start, exec_vnode) = (Some(forecast.until), Some(placed.allocation.exec_vnode(&run.plan)));
        return Some(Forecast { start, exec_vnode, source: ForecastSource::Now, ..forecast.clone() });
    }
    let mut turns = run.steps.iter().filter(|step| step.outcome.job == job);
    // What started on its nodes beyond its planned start delays it.
    let planned = turns.find_map(|step| step.outcome.estimate.as_ref());
    if let Some(top) = planned.filter(|_| overruns(run, job).next().is_none()) {
        let (start, exec_vnode) = (Some(top.start), Some(top.allocation.exec_vnode(&run.plan)));
        return Some(Forecast { start, exec_vnode, source: ForecastSource::TopJob, ..forecast.clone() });
    }
    if LastUndoneStart::of(run, job).is_some_and(|start| run.is_undone(outcome) && start.deletes()) {
        let until_state = Some("not at all: this cycle deletes it".to_owned());
        return Some(Forecast { until_state, ..forecast.clone() });
    }
    (!may_ever_start(run, job)).then(|| forecast.clone())
}

/// A job that starts although it is considered after another one: its name, start and nodes.
type OvertakingStart = (String, Epoch, Vec<NodeId>);

/// Returns the jobs that a cycle starts and considers after this one, which it leaves waiting.
fn started_after(run: &Run, job: JobId) -> Vec<OvertakingStart> {
    let own = decided(run, job).and_then(|outcome| outcome.order);
    let is_after = |outcome: &&Outcome| own.is_some_and(|own| outcome.order > Some(own));
    let plan = &run.plan;
    let start = |outcome: &Outcome| {
        let nodes = outcome.placed.as_ref()?.allocation.nodes();
        let nodes = nodes.into_iter().map(|bit| plan.nodes[bit].id).collect();
        Some((outcome.name(&plan.snap), plan.snap.now, nodes))
    };
    run.starts().filter(is_after).filter_map(start).collect()
}

/// Keeps those that get nodes which the job finally gets.
fn overtaking(run: &Run, later: Vec<OvertakingStart>, nodes: &[Bit]) -> Vec<Overtaking> {
    let plan = &run.plan;
    let own: BTreeSet<NodeId> = nodes.iter().map(|bit| plan.nodes[*bit].id).collect();
    let found = later.into_iter().map(|(job, at, nodes)| {
        let common = nodes.into_iter().filter(|id| own.contains(id));
        Overtaking { job, at, nodes: common.map(|id| plan.snap.nodes[id].name.to_string()).collect() }
    });
    found.filter(|found| !found.nodes.is_empty()).collect()
}

/// Returns what must happen to a job before any cycle considers it; `None` for jobs that only wait.
fn until_state(run: &Run, job: JobId) -> Option<String> {
    let cause = state_cause(run, job)?;
    match cause.kind {
        "held" | "failed-starts" => Some("not before it is released".to_owned()),
        "suspended" => Some("not before it is resumed".to_owned()),
        "no-shares" => Some("not before its entity gets shares".to_owned()),
        "dependency" => Some(after_dependency(&cause.notes)),
        _ => unknown_start(run, job),
    }
}

/// Returns that a job below the threshold of the formula may pass it after the last event, if its value changes with
/// time.
fn until_value(run: &Run, job: JobId, until: Epoch) -> Option<String> {
    let is_below = matches!(run.eligibility[job], Eligibility::Excluded(Exclusion::UnderThreshold { .. }));
    let formula = run.setup.formula.as_ref().filter(|_| is_below)?;
    let snap = &run.plan.snap;
    let changes = snap.server.eligible_time_enable && formula.names().contains(&"eligible_time");
    changes.then(|| {
        format!(
            "not before the last event ({}): its formula value changes with eligible_time",
            clock(snap, until)
        )
    })
}

/// Whether time alone may let a job start: it is not held, the dumps show what it waits for, and it fits on the idle
/// cluster.
fn may_ever_start(run: &Run, job: JobId) -> bool {
    let snap = &run.plan.snap;
    let held = matches!(snap.jobs[job].state, JobState::Held | JobState::UserSuspended);
    !held && !run.impossible_jobs().contains(job) && unknown_start(run, job).is_none()
}
