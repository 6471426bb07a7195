//! What people own, as the inputs of a cluster: files of any name, one file, what comes through a pipe, an archive
//! (sites 1 and 2).
//!
//! Every file is an entry with a name and a kind, which its content decides. Entries are then assigned to the names
//! that the loader knows, one to each; what is left over is named with the reason.

mod arrays;
mod assign;
mod clock;
mod encoding;
mod entry;
mod folder;
pub(crate) mod kind;
pub(crate) mod node_table;
mod pool;
mod preamble;
mod report;
mod slot;
mod sources;
mod tidy;
mod whole;

use std::path::PathBuf;

pub use self::sources::gather;
pub(crate) use self::sources::{beside, complete};

use qscope_engine::cluster::{Diagnostic, Epoch, FileRecord, Flavour};

/// Where the scheduler's log lies.
#[derive(Clone, Debug)]
pub enum SchedLog {
    /// In a file.
    At(PathBuf),
    /// Within an archive, and here.
    Here(Vec<u8>),
}

/// What was found out while files were gathered.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// Whose dumps they are.
    pub flavour: Flavour,
    /// What is to be reported about them.
    pub reported: Vec<Diagnostic>,
    /// Files that hold an input and are not used, with the reason.
    pub unused: Vec<FileRecord>,
    /// When the files were made, and how that is known, where they do not state it themselves.
    pub moment: Option<(Epoch, String)>,
    /// The zone of their dates, where the archive shows it.
    pub zone: Option<String>,
    /// The newest log of the scheduler.
    pub sched_log: Option<SchedLog>,
    /// The files that were read, so that they can be watched; none of an archive or a pipe.
    pub paths: Vec<PathBuf>,
}
