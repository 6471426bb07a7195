//! Logs and tables of LSF (sites 5): finished jobs of `lsb.acct`, `bhosts` and `bjobs`.

mod finished_job;
pub(super) mod rows;
mod table;
mod token;

pub use self::finished_job::{ExecutionHosts, FinishStatus, FinishedJob, read_finished_job};
pub use self::table::{ListedJob, LsfHost, LsfTable, hosts, jobs};

/// Why a line is not a finished job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum LsfRecordError {
    /// A string has no end.
    #[error("a string without its end")]
    Unterminated,
    /// Another kind of record.
    #[error("another kind of record")]
    Other,
    /// A field, given by its position, is missing or invalid.
    #[error("field {0} is missing or not what stands there")]
    Field(usize),
    /// The job ended before it started.
    #[error("it ended before it started")]
    EndsBeforeStart,
}

#[cfg(test)]
mod tests;
