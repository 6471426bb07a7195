//! Recordings: a folder in which every snapshot of a cluster's files is kept, each as a compressed delta to the one before.
//!
//! A [`Recorder`] appends; a [`Recording`] gives back the files of any moment. A recording is made of segments, files that
//! are only appended to. A segment begins with a whole snapshot and has another one every few deltas; a frame carries its
//! length and checksums. So a crash at any byte loses at most the last snapshot, a damaged place those up to the next
//! whole one, and old segments can be removed as a whole. There is no index that could disagree: the names of segments
//! and the heads of frames are the index.

mod delta;
mod error;
mod files;
mod frame;
mod point;
mod recorder;
mod recording;
mod segment;

pub use error::RecordError;
pub use files::{Shot, ShotFile};
pub use point::{Point, named};
pub use recorder::{RecordLimits, Recorder, Written};
pub use recording::{Damage, Moment, Recording, RecordingReader, is_recording};
