//! What can be wrong with what a simulation is asked.

/// Why a simulation cannot be made or printed.
#[derive(Debug, thiserror::Error)]
pub enum FarmError {
    #[error("no packing policy `{found}`: expected relaxed, exclusive, none, plain, ttl:SECONDS or ttl:inf")]
    Policy {
        /// What was found.
        found: String,
    },
    /// Not a criterion by which jobs fall into classes.
    #[error(
        "no class criterion `{found}`: expected queue, group, user, project, partition, name:PATTERN or resource:NAME"
    )]
    Criterion {
        /// What was found.
        found: String,
    },
    /// A file that cannot be read as what it is.
    #[error("{file}: {what}")]
    File {
        file: String,
        /// What is wrong.
        what: String,
    },
    /// A place within a file.
    #[error("{file}:{line}: {what}")]
    Line {
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A scenario that names something that is not there.
    #[error("{place}: {what}")]
    Scenario {
        /// The key, with its position.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// Jobs that would be taken apart into too many parts.
    #[error(
        "jobs larger than the largest node, which has {largest} slots, would be taken apart into {parts} parts; at most \
         {most} are made: give larger nodes with --nodes"
    )]
    Parts {
        /// How many.
        parts: u64,
        /// Slots of the largest node.
        largest: u32,
        /// The most that are made.
        most: u64,
    },
    /// The person or program asking went away.
    #[error("stopped before the end")]
    Stopped,
}
