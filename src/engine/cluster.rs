//! The input of a cycle: nodes, jobs, queues, reservations, resources and policy of one cluster at one moment.
//!
//! Everything here is plain data that readers and edits produce. It does not depend on files (that is `source`) and
//! derives nothing (that is `universe`). Requests and policies are kept as syntax trees with positions, so that an
//! explanation can point at the text that caused it.

mod access;
mod allocation;
mod amount;
mod begins;
mod both;
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
mod first_met;
mod formula;
mod ghost;
mod ids;
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
mod place;
mod policy;
mod queue;
mod reservation;
mod resource;
mod schedselect;
mod select;
mod select_parts;
mod server;
mod set_at;
mod shared_column;
mod shares;
mod snapshot;
mod sort_key;
mod time_files;
mod time_zone;
mod unlisted;
mod unread;
mod value;

pub use access::{Access, AccessList, Admission};
pub use allocation::AllocationChoices;
pub use amount::{Amount, AmountError};
pub use begins::begins_with;
pub use both::{are_many, both};
pub use caret::{cut_to, pointed_at, repeated};
pub use catalogue::Catalogue;
pub use count::{and_more, count, some};
pub use damage::Damage;
pub use diagnostic::{Diagnostic, Severity, Spot, Tally};
pub use duration::{parse_duration, show_duration};
pub use edit::Edit;
pub use epoch::{Epoch, Seconds};
pub use exec_vnode::{ExecChunk, ExecVnode, ExecVnodeError, ExecVnodePart};
pub use file_record::{FileForm, FileRecord, made_of_nodes_and_jobs, skew};
pub use first_met::{FirstMet, each_once, found_or_added, value_of};
pub use formula::{
    Arithmetic, Evaluation, Expr, Formula, FormulaComparison, FormulaError, FormulaFault, FormulaNode,
    FormulaTerm, Function,
};
pub use ghost::{Ghost, GhostKind, ghosts, ghosts_on, is_abandoned};
pub use ids::{Column, Id, JobId, Name, NodeId, QueueId, ResourceId, ResvId, number_of};
pub use job::{ArrayInfo, Estimate, Job};
pub use job_id::{array_id, array_numbered, id_number, short_id, split_number};
pub use job_state::{JobState, Substate};
pub use limit::{LimitEntry, LimitError, LimitScope, Limits, QueuedLimits, limit_amount};
pub use name_list::{MAX_NAMES, NameList, expand};
pub use node::{License, Node, NodeExtra, Sharing};
pub use node_state::{NodeState, NodeStates};
pub use origin::{Fact, Grounds, Origin, Origins};
pub use place::{Arrangement, Place, PlaceError, Sharedness};
pub use policy::{ByPeriod, FairsharePolicy, Period, Policy, ProvisionPolicy, SmpDist};
pub use queue::{Queue, QueueKind};
pub use reservation::{Reservation, ReservationState};
pub use resource::{Flags, Kind, ResourceDef};
pub use schedselect::{ChunkDefaults, normalised_select, with_chunk_defaults};
pub use select::{ChunkSpec, Request, Select, SelectError};
pub use select_parts::{SelectPart, add_chunk_defaults};
pub use server::{Fuzzy, Scheduler, Server};
pub use set_at::SetAt;
pub use shared_column::{Page, SharedColumn, SharedRows};
pub use shares::{ShareGroup, UsageRecord};
pub use snapshot::{Flavour, Snapshot};
pub use sort_key::{
    Direction, GroupSortKey, JobSortKey, JobSortTerm, NodeSortKey, NodeSortTerm, SortField, SortKeyError,
};
pub use time_files::{DayKind, DaySchedule, DedicatedSlot, Holidays, PrimeSpan, TimeLines};
pub use time_zone::{has_date, time_zone};
pub use unlisted::{NodeListing, is_on_nodes, not_listed};
pub use unread::Unserved;
pub use value::{ResourceList, Value, truth};
