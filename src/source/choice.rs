//! Chooses which of a dump's files is read, if there are several.

use super::bounds::ReadLimits;
use super::files::Files;
use super::intake::kind::{IntakeKind, kind_of};
use super::json::{self, has_json_end};
use super::log::DiagnosticLog;
use super::reader::ReaderKind;
use super::record::{CallbackSink, DumpHeader, DumpKind, RawDump, RecordCallback, RecordSink};
use super::text;
use qscope_engine::cluster::{Epoch, FileFormat, FilePosition, FileRecord};

/// Files written at most this many seconds apart belong to one generation.
const ONE_GENERATION: i64 = 60;

/// Why a file with a better name is not used.
const NEWER: &str = "is newer";
const WHOLE: &str = "is whole, and this file is cut";
const HAS_RECORDS: &str = "has records, and this file has only messages of a client";

/// A dump's file that is read.
#[derive(Clone)]
pub(crate) struct ChosenFile<'f> {
    pub(crate) name: &'static str,
    pub(crate) bytes: &'f [u8],
    pub(crate) form: FileFormat,
    /// Time at which it was made, according to its content.
    pub(crate) timestamp: Option<Epoch>,
    /// Modification time.
    pub(crate) modified: Option<Epoch>,
    /// Limits on what is read from it.
    pub(crate) bounds: ReadLimits,
    pub(crate) reader: ReaderKind,
}

impl<'f> ChosenFile<'f> {
    /// Opens a file if it exists and can be read.
    pub(crate) fn open(files: &'f Files, name: &'static str, kind: DumpKind) -> Option<Self> {
        let file = files.get(name)?;
        let bytes = file.bytes.as_deref().ok()?;
        let by_content = matches!(file.reader, ReaderKind::ByContent);
        let is_json =
            by_content && (json::looks_like(bytes, kind) || (bytes.is_empty() && name.ends_with(".json")));
        let form = if is_json { FileFormat::Json } else { FileFormat::Text };
        let timestamp = if is_json { json::timestamp(bytes) } else { None };
        let (modified, reader) = (file.modified, file.reader.clone());
        Some(Self { name, bytes, form, timestamp, modified, bounds: files.bounds(), reader })
    }

    /// Passes every record to `sink`.
    pub(crate) fn read(
        &self,
        kind: DumpKind,
        log: &mut DiagnosticLog,
        sink: RecordCallback<'_, 'f>,
    ) -> DumpHeader {
        self.read_known(kind, log, &mut CallbackSink(sink))
    }

    /// Passes every record to `taker`, which may know some of them.
    pub(crate) fn read_known(
        &self,
        kind: DumpKind,
        log: &mut DiagnosticLog,
        taker: &mut dyn RecordSink<'f>,
    ) -> DumpHeader {
        if self.bytes.trim_ascii().is_empty() {
            // There are usually no reservations.
            if kind != DumpKind::Reservations {
                log.note("empty-file", FilePosition::File, || {
                    format!("nothing in it, as `{}` prints where there is nothing", kind.command())
                });
            }
            return DumpHeader::default();
        }
        let dump = RawDump { kind, bytes: self.bytes, bounds: self.bounds };
        if self.form == FileFormat::Json {
            return json::read(dump, log, taker);
        }
        let sink: RecordCallback<'_, 'f> = &mut |record, log| taker.take(record, None, log);
        match self.reader.read(dump, log, &mut *sink) {
            Some(head) => head,
            None => text::read(dump, log, sink),
        }
    }

    /// Passes on records from the places that `taker` asks for; does nothing if the form of the file does not show
    /// where a record begins.
    pub(crate) fn read_pieces(
        &self,
        kind: DumpKind,
        log: &mut DiagnosticLog,
        taker: &mut dyn RecordSink<'f>,
    ) {
        if self.form == FileFormat::Json {
            json::read_pieces(RawDump { kind, bytes: self.bytes, bounds: self.bounds }, log, taker);
        }
    }

    /// Returns the facts about the file, before it is read.
    pub(crate) fn facts(&self) -> FileRecord {
        FileRecord {
            timestamp: self.timestamp,
            modified: self.modified,
            ..FileRecord::plain(self.name, self.form, self.bytes, 0)
        }
    }

    /// Whether the file is not empty and ends as a dump of its form does.
    fn is_whole(&self) -> bool {
        let found = self.bytes.trim_ascii_end();
        !found.is_empty() && (self.form != FileFormat::Json || has_json_end(found))
    }

    /// Whether the file has nothing but the error messages of a client.
    fn is_message(&self) -> bool {
        kind_of(self.bytes, self.name) == IntakeKind::Failed
    }

    /// Whether this file is of a later generation than `other`: by the times inside if both have one, else by
    /// modification time.
    fn is_newer_than(&self, other: &Self) -> bool {
        let inside = self.timestamp.zip(other.timestamp);
        let pair = inside.or(self.modified.zip(other.modified));
        pair.is_some_and(|(mine, theirs)| mine.0.saturating_sub(theirs.0) > ONE_GENERATION)
    }
}

/// Chooses the file of a kind to read: the newest generation, on a tie a complete one, then the better name. The
/// others are recorded as unused.
pub(crate) fn choose<'f>(
    files: &'f Files,
    kind: DumpKind,
    records: &mut Vec<FileRecord>,
) -> Option<ChosenFile<'f>> {
    let mut best: Option<ChosenFile<'f>> = None;
    for name in kind.files() {
        let Some(candidate) = ChosenFile::open(files, name, kind) else { continue };
        let Some(have) = best.take() else {
            best = Some(candidate);
            continue;
        };
        let (winner, loser, why) = if candidate.is_message() != have.is_message() {
            let (message, dump) = if have.is_message() { (have, candidate) } else { (candidate, have) };
            (dump, message, HAS_RECORDS)
        } else if candidate.is_newer_than(&have) {
            (candidate, have, NEWER)
        } else if candidate.is_whole() && !have.is_whole() && !have.is_newer_than(&candidate) {
            (candidate, have, WHOLE)
        } else {
            let why = precedence_reason(have.name, candidate.name);
            (have, candidate, why)
        };
        let unused = Some(format!("{} {why}", winner.name));
        records.push(FileRecord { unused, ..loser.facts() });
        best = Some(winner);
    }
    best
}

/// Returns why one name precedes another within a generation.
fn precedence_reason(name: &str, other: &str) -> &'static str {
    let lists_subjobs = |name: &str| name.starts_with("jobs-t.");
    if lists_subjobs(name) && !lists_subjobs(other) {
        "comes first: it lists subjobs too"
    } else {
        "comes first: JSON loses less"
    }
}

/// Reports files that would have been read if they were complete: truncated or empty JSON that another file replaced, and
/// messages of a client.
pub(crate) fn cut_set_aside(files: &Files, records: &[FileRecord], log: &mut DiagnosticLog) {
    for record in records {
        let Some(why) = record.unused.as_deref() else { continue };
        if why.ends_with(HAS_RECORDS) {
            log.in_file(&record.name);
            log.error("cut-set-aside", FilePosition::File, || format!("not used: {why}"));
        }
        if !(why.ends_with(NEWER) || why.ends_with(WHOLE)) {
            continue;
        }
        let Some(bytes) = files.get(&record.name).and_then(|file| file.bytes.as_deref().ok()) else {
            continue;
        };
        if record.name.ends_with(".json") && !has_json_end(bytes.trim_ascii_end()) {
            log.in_file(&record.name);
            log.error("cut-set-aside", FilePosition::Byte(bytes.len()), || {
                format!("no whole JSON; not used: {why}")
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(files: &Files) -> &'static str {
        choose(files, DumpKind::Jobs, &mut Vec::new()).unwrap().name
    }

    #[test]
    fn subjobs_and_json_win_within_a_generation() {
        let mut files = Files::new("t");
        files.insert("jobs.txt", "Job Id: 1\n", Some(Epoch(130)));
        assert_eq!(picked(&files), "jobs.txt");
        files.insert("jobs.json", "{\"timestamp\":100}", Some(Epoch(100)));
        assert_eq!(picked(&files), "jobs.json");
        files.insert("jobs-t.json", "{\"timestamp\":60}", Some(Epoch(100)));
        assert_eq!(picked(&files), "jobs-t.json");
    }

    /// A truncated or empty dump is not preferred for its name.
    #[test]
    fn a_whole_file_wins_within_a_generation() {
        for damaged in ["", "{\"timestamp\":100,\"Jobs\":{"] {
            let mut files = Files::new("t");
            files.insert("jobs-t.json", damaged, Some(Epoch(100)));
            assert_eq!(picked(&files), "jobs-t.json");
            files.insert("jobs.json", "{\"timestamp\":100}", Some(Epoch(100)));
            assert_eq!(picked(&files), "jobs.json", "{damaged}");
            files.insert("jobs-t.json", damaged, Some(Epoch(900)));
            files.insert("jobs.json", "Job Id: 1\n", Some(Epoch(100)));
            assert_eq!(picked(&files), "jobs-t.json", "{damaged}");
        }
    }

    /// Lines after the end, as a shell adds them, do not cut a dump off.
    #[test]
    fn a_file_with_text_after_its_end_is_whole() {
        let mut files = Files::new("t");
        files.insert("jobs-t.json", "{\n    \"timestamp\":100\n}\n\nreal\t0m1.2s\n", Some(Epoch(100)));
        files.insert("jobs.json", "{\"timestamp\":100}", Some(Epoch(100)));
        assert_eq!(picked(&files), "jobs-t.json");
    }

    /// What a client prints when it cannot connect is no dump, whenever it was written.
    #[test]
    fn a_message_never_replaces_a_dump() {
        let message = "qstat: cannot connect to server head (errno=15010)\n";
        for (dump, other) in [("jobs.json", "jobs.txt"), ("jobs.txt", "jobs.json")] {
            let mut files = Files::new("t");
            let text = if dump == "jobs.json" {
                "{\"timestamp\":100,\n}\n"
            } else {
                "Job Id: 1\n    Job_Name = a\n\n"
            };
            files.insert(dump, text, Some(Epoch(100)));
            files.insert(other, message, Some(Epoch(900)));
            let mut records = Vec::new();
            assert_eq!(choose(&files, DumpKind::Jobs, &mut records).unwrap().name, dump);
            let mut log = DiagnosticLog::default();
            cut_set_aside(&files, &records, &mut log);
            let (reported, _) = log.finish();
            assert!(reported[0].message.contains("only messages of a client"), "{reported:?}");
        }
    }

    #[test]
    fn a_newer_generation_wins() {
        let mut files = Files::new("t");
        files.insert("jobs-t.json", "{\"timestamp\":100}", Some(Epoch(100)));
        files.insert("jobs.json", "{\"timestamp\":900}", Some(Epoch(100)));
        assert_eq!(picked(&files), "jobs.json");
        files.insert("jobs.txt", "Job Id: 1\n", Some(Epoch(900)));
        assert_eq!(picked(&files), "jobs.txt");
    }

    #[test]
    fn content_decides_the_form() {
        let mut files = Files::new("t");
        files.insert("jobs.json", "Job Id: 1\n    comment = a\n{\"b\":1}\n", None);
        let chosen = choose(&files, DumpKind::Jobs, &mut Vec::new()).unwrap();
        assert_eq!(chosen.form, FileFormat::Text);
    }
}
