//! Why a recording cannot be written or read.

use std::path::PathBuf;

use qscope_engine::cluster::Epoch;
use qscope_system::folder::FolderError;

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The folder cannot be made, opened, or is not one's own.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file cannot be written or read.
    #[error("{}: {cause}", file.display())]
    File {
        file: PathBuf,
        /// What the file system reported.
        cause: std::io::Error,
    },
    /// The folder holds no segment.
    #[error("{}: no recording: no file of the form 00000001.qrec", .0.display())]
    NoRecording(PathBuf),
    /// There is no snapshot at or before a moment.
    #[error("{}: nothing recorded at or before {}; the first snapshot is of {}", folder.display(), utc(at.0), utc(*first))]
    NothingBefore {
        folder: PathBuf,
        /// The moment asked for.
        at: Epoch,
        /// The first one, in seconds since 1970.
        first: i64,
    },
    /// There is no snapshot of a number.
    #[error("{}: no snapshot #{number}", folder.display())]
    NoNumber {
        folder: PathBuf,
        /// The number asked for.
        number: u64,
    },
    /// The bytes of a snapshot are damaged.
    #[error("{}: the snapshot of {} cannot be read: damaged at byte {offset}: {what}", file.display(), utc(at.0))]
    Damaged {
        /// The segment.
        file: PathBuf,
        /// When the snapshot was made.
        at: Epoch,
        /// Where its frame, or the one it depends on, begins.
        offset: u64,
        /// What was found.
        what: &'static str,
    },
}

/// A moment in universal time; the recording's own zone is not known before a snapshot of it was read.
fn utc(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |at| at.to_string())
}
