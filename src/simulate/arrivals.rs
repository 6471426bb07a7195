//! What comes to the server from outside during the simulated time: jobs, how long they run, what their owners do
//! with them (days rule 1).

mod attributes;
pub mod history;
mod json;

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Job, Name, Snapshot};
use qscope_source::{Files, LoadOptions};

use crate::SimulateError;

pub use json::{ArrivalRow, ArrivalsFile, NodeRow, StartRow};

/// What happens to one job besides what the scheduler does with it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fate {
    /// Seconds that it runs if nothing ends it before, from its first start; without it its walltime.
    pub runtime: Option<i64>,
    /// The same for single indices of an array.
    pub runtimes: BTreeMap<u32, i64>,
    /// The exit status, if it ends by itself.
    pub exit: i32,
    /// When the hold of its user or of the system is released.
    pub release: Option<Epoch>,
    /// When its owner deletes it, if it has not started by then.
    pub cancel: Option<Epoch>,
}

/// One job that arrives.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrival {
    /// Its id.
    pub name: Name,
    /// When it arrives, as the input has it: also before the simulation begins.
    pub at: Epoch,
    /// What happens to it.
    pub fate: Fate,
    /// When it really started, where the arrivals are a history.
    pub was: Option<Epoch>,
    /// The job as the server takes it; none for one that cannot be read.
    pub job: Option<Box<Job>>,
}

/// A vnode of the start state comes or goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeChange {
    pub node: Name,
    /// When it is ready, or given back.
    pub at: Epoch,
    /// Whether it is ready then; else it goes, when it is empty.
    pub is_ready: bool,
}

/// All that comes from outside.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Arrivals {
    /// What happens to jobs of the start state, by id.
    pub start: BTreeMap<Name, Fate>,
    /// Jobs that arrive, in the order of the list.
    pub jobs: Vec<Arrival>,
    /// Vnodes that come and go.
    pub nodes: Vec<NodeChange>,
    /// What was odd in reading them, in words.
    pub notes: Vec<String>,
}

impl Arrivals {
    /// Reads `arrivals.json`; jobs get what they do not state from `snapshot`, whose catalogue takes the resources that
    /// only they name.
    ///
    /// # Errors
    /// The file has not the form `arrivals 1`, or the folder cannot be read any more.
    pub fn read(
        text: &[u8],
        file: &str,
        files: &Files,
        options: &LoadOptions,
        snapshot: &mut Snapshot,
    ) -> Result<Self, SimulateError> {
        Self::of_rows(ArrivalsFile::read(text, file)?, files, options, snapshot)
    }

    /// The same from rows that are read already.
    ///
    /// # Errors
    /// The folder cannot be read any more.
    pub fn of_rows(
        rows: ArrivalsFile,
        files: &Files,
        options: &LoadOptions,
        snapshot: &mut Snapshot,
    ) -> Result<Self, SimulateError> {
        let (jobs, mut notes) = attributes::jobs_of(&rows.jobs, files, options, snapshot)?;
        let unreadable = jobs.iter().filter(|job| job.is_none()).count();
        if unreadable > 0 {
            notes.push(format!("{unreadable} arrivals cannot be read as jobs, and are rejected"));
        }
        let start = rows.start.into_iter().map(|(name, row)| (Name::from(name), row.fate())).collect();
        let jobs = rows.jobs.into_iter().zip(jobs).map(|(row, job)| {
            let (name, at, was) = (Name::from(row.id.as_str()), Epoch(row.at), row.was.map(Epoch));
            Arrival { name, at, was, fate: row.fate(), job }
        });
        let nodes = rows.nodes.iter().flat_map(NodeRow::changes).collect();
        Ok(Self { start, jobs: jobs.collect(), nodes, notes })
    }

    /// When the last job arrives.
    pub fn last(&self) -> Option<Epoch> {
        self.jobs.iter().map(|arrival| arrival.at).max()
    }
}
