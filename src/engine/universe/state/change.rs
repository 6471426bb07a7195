//! One change of the state, in a form that undoes and redoes itself: swap it in, swap it out.

use std::sync::Arc;

use crate::cluster::{Epoch, NodeStates, ResvId};

use crate::universe::state::seats::{Seats, swap_assigned, swap_node, swap_place};
use crate::universe::{
    Availability, Bit, BucketIx, Cells, ConsIx, Counts, EventKey, GroupPools, HostIx, LedgerChange, ListId,
    Load, NodeEvent, OnSets, PoolIx, SetIx, Slot, TimedEvent,
};

/// A cell of the state and the value that it does not hold at the moment.
#[derive(Clone, Debug)]
pub enum Change {
    /// What is assigned of a consumable at a node.
    Assigned(ConsIx, Bit, f64),
    /// A node's state bits.
    States(Bit, NodeStates),
    /// Where a node is within a bucket of the complex.
    Availability(BucketIx, Bit, Availability),
    /// What the scheduler counts a bucket holds.
    Counts(BucketIx, Counts),
    /// Where a node is within the buckets of a set, and with it what its bucket is believed to hold.
    SetAvailability(SetIx, Slot, Availability),
    /// What a set counts as assigned.
    SetAssigned(SetIx, ConsIx, f64),
    /// What a set counts as free nodes.
    SetFree(SetIx, i32),
    /// Several of these at once: of the sets that a node keeps up to date, in their order, as many as there are
    /// values. A node may be in dozens of sets.
    NodeSets(Bit, Box<OnSets>),
    PoolOrder(PoolIx, Arc<[SetIx]>),
    /// The pools made for single jobs.
    GroupPools(Arc<GroupPools>),
    /// Whether sets have to be summed up anew.
    Stale(bool),
    /// The order of a list of nodes, where it changes job by job; none as at the start.
    NodeOrder(ListId, Option<Arc<[Bit]>>),
    /// Which hosts are examined before which (rule M17).
    HostOrder(Arc<[HostIx]>),
    /// Who is on a node, and its state bits.
    Node(Bit, Load, NodeStates),
    /// What a start changes of its nodes, and of their buckets and sets.
    Seats(Box<Seats>),
    /// What is planned on a node.
    NodeEvents(Bit, Option<Arc<[NodeEvent]>>),
    Timeline(Box<(EventKey, Option<TimedEvent>)>),
    /// Whose floor the state shows: that of the complex, or that of a running reservation's jobs.
    Floor(ResvId),
    Clock(Epoch),
    /// The host that got the last packed chunk, where such chunks go round the hosts.
    LastHost(Option<HostIx>),
    /// Who runs and what failed.
    Ledger(LedgerChange),
}

impl Change {
    /// Exchanges the value here with the value in the state.
    pub(super) fn swap(&mut self, cells: &mut Cells) {
        use std::mem::swap;
        self.mark_dirty(cells);
        match self {
            Self::Assigned(ix, bit, value) => swap_assigned(cells, *ix, *bit, value),
            Self::Node(bit, load, states) => swap_node(cells, *bit, load, states),
            Self::Seats(seats) => seats.swap(cells),
            Self::States(bit, value) => {
                swap(value, &mut cells.floor.states[*bit]);
                cells.floor.refresh_bits(&cells.plan, *bit);
            }
            Self::Availability(bucket, bit, value) => swap_place(cells, *bucket, *bit, value),
            Self::Counts(bucket, value) => swap(value, &mut cells.buckets[*bucket].counts),
            Self::SetAvailability(set, slot, value) => cells.sets.swap_availability(*set, *slot, value),
            Self::SetAssigned(set, ix, value) => cells.sets.swap_assigned(&cells.plan, *set, *ix, value),
            Self::SetFree(set, value) => cells.sets.swap_free(*set, value),
            Self::NodeSets(bit, values) => values.swap(cells, *bit),
            Self::PoolOrder(pool, value) => swap(value, &mut cells.pools[*pool].order),
            Self::GroupPools(value) => swap(value, &mut cells.group_pools),
            Self::Stale(value) => swap(value, &mut cells.stale),
            Self::NodeOrder(list, value) => cells.lists.swap(*list, value),
            Self::HostOrder(value) => swap(value, &mut cells.lists.hosts),
            Self::NodeEvents(bit, value) => swap(value, &mut cells.node_events[*bit]),
            Self::Timeline(at) => {
                let (key, value) = &mut **at;
                *value = cells.timeline.put(*key, value.take());
            }
            Self::Floor(reservation) => cells.swap_floor(*reservation),
            Self::Clock(value) => swap(value, &mut cells.now),
            Self::LastHost(value) => swap(value, &mut cells.last_host),
            Self::Ledger(change) => change.swap(&mut cells.ledger),
        }
    }

    /// Notes which sets may differ from their nodes from now on.
    fn mark_dirty(&self, cells: &mut Cells) {
        match self {
            // What changes of sets, of amounts and with a start notes it there.
            Self::States(bit, _) | Self::NodeEvents(bit, _) => {
                cells.sets.mark_node(*bit);
            }
            _ => {}
        }
    }

    /// How many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Seats(seats) => seats.heap(),
                Self::Timeline(at) => size_of_val(&**at),
                _ => 0,
            }
    }
}
