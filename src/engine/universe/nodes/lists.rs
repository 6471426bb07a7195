//! The lists of nodes for sort keys on unused or assigned amounts (rule 4.3). Each list is sorted at its own moments,
//! so two lists of the same nodes may differ in order.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, QueueId};
use crate::universe::{Bit, HostIx, SetIx};

/// Identifies a list of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeListId {
    /// The server's list, and that of nodes that are bound to no queue.
    Server,
    /// The list of a queue's own nodes.
    Queue(QueueId),
    /// The list of a placement set.
    Set(SetIx),
}

impl NodeListId {
    /// Returns the list for jobs of a queue that has nodes; with `None`, the list of unbound nodes.
    pub fn of_queue(queue: Option<QueueId>) -> Self {
        queue.map_or(Self::Server, Self::Queue)
    }
}

/// The orders of all lists; a list that is absent still has the order of the start of the cycle.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeLists {
    /// All nodes.
    pub server: Arc<[Bit]>,
    /// All nodes in the order of each queue's list.
    pub queues: Column<QueueId, Option<Arc<[Bit]>>>,
    /// The nodes of each set that was sorted since the start.
    pub sets: FxHashMap<SetIx, Arc<[Bit]>>,
    /// The hosts of the nodes that are bound to no queue.
    pub hosts: Arc<[HostIx]>,
}

impl NodeLists {
    /// Returns the order of a list that was sorted since the start.
    pub fn order(&self, list: NodeListId) -> Option<&Arc<[Bit]>> {
        match list {
            NodeListId::Server => Some(&self.server),
            NodeListId::Queue(queue) => self.queues.checked(queue)?.as_ref(),
            NodeListId::Set(set) => self.sets.get(&set),
        }
    }

    /// Swaps the order of a list with `order`.
    pub(in crate::universe) fn swap(&mut self, list: NodeListId, order: &mut Option<Arc<[Bit]>>) {
        match list {
            NodeListId::Server => {
                if let Some(order) = order {
                    std::mem::swap(order, &mut self.server);
                }
            }
            NodeListId::Queue(queue) => std::mem::swap(order, &mut self.queues[queue]),
            NodeListId::Set(set) => {
                let old = self.sets.remove(&set);
                if let Some(new) = order.take() {
                    self.sets.insert(set, new);
                }
                *order = old;
            }
        }
    }
}
