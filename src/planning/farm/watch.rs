//! Observers of a simulation, and what they receive: starts, and the farm after each second with events.

use super::floor::{FarmFloor, Occupation};
use super::pending::Pending;
use super::workload::{ClassNo, FarmJob, JobNo, NodeNo};

/// Who listens to a simulation.
pub trait Watch {
    fn started(&mut self, _job: JobNo, _what: &FarmJob, _node: NodeNo, _at: i64) {}
    /// A job fits on no node, ever (rule R9).
    fn never_fits(&mut self, _job: JobNo, _what: &FarmJob) {}
    /// A second with events is over (rule R10).
    fn sample(&mut self, _now: &Sample<'_>) {}
    /// From time to time: whether to go on.
    fn wanted(&mut self) -> bool {
        true
    }
}

/// The farm after the last pass of a second; true until the next sample.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The second.
    pub t: i64,
    pub(super) floor: &'a FarmFloor,
    pub(super) pending: &'a Pending,
    pub(super) never: u64,
}

impl<'a> Sample<'a> {
    /// The farm at `t`, without jobs that fit nowhere.
    pub(super) fn of(t: i64, floor: &'a FarmFloor, pending: &'a Pending) -> Self {
        Self { t, floor, pending, never: 0 }
    }

    /// Slots in use.
    pub fn used(&self) -> u64 {
        self.floor.used
    }
    /// Jobs that wait, those that fit nowhere included.
    pub fn pending(&self) -> u64 {
        self.pending.jobs() + self.never
    }
    /// Nodes with a job.
    pub fn busy(&self) -> u32 {
        self.floor.busy
    }
    /// Nodes held by a class.
    pub fn held(&self) -> u32 {
        self.floor.signs.held_nodes()
    }
    pub fn class(&self, class: ClassNo) -> &Occupation {
        self.floor.occupation(class)
    }
    /// The classes whose occupation may have changed since the sample before; some more than once.
    pub fn touched(&self) -> &[ClassNo] {
        self.floor.touched()
    }
    /// Slots that stand free on held nodes while jobs wait that only the holds keep out.
    pub fn blocked(&self) -> u64 {
        if self.pending.jobs() == 0 || self.floor.signs.held().is_empty() {
            return 0;
        }
        self.floor.free_on_held().min(self.pending.wanted_but_for_holds(self.floor))
    }
}
