//! What the cycles of one second decided about one job, to explain the first difference of two simulations (days
//! rule 13).

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Name, array_id};
use qscope_engine::cycle::{DecidingRule, Outcome, Run, Verdict};
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::Quirks;
use qscope_explain::{WaitReason, causes};

use super::{CycleCounters, CycleObserver, Simulation, SimulationInput};
use crate::server::placement::JobPlacement;

/// A decision about a job in one cycle.
#[derive(Clone, PartialEq, Debug)]
pub struct JobDecision {
    /// Placement, if it starts.
    pub exec_vnode: Option<Arc<str>>,
    /// Path of the search for nodes, if it starts.
    pub path: Option<PlacementPath>,
    /// Why it waits, as `why` states it in a line, if it does not start.
    pub reason: Option<String>,
    /// The rule that decided.
    pub rule: Option<DecidingRule>,
}

impl JobDecision {
    /// Whether the job starts.
    pub fn starts(&self) -> bool {
        self.exec_vnode.is_some()
    }

    fn of(run: &Arc<Run>, outcome: &Outcome) -> Self {
        let placed = outcome.placed.as_ref();
        let placed = placed.filter(|_| outcome.verdict == Verdict::Run && !run.is_refused(outcome));
        let reason = || WaitReason::of(&causes(run, outcome.job)).map(|reason| reason.headline_of_cause());
        Self {
            exec_vnode: placed.map(|placed| JobPlacement::of(&run.plan, &placed.allocation).text),
            path: outcome.path.filter(|_| placed.is_some()),
            reason: if placed.is_some() { None } else { reason() },
            rule: run.deciding_rule(outcome),
        }
    }
}

/// Simulates up to a second, and returns what its cycles decided about a job: its start, or else the last decision.
/// `None` if no cycle of that second considers it.
pub fn decision_at(mut input: SimulationInput, quirks: Quirks, at: Epoch, job: &Name) -> Option<JobDecision> {
    input.options.until = Some(at.0);
    let mut seen = DecisionRecorder { at, job: job.clone(), found: None };
    Simulation::new(input, quirks).run(&mut seen);
    seen.found
}

struct DecisionRecorder {
    at: Epoch,
    job: Name,
    found: Option<JobDecision>,
}

impl DecisionRecorder {
    /// Returns what a cycle decided about the job: the start, or else the last decision; for a subjob that has not
    /// started, that about its array.
    fn decided(&self, run: &Arc<Run>) -> Option<JobDecision> {
        let snap = &run.plan.snap;
        let own = |outcome: &&Outcome| outcome.name(snap) == *self.job;
        let array = array_id(&self.job).map(|(array, _)| array);
        let of_array = |outcome: &&Outcome| array.as_deref() == Some(&*snap.jobs[outcome.job].name);
        let mine = || run.outcomes().filter(own);
        let started = mine().find(|outcome| outcome.verdict == Verdict::Run);
        let found = started.or_else(|| mine().last()).or_else(|| run.outcomes().filter(of_array).last())?;
        Some(JobDecision::of(run, found))
    }
}

impl CycleObserver for DecisionRecorder {
    fn cycle(&mut self, run: &Arc<Run>, _: &CycleCounters) -> bool {
        if run.plan.snap.now == self.at && !self.found.as_ref().is_some_and(JobDecision::starts) {
            self.found = self.decided(run).or(self.found.take());
        }
        true
    }
}
