//! Errors of a simulation's input.

/// Why a simulation cannot be run or its result printed.
#[derive(Debug, thiserror::Error)]
pub enum FarmError {
    #[error("no packing policy `{found}`: expected relaxed, exclusive, none, plain, ttl:SECONDS or ttl:inf")]
    Policy {
        /// The text found.
        found: String,
    },
    /// The text is not a criterion by which jobs fall into classes.
    #[error(
        "no class criterion `{found}`: expected queue, group, user, project, partition, name:PATTERN or resource:NAME"
    )]
    Criterion {
        /// The text found.
        found: String,
    },
    /// A file cannot be read as the expected kind.
    #[error("{file}: {what}")]
    File {
        file: String,
        /// What is wrong.
        what: String,
    },
    /// A line of a file is wrong.
    #[error("{file}:{line}: {what}")]
    Line {
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A scenario or an option is invalid.
    #[error("{place}: {what}")]
    Scenario {
        /// The key or option, with its position.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// Jobs would be split into too many parts.
    #[error(
        "jobs larger than the largest node, which has {largest} slots, would be taken apart into {parts} parts; at most \
         {most} are made: give larger nodes with --nodes"
    )]
    Parts {
        /// Number of parts needed.
        parts: u64,
        /// Slots of the largest node.
        largest: u32,
        /// Maximum number of parts.
        most: u64,
    },
    /// The caller stopped the simulation.
    #[error("stopped before the end")]
    Stopped,
}
