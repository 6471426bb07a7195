//! The universe as the scheduler sees it: a plan, and everything that changes during the cycle.

pub(in crate::universe) mod change;
pub(in crate::universe) mod journal;
pub(in crate::universe) mod ledger;
pub(in crate::universe) mod levels;
pub(in crate::universe) mod node_counts;
pub(in crate::universe) mod node_sets_change;
mod reservation;
mod sets_of_node;
pub(in crate::universe) mod start_changes;
pub(in crate::universe) mod state_at_start;
pub(in crate::universe) mod written_cells;

use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Epoch, JobState, QueueId, ResvId};

use super::{
    Allocation, Bit, Bucket, BucketIx, ChunkCountCache, ClassId, GroupPools, HeldChunkCache, HostIx,
    JobStatus, Journal, Ledger, NodeEvent, NodeLists, NodeOccupancy, Plan, Pool, PoolIx, ReservationNodes,
    SetIx, SetTable, SortedNodes, StateAtStart, Timeline,
};
use crate::universe::state::levels::read_levels;

/// The universe at one moment of the cycle: a plan and what changes, with a journal of all changes.
///
/// Dereferences to its [`StateCells`], which only this module and its children can write: everything that starts and ends
/// goes through `State::change`, which records it.
#[derive(Clone, Debug)]
pub struct State {
    cells: StateCells,
    journal: Journal,
}

impl Deref for State {
    type Target = StateCells;

    fn deref(&self) -> &StateCells {
        &self.cells
    }
}

/// Purpose for which the scheduler copies its universe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyPurpose {
    /// To simulate planned events: estimates and reservations.
    Calendar,
    /// To preempt running jobs for one that could not start.
    Preemption,
}

/// The contents of a [`State`].
#[derive(Clone, Debug)]
pub struct StateCells {
    /// Everything derived once.
    pub plan: Arc<Plan>,
    /// Current time; it changes in simulations only.
    pub now: Epoch,
    /// Purpose of the copy; `None` for the scheduler's own universe.
    pub copied: Option<CopyPurpose>,
    /// Loads, states and assigned amounts of the nodes.
    pub occupancy: NodeOccupancy,
    /// The nodes of running reservations as their jobs see them.
    pub reservation_nodes: Column<ResvId, Option<ReservationNodes>>,
    /// Events planned on each node, in order of time.
    pub node_events: Column<Bit, Option<Arc<[NodeEvent]>>>,
    /// The buckets of the complex in the order in which they are tried.
    pub buckets: Column<BucketIx, Bucket<Bit>>,
    /// The bucket that each node refers to.
    pub bucket_of: Arc<Column<Bit, Option<BucketIx>>>,
    pub sets: SetTable,
    pub pools: Column<PoolIx, Pool>,
    pub server_pool: Option<PoolIx>,
    /// The pool of each queue.
    pub queue_pools: Column<QueueId, Option<PoolIx>>,
    /// All unbound nodes as one set, for the check before any placement.
    pub all_nodes_set: SetIx,
    /// All nodes of each queue that has nodes, as one set.
    pub queue_everything: Column<QueueId, Option<SetIx>>,
    /// The unbound nodes of every host as one set; empty if no host has several vnodes.
    pub host_sets: Arc<FxHashMap<HostIx, SetIx>>,
    /// Pools created for single jobs.
    pub group_pools: Arc<GroupPools>,
    /// Whether sets must be summed again before the next check.
    pub are_sets_stale: bool,
    /// The orders of nodes, if they change from job to job.
    pub lists: NodeLists,
    /// The host that a packed job used last, if such jobs are placed round robin; `None` before the first.
    pub last_host: Option<HostIx>,
    /// Whether some event that was known before the cycle, such as the end of a job, is due at its start or overdue.
    pub begins_with_event: bool,
    /// Events expected in the future.
    pub timeline: Timeline,
    /// Running jobs, failures and meters.
    pub ledger: Ledger,
}

impl State {
    /// Derives the universe at the start of the cycle from scratch. `classes` is the number of job classes.
    pub fn new(plan: Arc<Plan>, classes: usize) -> Self {
        let start = StateAtStart::new(&plan);
        Self::starting(plan, &start, classes)
    }

    /// Creates the universe from a start that was derived from its plan.
    pub(crate) fn starting(plan: Arc<Plan>, start: &StateAtStart, classes: usize) -> Self {
        let ledger = Ledger::starting(&plan, classes);
        Self::with_ledger(plan, start, ledger)
    }

    /// The same with the ledger at the start.
    pub(crate) fn with_ledger(plan: Arc<Plan>, start: &StateAtStart, ledger: Ledger) -> Self {
        let StateAtStart {
            occupancy, reservation_nodes, events, complex_buckets, sets, lists, timeline, ..
        } = start;
        let cells = StateCells {
            now: plan.snap.now,
            copied: None,
            last_host: None,
            lists: lists.clone(),
            ledger,
            reservation_nodes: reservation_nodes.clone(),
            occupancy: occupancy.clone(),
            node_events: events.clone(),
            buckets: complex_buckets.buckets.clone(),
            bucket_of: complex_buckets.bucket_of.clone(),
            sets: sets.table.clone(),
            pools: sets.pools.clone(),
            server_pool: sets.server_pool,
            queue_pools: sets.queue_pools.clone(),
            all_nodes_set: sets.all_nodes_set,
            queue_everything: sets.queue_everything.clone(),
            host_sets: sets.host_sets.clone(),
            group_pools: Arc::default(),
            are_sets_stale: false,
            begins_with_event: timeline.has_event_until(plan.snap.now),
            timeline: timeline.clone(),
            plan,
        };
        Self { cells, journal: Journal::default() }
    }

    /// Returns the changes since the start.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns a copy without the journal, which is by far the largest part.
    pub fn without_journal(&self) -> Self {
        Self { cells: self.cells.clone(), journal: Journal::default() }
    }

    /// Runs `work` as if there were no placement sets.
    pub fn without_pools<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let queue_pools = Column::filled(self.queue_pools.len(), None);
        let queue_pools = std::mem::replace(&mut self.cells.queue_pools, queue_pools);
        let server_pool = self.cells.server_pool.take();
        let result = work(self);
        self.cells.queue_pools = queue_pools;
        self.cells.server_pool = server_pool;
        result
    }

    /// Runs `work` as the scheduler does in a copy of its universe.
    pub fn in_copy<T>(&mut self, purpose: CopyPurpose, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.cells.copied.replace(purpose);
        let result = work(self);
        self.cells.copied = outer;
        result
    }

    /// Whether this is a copy in which planned events are simulated.
    pub fn is_of_calendar(&self) -> bool {
        self.copied == Some(CopyPurpose::Calendar)
    }

    /// Runs `work` with the cache of how many chunks the sets hold.
    pub fn with_chunk_counts<T>(&mut self, work: impl FnOnce(&Self, &mut ChunkCountCache) -> T) -> T {
        let mut counts = self.cells.sets.take_chunk_counts();
        let result = work(self, &mut counts);
        self.cells.sets.put_chunk_counts(counts);
        result
    }

    /// Runs `work` with the counts of how many chunks the nodes of the sets hold.
    pub fn with_held_chunks<T>(&mut self, work: impl FnOnce(&Self, &mut HeldChunkCache) -> T) -> T {
        let mut counts = self.cells.sets.take_held_chunks();
        let result = work(self, &mut counts);
        self.cells.sets.put_held_chunks(counts);
        result
    }

    /// Returns nodes sorted by the keys and current amounts; ties keep the order of the dump.
    pub fn sorted_now(&self, bits: &[Bit]) -> Vec<Bit> {
        SortedNodes::new(&self.plan, &self.occupancy, bits.to_vec(), &|_, _| 0.0).into_nodes()
    }

    /// Returns the word that messages use for the state of a node.
    pub fn state_word(&self, bit: Bit) -> &'static str {
        self.occupancy.states[bit].message_word(self.plan.snap.server.power_provisioning)
    }

    /// Returns the first event planned on a node.
    pub fn first_event(&self, bit: Bit) -> Option<NodeEvent> {
        self.node_events[bit].as_ref().and_then(|events| events.first().copied())
    }
}

impl Ledger {
    /// Reads the ledger at the start of the cycle. `classes` is the number of job classes.
    pub(crate) fn starting(plan: &Plan, classes: usize) -> Self {
        let empty = Arc::new(Allocation::default());
        let status = |state| match state {
            JobState::Running | JobState::Exiting => JobStatus::Running(empty.clone()),
            _ => JobStatus::Waiting,
        };
        let mut ledger = Self {
            jobs: plan.snap.jobs.iter().map(|job| status(job.state)).collect(),
            failed: Column::<ClassId, _>::filled(classes, None),
            first_failed: Column::filled(classes, None),
            meters: plan.meters.base.clone(),
            started: Column::filled(plan.snap.jobs.len(), 0),
            started_in_all: 0,
            running_subjobs: plan.running_subjobs.clone(),
            top_jobs: Column::filled(plan.snap.jobs.len(), false),
            preempted: Column::filled(plan.snap.jobs.len(), None),
            former_allocations: Column::filled(plan.snap.jobs.len(), None),
            exceeded_soft_limits: Column::filled(plan.meters.base.len(), false),
            levels: Column::new(),
            by_place: Arc::default(),
        };
        read_levels(plan, &mut ledger);
        ledger
    }
}
