//! Occupants of nodes: jobs, subjobs and reservations, and their planned starts.

use crate::cluster::{Epoch, JobId, ResvId};

/// The job or reservation that an event is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Occupant {
    /// A job; a subjob is identified by its array and index.
    Job(JobId, Option<u32>),
    Reservation(ResvId),
}

impl Occupant {
    /// Whether the occupant is this job or one of its subjobs.
    pub fn is_of(self, job: JobId) -> bool {
        matches!(self, Self::Job(of, _) if of == job)
    }
}

/// A start planned on a node (rule 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeEvent {
    /// Time of the start.
    pub at: Epoch,
    /// Job or reservation that starts.
    pub occupant: Occupant,
}
