//! External input during the simulated time: jobs, their run times, and actions of their owners (days rule 1).

mod attributes;
pub mod history;
mod json;

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Job, Name, ResourceId, Snapshot, count, first_names};
use qscope_source::{Files, LoadOptions};
use rustc_hash::FxHashSet;

use crate::SimulateError;

pub use json::{ArrivalRow, ArrivalsFile, NodeLifecycleRow, StartRow};

/// What happens to one job independently of the scheduler.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JobBehaviour {
    /// Run time in seconds if nothing ends the job earlier, counted from its first start; the walltime if `None`.
    pub runtime: Option<i64>,
    /// The same for single indices of an array.
    pub runtimes: BTreeMap<u32, i64>,
    /// Exit status if it ends by itself.
    pub exit: i32,
    /// Time at which its user or system hold is released.
    pub release: Option<Epoch>,
    /// Time at which its owner deletes it, if it has not started by then.
    pub cancel: Option<Epoch>,
    /// For a job of the start state whose used walltime is exact: the seconds that it has run, without suspended time.
    pub run_seconds: Option<i64>,
}

/// One job that arrives.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrival {
    /// Full id.
    pub name: Name,
    /// Time of arrival as in the input; may be before the simulation begins.
    pub at: Epoch,
    pub fate: JobBehaviour,
    /// Time of the real start, if the arrivals are a history.
    pub real_start: Option<Epoch>,
    /// The job as the server receives it; `None` if it cannot be read.
    pub job: Option<Box<Job>>,
}

/// Addition or removal of a vnode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeLifecycleEvent {
    pub node: Name,
    /// Time at which it is ready, or removed.
    pub at: Epoch,
    /// Whether it becomes ready; otherwise it is removed once it is empty.
    pub is_ready: bool,
}

/// Returns the seconds that a job has run according to the dump.
pub(crate) fn used_walltime(job: &Job) -> Option<i64> {
    job.used.amount(ResourceId::walltime()).map(|used| used.0 as i64)
}

/// Maximum number of arrivals that are named.
pub(crate) const NAMED: usize = 5;

/// Returns the ids of the rows that are not readable as jobs; the second row of an id is rejected when it arrives.
fn unreadable<'a>(rows: &'a [ArrivalRow], jobs: &[Option<Box<Job>>]) -> Vec<&'a str> {
    let mut known = FxHashSet::default();
    let is_new = rows.iter().map(|row| known.insert(&*row.id));
    let all = rows.iter().zip(jobs).zip(is_new);
    all.filter(|((_, job), is_new)| *is_new && job.is_none()).map(|((row, _), _)| &*row.id).collect()
}

/// All external input.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Arrivals {
    /// What happens to jobs of the start state, by id.
    pub start: BTreeMap<Name, JobBehaviour>,
    /// Arriving jobs, in the order of the list.
    pub jobs: Vec<Arrival>,
    /// Additions and removals of vnodes.
    pub nodes: Vec<NodeLifecycleEvent>,
    /// Problems found while reading, in words.
    pub notes: Vec<String>,
}

impl Arrivals {
    /// Reads `arrivals.json`; missing attributes of jobs are completed from `snapshot`, to whose catalogue unknown
    /// resources are added.
    ///
    /// # Errors
    /// The file does not have the format `arrivals 1`, or the folder can no longer be read.
    pub fn read(
        text: &[u8],
        file: &str,
        files: &Files,
        options: &LoadOptions,
        snapshot: &mut Snapshot,
    ) -> Result<Self, SimulateError> {
        Self::of_rows(ArrivalsFile::read(text, file)?, files, options, snapshot)
    }

    /// The same from parsed rows.
    ///
    /// # Errors
    /// The folder can no longer be read.
    pub fn of_rows(
        rows: ArrivalsFile,
        files: &Files,
        options: &LoadOptions,
        snapshot: &mut Snapshot,
    ) -> Result<Self, SimulateError> {
        let (jobs, mut notes) = attributes::jobs_of(&rows.jobs, files, options, snapshot)?;
        let unreadable = unreadable(&rows.jobs, &jobs);
        if !unreadable.is_empty() {
            let (count, names) = (count(unreadable.len(), "arrival"), first_names(&unreadable, NAMED));
            notes.push(format!("{count} rejected, not readable as a job: {names}"));
        }
        let strange: Vec<&String> =
            rows.start.keys().filter(|name| snapshot.job_named(name).is_none()).collect();
        if !strange.is_empty() {
            let names = first_names(&strange, NAMED);
            notes.push(format!(
                "start: {} that the cluster does not have: {names}",
                count(strange.len(), "job")
            ));
        }
        let start = rows.start.into_iter().map(|(name, row)| {
            let run_seconds = snapshot.job_named(&name).and_then(|id| used_walltime(&snapshot.jobs[id]));
            (Name::from(name), JobBehaviour { run_seconds, ..row.fate() })
        });
        let start = start.collect();
        let jobs = rows.jobs.into_iter().zip(jobs).map(|(row, job)| {
            let (name, at, real_start) = (Name::from(row.id.as_str()), Epoch(row.at), row.was.map(Epoch));
            Arrival { name, at, real_start, fate: row.fate(), job }
        });
        let nodes = rows.nodes.iter().flat_map(NodeLifecycleRow::changes).collect();
        Ok(Self { start, jobs: jobs.collect(), nodes, notes })
    }

    /// Returns the time of the last arrival.
    pub fn last(&self) -> Option<Epoch> {
        self.jobs.iter().map(|arrival| arrival.at).max()
    }
}
