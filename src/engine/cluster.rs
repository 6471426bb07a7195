//! The input of a cycle: nodes, jobs, queues, reservations, resources and policy of one cluster at one moment.
//!
//! Everything here is plain data that readers and edits produce. It does not depend on files (that is `source`) and
//! derives nothing (that is `universe`). Requests and policies are kept as syntax trees with positions, so that an
//! explanation can point at the text that caused it.

mod access;
mod allocation;
mod amount;
mod bisection;
mod caret;
mod catalogue;
mod count;
mod damage;
mod diagnostic;
pub mod did_you_mean;
mod duration;
mod edit;
pub mod elim;
mod epoch;
mod exec_vnode;
mod file_record;
mod formula;
mod ghost;
mod ids;
mod insertion_order;
mod job;
mod job_id;
mod job_move;
mod job_state;
mod job_sums;
mod limit;
mod name_list;
mod node;
mod node_state;
mod origin;
mod parallel;
mod place;
mod policy;
mod prefix_match;
mod queue;
mod reservation;
mod resource;
mod schedselect;
mod select;
mod select_parts;
mod server;
mod setting_location;
mod shared_column;
mod shared_list;
mod shares;
mod snapshot;
mod sort_key;
mod time_files;
mod time_zone;
mod unlisted;
mod unserved;
mod value;

pub use access::{AccessList, Admission, QueueAccess};
pub use allocation::AllocationChoices;
pub use amount::{Amount, AmountError};
pub use bisection::nearest_holding;
pub use caret::{caret_lines, message_excerpt, truncated};
pub use catalogue::Catalogue;
pub use count::{append_count, count, first_names};
pub use damage::DamageKind;
pub use diagnostic::{Diagnostic, DiagnosticCount, FilePosition, Severity};
pub use duration::{parse_duration, show_duration};
pub use edit::Edit;
pub use epoch::{Epoch, Seconds};
pub use exec_vnode::{ExecChunk, ExecVnode, ExecVnodeError, ExecVnodePart};
pub use file_record::{FileFormat, FileRecord, made_of_nodes_and_jobs, skew};
pub use formula::{
    Arithmetic, Evaluation, Expr, Formula, FormulaComparison, FormulaError, FormulaFault, FormulaNode,
    FormulaTerm, Function,
};
pub use ghost::{GhostJob, GhostKind, ghosts, ghosts_on, is_abandoned};
pub use ids::{Column, Id, JobId, Name, NodeId, QueueId, ResourceId, ResvId, number_of};
pub use insertion_order::{InsertionOrderMap, deduplicated, found_or_added, value_of};
pub use job::{ArrayAttributes, Job, StartEstimate};
pub use job_id::{array_id, array_numbered, id_number, short_id, split_number};
pub use job_state::{JobState, Substate};
pub use limit::{LimitEntry, LimitError, LimitScope, Limits, QueuedLimits, limit_amount};
pub use name_list::{MAX_NAMES, NameList, expand};
pub use node::{License, Node, NodeExtra, Sharing};
pub use node_state::{NodeState, NodeStates};
pub use origin::{AssumptionReason, Origin, Origins, SnapshotFact};
pub use parallel::{is_worth_a_thread, run_both};
pub use place::{Arrangement, Place, PlaceError, PlaceSharing};
pub use policy::{ByPeriod, FairsharePolicy, Period, Policy, ProvisionPolicy, SmpDist};
pub use prefix_match::begins_with;
pub use queue::{Queue, QueueKind};
pub use reservation::{Reservation, ReservationState};
pub use resource::{ResourceDef, ResourceFlags, ResourceType};
pub use schedselect::{ChunkDefaults, normalised_select, with_chunk_defaults};
pub use select::{ChunkSpec, ResourceRequest, Select, SelectError};
pub use select_parts::{SelectPart, add_chunk_defaults};
pub use server::{BackfillFuzzy, Scheduler, Server};
pub use setting_location::SettingLocation;
pub use shared_column::{ColumnPage, SharedColumn, SharedRows};
pub use shared_list::{ExactList, SharedList};
pub use shares::{ShareGroup, UsageRecord};
pub use snapshot::{Flavour, Snapshot};
pub use sort_key::{
    GroupSortKey, JobSortKey, JobSortTerm, NodeSortKey, NodeSortTerm, SortDirection, SortField, SortKeyError,
};
pub use time_files::{DayKind, DaySchedule, DedicatedSlot, Holidays, PeriodStart, TimeFileLines};
pub use time_zone::{has_date, time_zone};
pub use unlisted::{NodeJobSet, is_on_nodes, not_listed};
pub use unserved::UnservedReason;
pub use value::{ResourceList, Value, truth};
