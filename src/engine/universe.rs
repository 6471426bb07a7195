//! What the scheduler derives from a cluster, and the state that changes while it works.
//!
//! A [`Plan`] is derived once: node order, signatures, shapes. A [`State`] is a plan plus everything that starts and
//! ends of jobs change: bitmaps, buckets, pools, timeline, ledger. Every change goes through the [`Journal`], which
//! can undo and redo it, so stepping back, simulation and trials share one mechanism. Nothing here makes scheduling
//! decisions.

mod bucket;
mod interned;
mod level;
mod merge_sort;
mod nodes;
mod plan;
mod preempt;
mod reason;
mod request;
mod rows;
mod sets;
mod state;
mod timeline;
mod transition;

pub use bucket::counted_set::{CountedSet, WordIx};
pub use bucket::{Availability, Bucket, BucketIx, BucketKey, BucketWords, Counts};
pub use interned::Interned;
pub use level::{Level, LevelBits, PreemptLevels, express_queues, is_express_queue};
pub use merge_sort::merge_sort;
pub use nodes::amounts::{Capacity, ConsIx, Consumables};
pub use nodes::floor::{Floor, Load};
pub use nodes::hosts::{HostIx, MultiVnode};
pub use nodes::inside::Inside;
pub use nodes::lists::{ListId, NodeLists};
pub use nodes::masks::NodeMasks;
pub use nodes::node_set::{Bit, BitSet, NodeSet, Ones, Slot, ones};
pub use nodes::order::compare_keys;
pub use nodes::plan_node::PlanNode;
pub use nodes::signature::{Fit, SigId, SigValue, Signature, Signatures};
pub use nodes::sorted::SortedNodes;
pub use nodes::sparse_set::{Place, SparseSet};
pub use nodes::taken::{Taken, TakenAmounts};
pub use nodes::values::{resolved, whole_mb};
pub use plan::Plan;
pub use plan::meters::{MeterIx, MeterKey, Meters, entity_of};
pub use plan::quirk::{Quirk, Quirks, Semantics};
pub use plan::ranking::NodeRanking;
pub use preempt::{PreemptMethod, may_preempt};
pub use reason::{Detail, LimitHit, Reason, Rejection, Shortage};
pub use request::allocation::{Allocation, Gives, Piece};
pub use request::chunk_shape::{Requirement, Shape, ShapeId, Shapes};
pub use request::read::{NEGATIVE, TOO_MANY_PARTS};
pub use request::{Enforced, JobRequest, Spec};
pub use sets::builder::SetBuilder;
pub use sets::chunk_counts::{ChunkCount, ChunkCounts, ChunkKind, NoRoom, NodesOfKind};
pub use sets::counts::SetCounts;
pub use sets::group_order::GroupOrder;
pub use sets::held_chunks::{HeldBySet, HeldChunks, HeldKind};
pub use sets::ids::{PoolIx, SetIx};
pub use sets::key_values::SharedValue;
pub use sets::known_by_set::{KnownBySet, RowOfSets};
pub use sets::pool::{GroupPool, GroupPools, Pool, PoolOwner};
pub use sets::ranks::SetRanks;
pub use sets::set::{Against, PlacementSet, same_text};
pub use sets::sets_by_node::SetsByNode;
pub use sets::shape::{SetShape, Tri};
pub use sets::table::SetTable;
pub use sets::tallies::Tallies;
pub use state::change::Change;
pub use state::journal::{Journal, Mark, Trial};
pub use state::ledger::{ClassId, JobStatus, Ledger, LedgerChange};
pub use state::node_counts::{NodeCounts, NodeUse};
pub use state::on_sets::OnSets;
pub use state::seats::Seats;
pub(crate) use state::start::Followed;
pub use state::start::Start;
pub use state::{Cells, CopyFor, State};
pub use timeline::occupant::{NodeEvent, Occupant};
pub use timeline::planned::{
    expected_end, extended_softs, job_end, planned_end, read_allocation, within_reservation,
};
pub use timeline::{EventKey, EventKind, TimedEvent, Timeline};
pub use transition::preemption::RunningJob;
pub use transition::soft_limits::has_soft_limits_of;
