//! The files of one snapshot, and their encoding as a change to the previous one.

use std::collections::BTreeMap;
use std::io::Read;

use qscope_engine::cluster::Epoch;
use qscope_source::{ArchiveLimits, Files};

use crate::delta::{diff, number, patch, put_number};

/// Maximum size of a snapshot in bytes, for writing and reading; the same as for the files of a folder.
pub(crate) const MOST: usize = 2 << 30;

/// One file of a snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SnapshotFile {
    pub bytes: Vec<u8>,
    /// Time of the last write, if known.
    pub modified: Option<Epoch>,
}

/// The files of one snapshot by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SnapshotFiles(pub BTreeMap<String, SnapshotFile>);

/// How a file is stored relative to the previous snapshot: unchanged, in full, or as a delta.
const SAME: u64 = 0;
const WHOLE: u64 = 1;
const DELTA: u64 = 2;

impl SnapshotFiles {
    /// Takes the files that were given to a reader of folders; unreadable ones are left out.
    pub fn of(files: &Files) -> Self {
        let kept = files.readable().map(|(name, bytes, modified)| {
            (name.to_owned(), SnapshotFile { bytes: bytes.to_vec(), modified })
        });
        Self(kept.collect())
    }

    /// Converts to input for the reader of folders, as a cluster with this title.
    pub fn into_files(self, title: &str) -> Files {
        let mut files = Files::new(title);
        for (name, kept) in self.0 {
            files.insert(&name, kept.bytes, kept.modified);
        }
        files
    }

    /// Encodes this snapshot as a change to `before`.
    pub(crate) fn encode_change(&self, before: &Self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, self.0.len() as u64);
        for (name, kept) in &self.0 {
            put_bytes(&mut out, name.as_bytes());
            put_number(&mut out, kept.modified.map_or(0, |at| at.0.unsigned_abs().saturating_add(1)));
            match before.0.get(name) {
                Some(old) if old.bytes == kept.bytes => put_number(&mut out, SAME),
                Some(old) => {
                    put_number(&mut out, DELTA);
                    put_bytes(&mut out, &diff(&old.bytes, &kept.bytes));
                }
                None => {
                    put_number(&mut out, WHOLE);
                    put_bytes(&mut out, &kept.bytes);
                }
            }
        }
        out
    }

    /// Applies a change to `before`, or returns why it cannot be: it is invalid, the result is too large, or a name in
    /// it would be written outside a folder.
    pub(crate) fn apply_change(before: &Self, change: &mut impl Read) -> Result<Self, &'static str> {
        let mut shot = Self::default();
        let (count, mut room) = (number(change).ok_or(NO_CHANGE)?, MOST);
        for _ in 0..count {
            let name = read_bytes(change, MOST).and_then(|name| String::from_utf8(name).ok());
            let name = name.ok_or(NO_CHANGE)?;
            if !is_plain_name(&name) {
                return Err(
                    "it holds a file whose name is refused: empty, hidden, a path, or with control characters",
                );
            }
            let kept = read_file(before.0.get(&name), change, room).ok_or(NO_CHANGE)?;
            room = room.checked_sub(kept.bytes.len()).ok_or(NO_CHANGE)?;
            shot.0.insert(name, kept);
        }
        let is_end = matches!(change.read(&mut [0]), Ok(0));
        is_end.then_some(shot).ok_or(NO_CHANGE)
    }

    /// Returns the total size of all files in bytes.
    pub(crate) fn size(&self) -> usize {
        self.0.values().map(|kept| kept.bytes.len()).sum()
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Why bytes are not applied.
const NO_CHANGE: &str = "it is no change to the snapshot before";

/// Longest name of a file, in bytes; file systems take no longer ones.
const LONGEST_NAME: usize = 255;

/// Whether a file of this name stays in its folder and can be shown: recordings may come from strangers.
fn is_plain_name(name: &str) -> bool {
    let is_refused = |c: char| matches!(c, '/' | '\\') || c.is_control();
    (1..=LONGEST_NAME).contains(&name.len()) && !name.starts_with('.') && !name.contains(is_refused)
}

/// Reads one file as a change to `old`; `None` if it is invalid or exceeds `room` bytes.
fn read_file(old: Option<&SnapshotFile>, change: &mut impl Read, room: usize) -> Option<SnapshotFile> {
    let modified = match number(change)? {
        0 => None,
        at => Some(Epoch(i64::try_from(at - 1).ok()?)),
    };
    let bytes = match number(change)? {
        SAME => old.filter(|old| old.bytes.len() <= room)?.bytes.clone(),
        WHOLE => read_bytes(change, room)?,
        DELTA => {
            let (old, ops) = (&*old?.bytes, read_bytes(change, room)?);
            patch(old, &ops, room.min(most_from(old.len().saturating_add(ops.len()))))?
        }
        _ => return None,
    };
    Some(SnapshotFile { bytes, modified })
}

/// Returns the size up to which bytes are unpacked from `packed` bytes; the same as for archives.
pub(crate) fn most_from(packed: usize) -> usize {
    let ArchiveLimits { ratio, free, .. } = ArchiveLimits::default();
    usize::try_from((packed as u64).saturating_mul(ratio).max(free)).unwrap_or(usize::MAX)
}

/// Reads a length of at most `most`, and as many bytes.
fn read_bytes(rest: &mut impl Read, most: usize) -> Option<Vec<u8>> {
    let length = usize::try_from(number(rest)?).ok().filter(|length| *length <= most)?;
    let mut bytes = Vec::new();
    rest.take(length as u64).read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(files: &[(&str, &str)]) -> SnapshotFiles {
        let kept = |text: &str| SnapshotFile { bytes: text.into(), modified: Some(Epoch(7)) };
        SnapshotFiles(files.iter().map(|(name, text)| ((*name).to_owned(), kept(text))).collect())
    }

    #[test]
    fn files_come_go_stay_and_change() {
        let before = shot(&[("jobs.json", "a"), ("nodes.json", &"n".repeat(100)), ("now", "1")]);
        let after = shot(&[("jobs.json", "b"), ("nodes.json", &"n".repeat(100)), ("sched.txt", "s")]);
        let change = after.encode_change(&before);
        let apply =
            |before: &SnapshotFiles, change: &[u8]| SnapshotFiles::apply_change(before, &mut { change });
        assert_eq!(apply(&before, &change), Ok(after.clone()));
        assert!(change.len() < 60, "{}", change.len());
        assert_eq!(apply(&SnapshotFiles::default(), &change), Err(NO_CHANGE), "a change to another snapshot");
        for cut in 0..change.len() {
            assert_ne!(apply(&before, &change[..cut]), Ok(after.clone()));
        }
    }

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        let read = |name: &str| {
            let change = shot(&[("nodes.json", "{}"), (name, "x")]).encode_change(&SnapshotFiles::default());
            SnapshotFiles::apply_change(&SnapshotFiles::default(), &mut &*change)
        };
        assert!(read("sched_config").is_ok());
        let long = "n".repeat(256);
        for name in [
            "../x",
            "/etc/x",
            "sub/x",
            "..",
            ".",
            "",
            ".bashrc",
            "a\u{1b}[31mb",
            "a\nb",
            "nul\0x",
            "a\\b",
            &long,
        ] {
            assert!(read(name).is_err_and(|why| why.contains("name is refused")), "{name:?}");
        }
    }

    #[test]
    fn a_small_change_does_not_become_a_large_file() {
        let (name, old) = ("jobs.json", vec![b'x'; 1000]);
        // Copies the whole of the old file, again and again.
        let mut ops = Vec::new();
        for _ in 0..200_000 {
            put_number(&mut ops, 1000 << 1 | 1);
            put_number(&mut ops, 0);
        }
        let mut change = Vec::new();
        put_number(&mut change, 1);
        put_bytes(&mut change, name.as_bytes());
        put_number(&mut change, 0);
        put_number(&mut change, DELTA);
        put_bytes(&mut change, &ops[..ops.len() / 1000]);
        let before = shot(&[(name, std::str::from_utf8(&old).unwrap())]);
        assert!(SnapshotFiles::apply_change(&before, &mut &*change).is_ok());
        assert_eq!((most_from(0), most_from(1 << 20)), (100 << 20, 1000 << 20));
        assert_eq!(patch(&old, &ops, most_from(1000)), None);
    }
}
