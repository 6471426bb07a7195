//! Accepts the inputs of a cluster in any form: files of any name, a single file, a pipe, an archive (sites 1 and 2).
//!
//! Every file is an entry with a name and a kind, which is determined by its content. Entries are then assigned to
//! the names known to the loader, one to each; the others are reported with the reason.

mod arrays;
mod assign;
mod cleaning;
mod clock;
mod clusters;
mod encoding;
mod entry;
mod folder;
mod indent;
pub(crate) mod kind;
mod margin;
pub(crate) mod node_table;
mod pool;
mod preamble;
mod report;
mod slot;
mod sources;

use std::path::PathBuf;

pub(crate) use self::assign::SERVER_DOWN;
pub(crate) use self::encoding::behind_escape;
pub use self::sources::gather;
pub(crate) use self::sources::{accompanying_files, complete};

use qscope_engine::cluster::{Diagnostic, Epoch, FileRecord, Flavour};

/// Location of the scheduler's log.
#[derive(Clone, Debug)]
pub enum SchedLogSource {
    File(PathBuf),
    /// In an archive, with its content.
    Content(Vec<u8>),
}

/// Information found while gathering files.
#[derive(Clone, Debug, Default)]
pub struct IntakeOutcome {
    /// Batch system of the dumps.
    pub flavour: Flavour,
    /// Findings to be reported.
    pub reported: Vec<Diagnostic>,
    /// Files that contain an input but are not used, with the reason.
    pub unused: Vec<FileRecord>,
    /// When the files were made, and how that is known, if they do not state it themselves.
    pub moment: Option<(Epoch, String)>,
    /// Zone of their dates, if the archive shows it.
    pub zone: Option<String>,
    /// The newest log of the scheduler.
    pub sched_log: Option<SchedLogSource>,
    /// The files that were read, so that they can be watched; empty for an archive or a pipe.
    pub paths: Vec<PathBuf>,
}
