//! Who takes nodes: jobs, subjobs and reservations, and when they are planned to.

use crate::cluster::{Epoch, JobId, ResvId};

/// Who an event is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Occupant {
    /// A job; a subjob by its array and index.
    Job(JobId, Option<u32>),
    Reservation(ResvId),
}

impl Occupant {
    /// Whether it is this job, or a subjob of it.
    pub fn is_of(self, job: JobId) -> bool {
        matches!(self, Self::Job(of, _) if of == job)
    }
}

/// Something planned on a node: an occupant starts there (rule 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeEvent {
    /// When.
    pub at: Epoch,
    /// Who.
    pub occupant: Occupant,
}
