//! What readers found about a file.

use std::fmt;

use super::Name;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something was assumed or repaired; answers may be off.
    Warning,
    /// Something was not read.
    Error,
}

/// Where in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
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

/// One finding about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable kebab-case name of the kind of trouble.
    pub code: &'static str,
    /// The file's name within the folder.
    pub file: Name,
    /// Where in it.
    pub spot: Spot,
    /// The record it is in: a job's, node's or queue's name.
    pub record: Option<Name>,
    /// What was found, what was expected, what was assumed: one sentence.
    pub message: String,
}

impl Diagnostic {
    /// The code of a file that is there and cannot be read.
    pub const UNREADABLE: &'static str = "file-unreadable";
    /// The codes of what shows that the files are not of one cluster.
    pub const MIXED: [&'static str; 2] = ["two-clusters", "two-servers"];
    /// The code of a job that runs on vnodes which do not list it.
    pub const NOT_ON_NODE: &'static str = "job-not-on-node";
    /// The code of a dump in which the failure of a client stands in the place of records, or nothing that the server counts.
    pub const CLIENT_FAILED: &'static str = "client-failed";
    /// The code of the finding that there is no dump of nodes.
    pub const NO_NODES: &'static str = "no-nodes";

    /// A finding about a file that is in no record of it.
    pub fn new(
        severity: Severity,
        code: &'static str,
        file: impl Into<Name>,
        spot: Spot,
        message: String,
    ) -> Self {
        Self { severity, code, file: file.into(), spot, record: None, message }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of several files together.
        if self.file.is_empty() && self.spot == Spot::File {
            return f.write_str(&self.message);
        }
        f.write_str(&self.file)?;
        match self.spot {
            Spot::File => {}
            Spot::Line(line) => write!(f, ":{line}")?,
            Spot::Place { line, column } => write!(f, ":{line}:{column}")?,
            Spot::Byte(byte) => write!(f, "@{byte}")?,
        }
        if let Some(record) = &self.record {
            write!(f, " ({record})")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// How often one kind of thing was found in a file, also where not every one is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The file's name within the folder.
    pub file: Name,
    /// How bad it is.
    pub severity: Severity,
    /// The kind of trouble, as in [`Diagnostic::code`].
    pub code: &'static str,
    /// How often.
    pub count: usize,
    /// Where first.
    pub first: Spot,
}
