//! The files of one snapshot, and their encoding as a change to the previous one.

use std::collections::BTreeMap;

use qscope_engine::cluster::Epoch;
use qscope_source::Files;

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

    /// Applies a change to `before`; `None` if it is invalid or the result is too large.
    pub(crate) fn apply_change(before: &Self, change: &[u8]) -> Option<Self> {
        let mut rest = change;
        let mut shot = Self::default();
        let (count, mut room) = (number(&mut rest)?, MOST);
        for _ in 0..count {
            let name = String::from_utf8(take_bytes(&mut rest)?.to_vec()).ok()?;
            let modified = match number(&mut rest)? {
                0 => None,
                at => Some(Epoch(i64::try_from(at - 1).ok()?)),
            };
            let old = || before.0.get(&name).map(|kept| &*kept.bytes);
            let bytes = match number(&mut rest)? {
                SAME => old()?.to_vec(),
                WHOLE => take_bytes(&mut rest)?.to_vec(),
                DELTA => patch(old()?, take_bytes(&mut rest)?, room)?,
                _ => return None,
            };
            room = room.checked_sub(bytes.len())?;
            shot.0.insert(name, SnapshotFile { bytes, modified });
        }
        rest.is_empty().then_some(shot)
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

fn take_bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(number(rest)?).ok()?;
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(bytes)
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
        assert_eq!(SnapshotFiles::apply_change(&before, &change), Some(after.clone()));
        assert!(change.len() < 60, "{}", change.len());
        assert_eq!(
            SnapshotFiles::apply_change(&SnapshotFiles::default(), &change),
            None,
            "a change to another snapshot"
        );
        for cut in 0..change.len() {
            assert_ne!(SnapshotFiles::apply_change(&before, &change[..cut]), Some(after.clone()));
        }
    }
}
