//! Placement of jobs: the choice of path, the bucket path, the node path and placement sets.
//!
//! Nothing here starts a job: a placement is only proposed, and [`crate::universe::State::start`] applies it. A
//! [`Probe`] may record the search.

mod bound;
mod bucket_path;
mod by_host;
mod candidates;
mod capacities;
mod chunk;
mod chunk_map;
mod host_chunk;
mod host_order;
mod marks;
mod named_nodes;
mod node_filter;
mod node_limits;
mod node_path;
mod pack;
mod path;
mod probe;
mod quick_check;
mod recheck;
mod return_order;
mod round_robin;
mod screen;
mod search;
mod set_attempts;
mod set_fit;
mod set_list;
mod sets;
mod time_check;
mod traversal;
mod used_amounts;
mod why_not;

pub use bucket_path::{BucketAttempt, place_in_buckets};
pub use candidates::Candidates;
pub use chunk_map::{BucketMatch, ChunkMap, map_chunks};
pub use node_filter::NodeFilter;
pub use node_limits::refusing;
pub use node_path::place_on_nodes;
pub use path::{PathChoice, PathRule, PlacementPath, choose_path, is_path_of_request};
pub use probe::{BucketOffer, BucketRef, HostStep, Probe, ProbeEvent};
pub use quick_check::{all_shortages, quick_check};
pub use recheck::SetRecheck;
pub use round_robin::rotates_over_hosts;
pub use set_attempts::SetAttempts;
pub use set_fit::{SetFit, SetShortage, set_fit};
pub use set_list::{nodes_for, pool_of, sets_for};
pub use sets::{ExaminedCounts, PlacementAttempt, ProposedPlacement, place, place_reservation};
pub use time_check::TimeCheck;
pub(crate) use why_not::needs_provisioning;
pub use why_not::{all_lacking, could_hold, lacks_condition, why_not};
