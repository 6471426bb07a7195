//! Reads a recording: its snapshots, its damage, and the files of any snapshot.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use qscope_engine::cluster::Epoch;
use qscope_source::{Files, LoadOptions, load};
use qscope_system::input;

use super::{RecordError, SnapshotFiles};
use crate::frame::{FrameHeader, HEAD, MAGIC, unpacked};
use crate::segment::{Segment, path_of, segments};

/// One snapshot of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnapshotEntry {
    /// Time of the snapshot.
    pub at: Epoch,
    /// Number in the recording, from 1; missing numbers were lost or removed.
    pub number: u64,
    /// Size of its frame in bytes.
    pub bytes: u64,
    segment: usize,
    offset: u64,
    header: FrameHeader,
}

/// A part of a segment that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    pub file: PathBuf,
    /// Offset in bytes.
    pub offset: u64,
    /// Number of bytes skipped.
    pub bytes: u64,
    /// Whether it extends to the end of the segment, as after a crash.
    pub is_end: bool,
}

/// An opened recording: the list of its snapshots, without their contents.
#[derive(Clone, Debug)]
pub struct Recording {
    folder: PathBuf,
    segments: Vec<Segment>,
    moments: Vec<SnapshotEntry>,
    damage: Vec<Damage>,
}

pub fn is_recording(folder: &Path) -> bool {
    folder.is_dir() && segments(folder).is_ok_and(|all| !all.is_empty())
}

impl Recording {
    /// Opens a folder; damaged parts are skipped and recorded.
    ///
    /// # Errors
    /// It contains no segment, or a segment cannot be read.
    pub fn open(folder: &Path) -> Result<Self, RecordError> {
        let all = segments(folder)?;
        if all.is_empty() {
            return Err(RecordError::NoRecording(folder.to_owned()));
        }
        let (mut moments, mut damage) = (Vec::new(), Vec::new());
        for (nth, segment) in all.iter().enumerate() {
            let (of_segment, broken) = moments_of(folder, segment, nth)?;
            moments.extend(of_segment);
            damage.extend(broken);
        }
        Ok(Self { folder: folder.to_owned(), segments: all, moments, damage })
    }

    /// Returns all snapshots in the order in which they were recorded.
    pub fn moments(&self) -> &[SnapshotEntry] {
        &self.moments
    }

    /// Returns the damage found in frame headers; damage within a snapshot is found when it is read.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the total size of all segments in bytes.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }

    /// Returns the recording without what was recorded after a snapshot.
    #[must_use]
    pub fn up_to(mut self, last: &SnapshotEntry) -> Self {
        self.moments.retain(|moment| moment.number <= last.number);
        self
    }

    /// Returns the index of the last snapshot at or before a time.
    #[must_use]
    pub fn last_before(&self, at: Epoch) -> Option<usize> {
        self.moments.iter().rposition(|moment| moment.at <= at)
    }

    /// Returns the files of the last readable snapshot at or before a time, and the snapshot.
    ///
    /// # Errors
    /// There is none, or none of them can be read.
    pub fn at(&self, at: Epoch) -> Result<(SnapshotEntry, Files), RecordError> {
        let first = self.moments.first().map_or(Epoch(0), |moment| moment.at);
        let none =
            || RecordError::NothingBefore { folder: self.folder.clone(), at, first, zone: self.zone() };
        let mut nth = self.last_before(at).ok_or_else(none)?;
        let mut reader = RecordingReader::new(self);
        loop {
            let found = reader.last_files(nth);
            match (found, nth) {
                (Ok((moment, shot)), _) => return Ok((moment, shot.into_files(&self.title()))),
                // A damaged snapshot is skipped in favour of the previous one.
                (Err(RecordError::Damaged { .. }), 1..) => nth -= 1,
                (Err(error), _) => return Err(error),
            }
        }
    }

    /// Returns the name of the zone of the dumps, according to the last snapshot; that of this machine if it cannot be
    /// read.
    pub fn zone(&self) -> String {
        let last = self.moments.len().checked_sub(1);
        let shot = last.and_then(|last| RecordingReader::new(self).last_files(last).ok());
        let files = shot.map(|(_, shot)| shot.into_files(&self.title()));
        let snapshot = files.and_then(|files| load(&files, &LoadOptions::default()).ok());
        snapshot.map_or_else(|| "local".to_owned(), |snapshot| snapshot.zone)
    }

    /// Returns the name of the given zone, else that of the dumps.
    pub fn zone_or(&self, given: Option<&str>) -> String {
        given.map_or_else(|| self.zone(), str::to_owned)
    }

    /// Returns the name of the folder.
    pub fn title(&self) -> String {
        let name = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        name.file_name()
            .map_or_else(|| name.display().to_string(), |name| name.to_string_lossy().into_owned())
    }
}

/// Reads the snapshots of a recording; reading the next one costs only its own change.
#[derive(Debug)]
pub struct RecordingReader<'a> {
    recording: &'a Recording,
    last: Option<(usize, SnapshotFiles)>,
    file: Option<(usize, File)>,
}

impl<'a> RecordingReader<'a> {
    /// Creates a reader; any snapshot can be read first.
    pub fn new(recording: &'a Recording) -> Self {
        Self { recording, last: None, file: None }
    }

    /// Returns the files of one snapshot.
    ///
    /// # Errors
    /// The snapshot or one that it depends on is damaged, or the file cannot be read.
    pub fn files(&mut self, nth: usize) -> Result<Files, RecordError> {
        let title = self.recording.title();
        self.snapshot_files(nth).map(|(_, shot)| shot.clone().into_files(&title))
    }

    /// The same in the form in which it was recorded.
    pub fn snapshot_files(&mut self, nth: usize) -> Result<(SnapshotEntry, &SnapshotFiles), RecordError> {
        let Some(wanted) = self.recording.moments.get(nth).copied() else {
            return Err(RecordError::NoRecording(self.recording.folder.clone()));
        };
        let (mut at, mut shot) = self.begin(nth)?;
        while let Some(moment) = self.recording.moments.get(at) {
            shot = self.read(moment, at, &shot)?;
            if at == nth {
                break;
            }
            at += 1;
        }
        let (_, shot) = self.last.insert((nth, shot));
        Ok((wanted, shot))
    }

    /// The same when no other snapshot is read after it: its bytes are not copied.
    pub(crate) fn last_files(&mut self, nth: usize) -> Result<(SnapshotEntry, SnapshotFiles), RecordError> {
        let (entry, _) = self.snapshot_files(nth)?;
        Ok((entry, self.last.take().map(|(_, shot)| shot).unwrap_or_default()))
    }

    /// Returns the index at which to begin reading, and the snapshot before that.
    fn begin(&mut self, nth: usize) -> Result<(usize, SnapshotFiles), RecordError> {
        let moments = &self.recording.moments;
        let whole = moments.get(..=nth).and_then(|before| before.iter().rposition(|one| one.header.is_whole));
        if let Some((last, shot)) = self.last.take()
            && last < nth
            && whole.is_none_or(|whole| whole <= last)
        {
            return Ok((last + 1, shot));
        }
        let lost = || {
            moments.get(nth).map(|moment| self.damaged(moment, "the whole snapshot before it is not there"))
        };
        match whole {
            Some(whole) => Ok((whole, SnapshotFiles::default())),
            None => Err(lost().unwrap_or_else(|| RecordError::NoRecording(self.recording.folder.clone()))),
        }
    }

    /// Decodes one frame as a change to the previous one, which it must follow directly.
    fn read(
        &mut self,
        moment: &SnapshotEntry,
        nth: usize,
        before: &SnapshotFiles,
    ) -> Result<SnapshotFiles, RecordError> {
        let follows = || {
            let previous = self.recording.moments.get(nth.wrapping_sub(1));
            previous.is_some_and(|one| one.segment == moment.segment && one.number + 1 == moment.number)
        };
        if !moment.header.is_whole && !follows() {
            return Err(self.damaged(moment, "the snapshot before it is not there"));
        }
        let packed =
            self.bytes(moment).map_err(|cause| RecordError::File { file: self.path(moment), cause })?;
        let empty = SnapshotFiles::default();
        let before = if moment.header.is_whole { &empty } else { before };
        unpacked(&moment.header, &packed, before).map_err(|what| self.damaged(moment, what))
    }

    fn bytes(&mut self, moment: &SnapshotEntry) -> std::io::Result<Vec<u8>> {
        if self.file.as_ref().is_none_or(|(segment, _)| *segment != moment.segment) {
            self.file = Some((moment.segment, input::open(&self.path(moment))?));
        }
        let mut packed = Vec::new();
        if let Some((_, file)) = &mut self.file {
            file.seek(SeekFrom::Start(moment.offset + HEAD as u64))?;
            file.take(u64::from(moment.header.packed)).read_to_end(&mut packed)?;
        }
        Ok(packed)
    }

    fn path(&self, moment: &SnapshotEntry) -> PathBuf {
        let segment = self.recording.segments.get(moment.segment);
        segment.map_or_else(PathBuf::new, |segment| path_of(&self.recording.folder, segment))
    }

    fn damaged(&self, entry: &SnapshotEntry, what: &'static str) -> RecordError {
        RecordError::Damaged { file: self.path(entry), at: entry.at, offset: entry.offset, what }
    }
}

/// Returns the highest number of a snapshot, searching back over segments whose frames are lost.
pub(crate) fn last_number(folder: &Path, all: &[Segment]) -> u64 {
    let last = |segment: &Segment| moments_of(folder, segment, 0).ok()?.0.last().map(|moment| moment.number);
    all.iter().rev().find_map(last).unwrap_or(0)
}

/// Returns the headers of a segment's frames, and the unreadable parts between them.
pub(crate) fn moments_of(
    folder: &Path,
    segment: &Segment,
    nth: usize,
) -> Result<(Vec<SnapshotEntry>, Vec<Damage>), RecordError> {
    let path = path_of(folder, segment);
    let fail = |cause| RecordError::File { file: path.clone(), cause };
    let mut file = input::open(&path).map_err(|error| fail(error.into()))?;
    let size = file.metadata().map_err(fail)?.len();
    let (mut moments, mut damage, mut at) = (Vec::new(), Vec::new(), 0);
    while at < size {
        let head = header_at(&mut file, at).map_err(fail)?;
        let whole = head.filter(|head| at + HEAD as u64 + u64::from(head.packed) <= size);
        if let Some(head) = whole {
            let bytes = HEAD as u64 + u64::from(head.packed);
            moments.push(SnapshotEntry {
                at: head.at,
                number: head.number,
                bytes,
                segment: nth,
                offset: at,
                header: head,
            });
            at += bytes;
            continue;
        }
        let next = next_head(&mut file, at + 1, size).map_err(fail)?;
        let end = next.unwrap_or(size);
        damage.push(Damage { file: path.clone(), offset: at, bytes: end - at, is_end: next.is_none() });
        at = end;
    }
    Ok((moments, damage))
}

fn header_at(file: &mut File, at: u64) -> std::io::Result<Option<FrameHeader>> {
    let mut bytes = Vec::with_capacity(HEAD);
    file.seek(SeekFrom::Start(at))?;
    file.take(HEAD as u64).read_to_end(&mut bytes)?;
    Ok(FrameHeader::read(&bytes))
}

/// Returns the offset of the next valid header.
fn next_head(file: &mut File, from: u64, size: u64) -> std::io::Result<Option<u64>> {
    const PIECE: u64 = 1 << 20;
    let mut start = from;
    while start < size {
        let mut piece = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        // Pieces overlap, so that every header is complete in one of them.
        file.take(PIECE + HEAD as u64).read_to_end(&mut piece)?;
        let is_head = |at: &usize| {
            piece.get(*at..).is_some_and(|rest| rest.starts_with(&MAGIC) && FrameHeader::read(rest).is_some())
        };
        if let Some(at) = (0..piece.len()).find(is_head) {
            return Ok(Some(start + at as u64));
        }
        start += PIECE;
    }
    Ok(None)
}
