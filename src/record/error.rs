//! Errors of writing and reading recordings.

use std::path::PathBuf;

use qscope_engine::cluster::Epoch;
use qscope_system::folder::FolderError;

/// Why a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The folder cannot be created or opened, or belongs to another user.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file cannot be written or read.
    #[error("{}: {cause}", file.display())]
    File {
        file: PathBuf,
        /// Error of the file system.
        cause: std::io::Error,
    },
    /// The folder contains no segment.
    #[error("{}: no recording: no file of the form 00000001.qrec", .0.display())]
    NoRecording(PathBuf),
    /// There is no snapshot at or before the requested time.
    #[error("{}: the first snapshot was taken {}, after {}", folder.display(), utc(*first), utc(at.0))]
    NothingBefore {
        folder: PathBuf,
        /// Requested time.
        at: Epoch,
        /// Time of the first snapshot, in seconds since 1970.
        first: i64,
    },
    /// There is no snapshot with this number.
    #[error("{}: no snapshot #{number}", folder.display())]
    NoNumber {
        folder: PathBuf,
        /// Requested number.
        number: u64,
    },
    /// The bytes of a snapshot are damaged.
    #[error("{}: the snapshot of {} cannot be read: damaged at byte {offset}: {what}", file.display(), utc(at.0))]
    Damaged {
        /// Segment file.
        file: PathBuf,
        /// Time of the snapshot.
        at: Epoch,
        /// Offset of its frame, or of the one it depends on.
        offset: u64,
        /// Description of the damage.
        what: &'static str,
    },
}

/// Formats a time in UTC; the recording's own zone is not known before a snapshot has been read.
fn utc(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |at| at.to_string())
}
