//! Sets of nodes that follow from node attributes alone.

use crate::cluster::{Column, Node, PlaceSharing, QueueId, Snapshot};

use crate::universe::{Bit, HostIx, NodeSet, PlanNode};

/// Sets of nodes that follow from node attributes alone.
#[derive(Clone, Debug)]
pub struct NodeMasks {
    /// Nodes bound to no queue.
    pub unbound: NodeSet,
    /// Whether no node is bound to a queue.
    pub all_unbound: bool,
    /// Nodes bound to each queue.
    pub queue_nodes: Column<QueueId, NodeSet>,
    /// Whether each queue has nodes of its own.
    has_own_nodes: Column<QueueId, bool>,
    /// Nodes with a licence.
    pub licensed: NodeSet,
    /// Nodes without cpus, such as a vnode that represents what the other vnodes of its host share.
    pub cpuless: NodeSet,
    /// Nodes whose host has other vnodes, whatever queue those are bound to.
    pub on_shared_host: NodeSet,
    /// Nodes that limit the number of running jobs, or that accept no multi-node job.
    pub limited: NodeSet,
    /// Nodes that are exclusive to a job that requests no sharing.
    pub excl_unsaid: NodeSet,
    /// Nodes that are exclusive to a job that requests `shared`.
    pub excl_shared: NodeSet,
    /// Nodes that are exclusive to a job that requests `excl` or `exclhost`.
    pub excl_excl: NodeSet,
}

impl NodeMasks {
    pub(in crate::universe) fn new(snap: &Snapshot, nodes: &Column<Bit, PlanNode>) -> Self {
        let none = || NodeSet::new(nodes.len());
        let mut masks = Self {
            unbound: none(),
            all_unbound: nodes.iter().all(|node| !node.is_bound),
            queue_nodes: snap.queues.ids().map(|_| none()).collect(),
            has_own_nodes: Column::filled(snap.queues.len(), false),
            licensed: none(),
            cpuless: none(),
            on_shared_host: none(),
            limited: none(),
            excl_unsaid: none(),
            excl_shared: none(),
            excl_excl: none(),
        };
        // There are at most as many hosts as nodes.
        let mut vnodes: Column<HostIx, u32> = Column::filled(nodes.len(), 0);
        nodes.iter().for_each(|node| vnodes[node.host] += 1);
        for (bit, node) in nodes.enumerate() {
            let of = &snap.nodes[node.id];
            let set = |mask: &mut NodeSet, is_in: bool| {
                if is_in {
                    mask.insert(bit);
                }
            };
            set(&mut masks.unbound, !node.is_bound);
            if let Some(queue) = node.queue {
                masks.queue_nodes[queue].insert(bit);
                masks.has_own_nodes[queue] = true;
            }
            set(&mut masks.licensed, node.licensed);
            set(&mut masks.cpuless, of.is_cpuless());
            set(&mut masks.on_shared_host, vnodes[node.host] > 1);
            set(&mut masks.limited, is_limited(of));
            set(&mut masks.excl_unsaid, of.sharing.is_exclusive(PlaceSharing::Unsaid));
            set(&mut masks.excl_shared, of.sharing.is_exclusive(PlaceSharing::Shared));
            set(&mut masks.excl_excl, of.sharing.is_exclusive(PlaceSharing::Excl));
        }
        masks
    }

    /// Whether nodes are bound to a queue. Stored, because it is read for every job.
    pub fn owns_nodes(&self, queue: QueueId) -> bool {
        self.has_own_nodes[queue]
    }
}

/// Whether a node limits the number of running jobs or accepts no multi-node job.
fn is_limited(node: &Node) -> bool {
    [node.max_running, node.max_user_run, node.max_group_run].iter().any(Option::is_some)
        || node.no_multinode_jobs
}
