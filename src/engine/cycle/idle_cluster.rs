//! The cluster without jobs, used to test what could run at all.

use std::sync::Arc;

use super::{ConsiderationMode, Outcome, Setup, Universe, consider};
use crate::cluster::{JobId, Snapshot};
use crate::placement::Probe;
use crate::universe::{Plan, Quirks, State};

/// The cluster without jobs: every vnode up and free, no limits, time windows or holds.
#[derive(Clone, Debug)]
pub struct IdleCluster {
    /// The state before any job.
    pub state: State,
    setup: Setup,
}

impl IdleCluster {
    /// Creates the idle cluster on which any waiting job outside reservations may be tried alone.
    pub fn of_all(universe: &Universe) -> Self {
        let plan = universe.plan();
        Self::new(Some(universe), plan, plan.quirks, plan.snap.idle_for_all())
    }

    /// Creates the idle cluster for one job, including the reservation that it is in.
    pub fn of_one(plan: &Plan, job: JobId) -> Self {
        Self::of_one_under(plan, job, plan.quirks)
    }

    /// Like [`of_one`](Self::of_one), under other quirks.
    pub fn of_one_under(plan: &Plan, job: JobId, quirks: Quirks) -> Self {
        Self::new(None, plan, quirks, plan.snap.idle_for(job))
    }

    fn new(before: Option<&Universe>, plan: &Plan, quirks: Quirks, snap: Snapshot) -> Self {
        let (idle, setup, ()) =
            Universe::after(before, Arc::new(snap), quirks, plan.period, |_| {}, |_, _| {});
        Self { state: idle.first_state(setup.classes.count), setup }
    }

    /// Considers a job alone, without starting it. The answer does not depend on jobs considered before: nodes equal by
    /// their sort keys would keep the order in which these left them.
    pub fn consider(&mut self, job: JobId) -> Outcome {
        let trial = self.state.begin_trial();
        let outcome = consider(&mut self.state, &self.setup, job, ConsiderationMode::Main, &mut Probe::off());
        self.state.end_trial(trial);
        outcome
    }
}
