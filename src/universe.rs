//! What the scheduler derives from a cluster, and what changes while it works.
//!
//! A [`Plan`] is derived once: node order, signatures, shapes. A [`State`] is a plan and everything that
//! starting and ending jobs changes: bitmaps, buckets, pools, the timeline, the books. Every change goes
//! through the [`Journal`], which undoes and redoes; stepping back, simulation and trials are then one
//! mechanism. Nothing here decides anything.

mod allocation;
mod amounts;
mod around;
mod arrangement;
mod asked;
mod bucket;
mod bucket_order;
mod change;
mod floor;
mod group_order;
mod inside;
mod journal;
mod key_values;
mod ledger;
mod merge_sort;
mod meters;
mod node_masks;
mod node_order;
mod node_set;
mod on_sets;
mod plan;
mod plan_node;
mod planned;
mod pool;
mod preempting;
mod quirk;
mod ranking;
mod reason;
mod reason_log;
mod request;
mod returns;
mod rooms;
mod set;
mod set_buckets;
mod set_ranks;
mod set_updates;
mod signature;
mod sorted_nodes;
mod sparse_set;
mod state;
mod tallies;
mod timeline;
mod transition;
mod unsettled;

pub use allocation::{Allocation, Gives, Piece};
pub use amounts::{Capacity, ConsIx, Consumables, whole_mb};
pub use bucket::{Bucket, BucketIx, Counts, Pocket, bucket_name};
pub use change::Change;
pub use floor::{Floor, Load};
pub use group_order::GroupOrder;
pub use inside::Inside;
pub use journal::{Journal, Mark, Trial};
pub use key_values::SharedValue;
pub use ledger::{ClassId, JobStatus, Ledger, LedgerChange, PreemptMethod};
pub use merge_sort::merge_sort;
pub use meters::{MeterIx, MeterKey, Meters, entity_of};
pub use node_masks::{is_exclhost, is_exclusive};
pub use node_order::compare_keys;
pub use node_set::{Bit, BitSet, NodeSet, Ones, Slot, ones};
pub use plan::Plan;
pub use plan_node::{HostIx, MultiVnode, PlanNode, resolved};
pub use planned::{job_end, read_allocation};
pub use pool::{GroupPool, GroupPools, Pool, PoolIx, PoolOwner, SetBuilder};
pub use preempting::RunningJob;
pub use quirk::{Quirk, Quirks, Semantics};
pub use ranking::NodeRanking;
pub use reason::{Detail, LimitHit, Reason, Rejection, Shortage};
pub use request::{Enforced, JobRequest, Shape, ShapeId, Shapes, Spec, Want};
pub use rooms::{Room, RoomKey, RoomRow, Rooms};
pub use set::{Against, PlacementSet, SetIx, SetShape, Tri, same_text};
pub use set_ranks::SetRanks;
pub use signature::{Fit, SigId, SigValue, Signature, Signatures};
pub use sorted_nodes::{SortedNodes, Taken};
pub use sparse_set::{Place, SparseSet};
pub use state::{NodeEvent, State};
pub use tallies::Tallies;
pub use timeline::{EventKey, Happening, Party, TimedEvent, Timeline};
pub use unsettled::Unsettled;
