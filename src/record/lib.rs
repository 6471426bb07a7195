//! Recordings: folders that keep every snapshot of a cluster's files, each as a compressed delta to the previous one.
//!
//! A [`RecordingWriter`] appends snapshots; a [`Recording`] returns the files at any time. A recording consists of segments,
//! which are append-only files. A segment begins with a full snapshot and contains another one after every few
//! deltas; each frame has its length and checksums. A crash at any byte therefore loses at most the last snapshot,
//! damage loses the snapshots up to the next full one, and old segments can be removed as a whole. There is no index
//! file that could become inconsistent: the names of segments and the headers of frames serve as the index.

mod delta;
mod error;
mod files;
mod frame;
mod point;
mod recorder;
mod recording;
mod segment;

pub use error::RecordError;
pub use files::{SnapshotFile, SnapshotFiles};
pub use point::{SnapshotSelector, dated, moment, parse_recording_path, zone_named};
pub use recorder::{AppendedSnapshot, RecordLimits, RecordingWriter};
pub use recording::{Damage, Recording, RecordingReader, SnapshotEntry, is_recording};
