//! The cluster with no jobs on it, to ask of it what could run at all.

use std::sync::Arc;

use super::{Mode, Outcome, Setup, Universe, consider};
use crate::cluster::{JobId, Snapshot};
use crate::placement::Probe;
use crate::universe::{Plan, State};

/// The cluster with no jobs on it: every vnode up and free, no limit, no time window, no hold.
#[derive(Clone, Debug)]
pub struct IdleCluster {
    /// Before any job.
    pub state: State,
    setup: Setup,
}

impl IdleCluster {
    /// The idle cluster on which any job that waits may be tried alone, but those inside of reservations.
    pub fn of_all(universe: &Universe) -> Self {
        let plan = universe.plan();
        Self::new(Some(universe), plan, plan.snap.idle_for_all())
    }

    /// The idle cluster for one job, with the reservation that it is in.
    pub fn of_one(plan: &Plan, job: JobId) -> Self {
        Self::new(None, plan, plan.snap.idle_for(job))
    }

    fn new(before: Option<&Universe>, plan: &Plan, snap: Snapshot) -> Self {
        let (idle, setup) = Universe::after(before, Arc::new(snap), plan.quirks, plan.period, |_| {});
        Self { state: idle.first_state(setup.classes.count), setup }
    }

    /// What becomes of a job alone; it is not started.
    pub fn consider(&mut self, job: JobId) -> Outcome {
        consider(&mut self.state, &self.setup, job, Mode::Main, &mut Probe::off())
    }
}
