//! The universe as the scheduler sees it: a plan, and everything that changes during the cycle.

pub(in crate::universe) mod change;
pub(in crate::universe) mod journal;
pub(in crate::universe) mod ledger;
pub(in crate::universe) mod levels;
pub(in crate::universe) mod node_counts;
pub(in crate::universe) mod on_sets;
mod reservation;
pub(in crate::universe) mod seats;
mod sets_of_node;
pub(in crate::universe) mod start;
pub(in crate::universe) mod written;

use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Epoch, JobState, QueueId, ResvId};

use super::{
    Allocation, Bit, Bucket, BucketIx, ChunkCounts, ClassId, Floor, GroupPools, HeldBySet, HostIx, Inside,
    JobStatus, Journal, Ledger, NodeEvent, NodeLists, Plan, Pool, PoolIx, SetIx, SetTable, SortedNodes,
    Start, Timeline,
};
use crate::universe::state::levels::read_levels;

/// The universe at one moment of the cycle: a plan and what changes, with the journal of all changes.
///
/// It reads as its [`Cells`], which nothing outside this module and its children can write to: what starts and ends
/// goes through `State::change`, which records it.
#[derive(Clone, Debug)]
pub struct State {
    cells: Cells,
    journal: Journal,
}

impl Deref for State {
    type Target = Cells;

    fn deref(&self) -> &Cells {
        &self.cells
    }
}

/// What the scheduler copies its universe for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyFor {
    /// What is planned comes true: estimates and reservations.
    Calendar,
    /// Running jobs are taken off their nodes for one that could not start.
    Preemption,
}

/// What a [`State`] holds.
#[derive(Clone, Debug)]
pub struct Cells {
    /// What was derived once.
    pub plan: Arc<Plan>,
    /// The clock; it moves in simulations only.
    pub now: Epoch,
    /// Which universe this is: the scheduler's own, or a copy in which it tries something out.
    pub copied: Option<CopyFor>,
    /// The nodes.
    pub floor: Floor,
    /// The nodes of running reservations as their jobs see them.
    pub insides: Column<ResvId, Option<Inside>>,
    /// What is planned on each node, in order of time.
    pub node_events: Column<Bit, Option<Arc<[NodeEvent]>>>,
    /// The buckets of the complex in the order tried.
    pub buckets: Column<BucketIx, Bucket<Bit>>,
    /// The bucket that each node refers to.
    pub bucket_of: Arc<Column<Bit, Option<BucketIx>>>,
    pub sets: SetTable,
    pub pools: Column<PoolIx, Pool>,
    pub server_pool: Option<PoolIx>,
    /// The pool of each queue.
    pub queue_pools: Column<QueueId, Option<PoolIx>>,
    /// All unbound nodes as one set, for the check before any placement.
    pub everything: SetIx,
    /// The same for queues with nodes.
    pub queue_everything: Column<QueueId, Option<SetIx>>,
    /// The nodes of every host as one set, where a host has several vnodes.
    pub host_sets: Arc<FxHashMap<HostIx, SetIx>>,
    /// Pools made for single jobs.
    pub group_pools: Arc<GroupPools>,
    /// Whether sets have to be summed up anew before the next check.
    pub stale: bool,
    /// The orders of nodes, where they change job by job.
    pub lists: NodeLists,
    /// The host that got the last packed chunk, where such chunks go round the hosts; none before the first.
    pub last_host: Option<HostIx>,
    /// Whether something was known before the cycle to happen at its very moment or to be overdue, such as the end of a job.
    pub begins_with_event: bool,
    /// What is known to happen.
    pub timeline: Timeline,
    /// Who runs and what failed.
    pub ledger: Ledger,
}

impl State {
    /// The universe at the start of the cycle, derived from nothing. `classes` is how many job classes there are.
    pub fn new(plan: Arc<Plan>, classes: usize) -> Self {
        let start = Start::new(&plan);
        Self::starting(plan, &start, classes)
    }

    /// The universe as it starts from what was derived from its plan.
    pub(crate) fn starting(plan: Arc<Plan>, start: &Start, classes: usize) -> Self {
        let Start { floor, insides, events, of_complex, sets, lists, timeline, .. } = start;
        let cells = Cells {
            now: plan.snap.now,
            copied: None,
            last_host: None,
            lists: lists.clone(),
            ledger: ledger(&plan, classes),
            insides: insides.clone(),
            floor: floor.clone(),
            node_events: events.clone(),
            buckets: of_complex.buckets.clone(),
            bucket_of: of_complex.bucket_of.clone(),
            sets: sets.table.clone(),
            pools: sets.pools.clone(),
            server_pool: sets.server_pool,
            queue_pools: sets.queue_pools.clone(),
            everything: sets.everything,
            queue_everything: sets.queue_everything.clone(),
            host_sets: sets.host_sets.clone(),
            group_pools: Arc::default(),
            stale: false,
            begins_with_event: timeline.has_event_until(plan.snap.now),
            timeline: timeline.clone(),
            plan,
        };
        Self { cells, journal: Journal::default() }
    }

    /// What changed since the start.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// A copy without the journal, which is by far the largest part.
    pub fn without_journal(&self) -> Self {
        Self { cells: self.cells.clone(), journal: Journal::default() }
    }

    /// Does something as if placement sets did not matter.
    pub fn without_pools<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let queue_pools = Column::filled(self.queue_pools.len(), None);
        let queue_pools = std::mem::replace(&mut self.cells.queue_pools, queue_pools);
        let server_pool = self.cells.server_pool.take();
        let result = work(self);
        self.cells.queue_pools = queue_pools;
        self.cells.server_pool = server_pool;
        result
    }

    /// Does what the scheduler does in a copy of its universe.
    pub fn in_copy<T>(&mut self, purpose: CopyFor, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.cells.copied.replace(purpose);
        let result = work(self);
        self.cells.copied = outer;
        result
    }

    /// Whether this is a copy in which what is planned comes true.
    pub fn is_of_calendar(&self) -> bool {
        self.copied == Some(CopyFor::Calendar)
    }

    /// Reads the state with the cache of how many chunks its sets hold.
    pub fn with_chunk_counts<T>(&mut self, work: impl FnOnce(&Self, &mut ChunkCounts) -> T) -> T {
        let mut counts = self.cells.sets.take_chunk_counts();
        let result = work(self, &mut counts);
        self.cells.sets.put_chunk_counts(counts);
        result
    }

    /// Reads the state with the counts of how many chunks the nodes of its sets hold.
    pub fn with_held_chunks<T>(&mut self, work: impl FnOnce(&Self, &mut HeldBySet) -> T) -> T {
        let mut counts = self.cells.sets.take_held_chunks();
        let result = work(self, &mut counts);
        self.cells.sets.put_held_chunks(counts);
        result
    }

    /// Nodes sorted by the keys as things are now; ties in the order of the dump.
    pub fn sorted_now(&self, bits: &[Bit]) -> Vec<Bit> {
        SortedNodes::new(&self.plan, &self.floor, bits.to_vec(), &|_, _| 0.0).into_nodes()
    }

    /// The word that messages use for the state of a node.
    pub fn state_word(&self, bit: Bit) -> &'static str {
        self.floor.states[bit].message_word(self.plan.snap.server.power_provisioning)
    }

    /// The first thing planned on a node.
    pub fn first_event(&self, bit: Bit) -> Option<NodeEvent> {
        self.node_events[bit].as_ref().and_then(|events| events.first().copied())
    }
}

fn ledger(plan: &Plan, classes: usize) -> Ledger {
    let empty = Arc::new(Allocation::default());
    let status = |state| match state {
        JobState::Running | JobState::Exiting => JobStatus::Running(empty.clone()),
        _ => JobStatus::Waiting,
    };
    let mut ledger = Ledger {
        jobs: plan.snap.jobs.iter().map(|job| status(job.state)).collect(),
        failed: Column::<ClassId, _>::filled(classes, None),
        first_failed: Column::filled(classes, None),
        meters: plan.meters.base.clone(),
        started: Column::filled(plan.snap.jobs.len(), 0),
        started_in_all: 0,
        running_subjobs: plan.running_subjobs.clone(),
        top: Column::filled(plan.snap.jobs.len(), false),
        preempted: Column::filled(plan.snap.jobs.len(), None),
        left: Column::filled(plan.snap.jobs.len(), None),
        over: Column::filled(plan.meters.base.len(), false),
        levels: Column::new(),
        by_place: Arc::default(),
    };
    read_levels(plan, &mut ledger);
    ledger
}
