//! Data about one job over the whole simulation that a cycle does not see.

use qscope_engine::cluster::{
    Amount, Column, Epoch, Job, JobState, Name, NodeId, ResourceId, Seconds, short_id,
};
use rustc_hash::FxHashMap;

use super::{JobBehaviour, JobResult};
use crate::dependency::Dependency;

qscope_engine::id!(
    /// Index of a job of the simulation: of the start state, an arrival, or a subjob.
    SimulatedJobId
);

/// Origin of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum JobOrigin {
    /// It was there when the simulation began.
    #[default]
    Start,
    Arrived,
    /// It was created from its array, with this index, when it started.
    Subjob(SimulatedJobId, u32),
}

/// One job.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulatedJob {
    /// Full id.
    pub(crate) name: Name,
    pub(crate) origin: JobOrigin,
    /// What happens to it independently of the scheduler.
    pub(crate) fate: JobBehaviour,
    pub(crate) is_array: bool,
    /// Whether it is at the server.
    pub(crate) is_at_server: bool,
    /// Why it is not queued yet.
    pub(crate) hold: JobHolds,
    /// Dependencies that must be met before it can be queued.
    pub(crate) depends: Vec<Dependency>,
    /// Its runs.
    pub(crate) run: JobRuns,
    /// What it holds on nodes while it runs.
    pub(crate) held: HeldNodes,
    /// Exit status, once it has ended.
    pub(crate) exit: Option<i32>,
    /// Highest exit status of its ended subjobs; for arrays.
    pub(crate) highest_exit: i32,
    /// Number of the cycle that started its last index, if none is left; for arrays.
    pub(crate) emptied: Option<u64>,
    /// Usage counted for this run at the last cycle; `None` if it did not run then.
    pub(crate) counted: Option<f64>,
    pub(crate) result: JobResult,
}

/// Why a job is not queued yet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct JobHolds {
    /// Letters of holds by users, operators and the system.
    pub(crate) letters: String,
    /// Whether a dependency is unmet.
    pub(crate) depends: bool,
    /// Execution time, until it is reached.
    pub(crate) until: Option<Epoch>,
}

/// The runs of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct JobRuns {
    /// Time since which it has been running, if it runs now.
    pub(crate) running_since: Option<Epoch>,
    /// Seconds of earlier runs that still count.
    pub(crate) earlier_seconds: i64,
    /// Number of times it began to run, which distinguishes its planned ends.
    pub(crate) run_number: u32,
    /// Whether it has started since the last cycle ended.
    pub(crate) is_new: bool,
    /// Number of starts.
    pub(crate) starts: u32,
}

/// What a job holds on nodes.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct HeldNodes {
    /// Nodes, each once.
    pub(crate) nodes: Vec<NodeId>,
    /// Amounts taken that are accounted on nodes.
    pub(crate) amounts: Vec<(NodeId, ResourceId, f64)>,
    /// Nodes that it holds exclusively, including those of whole hosts.
    pub(crate) exclusive_nodes: Vec<NodeId>,
    /// Cores of its placement.
    pub(crate) cores: f64,
}

impl SimulatedJob {
    pub(crate) fn new(job: &Job, at: Epoch, origin: JobOrigin, behaviour: JobBehaviour) -> Self {
        let is_array = job.is_array();
        Self {
            name: job.name.clone(),
            origin,
            fate: behaviour,
            is_array,
            is_at_server: true,
            result: JobResult::new(job.name.clone(), at, is_array),
            ..Self::default()
        }
    }

    /// Returns the seconds that it would run if nothing ended it: the given run time, or else its walltime; `None`
    /// without either.
    pub(crate) fn length(&self, walltime: Option<Seconds>) -> Option<i64> {
        self.fate.runtime.or(walltime.map(|walltime| walltime.0))
    }

    /// Whether it has ever started.
    pub(crate) fn has_started(&self) -> bool {
        self.result.start.is_some()
    }
}

impl JobRuns {
    /// Returns the seconds run so far, without suspended time.
    pub(crate) fn seconds(&self, now: Epoch) -> i64 {
        self.earlier_seconds + self.running_since.map_or(0, |since| (now - since).0)
    }
}

/// The hold of a job that is held although the dump shows no hold.
pub(crate) const UNKNOWN_HOLD: &str = "?";

impl JobHolds {
    /// Returns the state of a job that neither runs nor is suspended.
    pub(crate) fn state(&self, now: Epoch) -> JobState {
        if self.depends || !self.letters.is_empty() {
            JobState::Held
        } else if self.until.is_some_and(|until| until > now) {
            JobState::Waiting
        } else {
            JobState::Queued
        }
    }

    /// Returns `Hold_Types`, without `n`.
    pub(crate) fn types(&self) -> String {
        let system = if self.depends && !self.letters.contains('s') { "s" } else { "" };
        format!("{}{system}", self.letters.replace(UNKNOWN_HOLD, ""))
    }
}

pub(crate) fn walltime(job: &Job) -> Option<Seconds> {
    let seconds = |amount: Amount| Seconds(amount.0 as i64);
    job.requested.amount(ResourceId::walltime()).map(seconds)
}

/// All jobs of a simulation, by id and by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulatedJobs {
    all: Column<SimulatedJobId, SimulatedJob>,
    by_name: FxHashMap<Name, SimulatedJobId>,
}

impl SimulatedJobs {
    /// Adds a job; it replaces an earlier one of the same name in lookups by name.
    pub(crate) fn add(&mut self, job: SimulatedJob) -> SimulatedJobId {
        let name = job.name.clone();
        let id = self.all.push(job);
        self.by_name.insert(name, id);
        id
    }

    /// Returns the job of this full id.
    pub(crate) fn find(&self, name: &str) -> Option<SimulatedJobId> {
        self.by_name.get(name).copied()
    }

    /// Returns the job that another one names. Jobs in files written by hand may have no server in their names.
    pub(crate) fn find_named(&self, name: &str) -> Option<SimulatedJobId> {
        self.find(name).or_else(|| self.find(short_id(name)))
    }

    /// Returns all jobs in the order in which they were added.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SimulatedJobId, &SimulatedJob)> {
        self.all.enumerate()
    }
}

impl std::ops::Index<SimulatedJobId> for SimulatedJobs {
    type Output = SimulatedJob;
    fn index(&self, id: SimulatedJobId) -> &SimulatedJob {
        &self.all[id]
    }
}

impl std::ops::IndexMut<SimulatedJobId> for SimulatedJobs {
    fn index_mut(&mut self, id: SimulatedJobId) -> &mut SimulatedJob {
        &mut self.all[id]
    }
}
