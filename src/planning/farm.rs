//! Packing policies and the farm simulator: the cost of concentrating a group's jobs on few nodes.
//!
//! A farm is nodes with slots; jobs have classes; a class may prefer nodes of its own jobs, keep others out,
//! or spread ([`FarmPolicy`]). [`simulate()`] runs the jobs through the farm in whole seconds, and observers
//! ([`FarmObserver`]) compute figures ([`summary`]) or keep everything ([`record`]). Start reading at [`run()`],
//! which does both.
//!
//! The work has several sources: a [`FarmCase`] is opened from accounting logs, traces and rows ([`trace`]), a
//! [`scenario`], synthetic arrivals ([`synthetic`]), or a snapshot ([`snapshot_workload`]). The engine follows packing
//! rules R1 to R12; `tests/it/farm` checks it against a literal implementation of them.

pub mod answer;
pub mod bins;
pub mod case;
pub mod criterion;
pub mod elim;
mod error;
pub mod esub;
mod farm_state;
pub mod grid;
mod levels;
mod lsf_now;
pub mod nodes;
mod pending;
pub mod policy;
pub mod policy_file;
pub mod random;
pub mod record;
pub mod res_req;
pub mod run;
pub mod scenario;
mod signs;
pub mod simulate;
pub mod snapshot_workload;
mod sufficient;
pub mod summary;
pub mod synthetic;
pub mod trace;
pub mod waits;
mod watch;
mod window;
pub mod workload;

pub use case::{CaseInput, FarmCase};
pub use criterion::Criterion;
pub use error::FarmError;
pub use policy::{FarmOptions, FarmPolicy, HoldAnchor};
pub use run::{FarmRun, FarmRunOptions, run};
pub use scenario::Scenario;
pub use simulate::{FarmInput, simulate};
pub use sufficient::SufficientNodes;
pub use summary::{FarmSummary, FarmWindow};
pub use watch::{FarmObserver, FarmSample};
pub use workload::{ClassNo, FarmJob, FarmNode, JobNo, NodeNo, Resident, Workload};

/// Maximum number of slots of a node.
pub const MAX_SLOTS: u32 = 65_536;
/// Maximum number of slots of the job of one record: twice the size of the largest machines.
pub const MAX_JOB_SLOTS: u32 = 1 << 24;
/// Maximum number of parts into which all jobs larger than any node are split.
pub const MAX_PARTS: u64 = 4_000_000;

/// Reads a number of slots, called `what` in messages.
///
/// # Errors
/// The number is negative or above [`MAX_JOB_SLOTS`].
fn slots_of(number: i64, what: &str) -> Result<u32, String> {
    let slots = u32::try_from(number).ok().filter(|slots| *slots <= MAX_JOB_SLOTS);
    slots.ok_or_else(|| format!("has {number} {what}; a job has from 0 to {MAX_JOB_SLOTS}"))
}

/// Maximum distance of a time from zero, in seconds.
pub const LATEST: i64 = 1 << 50;
