//! The result of one job (days rule 11).

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Name};
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::PreemptMethod;

/// How a job ended, or its state at the end of the simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobEnd {
    /// It ended by itself.
    Done,
    /// It was killed at its walltime or at the end of its reservation.
    Killed,
    /// It was deleted: by its owner, by preemption, with its reservation, or because its dependency can never be met.
    Deleted,
    /// The server rejected it.
    Rejected,
    /// It had not ended; holds its state letter.
    Unfinished(char),
}

impl Default for JobEnd {
    fn default() -> Self {
        Self::Unfinished('Q')
    }
}

impl JobEnd {
    /// Returns the word used in output for programs.
    pub fn word(self) -> String {
        match self {
            Self::Done => "done".to_owned(),
            Self::Killed => "killed".to_owned(),
            Self::Deleted => "deleted".to_owned(),
            Self::Rejected => "rejected".to_owned(),
            Self::Unfinished(letter) => letter.to_string(),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct JobResult {
    /// Full id.
    pub name: Name,
    /// Time of arrival.
    pub at: Epoch,
    /// Whether it is an array, whose subjobs have results of their own.
    pub is_array: bool,
    /// Whether it was there when the simulation began.
    pub was_present: bool,
    /// Time of its first start.
    pub start: Option<Epoch>,
    /// Time of its end.
    pub end: Option<Epoch>,
    pub state: JobEnd,
    /// Placement of its last start, as text.
    pub exec_vnode: Option<Arc<str>>,
    /// Path of its last start; `None` for a start before the simulation.
    pub path: Option<PlacementPath>,
    /// Placement set of its last start.
    pub pset: Option<Name>,
    /// Number of starts.
    pub runs: u32,
    /// Times and methods of its preemptions.
    pub preempted: Vec<(Epoch, PreemptMethod)>,
    /// Number of starts that the server refused.
    pub refused: u32,
    /// When it first became a top job, and the start estimated then.
    pub estimated: Option<(Epoch, Epoch)>,
    /// Whether it first started while a job ahead of it waited in the same cycle.
    pub backfilled: bool,
    /// Time of the real start, if the arrivals are a history.
    pub was: Option<Epoch>,
    /// Why it last waited, as [`WaitedForReason`](crate::WaitedForReason) names it; `None` if it never waited, or if
    /// reasons were not requested.
    pub last_reason: Option<Name>,
    /// Cores of its placement, once it has started.
    pub cores: f64,
    /// Cores that it requests, if it states a number.
    pub requested: Option<i64>,
    /// Walltime in seconds, if it has one.
    pub walltime: Option<i64>,
    /// User who submitted it.
    pub user: Name,
    pub queue: Name,
}

impl JobResult {
    /// Creates the result of a job that has not done anything yet.
    pub(crate) fn new(name: Name, at: Epoch, is_array: bool) -> Self {
        Self { name, at, is_array, ..Self::default() }
    }

    /// Returns the seconds from its arrival to its first start.
    pub fn wait(&self) -> Option<i64> {
        self.start.map(|start| (start - self.at).0)
    }

    /// Whether it started and then ended without being deleted.
    #[must_use]
    pub fn has_finished(&self) -> bool {
        matches!(self.state, JobEnd::Done | JobEnd::Killed) && self.start.is_some()
    }
}
