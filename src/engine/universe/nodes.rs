//! Nodes: sets of nodes, their resources and signatures, and the order in which they are tried.

pub(in crate::universe) mod amounts;
pub(in crate::universe) mod hosts;
pub(in crate::universe) mod lists;
pub(in crate::universe) mod masks;
pub(in crate::universe) mod node_set;
pub(in crate::universe) mod occupancy;
pub(in crate::universe) mod order;
pub(in crate::universe) mod plan_node;
pub(in crate::universe) mod reservation_nodes;
pub(in crate::universe) mod signature;
pub(in crate::universe) mod sorted;
pub(in crate::universe) mod sparse_set;
pub(in crate::universe) mod taken_amounts;
pub(in crate::universe) mod values;
