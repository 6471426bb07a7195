//! Waiting jobs, in lanes of equal requests: a job that does not fit settles its whole lane.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

use super::farm_state::{FarmState, SlotNeed};
use super::workload::{FarmJob, JobNo, NodeNo};

/// Number of freed nodes above which the whole farm is searched.
const FEW: usize = 16;

/// Position of a job in the queue: priority descending, then arrival, then input order (rule R7).
type Rank = (Reverse<i32>, i64, JobNo);

#[derive(Clone, Debug)]
struct PendingLane {
    need: SlotNeed,
    priority: i32,
    jobs: VecDeque<(JobNo, FarmJob)>,
    /// Whether no job of the lane was tried yet: all nodes must be searched, not only those freed since.
    fresh: bool,
}

impl PendingLane {
    fn rank(&self) -> Option<Rank> {
        self.jobs.front().map(|(number, job)| (Reverse(job.priority), job.submit, *number))
    }
}

/// All waiting jobs that could fit on an empty farm.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingJobs {
    lanes: Vec<PendingLane>,
    place: FxHashMap<(SlotNeed, i32), usize>,
    /// Number of jobs in lanes.
    jobs: u64,
    /// Lanes that have a node for their first job, by the rank of that job; emptied by each pass.
    startable: BinaryHeap<Reverse<(Rank, usize, Option<NodeNo>)>>,
    /// Nodes that may accept more than at the end of the last pass.
    freed: Vec<NodeNo>,
    /// Whether any node may accept more.
    all_freed: bool,
}

impl PendingJobs {
    pub(super) fn jobs(&self) -> u64 {
        self.jobs
    }

    pub(super) fn push(&mut self, number: JobNo, job: FarmJob) {
        let need = SlotNeed { class: job.class, slots: job.slots, memory: job.memory };
        let at = *self.place.entry((need, job.priority)).or_insert_with(|| {
            self.lanes.push(PendingLane { need, priority: job.priority, jobs: VecDeque::new(), fresh: true });
            self.lanes.len() - 1
        });
        if let Some(lane) = self.lanes.get_mut(at) {
            lane.jobs.push_back((number, job));
            self.jobs += 1;
        }
    }

    /// Notes that a node may accept more jobs than before.
    pub(super) fn freed(&mut self, node: NodeNo) {
        if self.jobs == 0 {
            return;
        }
        if self.freed.len() > FEW {
            self.all_freed = true;
        } else {
            self.freed.push(node);
        }
    }

    /// Notes that any node may accept more jobs than before.
    pub(super) fn all_freed(&mut self) {
        self.all_freed = true;
    }

    /// Counts the slots requested by jobs that only holds keep from starting.
    pub(super) fn wanted_but_for_holds(&self, floor: &FarmState) -> u64 {
        let waiting = self.lanes.iter().filter(|lane| floor.fits_but_for_holds(lane.need));
        waiting.map(|lane| u64::from(lane.need.slots) * lane.jobs.len() as u64).sum()
    }

    /// Opens a pass: finds the lanes whose first job has a node; with `strict`, takes all lanes.
    pub(super) fn open_pass(&mut self, state: &FarmState, strict: bool) {
        self.startable.clear();
        let whole = self.all_freed || strict;
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            let node = if whole || lane.fresh {
                state.choose(lane.need)
            } else {
                state.choose_among(lane.need, &self.freed)
            };
            lane.fresh = false;
            if (node.is_some() || strict)
                && let Some(rank) = lane.rank()
            {
                self.startable.push(Reverse((rank, at, node)));
            }
        }
    }

    /// Returns the lane of the next job to start, with the node found for it, which is valid if no other job
    /// has started since.
    pub(super) fn next(&mut self) -> Option<(usize, SlotNeed, Option<NodeNo>)> {
        let Reverse((_, at, node)) = self.startable.pop()?;
        Some((at, self.lanes.get(at)?.need, node))
    }

    /// Removes the first job of a lane and queues the lane's next job, if any.
    pub(super) fn take(&mut self, at: usize) -> Option<(JobNo, FarmJob)> {
        let lane = self.lanes.get_mut(at)?;
        let first = lane.jobs.pop_front()?;
        self.jobs -= 1;
        if let Some(rank) = lane.rank() {
            self.startable.push(Reverse((rank, at, None)));
        }
        Some(first)
    }

    /// Closes a pass: all remaining lanes fit nowhere. With `strict`, some may not have been tried.
    pub(super) fn close_pass(&mut self, strict: bool) {
        self.freed.clear();
        self.all_freed = false;
        let mut at = 0;
        while let Some(lane) = self.lanes.get_mut(at) {
            lane.fresh |= strict;
            if !lane.jobs.is_empty() {
                at += 1;
                continue;
            }
            self.place.remove(&(lane.need, lane.priority));
            self.lanes.swap_remove(at);
            if let Some(moved) = self.lanes.get(at) {
                self.place.insert((moved.need, moved.priority), at);
            }
        }
    }
}
