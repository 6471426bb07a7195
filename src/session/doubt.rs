//! Detects files that look as if they are still being written.

use std::fmt;
use std::time::Duration;

use qscope_engine::cluster::{DamageKind, Diagnostic, Name, Severity, Snapshot};
use qscope_source::watch::FOLDER;
use qscope_source::watch::reading::FolderContents;
use qscope_source::{SourceError, has_json_end};

/// Files in which clients end every record with an empty line.
const RECORDS: [&str; 6] = ["nodes.txt", "jobs.txt", "jobs-t.txt", "queues.txt", "server.txt", "resvs.txt"];
/// Files in which clients end every line.
const LINES: [&str; 3] = ["sched.txt", "resources.txt", "fairshare.txt"];

/// Files that administrators write by hand and that are empty at many sites.
const BY_HAND: [&str; 3] = ["dedicated_time", "holidays", "resource_group"];

/// Description of the wait while a folder that was read is missing.
pub const FOLDER_GONE: &str = "folder is gone";

/// Ends what is waited for while a file that was read is missing.
pub const NOT_THERE: &str = "is not there";

/// A file that may be unfinished.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DoubtfulFile {
    /// Name of the file within the folder.
    pub(super) file: Name,
    /// What is odd about it.
    pub(super) doubt: FileDoubt,
}

/// What is suspicious about a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileDoubt {
    /// It existed, and does not any more.
    Missing,
    /// It existed, and does not, but its other form is new.
    Replaced,
    /// It could not be read for a temporary reason.
    TemporaryFailure,
    Empty,
    /// It is truncated, or not readable.
    Truncated,
    /// It could be complete, but known writers would continue.
    Unfinished,
}

impl FileDoubt {
    /// Returns how long a file has to stay unchanged until it is accepted as it is.
    pub(super) fn limit(self) -> Duration {
        Duration::from_secs(match self {
            Self::Missing | Self::TemporaryFailure => 5,
            Self::Empty | Self::Truncated => 3,
            Self::Unfinished | Self::Replaced => 1,
        })
    }
}

impl DoubtfulFile {
    /// Returns the importance of the file for the cluster, 0 for the highest: its nodes, its jobs, anything else.
    pub(super) fn weight(&self) -> usize {
        let of = |stems: &[&str]| stems.iter().any(|stem| self.file.starts_with(stem));
        if *self.file == *FOLDER || of(&["nodes."]) {
            0
        } else if of(&["jobs.", "jobs-t.", "queue.toml"]) {
            1
        } else {
            2
        }
    }
}

impl fmt::Display for DoubtfulFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.doubt == FileDoubt::Missing && &*self.file == FOLDER {
            return f.write_str(FOLDER_GONE);
        }
        let file = if &*self.file == FOLDER { "the folder" } else { &*self.file };
        let what = match self.doubt {
            FileDoubt::Missing | FileDoubt::Replaced => NOT_THERE,
            FileDoubt::TemporaryFailure => "cannot be read just now",
            FileDoubt::Empty => "is empty",
            FileDoubt::Truncated | FileDoubt::Unfinished => "is not finished",
        };
        write!(f, "{file} {what}")
    }
}

/// Returns doubts that need no reader, only the bytes and the files of the last generation.
pub(super) fn in_bytes(reading: &FolderContents, last: Option<&Snapshot>) -> Vec<DoubtfulFile> {
    let used = last.map(|last| last.files.as_slice()).unwrap_or_default();
    let gone = used.iter().filter(|file| {
        file.is_used() && file.usual_name.is_none() && reading.prints.get(&file.name).is_none()
    });
    let gone = gone.map(|file| {
        let is_new =
            |name: &str| reading.prints.get(name).is_some() && used.iter().all(|old| &*old.name != name);
        let trouble = if other_forms(&file.name).any(|name| is_new(&name)) {
            FileDoubt::Replaced
        } else {
            FileDoubt::Missing
        };
        DoubtfulFile { file: file.name.clone(), doubt: trouble }
    });
    let there = reading.prints.iter().filter_map(|(name, _)| {
        let trouble = if reading.unreadable_files.contains(&name) {
            FileDoubt::TemporaryFailure
        } else {
            shape(name, reading.bytes(name)?)?
        };
        // A site without reservations has an empty list of them; if there were some, the list is being written.
        let had_none = last.is_none_or(|last| last.reservations.iter().next().is_none());
        if trouble == FileDoubt::Empty && name.starts_with("resvs.") && had_none {
            return None;
        }
        // The same applies to a hand-written file, unless it was longer before.
        let had = |name: &str| used.iter().find(|old| &*old.name == name).map_or(0, |old| old.bytes);
        let is_shorter = || reading.bytes(name).is_some_and(|bytes| (bytes.len() as u64) < had(name));
        if trouble == FileDoubt::Empty && BY_HAND.contains(&name) && !is_shorter() {
            return None;
        }
        Some(DoubtfulFile { file: name.into(), doubt: trouble })
    });
    gone.chain(there).collect()
}

/// Returns the names of the other forms of a file.
fn other_forms(name: &str) -> impl Iterator<Item = String> {
    let (stem, form) = name.rsplit_once('.').unwrap_or((name, ""));
    ["json", "txt", "toml"]
        .into_iter()
        .filter(move |other| *other != form)
        .map(move |other| format!("{stem}.{other}"))
}

/// Returns what is suspicious about the end of a file.
fn shape(name: &str, bytes: &[u8]) -> Option<FileDoubt> {
    let is_text = RECORDS.contains(&name) || LINES.contains(&name);
    let last_line = bytes.strip_suffix(b"\n").map(|rest| rest.strip_suffix(b"\r").unwrap_or(rest));
    let found = bytes.trim_ascii();
    if found.is_empty() {
        Some(FileDoubt::Empty)
    } else if name.ends_with(".json") || is_text && found.starts_with(b"{") {
        (!has_json_end(found)).then_some(FileDoubt::Truncated)
    } else if is_text && last_line.is_none() {
        Some(FileDoubt::Truncated)
    } else {
        let open = RECORDS.contains(&name) && last_line.is_some_and(|rest| !rest.ends_with(b"\n"));
        open.then_some(FileDoubt::Unfinished)
    }
}

/// Returns doubts that follow from the error that there is no snapshot.
pub(super) fn doubts_from_error(error: &SourceError) -> Vec<DoubtfulFile> {
    let torn = |file: &Name| DoubtfulFile { file: file.clone(), doubt: FileDoubt::Truncated };
    match error {
        SourceError::Unreadable { file, .. } => vec![torn(file)],
        SourceError::HandWritten(found) => found.iter().map(|diagnostic| torn(&diagnostic.file)).collect(),
        // Any of the existing files may be the one that cannot be read.
        SourceError::NoNodes { .. } | SourceError::Nothing { .. } | SourceError::ServerDown { .. } => {
            ["nodes.json", "nodes.txt", "nodes.toml"].map(|name| torn(&name.into())).into()
        }
        // Temporary errors are known from the reading; the others do not go away.
        SourceError::Folder { .. }
        | SourceError::Recording(_)
        | SourceError::NoMoment
        | SourceError::CannotRead { .. }
        | SourceError::Memory { .. }
        | SourceError::NoScheduler { .. }
        | SourceError::Several { .. }
        | SourceError::Clusters { .. } => Vec::new(),
    }
}

/// Returns doubts that follow from unreadable parts: only new kinds of errors, since a dump may always have the same
/// one.
pub(super) fn in_snapshot(snapshot: &Snapshot, last: Option<&Snapshot>) -> Vec<DoubtfulFile> {
    let before = last.map(|last| last.diagnostics.as_slice()).unwrap_or_default();
    // A truncated file is doubted even if the last one was truncated too.
    let usual = |new: &Diagnostic| {
        !is_torn(new) && before.iter().any(|old| old.code == new.code && old.file == new.file)
    };
    let errors = snapshot.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    errors
        .filter(|found| !usual(found) && found.code != Diagnostic::UNREADABLE)
        .map(|found| DoubtfulFile { file: found.file.clone(), doubt: FileDoubt::Truncated })
        .collect()
}

/// Returns the report about a file that is truncated although it was complete for the last generation: objects
/// missing at its end would seem to have left the cluster, so that generation is kept.
pub(super) fn cut_since(snapshot: &Snapshot, last: &Snapshot) -> Option<String> {
    let is_cut = |snapshot: &Snapshot, file: &Name| {
        snapshot.diagnostics.iter().any(|found| is_torn(found) && found.file == *file)
    };
    let was_whole = |file: &Name| {
        last.files.iter().any(|used| used.is_used() && used.name == *file) && !is_cut(last, file)
    };
    // A report that the file is truncated takes precedence over one about the record in which it ends.
    let mut found = DamageKind::findings(snapshot).map(|(_, found)| found).filter(|found| is_torn(found));
    found.find(|found| was_whole(&found.file)).map(ToString::to_string)
}

/// Whether a finding shows that its file is truncated.
fn is_torn(diagnostic: &Diagnostic) -> bool {
    DamageKind::of(diagnostic).is_some_and(DamageKind::is_torn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_source::{Files, LoadOptions, load};

    #[test]
    fn dumps_end_as_their_clients_end_them() {
        for (name, bytes, expected) in [
            ("nodes.json", "{\"nodes\":{}}\n", None),
            ("nodes.json", "{\"nodes\":{\"n1\":{\"a\":1", Some(FileDoubt::Truncated)),
            ("nodes.json", "{\"nodes\":{}}\nreal 1s\n", None),
            ("nodes.json", "{\"nodes\":{}}\0\0\n", None),
            ("nodes.json", "{\"nodes\":{\"n1\":{}", Some(FileDoubt::Truncated)),
            ("nodes.json", "\n", Some(FileDoubt::Empty)),
            ("jobs.txt", "Job Id: 1\n    queue = q\n\n", None),
            ("jobs.txt", "Job Id: 1\r\n    queue = q\r\n\r\n", None),
            ("jobs.txt", "Job Id: 1\n    queue = q\n", Some(FileDoubt::Unfinished)),
            ("jobs.txt", "Job Id: 1\n    que", Some(FileDoubt::Truncated)),
            ("jobs.txt", "", Some(FileDoubt::Empty)),
            ("jobs.txt", "{\"Jobs\":{", Some(FileDoubt::Truncated)),
            ("sched.txt", "Sched default\n    comment = x\n", None),
            ("sched.txt", "Sched default\n    comment", Some(FileDoubt::Truncated)),
            ("now", "17", None),
            ("queue.toml", "now = 5", None),
        ] {
            assert_eq!(shape(name, bytes.as_bytes()), expected, "{name} {bytes:?}");
        }
    }

    /// A site without holidays has an empty file; a site that had some is writing them.
    #[test]
    fn an_empty_file_written_by_hand_is_no_doubt_unless_it_held_something() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("nodes.json", NODES);
        put("holidays", "\n");
        put("resource_group", "");
        put("server.json", "");
        let read = || qscope_source::watch::reading::read(folder.path()).unwrap();
        let named = |last: Option<&Snapshot>| -> Vec<String> {
            in_bytes(&read(), last).into_iter().map(|doubt| doubt.file.to_string()).collect()
        };
        assert_eq!(named(None), ["server.json"]);
        put("resource_group", "alice 10 root 5\n");
        let filled = load(&read().files, &LoadOptions::default()).unwrap();
        put("resource_group", "");
        assert_eq!(named(Some(&filled)), ["resource_group", "server.json"]);
    }

    fn snapshot(nodes: &str, jobs: &str) -> Snapshot {
        let mut files = Files::new("t");
        files.insert("nodes.json", nodes, None);
        files.insert("jobs.json", jobs, None);
        load(&files, &LoadOptions::default()).unwrap()
    }

    const NODES: &str = r#"{"timestamp":100,"nodes":{"n1":{"Mom":"n1","state":"free"}}}"#;

    #[test]
    fn a_usual_error_is_no_doubt_and_a_cut_is() {
        let good = snapshot(NODES, r#"{"timestamp":100,"Jobs":{}}"#);
        let wrong = snapshot(NODES, r#"{"timestamp":100,"Queue":{"q":{}}}"#);
        assert!(in_snapshot(&good, None).is_empty());
        assert_eq!(&*in_snapshot(&wrong, Some(&good))[0].file, "jobs.json");
        assert!(in_snapshot(&wrong, Some(&wrong)).is_empty());
        let cut = snapshot(NODES, r#"{"timestamp":100,"Jobs":{"1.s":{"queue":"q"}"#);
        assert!(!in_snapshot(&cut, Some(&cut)).is_empty());
    }

    #[test]
    fn a_file_cut_since_is_named_with_its_byte_and_one_that_was_cut_before_is_not() {
        let good = snapshot(NODES, r#"{"timestamp":100,"Jobs":{}}"#);
        let cut = snapshot(NODES, r#"{"timestamp":100,"Jobs":{"1.s":{"queue":"q"}"#);
        let expected = "jobs.json@44: the file ends before its last `}`";
        assert_eq!(cut_since(&cut, &good).as_deref(), Some(expected));
        assert_eq!(cut_since(&cut, &cut), None);
        assert_eq!(cut_since(&good, &cut), None);
    }

    #[test]
    fn errors_name_their_files() {
        let mut files = Files::new("t");
        files.insert("nodes.txt", "", None);
        let error = load(&files, &LoadOptions::default()).unwrap_err();
        assert_eq!(
            doubts_from_error(&error),
            [DoubtfulFile { file: "nodes.txt".into(), doubt: FileDoubt::Truncated }]
        );
    }
}
