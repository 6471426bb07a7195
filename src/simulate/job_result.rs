//! What becomes of one job (days rule 11).

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Name};
use qscope_engine::placement::Path;
use qscope_engine::universe::PreemptMethod;

/// How a job ended, or how it stood when the simulation was over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobEnd {
    /// It ended by itself.
    Done,
    /// Its walltime, or the end of its reservation, ended it.
    Killed,
    /// It was deleted: by its owner, by preemption, with its reservation, or since what it depends on can never be.
    Deleted,
    /// The server did not take it.
    Rejected,
    /// It had not ended: its state letter.
    Left(char),
}

impl Default for JobEnd {
    fn default() -> Self {
        Self::Left('Q')
    }
}

impl JobEnd {
    /// The word for programs.
    pub fn word(self) -> String {
        match self {
            Self::Done => "done".to_owned(),
            Self::Killed => "killed".to_owned(),
            Self::Deleted => "deleted".to_owned(),
            Self::Rejected => "rejected".to_owned(),
            Self::Left(letter) => letter.to_string(),
        }
    }
}

/// What became of one job.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JobResult {
    /// Its id.
    pub name: Name,
    /// When it arrived.
    pub at: Epoch,
    /// Whether it is an array, whose subjobs have rows of their own.
    pub is_array: bool,
    /// Whether it was there when the simulation began.
    pub of_start: bool,
    /// Its first start.
    pub start: Option<Epoch>,
    /// Its end.
    pub end: Option<Epoch>,
    /// How it ended.
    pub state: JobEnd,
    /// The nodes of its last start, as text.
    pub exec_vnode: Option<Arc<str>>,
    /// The path of its last start; none for a start before the simulation.
    pub path: Option<Path>,
    /// The placement set that its last start landed in.
    pub pset: Option<Name>,
    /// How often it was started.
    pub runs: u32,
    /// When it was preempted, and how.
    pub preempted: Vec<(Epoch, PreemptMethod)>,
    /// How often the server refused its start.
    pub refused: u32,
    /// When it was first promised a start, and for when, if it ever was a top job.
    pub estimated: Option<(Epoch, Epoch)>,
    /// Whether it first started before a job ahead of it that waited in the same cycle.
    pub backfilled: bool,
    /// When it really started, where the arrivals are a history.
    pub was: Option<Epoch>,
    /// Cores of its placement, once it has started.
    pub cores: f64,
    /// Its walltime in seconds, if it has one.
    pub walltime: Option<i64>,
    /// Who submitted it.
    pub user: Name,
    pub queue: Name,
}

impl JobResult {
    /// A job of which nothing is known yet.
    pub(crate) fn new(name: Name, at: Epoch, is_array: bool) -> Self {
        Self { name, at, is_array, ..Self::default() }
    }

    /// Seconds from its arrival to its first start.
    pub fn wait(&self) -> Option<i64> {
        self.start.map(|start| (start - self.at).0)
    }

    /// Whether it ended after it had started, and was not deleted.
    #[must_use]
    pub fn has_finished(&self) -> bool {
        matches!(self.state, JobEnd::Done | JobEnd::Killed) && self.start.is_some()
    }
}
