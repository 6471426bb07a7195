//! Observers of a simulation, and what they receive: starts, and the farm after each second with events.

use super::farm_state::{FarmState, Occupation};
use super::pending::PendingJobs;
use super::workload::{ClassNo, FarmJob, JobNo, NodeNo};

/// An observer of a simulation.
pub trait FarmObserver {
    fn started(&mut self, _job: JobNo, _what: &FarmJob, _node: NodeNo, _at: i64) {}
    /// Called for a job that can never fit on any node (rule R9).
    fn never_fits(&mut self, _job: JobNo, _what: &FarmJob) {}
    /// Called at the end of a second with events (rule R10).
    fn sample(&mut self, _now: &FarmSample<'_>) {}
    /// Called from time to time; returns whether to continue.
    fn wanted(&mut self) -> bool {
        true
    }
}

/// The farm after the last pass of a second; valid until the next sample.
#[derive(Clone, Copy, Debug)]
pub struct FarmSample<'a> {
    /// The second.
    pub t: i64,
    pub(super) state: &'a FarmState,
    pub(super) pending: &'a PendingJobs,
    pub(super) never: u64,
}

impl<'a> FarmSample<'a> {
    /// Creates the sample at `t`, without jobs that fit nowhere.
    pub(super) fn of(t: i64, state: &'a FarmState, pending: &'a PendingJobs) -> Self {
        Self { t, state, pending, never: 0 }
    }

    /// Returns the slots in use.
    pub fn used(&self) -> u64 {
        self.state.used
    }
    /// Returns the number of waiting jobs, those that fit nowhere included.
    pub fn pending(&self) -> u64 {
        self.pending.jobs() + self.never
    }
    /// Returns the number of nodes with a job.
    pub fn busy(&self) -> u32 {
        self.state.busy
    }
    /// Returns the number of nodes held by a class.
    pub fn held(&self) -> u32 {
        self.state.current_bitmaps.held_nodes()
    }
    pub fn class(&self, class: ClassNo) -> &Occupation {
        self.state.occupation(class)
    }
    /// Returns the classes whose occupation may have changed since the previous sample; some more than once.
    pub fn changed_classes(&self) -> &[ClassNo] {
        self.state.changed_classes()
    }
    /// Returns the free slots on held nodes while jobs wait that only the holds keep from starting.
    pub fn blocked(&self) -> u64 {
        if self.pending.jobs() == 0 || self.state.current_bitmaps.held().is_empty() {
            return 0;
        }
        self.state.free_slots_on_held().min(self.pending.wanted_but_for_holds(self.state))
    }
}
