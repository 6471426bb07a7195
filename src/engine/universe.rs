//! What the scheduler derives from a cluster, and the state that changes while it works.
//!
//! A [`Plan`] is derived once: node order, signatures, shapes. A [`State`] is a plan plus everything that starts and
//! ends of jobs change: bitmaps, buckets, pools, timeline, ledger. Every change goes through the [`Journal`], which
//! can undo and redo it, so stepping back, simulation and trials share one mechanism. Nothing here makes scheduling
//! decisions.

mod bucket;
mod interner;
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
pub use bucket::{Availability, Bucket, BucketCounts, BucketIx, BucketKey, BucketWords};
pub use interner::Interner;
pub use level::{JobLevel, LevelBits, PreemptLevels, express_queues, is_express_queue};
pub use merge_sort::merge_sort;
pub use nodes::amounts::{Capacity, ConsIx, Consumables};
pub use nodes::hosts::{HostIx, MultiVnode};
pub use nodes::lists::{NodeListId, NodeLists};
pub use nodes::masks::NodeMasks;
pub use nodes::node_set::{Bit, BitSet, BitSetIter, NodeSet, Slot, ones};
pub use nodes::occupancy::{NodeLoad, NodeOccupancy};
pub use nodes::order::compare_keys;
pub use nodes::plan_node::PlanNode;
pub use nodes::reservation_nodes::ReservationNodes;
pub use nodes::signature::{ChunkFit, SigId, SigValue, Signature, Signatures};
pub use nodes::sorted::SortedNodes;
pub use nodes::sparse_set::{SparseIx, SparseSet};
pub use nodes::taken_amounts::{TakenAmountFn, TakenAmounts};
pub use nodes::values::{resolved, whole_mb};
pub use plan::Plan;
pub use plan::meters::{MeterIx, MeterKey, Meters, entity_of};
pub use plan::quirk::{Quirk, Quirks, Semantics};
pub use plan::ranking::NodeRanking;
pub use preempt::{PreemptMethod, may_preempt};
pub use reason::{LimitHit, Reason, Rejection, Shortage, ShortageDetail};
pub use request::allocation::{Allocation, AllocationPiece, PieceResources};
pub(crate) use request::cache::RequestIx;
pub use request::chunk_shape::{ChunkShape, ChunkShapes, Requirement, ShapeId};
pub use request::read::{NEGATIVE, TOO_MANY_PARTS};
pub use request::{EnforcedResources, JobRequest, Spec};
pub use sets::builder::SetBuilder;
pub use sets::chunk_counts::{ChunkCount, ChunkCountCache, ChunkCountKey, NoRoom, SignatureCount};
pub use sets::counts::SetCounts;
pub use sets::definition::{BooleanValues, SetDefinition};
pub use sets::group_order::GroupOrder;
pub use sets::held_chunks::{HeldChunkCache, HeldChunkCount, HeldChunksKey};
pub use sets::ids::{PoolIx, SetIx};
pub use sets::key_values::SharedValue;
pub use sets::pool::{GroupPool, GroupPools, Pool, PoolOwner};
pub use sets::ranks::SetRanks;
pub use sets::set::{AmountBasis, PlacementSet, same_text};
pub use sets::set_cache::{SetCache, SetCacheRow};
pub use sets::sets_by_node::SetsByNode;
pub use sets::table::SetTable;
pub use sets::tallies::Tallies;
pub use state::change::StateChange;
pub use state::journal::{Journal, JournalPosition, TrialStart};
pub use state::ledger::{ClassId, JobStatus, Ledger, LedgerChange};
pub use state::node_counts::{NodeCounts, NodeUse};
pub use state::node_sets_change::NodeSetsChange;
pub use state::start_changes::StartChanges;
pub(crate) use state::state_at_start::PreviousStart;
pub use state::state_at_start::StateAtStart;
pub use state::{CopyPurpose, State, StateCells};
pub use timeline::occupant::{NodeEvent, Occupant};
pub use timeline::planned::{
    expected_end, extended_softs, job_end, planned_end, read_allocation, within_reservation,
};
pub use timeline::{EventKey, EventKind, TimedEvent, Timeline};
pub use transition::preemption::RunningJob;
pub use transition::soft_limits::has_soft_limits_of;
