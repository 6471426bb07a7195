//! Findings of readers about files.

use std::fmt;

use super::Name;

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Information only.
    Note,
    /// Something was assumed or repaired; answers may be inexact.
    Warning,
    /// Something was not read.
    Error,
}

/// Position in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FilePosition {
    /// The whole file.
    File,
    /// A line, counted from 1.
    Line(usize),
    /// A line and a column, both counted from 1.
    Place {
        line: usize,
        /// The column, in characters.
        column: usize,
    },
    /// A byte, counted from 0.
    Byte(usize),
}

impl FilePosition {
    /// Returns the line; `None` for a byte or the whole file.
    pub fn line(self) -> Option<usize> {
        match self {
            Self::Line(line) | Self::Place { line, .. } => Some(line),
            Self::File | Self::Byte(_) => None,
        }
    }
}

impl fmt::Display for FilePosition {
    /// Writes what follows the name of the file: `:12`, `:12:4`, `@407`, nothing for the whole file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ":{line}"),
            Self::Place { line, column } => write!(f, ":{line}:{column}"),
            Self::Byte(byte) => write!(f, "@{byte}"),
        }
    }
}

/// One finding about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable kebab-case name of the kind of finding.
    pub code: &'static str,
    /// Name of the file within the folder.
    pub file: Name,
    pub position: FilePosition,
    /// Name of the job, node or queue whose record it is in.
    pub record: Option<Name>,
    /// One sentence: what was found, expected and assumed.
    pub message: String,
}

impl Diagnostic {
    /// Code for a file that exists but cannot be read.
    pub const UNREADABLE: &'static str = "file-unreadable";
    /// Codes for files that do not belong to one cluster.
    pub const MIXED: [&'static str; 2] = ["two-clusters", "two-servers"];
    /// Code for a job that runs on vnodes which do not list it.
    pub const NOT_ON_NODE: &'static str = "job-not-on-node";
    /// A dump has records of another kind too, which are not read.
    pub const WRONG_DUMP: &'static str = "wrong-dump";
    /// A dump lacks what the other dumps show: it was cut between two records, or filtered.
    pub const INCOMPLETE: &'static str = "dump-incomplete";
    /// Code for a job that vnodes list and that is not in the job dump.
    pub const JOB_UNLISTED: &'static str = "job-unlisted";
    /// Code for a dump that contains an error message of the client instead of records, or nothing although the
    /// server counts objects.
    pub const CLIENT_FAILED: &'static str = "client-failed";
    /// Code for a missing node dump.
    pub const NO_NODES: &'static str = "no-nodes";
    /// Code for a missing job dump.
    pub const NO_JOBS: &'static str = "no-jobs";
    /// Code for nodes from a table, whose amounts in use are all that is known of what runs there.
    pub const NODE_TABLE: &'static str = "degraded-nodes";
    /// Code for attributes inferred because an ordinary user made the dumps.
    pub const INFERRED: &'static str = "ordinary-user";

    /// Creates a finding that is not about a particular record.
    pub fn new(
        severity: Severity,
        code: &'static str,
        file: impl Into<Name>,
        position: FilePosition,
        message: String,
    ) -> Self {
        Self { severity, code, file: file.into(), position, record: None, message }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A finding about several files.
        if self.file.is_empty() && self.position == FilePosition::File {
            return f.write_str(&self.message);
        }
        write!(f, "{}{}", self.file, self.position)?;
        if let Some(record) = &self.record {
            write!(f, " ({record})")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Number of findings of one kind in a file, including those that were not kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiagnosticCount {
    /// Name of the file within the folder.
    pub file: Name,
    pub severity: Severity,
    /// Kind of finding, as in [`Diagnostic::code`].
    pub code: &'static str,
    pub count: usize,
    /// Position of the first one.
    pub first: FilePosition,
}
