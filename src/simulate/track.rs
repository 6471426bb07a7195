//! What is known of one job over the whole simulation, besides what a cycle gets to see of it.

use qscope_engine::cluster::{Amount, Column, Epoch, Job, JobState, Name, NodeId, ResourceId, Seconds};
use rustc_hash::FxHashMap;

use super::{Fate, JobResult};
use crate::dependency::Dependency;

qscope_engine::id!(
    /// One job of the simulation: of the start state, an arrival, or a subjob.
    TrackId
);

/// Where a job came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum TrackOrigin {
    /// It was there when the simulation began.
    #[default]
    Start,
    Arrived,
    /// It was made from its array when it started.
    Subjob(TrackId, u32),
}

/// One job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    /// Its id.
    pub(crate) name: Name,
    /// Where it came from.
    pub(crate) origin: TrackOrigin,
    /// What happens to it.
    pub(crate) fate: Fate,
    pub(crate) is_array: bool,
    /// Whether a simulation that began later would still have it.
    pub(crate) is_here: bool,
    /// How it stands.
    pub(crate) hold: Hold,
    /// What it waits for before it may be queued.
    pub(crate) depends: Vec<Dependency>,
    /// How it runs.
    pub(crate) run: Running,
    /// What it got on nodes while it runs.
    pub(crate) held: HeldNodes,
    /// The exit status, once it has ended.
    pub(crate) exit: Option<i32>,
    /// The greatest exit status of its subjobs that ended; for arrays.
    pub(crate) worst: i32,
    /// The cycle that started its last index, if none is left; for arrays.
    pub(crate) emptied: Option<u64>,
    /// Usage that was counted for this run at the last cycle; none when it did not run then.
    pub(crate) counted: Option<f64>,
    /// What is reported of it.
    pub(crate) result: JobResult,
}

/// Why a job is not queued yet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Hold {
    /// Letters of holds by users and the system.
    pub(crate) letters: String,
    /// Whether a dependency is not met.
    pub(crate) depends: bool,
    /// Its execution time, until it is reached.
    pub(crate) until: Option<Epoch>,
}

/// How a job runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Running {
    /// Since when, if it runs now.
    pub(crate) since: Option<Epoch>,
    /// Seconds that it ran before that and that count.
    pub(crate) before: i64,
    /// How often it has begun to run, which distinguishes its planned ends.
    pub(crate) stretch: u32,
    /// Whether it has started since the last cycle ended.
    pub(crate) is_new: bool,
    /// How many starts.
    pub(crate) starts: u32,
}

/// What a job holds on nodes.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct HeldNodes {
    /// Its nodes, each once.
    pub(crate) nodes: Vec<NodeId>,
    /// What it takes on them of what is counted there.
    pub(crate) taken: Vec<(NodeId, ResourceId, f64)>,
    /// Nodes that it holds alone, those of whole hosts included.
    pub(crate) alone: Vec<NodeId>,
    /// Cores of its placement.
    pub(crate) cores: f64,
}

impl Track {
    /// A job that has just become known.
    pub(crate) fn new(job: &Job, at: Epoch, origin: TrackOrigin, fate: Fate) -> Self {
        let is_array = job.is_array();
        Self {
            name: job.name.clone(),
            origin,
            fate,
            is_array,
            is_here: true,
            result: JobResult::new(job.name.clone(), at, is_array),
            ..Self::default()
        }
    }

    /// Seconds that it would run if nothing ended it: as given, else its walltime; none without either.
    pub(crate) fn length(&self, walltime: Option<Seconds>) -> Option<i64> {
        self.fate.runtime.or(walltime.map(|walltime| walltime.0))
    }

    /// Whether it has started at any time.
    pub(crate) fn has_started(&self) -> bool {
        self.result.start.is_some()
    }
}

impl Running {
    /// Seconds run so far, what was suspended in between left out.
    pub(crate) fn seconds(&self, now: Epoch) -> i64 {
        self.before + self.since.map_or(0, |since| (now - since).0)
    }
}

impl Hold {
    /// The state that follows, for a job that neither runs nor is suspended.
    pub(crate) fn state(&self, now: Epoch) -> JobState {
        if self.depends || !self.letters.is_empty() {
            JobState::Held
        } else if self.until.is_some_and(|until| until > now) {
            JobState::Waiting
        } else {
            JobState::Queued
        }
    }

    /// `Hold_Types`, without `n`.
    pub(crate) fn types(&self) -> String {
        let system = if self.depends && !self.letters.contains('s') { "s" } else { "" };
        format!("{}{system}", self.letters)
    }
}

/// The walltime that a job requests.
pub(crate) fn walltime(job: &Job) -> Option<Seconds> {
    let seconds = |amount: Amount| Seconds(amount.0 as i64);
    job.requested.amount(ResourceId::walltime()).map(seconds)
}

/// All jobs of a simulation, by id and by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracks {
    all: Column<TrackId, Track>,
    by_name: FxHashMap<Name, TrackId>,
}

impl Tracks {
    /// Adds a job; a later one of the same name is found by that name.
    pub(crate) fn add(&mut self, track: Track) -> TrackId {
        let name = track.name.clone();
        let id = self.all.push(track);
        self.by_name.insert(name, id);
        id
    }

    /// The job of this full id.
    pub(crate) fn find(&self, name: &str) -> Option<TrackId> {
        self.by_name.get(name).copied()
    }

    /// All jobs in the order in which they became known.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (TrackId, &Track)> {
        self.all.enumerate()
    }
}

impl std::ops::Index<TrackId> for Tracks {
    type Output = Track;
    fn index(&self, id: TrackId) -> &Track {
        &self.all[id]
    }
}

impl std::ops::IndexMut<TrackId> for Tracks {
    fn index_mut(&mut self, id: TrackId) -> &mut Track {
        &mut self.all[id]
    }
}
