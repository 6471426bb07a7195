//! One change of the state, in a form that undoes and redoes itself by swapping values.

use std::sync::Arc;

use crate::cluster::{Epoch, NodeStates, ResvId};

use crate::universe::state::start_changes::{StartChanges, swap_assigned, swap_node, swap_place};
use crate::universe::{
    Availability, Bit, BucketCounts, BucketIx, ConsIx, EventKey, GroupPools, HostIx, LedgerChange, NodeEvent,
    NodeListId, NodeLoad, NodeSetsChange, PoolIx, SetIx, Slot, StateCells, TimedEvent,
};

/// A cell of the state and the value that it does not currently hold.
#[derive(Clone, Debug)]
pub enum StateChange {
    /// Amount of a consumable that is assigned on a node.
    Assigned(ConsIx, Bit, f64),
    /// A node's state bits.
    States(Bit, NodeStates),
    /// Bitmap of a node within a bucket of the complex.
    Availability(BucketIx, Bit, Availability),
    /// Sizes of a bucket's bitmaps as the scheduler counts them.
    Counts(BucketIx, BucketCounts),
    /// Bitmap of a node within the buckets of a set; the counts of its bucket follow.
    SetAvailability(SetIx, Slot, Availability),
    /// A set's assigned amount.
    SetAssigned(SetIx, ConsIx, f64),
    /// A set's number of free nodes.
    SetFree(SetIx, i32),
    /// Several of these at once: one value for each set that a node keeps up to date, in their order. A node may be
    /// in dozens of sets.
    NodeSets(Bit, Box<NodeSetsChange>),
    PoolOrder(PoolIx, Arc<[SetIx]>),
    /// Pools created for single jobs.
    GroupPools(Arc<GroupPools>),
    /// Whether sets must be summed again.
    AreSetsStale(bool),
    /// Order of a list of nodes that changes from job to job; `None` for the order at the start.
    NodeOrder(NodeListId, Option<Arc<[Bit]>>),
    /// Order in which hosts are examined (rule M17).
    HostOrder(Arc<[HostIx]>),
    /// Whether a start has made an unset resource of a node (rule M27); undoing is the same change.
    MadeByStart(ConsIx, Bit),
    /// Load and state bits of a node.
    Node(Bit, NodeLoad, NodeStates),
    /// Everything that a start changes on nodes, buckets and sets.
    StartChanges(Box<StartChanges>),
    /// Events planned on a node.
    NodeEvents(Bit, Option<Arc<[NodeEvent]>>),
    Timeline(Box<(EventKey, Option<TimedEvent>)>),
    /// Swaps the state's floor with that of a running reservation's jobs.
    Occupancy(ResvId),
    Clock(Epoch),
    /// Host that a packed job used last, if such jobs are placed round robin.
    LastHost(Option<HostIx>),
    /// Running jobs, failures and meters.
    Ledger(LedgerChange),
}

impl StateChange {
    /// Swaps the value with the one in the state.
    pub(super) fn swap(&mut self, cells: &mut StateCells) {
        use std::mem::swap;
        self.mark_dirty(cells);
        match self {
            Self::Assigned(ix, bit, value) => swap_assigned(cells, *ix, *bit, value),
            Self::MadeByStart(ix, bit) => {
                let made = &mut cells.occupancy.made_by_starts;
                if !made.remove(&(*ix, *bit)) {
                    made.insert((*ix, *bit));
                }
            }
            Self::Node(bit, load, states) => swap_node(cells, *bit, load, states),
            Self::StartChanges(seats) => seats.swap(cells),
            Self::States(bit, value) => {
                swap(value, &mut cells.occupancy.states[*bit]);
                cells.occupancy.refresh_bits(&cells.plan, *bit);
            }
            Self::Availability(bucket, bit, value) => swap_place(cells, *bucket, *bit, value),
            Self::Counts(bucket, value) => swap(value, &mut cells.buckets[*bucket].counts),
            Self::SetAvailability(set, slot, value) => cells.sets.swap_availability(*set, *slot, value),
            Self::SetAssigned(set, ix, value) => cells.sets.swap_assigned(&cells.plan, *set, *ix, value),
            Self::SetFree(set, value) => cells.sets.swap_free(*set, value),
            Self::NodeSets(bit, values) => values.swap(cells, *bit),
            Self::PoolOrder(pool, value) => swap(value, &mut cells.pools[*pool].order),
            Self::GroupPools(value) => swap(value, &mut cells.group_pools),
            Self::AreSetsStale(value) => swap(value, &mut cells.are_sets_stale),
            Self::NodeOrder(list, value) => cells.lists.swap(*list, value),
            Self::HostOrder(value) => swap(value, &mut cells.lists.hosts),
            Self::NodeEvents(bit, value) => swap(value, &mut cells.node_events[*bit]),
            Self::Timeline(at) => {
                let (key, value) = &mut **at;
                *value = cells.timeline.put(*key, value.take());
            }
            Self::Occupancy(reservation) => cells.swap_floor(*reservation),
            Self::Clock(value) => swap(value, &mut cells.now),
            Self::LastHost(value) => swap(value, &mut cells.last_host),
            Self::Ledger(change) => change.swap(&mut cells.ledger),
        }
    }

    /// Records which sets may differ from their nodes from now on.
    fn mark_dirty(&self, cells: &mut StateCells) {
        match self {
            // Changes of sets, of amounts and by starts record it themselves.
            Self::States(bit, _) | Self::NodeEvents(bit, _) => {
                cells.sets.mark_node(*bit);
            }
            _ => {}
        }
    }

    /// Returns the size in bytes.
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::StartChanges(seats) => seats.heap(),
                Self::Timeline(at) => size_of_val(&**at),
                _ => 0,
            }
    }
}
