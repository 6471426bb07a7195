//! Which of a dump's files is read, when both forms are there.

use super::bounds::Bounds;
use super::files::Files;
use super::log::Log;
use super::reader::Reader;
use super::record::{Afresh, DumpKind, Head, RawDump, Sink, Take};
use super::{json, text};
use qscope_engine::cluster::{Epoch, FileForm, FileRecord, Spot};

/// Files written this many seconds apart belong to one generation.
const ONE_GENERATION: i64 = 60;

/// Why a better name is left aside.
const NEWER: &str = "is newer";
const WHOLE: &str = "is whole";

/// A dump's file that is read.
#[derive(Clone)]
pub(crate) struct Chosen<'f> {
    pub(crate) name: &'static str,
    /// What it holds.
    pub(crate) bytes: &'f [u8],
    pub(crate) form: FileForm,
    /// When it states it was made.
    pub(crate) timestamp: Option<Epoch>,
    /// When it was written.
    pub(crate) modified: Option<Epoch>,
    /// How much of it is read at most.
    pub(crate) bounds: Bounds,
    pub(crate) reader: Reader,
}

impl<'f> Chosen<'f> {
    /// Opens a file if it is there and can be read.
    pub(crate) fn open(files: &'f Files, name: &'static str, kind: DumpKind) -> Option<Self> {
        let file = files.get(name)?;
        let bytes = file.bytes.as_deref().ok()?;
        let by_content = matches!(file.reader, Reader::ByContent);
        let is_json =
            by_content && (json::looks_like(bytes, kind) || (bytes.is_empty() && name.ends_with(".json")));
        let form = if is_json { FileForm::Json } else { FileForm::Text };
        let timestamp = if is_json { json::timestamp(bytes) } else { None };
        let (modified, reader) = (file.modified, file.reader.clone());
        Some(Self { name, bytes, form, timestamp, modified, bounds: files.bounds(), reader })
    }

    /// Hands on every record.
    pub(crate) fn read(&self, kind: DumpKind, log: &mut Log, sink: Sink<'_, 'f>) -> Head {
        self.read_known(kind, log, &mut Afresh(sink))
    }

    /// Hands on every record to what may know some of them.
    pub(crate) fn read_known(&self, kind: DumpKind, log: &mut Log, taker: &mut dyn Take<'f>) -> Head {
        if self.bytes.trim_ascii().is_empty() {
            // Reservations are mostly none.
            if kind != DumpKind::Reservations {
                log.note("empty-file", Spot::File, || {
                    format!("nothing in it, as `{}` prints where there is nothing", kind.command())
                });
            }
            return Head::default();
        }
        let dump = RawDump { kind, bytes: self.bytes, bounds: self.bounds };
        if self.form == FileForm::Json {
            return json::read(dump, log, taker);
        }
        let sink: Sink<'_, 'f> = &mut |record, log| taker.take(record, None, log);
        match self.reader.read(dump, log, &mut *sink) {
            Some(head) => head,
            None => text::read(dump, log, sink),
        }
    }

    /// Hands on records from the places on that are asked for; none where the form of the file does not show where one
    /// begins.
    pub(crate) fn read_pieces(&self, kind: DumpKind, log: &mut Log, taker: &mut dyn Take<'f>) {
        if self.form == FileForm::Json {
            json::read_pieces(RawDump { kind, bytes: self.bytes, bounds: self.bounds }, log, taker);
        }
    }

    /// The remarks about the file, before it is read.
    pub(crate) fn facts(&self) -> FileRecord {
        FileRecord {
            timestamp: self.timestamp,
            modified: self.modified,
            ..FileRecord::plain(self.name, self.form, self.bytes, 0)
        }
    }

    /// Whether something is in it, and it ends as a dump of its form does.
    fn is_whole(&self) -> bool {
        let found = self.bytes.trim_ascii_end();
        !found.is_empty() && (self.form != FileForm::Json || found.ends_with(b"}"))
    }

    /// Whether this one is of a later generation than `other`: by the times inside if both have one, else
    /// by the times they were written.
    fn is_newer_than(&self, other: &Self) -> bool {
        let inside = self.timestamp.zip(other.timestamp);
        let pair = inside.or(self.modified.zip(other.modified));
        pair.is_some_and(|(mine, theirs)| mine.0.saturating_sub(theirs.0) > ONE_GENERATION)
    }
}

/// Picks the file of a kind to read: the newest generation, on a tie one that is whole, then the better name.
/// The others are set down as unused.
pub(crate) fn choose<'f>(
    files: &'f Files,
    kind: DumpKind,
    records: &mut Vec<FileRecord>,
) -> Option<Chosen<'f>> {
    let mut best: Option<Chosen<'f>> = None;
    for name in kind.files() {
        let Some(candidate) = Chosen::open(files, name, kind) else { continue };
        let Some(have) = best.take() else {
            best = Some(candidate);
            continue;
        };
        let (winner, loser, why) = if candidate.is_newer_than(&have) {
            (candidate, have, NEWER)
        } else if candidate.is_whole() && !have.is_whole() && !have.is_newer_than(&candidate) {
            (candidate, have, WHOLE)
        } else {
            let why = better(have.name, candidate.name);
            (have, candidate, why)
        };
        let unused = Some(format!("{} {why}", winner.name));
        records.push(FileRecord { unused, ..loser.facts() });
        best = Some(winner);
    }
    best
}

/// Why one name comes before another within a generation.
fn better(name: &str, other: &str) -> &'static str {
    let lists_subjobs = |name: &str| name.starts_with("jobs-t.");
    if lists_subjobs(name) && !lists_subjobs(other) {
        "comes first: it lists subjobs too"
    } else {
        "comes first: JSON loses less"
    }
}

/// States which files would have been read, were they whole: JSON that ends too soon, or is empty, and that another file
/// took the place of.
pub(crate) fn cut_set_aside(files: &Files, records: &[FileRecord], log: &mut Log) {
    for record in records {
        let Some(why) = record.unused.as_deref().filter(|why| why.ends_with(NEWER) || why.ends_with(WHOLE))
        else {
            continue;
        };
        let Some(bytes) = files.get(&record.name).and_then(|file| file.bytes.as_deref().ok()) else {
            continue;
        };
        if record.name.ends_with(".json") && !bytes.trim_ascii_end().ends_with(b"}") {
            log.in_file(&record.name);
            log.error("cut-set-aside", Spot::Byte(bytes.len()), || format!("no whole JSON; not used: {why}"));
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

    /// A dump that was cut off or is empty is no better for its name.
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
        assert_eq!(chosen.form, FileForm::Text);
    }
}
