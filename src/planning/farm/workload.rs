//! The input of a simulation: nodes, jobs, classes, and the jobs that run at the start.

use std::collections::BTreeSet;

use super::FarmError;
use qscope_engine::cluster::{Column, Name};

/// Maximum size of a farm's bitmaps, in bytes.
const LARGEST: u64 = 1 << 30;

qscope_engine::id!(
    /// A node of the farm, by its position in the input, by which rules break ties.
    NodeNo
);
qscope_engine::id!(
    /// A class of jobs, by the byte order of its name.
    ClassNo
);
qscope_engine::id!(
    /// A job, by its position in the input.
    JobNo
);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FarmNode {
    pub name: Name,
    /// Number of slots.
    pub slots: u32,
    /// Its memory in the unit of the jobs' memory; none is unlimited.
    pub memory: Option<u64>,
}

/// A job that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FarmJob {
    /// Arrival time in seconds.
    pub submit: i64,
    /// Run time in seconds.
    pub run: u32,
    pub class: ClassNo,
    /// Number of slots it takes, all on one node.
    pub slots: u32,
    /// Priority; jobs of higher priority go first.
    pub priority: i32,
    /// Memory it takes, in the unit of the nodes' memory.
    pub memory: u64,
}

/// A job that is running at the start (rule R8).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resident {
    pub id: Name,
    pub class: ClassNo,
    /// The node on which it runs.
    pub node: NodeNo,
    /// Start time in seconds; may be negative.
    pub start: i64,
    /// End time in seconds.
    pub end: i64,
    pub slots: u32,
    /// Memory it holds.
    pub memory: u64,
}

/// A farm and the work for it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Workload {
    /// The nodes in input order.
    pub nodes: Column<NodeNo, FarmNode>,
    /// The names of the classes in byte order.
    pub classes: Column<ClassNo, Name>,
    /// The jobs in input order.
    pub jobs: Column<JobNo, FarmJob>,
    /// The ids of the jobs; empty when only figures are computed.
    pub ids: Column<JobNo, Name>,
    /// For each row of `jobs`, the job that it is a part of, from 0; empty where each is a job of its own.
    pub whole: Vec<u32>,
    /// The jobs that run at the start.
    pub residents: Vec<Resident>,
    /// Start time of the simulation: lifetimes that lapsed before are not events.
    pub from: i64,
}

impl Workload {
    /// Returns the number of slots of all nodes.
    pub fn total_slots(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.slots)).sum()
    }

    /// Sets the job that each row is a part of.
    pub(super) fn set_whole(&mut self, whole: Vec<u32>) {
        let are_parts = whole.windows(2).any(|pair| pair.first() == pair.last());
        self.whole = if are_parts { whole } else { Vec::new() };
    }

    /// Returns the number of jobs; one of several parts counts once.
    pub fn whole_jobs(&self) -> u64 {
        let of_parts = self.whole.iter().max().map(|last| u64::from(*last) + 1);
        of_parts.unwrap_or(self.jobs.len() as u64)
    }

    /// Returns the number of jobs that run at the start; one on several nodes counts once.
    pub fn running_jobs(&self) -> u64 {
        let ids: BTreeSet<&Name> = self.residents.iter().map(|resident| &resident.id).collect();
        ids.len() as u64
    }

    /// Checks whether the farm can be simulated: its bitmaps, one for each size and load, must fit into
    /// memory.
    ///
    /// # Errors
    /// The bitmaps would take more than a gigabyte.
    pub fn check(&self) -> Result<(), FarmError> {
        let mut sizes: Vec<u64> = self.nodes.iter().map(|node| u64::from(node.slots)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let loads: u64 = sizes.iter().map(|size| size + 1).sum();
        let bytes = loads.saturating_mul(self.nodes.len() as u64 / 8 + 64);
        if bytes <= LARGEST {
            return Ok(());
        }
        let what = format!("{} nodes with up to {loads} slots are too many to simulate", self.nodes.len());
        Err(FarmError::Scenario { place: "nodes".to_owned(), what })
    }

    /// Returns the jobs in order of arrival, those of one second in input order.
    pub fn arrivals(&self) -> Vec<JobNo> {
        let mut order: Vec<JobNo> = self.jobs.ids().collect();
        if !self.jobs.as_slice().is_sorted_by_key(|job| job.submit) {
            order.sort_by_key(|job| self.jobs[*job].submit);
        }
        order
    }

    /// Returns the first and the last arrival.
    pub fn arrival_window(&self) -> Option<(i64, i64)> {
        let submits = self.jobs.iter().map(|job| job.submit);
        Some((submits.clone().min()?, submits.max()?))
    }

    /// Returns the name of a job: its id, or its number from 1.
    pub fn job_name(&self, job: JobNo) -> String {
        self.ids.checked(job).map_or_else(|| (u64::from(job.0) + 1).to_string(), ToString::to_string)
    }

    pub fn class_named(&self, name: &str) -> Option<ClassNo> {
        self.classes.enumerate().find(|(_, have)| &***have == name).map(|(class, _)| class)
    }
}
