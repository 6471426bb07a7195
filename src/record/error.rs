//! Errors of writing and reading recordings.

use std::path::PathBuf;

use qscope_engine::cluster::Epoch;
use qscope_source::civil_time;
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
    /// The folder contains no segment, but other files.
    #[error(
        "{}: refused: it holds `{name}` and no recording; expected a new or an empty folder, or a recording",
        folder.display()
    )]
    NotEmpty {
        folder: PathBuf,
        /// Name of the first file.
        name: String,
    },
    /// The text behind the `@` of `DIR@TIME` is no time.
    #[error(
        "{}: `{text}` is no moment of the recording; expected first, last, #12, seconds since 1970 or \
         2026-03-02T10:05[:12], from {} to {}",
        folder.display(),
        civil_time(*first, zone),
        civil_time(*last, zone)
    )]
    NoTime {
        folder: PathBuf,
        text: String,
        /// Time of the first snapshot.
        first: Epoch,
        /// Time of the last snapshot.
        last: Epoch,
        /// The zone in which they are printed.
        zone: String,
    },
    /// There is no snapshot at or before the requested time.
    #[error(
        "{}: the first snapshot was recorded {}, after {}",
        folder.display(),
        civil_time(*first, zone),
        civil_time(*at, zone)
    )]
    NothingBefore {
        folder: PathBuf,
        /// Requested time.
        at: Epoch,
        /// Time of the first snapshot.
        first: Epoch,
        /// The zone in which they are printed.
        zone: String,
    },
    /// There is no snapshot with this number.
    #[error("{}: no snapshot #{number}", folder.display())]
    NoNumber {
        folder: PathBuf,
        /// Requested number.
        number: u64,
    },
    /// The bytes of a snapshot are damaged.
    #[error("{}: the snapshot of {} cannot be read: damaged at byte {offset}: {what}", file.display(), civil_time(*at, "local"))]
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
