//! Compares new content with the last generation, and with failures since.

use super::{ReadFailure, ReadOutcome, SnapshotReader};
use crate::SubstituteFile;
use crate::doubt::{self, DoubtfulFile};
use crate::dump_times::DumpTimes;
use qscope_engine::cluster::{DamageKind, Diagnostic, FileRecord, Name, Snapshot};
use qscope_source::FileUse;

/// Returns the use of a file by the loader's name for it.
fn use_of(file: &FileRecord) -> FileUse<'_> {
    FileUse::of(file.input_name())
}

impl SnapshotReader {
    pub(super) fn snapshot(&self) -> Option<&Snapshot> {
        self.last.as_ref().map(|last| &*last.generation.snapshot)
    }

    /// Returns the outcome already known for this content.
    pub(super) fn known_outcome(&mut self, hash: u64) -> Option<ReadOutcome> {
        if let Some(last) = self.last.as_ref().filter(|last| last.hash == hash) {
            let was_failed = self.failed.take().is_some();
            let generation = || ReadOutcome::Loaded(last.generation.clone());
            return Some(if was_failed { generation() } else { ReadOutcome::Unchanged });
        }
        let failed = self.failed.as_ref().filter(|failed| failed.hash == Some(hash))?;
        Some(ReadOutcome::Failed(failed.failure.clone()))
    }

    /// Returns the report about a file used by the last generation that exists but cannot be read now: without it,
    /// objects would seem to have left the cluster.
    pub(super) fn lost_file_report(&self, snapshot: &Snapshot) -> Option<String> {
        snapshot.unreadable().find(|found| self.was_used(found)).map(ToString::to_string)
    }

    /// The same for a file that now contains something else, such as an error message of a client.
    pub(super) fn replaced(&self, snapshot: &Snapshot) -> Option<String> {
        let last = self.snapshot()?;
        let is_new = |found: &&Diagnostic| {
            !last.diagnostics.iter().any(|old| old.code == found.code && old.file == found.file)
        };
        let is_no_dump = |found: &&Diagnostic| DamageKind::of(found).is_some_and(DamageKind::is_no_dump);
        let mut none = snapshot.diagnostics.iter().filter(is_no_dump);
        none.find(|found| is_new(found) && self.was_used(found)).map(ToString::to_string)
    }

    /// Returns the report about a file that the last generation used, if the snapshot has neither it nor another form
    /// of it, or if it is empty now: what it states, such as jobs or limits, would seem to have left the cluster.
    pub(super) fn missing_file_report(&self, snapshot: &Snapshot) -> Option<ReadFailure> {
        let replaces = |old: &FileRecord, new: &FileRecord| {
            let is_filled = new.records > 0 || old.records == 0 || use_of(new).may_be_empty();
            new.is_used() && use_of(new) == use_of(old) && is_filled
        };
        let is_missing =
            |old: &&FileRecord| old.is_used() && !snapshot.files.iter().any(|new| replaces(old, new));
        let name = &self.snapshot()?.files.iter().find(is_missing)?.name;
        let now = snapshot.files.iter().find(|file| file.name == *name);
        Some(match now.map(|file| &file.unused) {
            None => ReadFailure {
                message: format!("{name} is not there any more"),
                missing_file: Some(name.to_string()),
            },
            Some(None) => format!("{name}: nothing in it any more").into(),
            Some(Some(why)) => format!("{name}: {why}").into(),
        })
    }

    /// Returns the files that were read, do not exist any more, and have another form that is read instead.
    pub(super) fn substitutes(&self, snapshot: &Snapshot) -> Vec<SubstituteFile> {
        let Some(last) = self.last.as_ref().map(|last| &last.generation) else { return Vec::new() };
        let of_last = last.snapshot.files.iter().filter(|file| file.is_used());
        let read = of_last.map(|file| (&file.name, use_of(file)));
        let gone_before =
            last.substitutes.iter().map(|known| (&known.previous_file, FileUse::of(&known.previous_file)));
        let is_gone = |name: &Name| snapshot.files.iter().all(|file| file.name != *name);
        let stand_in = |(gone, used_for): (&Name, FileUse<'_>)| {
            let used = snapshot.files.iter().find(|file| file.is_used() && use_of(file) == used_for)?;
            Some(SubstituteFile { previous_file: gone.clone(), used: used.name.clone() })
        };
        gone_before.chain(read).filter(|(name, _)| is_gone(name)).filter_map(stand_in).collect()
    }

    /// Whether the last generation used the file that a report is about.
    pub(super) fn was_used(&self, diagnostic: &Diagnostic) -> bool {
        let files = self.snapshot().map(|last| last.files.as_slice()).unwrap_or_default();
        files.iter().any(|file| file.is_used() && file.name == diagnostic.file)
    }

    /// Returns an outcome to wait, if these doubts need more time.
    pub(super) fn wait_for(&self, doubts: &[DoubtfulFile]) -> Option<ReadOutcome> {
        let (left, doubt) = self.patience.longest(doubts, (self.clock().now)())?;
        Some(ReadOutcome::Retry(left, doubt.to_string()))
    }

    pub(super) fn doubt_snapshot(&self, snapshot: &Snapshot) -> Option<ReadOutcome> {
        let last = self.snapshot();
        if let Some(wait) = self.wait_for(&doubt::in_snapshot(snapshot, last)) {
            return Some(wait);
        }
        let left = self.patience.for_others((self.clock().now)())?;
        let waits = || ReadOutcome::Retry(left, "one dump is new, the other may follow".to_owned());
        self.came_apart(snapshot).then(waits)
    }

    /// Returns why the dumps of a snapshot do not belong together: one is new, and the other did not arrive in time.
    pub(super) fn incomplete_update(&self, snapshot: &Snapshot) -> Option<String> {
        DumpTimes::of(snapshot).skew().filter(|_| self.came_apart(snapshot))
    }

    pub(super) fn came_apart(&self, snapshot: &Snapshot) -> bool {
        self.last.as_ref().is_some_and(|last| {
            let [before, whole] =
                [&last.generation, &last.consistent].map(|one| DumpTimes::of(&one.snapshot));
            DumpTimes::of(snapshot).is_other_dump_missing(before, whole)
        })
    }
}
