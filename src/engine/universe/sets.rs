//! Placement sets and pools: how they are created, their sums, and what is cached about them.

pub(in crate::universe) mod arrangement;
pub(in crate::universe) mod buckets;
pub(in crate::universe) mod builder;
pub(in crate::universe) mod chunk_counts;
pub(in crate::universe) mod counts;
pub(in crate::universe) mod definition;
pub(in crate::universe) mod dirty;
mod following;
pub(in crate::universe) mod group_order;
pub(in crate::universe) mod held_chunks;
pub(in crate::universe) mod ids;
pub(in crate::universe) mod key_values;
mod order_row;
pub(in crate::universe) mod pool;
pub(in crate::universe) mod ranks;
pub(in crate::universe) mod set;
pub(in crate::universe) mod set_cache;
pub(in crate::universe) mod sets_by_node;
pub(in crate::universe) mod table;
pub(in crate::universe) mod tallies;
