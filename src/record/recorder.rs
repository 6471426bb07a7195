//! Appends snapshots to a recording, and removes segments that exceed its limits.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use qscope_engine::cluster::{Epoch, Seconds};
use qscope_system::folder::{AppendOnlyFile, Folder, FolderLock};

use super::{RecordError, SnapshotFiles};
use crate::frame::packed;
use crate::recording::{last_number, moments_of};
use crate::segment::{Segment, name_of, segments};

/// Limits on what a recording keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RecordLimits {
    /// Segments all of whose snapshots are older than this are removed.
    pub age: Option<Seconds>,
    /// The oldest segments are removed while the total size exceeds this number of bytes.
    pub size: Option<u64>,
}

/// Interval of full snapshots, in snapshots.
const WHOLE_EVERY: u32 = 16;

/// Maximum number of snapshots in a segment.
const SNAPSHOTS: u32 = 256;

/// Size in bytes from which a segment is closed.
const BYTES: u64 = 32 << 20;

/// Result of writing a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AppendedSnapshot {
    /// Number of the snapshot in the recording, from 1.
    pub number: u64,
    /// Number of bytes appended.
    pub bytes: u64,
    /// Number of segments removed because of the limits.
    pub removed: usize,
}

/// Writes one recording. It starts a new segment after the existing ones.
#[derive(Debug)]
pub struct RecordingWriter {
    folder: Folder,
    /// The right to write to it.
    _lock: FolderLock,
    limits: RecordLimits,
    open: Option<OpenSegment>,
    next_segment: u64,
    next_number: u64,
    last: SnapshotFiles,
    /// Times of the last snapshots in closed segments, where known.
    ends: Vec<(u64, Epoch)>,
}

/// The segment that is appended to.
#[derive(Debug)]
struct OpenSegment {
    file: AppendOnlyFile,
    number: u64,
    bytes: u64,
    snapshots: u32,
    last: Epoch,
}

impl RecordingWriter {
    /// Opens a folder to append to, creating it if it does not exist.
    ///
    /// # Errors
    /// The folder cannot be created, listed or written, belongs to another user, holds other files than a recording, or
    /// another process appends to it.
    pub fn new(folder: &Path, limits: RecordLimits) -> Result<Self, RecordError> {
        let held = Folder::private(folder)?;
        if segments(folder)?.is_empty() {
            is_free(&held)?;
        }
        let lock = held.lock()?;
        // Another recorder may have written until then.
        let all = segments(folder)?;
        let ends = all.iter().filter_map(|segment| Some((segment.number, last_moment(folder, segment)?)));
        Ok(Self {
            limits,
            open: None,
            next_segment: all.last().map_or(1, |segment| segment.number + 1),
            next_number: last_number(folder, &all) + 1,
            last: SnapshotFiles::default(),
            ends: ends.collect(),
            folder: held,
            _lock: lock,
        })
    }

    /// Appends a snapshot and syncs it to disk, so that a crash after this call does not lose it.
    ///
    /// # Errors
    /// The file cannot be created or written; the next snapshot then begins a new segment.
    pub fn append(&mut self, at: Epoch, shot: SnapshotFiles) -> Result<AppendedSnapshot, RecordError> {
        let is_full = |open: &OpenSegment| open.snapshots >= SNAPSHOTS || open.bytes >= BYTES;
        if self.open.as_ref().is_some_and(is_full) {
            self.close();
        }
        // What is appended to a deleted file is lost; a deleted folder then fails to take a new one.
        self.open.take_if(|open| open.file.is_deleted());
        let is_new = self.open.is_none();
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin(at)?,
        };
        let before = (!open.snapshots.is_multiple_of(WHOLE_EVERY)).then_some(&self.last);
        let too_large = || io::Error::other("the snapshot is larger than 2 GiB");
        let frame = packed(self.next_number, at, &shot, before);
        let frame = frame.ok_or_else(too_large).map_err(|cause| self.fail(open.number, cause))?;
        open.file
            .write_all(&frame)
            .and_then(|()| open.file.sync())
            .map_err(|cause| self.fail(open.number, cause))?;
        open.bytes += frame.len() as u64;
        open.snapshots += 1;
        open.last = at;
        self.open = Some(open);
        self.last = shot;
        let number = self.next_number;
        self.next_number += 1;
        let removed = if is_new { self.remove_old(at)? } else { 0 };
        Ok(AppendedSnapshot { number, bytes: frame.len() as u64, removed })
    }

    fn begin(&mut self, at: Epoch) -> Result<OpenSegment, RecordError> {
        let (number, file) = loop {
            let number = self.next_segment;
            self.next_segment = number + 1;
            match self.folder.append(&name_of(number)) {
                // Another recorder has created it; each recorder writes segments of its own.
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
                Err(why) if why.kind() == io::ErrorKind::NotFound => {
                    return Err(
                        self.fail(number, io::Error::other("the folder of the recording was deleted"))
                    );
                }
                made => break (number, made.map_err(|cause| self.fail(number, cause))?),
            }
        };
        Ok(OpenSegment { file, number, bytes: 0, snapshots: 0, last: at })
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.ends.push((open.number, open.last));
        }
    }

    /// Removes closed segments that exceed the limits, oldest first.
    fn remove_old(&mut self, now: Epoch) -> Result<usize, RecordError> {
        let all = segments(self.folder.path())?;
        let mut size: u64 = all.iter().map(|segment| segment.bytes).sum();
        let open = self.open.as_ref().map(|open| open.number);
        let mut removed = 0;
        for segment in all.iter().filter(|segment| Some(segment.number) != open) {
            let end = self.ends.iter().find(|(number, _)| *number == segment.number).map(|(_, end)| *end);
            let is_old = self.limits.age.is_some_and(|age| end.is_none_or(|end| end + age < now));
            let is_much = self.limits.size.is_some_and(|most| size > most);
            if !is_old && !is_much {
                break;
            }
            self.folder.remove(&segment.name).map_err(|cause| self.fail(segment.number, cause))?;
            size = size.saturating_sub(segment.bytes);
            removed += 1;
            self.ends.retain(|(number, _)| *number != segment.number);
        }
        Ok(removed)
    }

    fn fail(&self, number: u64, cause: io::Error) -> RecordError {
        let file: PathBuf = self.folder.path().join(name_of(number));
        RecordError::File { file, cause }
    }
}

/// Refuses a folder that holds files: with a recording in it, it would no longer open as what it was.
fn is_free(folder: &Folder) -> Result<(), RecordError> {
    let path = folder.path().to_owned();
    let names = folder.names().map_err(|cause| RecordError::File { file: path.clone(), cause })?;
    match names.into_iter().next() {
        Some(name) => Err(RecordError::NotEmpty { folder: path, name }),
        None => Ok(()),
    }
}

fn last_moment(folder: &Path, segment: &Segment) -> Option<Epoch> {
    let (moments, _) = moments_of(folder, segment, 0).ok()?;
    moments.last().map(|moment| moment.at)
}
