//! What-if planning of a cluster: packing policies and the farm, capacity, and the nine node allocation
//! policies.

pub mod capacity;
pub mod farm;
pub mod policies;
