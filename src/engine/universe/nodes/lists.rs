//! The lists of nodes where a sort key reads what is unused or assigned (rule 4.3): each is sorted at its own moments, so
//! that two lists of the same nodes may stand in different orders.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, QueueId};
use crate::universe::{Bit, HostIx, SetIx};

/// Which list of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ListId {
    /// The server's, and that of nodes that are bound to no queue.
    Server,
    /// A queue's own nodes.
    Queue(QueueId),
    /// A placement set's.
    Set(SetIx),
}

impl ListId {
    /// The list of the nodes that jobs of a queue with nodes use, or without one of those that are bound to no queue.
    pub fn of_queue(queue: Option<QueueId>) -> Self {
        queue.map_or(Self::Server, Self::Queue)
    }
}

/// The orders of all lists; those that are not here stand as nodes were sorted at the start.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeLists {
    /// All nodes.
    pub server: Arc<[Bit]>,
    /// All nodes as each queue's list would order them.
    pub queues: Column<QueueId, Option<Arc<[Bit]>>>,
    /// The nodes of each set that was sorted since.
    pub sets: FxHashMap<SetIx, Arc<[Bit]>>,
    /// The hosts of the nodes that are bound to no queue.
    pub hosts: Arc<[HostIx]>,
}

impl NodeLists {
    /// The order of a list that was sorted since the start.
    pub fn order(&self, list: ListId) -> Option<&Arc<[Bit]>> {
        match list {
            ListId::Server => Some(&self.server),
            ListId::Queue(queue) => self.queues.checked(queue)?.as_ref(),
            ListId::Set(set) => self.sets.get(&set),
        }
    }

    /// Exchanges the order of a list.
    pub(in crate::universe) fn swap(&mut self, list: ListId, order: &mut Option<Arc<[Bit]>>) {
        match list {
            ListId::Server => {
                if let Some(order) = order {
                    std::mem::swap(order, &mut self.server);
                }
            }
            ListId::Queue(queue) => std::mem::swap(order, &mut self.queues[queue]),
            ListId::Set(set) => {
                let old = self.sets.remove(&set);
                if let Some(new) = order.take() {
                    self.sets.insert(set, new);
                }
                *order = old;
            }
        }
    }
}
