//! The history of jobs: compact rows, and counts of what was odd while reading.

use rustc_hash::FxHashMap;

use crate::farm::{ClassNo, FarmError, FarmJob, FarmNode, MAX_PARTS, NodeNo, Workload};
use qscope_engine::cluster::{Column, Id, Name, number_of, split_number};

/// Maximum number of oddities that are kept in words; the others are only counted.
const LISTED: usize = 100;

/// Slots that a job held for a time: a whole job, or its part on one vnode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceRow {
    /// When it arrived, in epoch seconds.
    pub submit: i64,
    /// When it started, in epoch seconds.
    pub start: i64,
    /// Run time in seconds.
    pub run: u32,
    /// Number of its class, in order of first appearance.
    pub class: u32,
    pub slots: u32,
    /// Number of its node, in order of first appearance; `u32::MAX` is unknown.
    pub node: u32,
    /// Number of the job that it is a part of, from 0; parts of one job are consecutive.
    pub job: u32,
}

impl TraceRow {
    /// Returns when it ended.
    pub fn end(&self) -> i64 {
        self.start.saturating_add(i64::from(self.run))
    }
}

/// Counts made while reading.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceNotes {
    /// Lines that are records or jobs.
    pub records: u64,
    /// Lines that could not be read as such.
    pub broken: u64,
    /// The first broken lines: file, line and what is wrong.
    pub listed: Vec<String>,
    /// Jobs on several vnodes, split into one part for each.
    pub over_vnodes: u64,
    /// Lines about runs that occurred before, in an overlapping copy of the log; they are left out.
    pub repeated: u64,
    /// Parts of jobs that also have a line for the whole job; they are left out.
    pub parts: u64,
    /// Records of whole arrays.
    pub arrays: u64,
    /// Attempts that were rerun; their slots count as held.
    pub reruns: u64,
    /// Attempts that were followed by another one without a record of their end; they are left out.
    pub lost: u64,
    /// Jobs that started and whose end is not recorded, assumed to run to the end of the log or for their
    /// walltime.
    pub unfinished: u64,
    /// Jobs that never ran, or held no slot.
    pub unplaced: u64,
    /// Suspensions, during which the slots count as held.
    pub suspended: u64,
    /// Rows without arrival time: they arrive when they started, as decided by the scheduler of that time.
    pub without_arrival: u64,
    /// Jobs with more slots than the largest node, split over several.
    pub split: u64,
}

/// The nodes on which jobs ran are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the file does not list its nodes: use --nodes COUNTxSLOTS")]
pub struct UnknownNodesError;

/// The history of jobs.
#[derive(Clone, Debug, Default)]
pub struct TraceHistory {
    /// The rows, in the order of the files.
    pub rows: Vec<TraceRow>,
    /// Ids by row, if they are kept.
    pub ids: Vec<Name>,
    /// Class names in order of first appearance.
    pub classes: NumberedNames,
    /// Node names in order of first appearance.
    pub nodes: NumberedNames,
    /// Counts of what was odd.
    pub notes: TraceNotes,
    /// Nodes and slots of the whole farm, if the file states them.
    pub stated: Option<(u32, u32)>,
    /// The first and the last time that a record of the log is about.
    pub span: Option<(i64, i64)>,
    /// Times of more than a day without any record, by the log's own clock: the last record before and the
    /// first one after.
    pub gaps: Vec<(Name, Name)>,
    /// Number of jobs whose parts the rows are.
    jobs: u32,
}

/// Numbered names, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct NumberedNames {
    names: Vec<Name>,
    numbers: FxHashMap<Name, u32>,
}

impl NumberedNames {
    /// Returns the number of a name, which is new if the name was not seen before.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = number_of(self.names.len());
        let name = Name::from(name);
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    /// Returns all names.
    pub fn all(&self) -> &[Name] {
        &self.names
    }
}

impl TraceNotes {
    /// Counts a line that could not be read.
    pub fn broken(&mut self, file: &str, line: u64, what: &str) {
        self.broken += 1;
        if self.listed.len() < LISTED {
            self.listed.push(format!("{file}:{line}: {what}"));
        }
    }
}

impl TraceHistory {
    /// Adds a job by its parts, under an id if ids are kept.
    pub(super) fn add_job(&mut self, parts: impl IntoIterator<Item = TraceRow>, id: Option<&str>) {
        let before = self.rows.len();
        for part in parts {
            self.rows.push(TraceRow { job: self.jobs, ..part });
            self.ids.extend(id.map(Name::from));
        }
        self.jobs += u32::from(self.rows.len() > before);
    }

    /// Returns whether the nodes on which jobs ran are known.
    pub fn is_placed(&self) -> bool {
        !self.nodes.all().is_empty()
    }

    /// Returns the nodes seen: each as large as the most slots in use on it at once.
    pub fn seen_nodes(&self) -> Vec<FarmNode> {
        let mut changes: Vec<(u32, i64, i64)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.node != u32::MAX && row.run > 0) {
            changes.push((row.node, row.start, i64::from(row.slots)));
            changes.push((row.node, row.end(), -i64::from(row.slots)));
        }
        // Ends sort before starts of the same second.
        changes.sort_unstable();
        let mut most = vec![0i64; self.nodes.all().len()];
        let (mut node, mut used) = (u32::MAX, 0);
        for (at, _, change) in changes {
            if at != node {
                (node, used) = (at, 0);
            }
            used += change;
            if let Some(most) = most.get_mut(node as usize) {
                *most = used.max(*most);
            }
        }
        let node = |(name, slots): (&Name, i64)| {
            let slots = u32::try_from(slots).unwrap_or(0).min(crate::farm::MAX_SLOTS);
            FarmNode { name: name.clone(), slots, memory: None }
        };
        let mut nodes: Vec<FarmNode> = self.nodes.all().iter().zip(most).map(node).collect();
        nodes.sort_by(|a, b| by_number(&a.name, &b.name));
        nodes
    }

    /// Returns the history as work for a farm. Jobs larger than any node are split over several.
    ///
    /// # Errors
    /// The jobs would be split into more than [`MAX_PARTS`] parts.
    pub fn workload(&mut self, nodes: Vec<FarmNode>) -> Result<Workload, FarmError> {
        let classes = self.class_numbers();
        let largest = nodes.iter().map(|node| node.slots).max().unwrap_or(0);
        let parts_of = |row: &TraceRow| if largest > 0 { row.slots.div_ceil(largest).into() } else { 1 };
        let parts = self.rows.iter().map(parts_of).filter(|parts| *parts > 1).sum::<u64>();
        if parts > MAX_PARTS {
            return Err(FarmError::Parts { parts, largest, most: MAX_PARTS });
        }
        let mut workload = Workload { nodes: nodes.into(), ..Workload::default() };
        workload.classes = sorted(self.classes.all()).into_iter().collect();
        workload.from = self.rows.iter().map(|row| row.submit).min().unwrap_or(0);
        let mut jobs = Vec::with_capacity(self.rows.len());
        let mut ids = Vec::with_capacity(self.ids.len());
        let mut whole = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let class = classes.get(row.class as usize).copied().unwrap_or(ClassNo(0));
            let mut left = row.slots;
            self.notes.split += u64::from(largest > 0 && left > largest);
            while left > 0 {
                let slots = if largest > 0 { left.min(largest) } else { left };
                left -= slots;
                jobs.push(FarmJob { submit: row.submit, run: row.run, class, slots, priority: 0, memory: 0 });
                ids.extend(self.ids.get(at).cloned());
                whole.push(row.job);
            }
        }
        workload.set_whole(whole);
        workload.jobs = jobs.into();
        workload.ids = ids.into();
        Ok(workload)
    }

    /// Maps the class numbers of the history to those of a workload.
    pub(super) fn class_numbers(&self) -> Vec<ClassNo> {
        let sorted = sorted(self.classes.all());
        let number = |name: &Name| ClassNo::at(sorted.binary_search(name).unwrap_or(0));
        self.classes.all().iter().map(number).collect()
    }

    /// Maps the node numbers of the history to those of a farm.
    pub(super) fn node_numbers(&self, nodes: &Column<NodeNo, FarmNode>) -> Vec<Option<NodeNo>> {
        let by_name: FxHashMap<&Name, NodeNo> =
            nodes.enumerate().map(|(at, node)| (&node.name, at)).collect();
        self.nodes.all().iter().map(|name| by_name.get(name).copied()).collect()
    }
}

fn sorted(names: &[Name]) -> Vec<Name> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

/// Orders names by their trailing number: `n2` before `n10`.
fn by_number(a: &str, b: &str) -> std::cmp::Ordering {
    let split = |name: &str| {
        let (stem, number) = split_number(name);
        (stem.to_owned(), number.parse::<u64>().unwrap_or(0), name.len())
    };
    split(a).cmp(&split(b)).then_with(|| a.cmp(b))
}
