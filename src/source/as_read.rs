//! A record as its file has it: every attribute with its text and place, whether or not the model uses it; and the
//! places where the scheduler's options are set.

mod hand_written;

use std::ops::ControlFlow;

use super::choice::choose;
use super::files::Files;
use super::log::DiagnosticLog;
use super::record::DumpKind;
use super::sched_config::lines_of;
pub use qscope_engine::cluster::SettingLocation;
use qscope_engine::cluster::{Epoch, FilePosition};

/// Kind of object that a record is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    Node,
    Job,
    Queue,
    Server,
    /// The scheduler object.
    Scheduler,
    Reservation,
}

/// One attribute of a record, unchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawAttribute {
    /// Name including the resource: `Resource_List.ncpus`.
    pub name: String,
    /// Value with line folds and escapes undone.
    pub value: String,
    /// The line in the file, from 1.
    pub line: Option<usize>,
}

/// A record as its file has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawRecord {
    /// Name of the file as users know it.
    pub file: String,
    /// Time of creation of the file, by its contents.
    pub created_at: Option<Epoch>,
    /// Position among the records of the file, from 1.
    pub record: usize,
    /// In the order of the file. Environments of jobs are never included.
    pub list: Vec<RawAttribute>,
}

impl RawRecord {
    /// Returns the places of attributes whose line is known.
    pub fn places(&self) -> impl Iterator<Item = SettingLocation> {
        let place = |one: &RawAttribute| {
            Some(SettingLocation { name: one.name.clone(), file: self.file.clone(), line: one.line? })
        };
        self.list.iter().filter_map(place)
    }
}

impl RecordKind {
    fn kind(self) -> DumpKind {
        match self {
            Self::Node => DumpKind::Nodes,
            Self::Job => DumpKind::Jobs,
            Self::Queue => DumpKind::Queues,
            Self::Server => DumpKind::Server,
            Self::Scheduler => DumpKind::Schedulers,
            Self::Reservation => DumpKind::Reservations,
        }
    }
}

/// Returns the record of an object, or its table in a hand-written cluster; `None` if no file has it. The name of a
/// server is ignored, since there is only one.
pub fn record(files: &Files, thing: RecordKind, name: &str) -> Option<RawRecord> {
    let Some(chosen) = choose(files, thing.kind(), &mut Vec::new()) else {
        return hand_written::table(files, thing, name);
    };
    let (mut number, mut found) = (0, None);
    chosen.read(thing.kind(), &mut DiagnosticLog::default(), &mut |record, _| {
        number += 1;
        if thing != RecordKind::Server && *record.name != *name {
            return ControlFlow::Continue(());
        }
        let attribute = |one: &super::record::Attribute<'_>| RawAttribute {
            name: one.full_name(),
            value: one.value.to_string(),
            line: line_of(chosen.bytes, one.spot()),
        };
        let list = record.attributes.iter().map(attribute).collect();
        found = Some(RawRecord {
            file: files.display_name(chosen.name).to_owned(),
            created_at: chosen.timestamp,
            record: number,
            list,
        });
        ControlFlow::Break(())
    });
    found
}

/// Returns where the options of `sched_config` are set, every line of each; without such a file, the keys of
/// `policy.toml`.
pub fn options(files: &Files) -> Vec<SettingLocation> {
    let text = |name: &str| files.get(name).and_then(|file| file.bytes.as_deref().ok());
    let set_at = |name: &str, option: String, line: usize| SettingLocation {
        name: option,
        file: files.display_name(name).to_owned(),
        line,
    };
    if let Some(bytes) = text("sched_config") {
        return lines_of(bytes)
            .into_iter()
            .map(|(option, line)| set_at("sched_config", option, line))
            .collect();
    }
    let bytes = text("policy.toml").unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    let key = |(number, line): (usize, &str)| {
        let (key, _) = line.split_once('=')?;
        let is_key = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let key = key.trim();
        (!key.is_empty() && key.chars().all(is_key))
            .then(|| set_at("policy.toml", key.to_owned(), number + 1))
    };
    text.lines().enumerate().filter_map(key).collect()
}

/// Returns the line of a spot; for JSON, computed from its byte offset.
fn line_of(bytes: &[u8], position: FilePosition) -> Option<usize> {
    match position {
        FilePosition::Byte(byte) => Some(memchr::memchr_iter(b'\n', bytes.get(..byte)?).count() + 1),
        position => position.line(),
    }
}

/// Returns the lines of a file within `around` lines of `line`, with their numbers.
pub fn lines_around(files: &Files, shown: &str, line: usize, around: usize) -> Vec<(usize, String)> {
    let Some(slot) = files.names().find(|slot| files.display_name(slot) == shown) else { return Vec::new() };
    let Some(bytes) = files.get(slot).and_then(|file| file.bytes.as_deref().ok()) else { return Vec::new() };
    let text = String::from_utf8_lossy(bytes);
    let numbered = text.lines().enumerate().map(|(at, text)| (at + 1, text.to_owned()));
    let first = line.saturating_sub(around).max(1);
    numbered.skip(first - 1).take_while(|(number, _)| *number <= line.saturating_add(around)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_keeps_every_attribute_with_its_line() {
        let mut files = Files::new("t");
        let text = "n1\n     Mom = a\n     state = free\n\nn2\n     Mom = b\n     odd = 7\n     \
                    resources_available.ncpus = 4\n\n";
        files.insert("nodes.txt", text, None);
        let found = record(&files, RecordKind::Node, "n2").unwrap();
        assert_eq!((&*found.file, found.record), ("nodes.txt", 2));
        let shown: Vec<String> =
            found.list.iter().map(|one| format!("{}={} {:?}", one.name, one.value, one.line)).collect();
        assert_eq!(shown, ["Mom=b Some(6)", "odd=7 Some(7)", "resources_available.ncpus=4 Some(8)"]);
        assert_eq!(record(&files, RecordKind::Node, "n3"), None);
        assert_eq!(record(&files, RecordKind::Job, "1.s"), None);
    }

    #[test]
    fn a_table_written_by_hand_is_a_record() {
        let mut files = Files::new("t");
        let text = "now = 5\n[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"night\"\nstarted = false\n[[job]]\n\
                    id = \"3\"\n# started = 1\nselect = \"2:ncpus=4\"\n";
        files.insert("queue.toml", text, None);
        files.insert("nodes.toml", "[[node]]\nname = \"n[1-6]\"\navailable = { ncpus = 8 }\n", None);
        let lines = |thing, name: &str| {
            let found = record(&files, thing, name).map(|found| (found.file, found.record, found.list));
            found.map(|(file, record, list)| {
                let all: Vec<String> =
                    list.iter().map(|one| format!("{}={} {:?}", one.name, one.value, one.line)).collect();
                format!("{file} {record}: {}", all.join(" "))
            })
        };
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(
            lines(RecordKind::Queue, "night"),
            is("queue.toml 2: name=night Some(5) started=false Some(6)")
        );
        assert_eq!(
            lines(RecordKind::Job, "3.svr"),
            is("queue.toml 1: id=3 Some(8) select=2:ncpus=4 Some(10)")
        );
        let node = is("nodes.toml 1: name=n[1-6] Some(2) available={ ncpus = 8 } Some(3)");
        assert_eq!(lines(RecordKind::Node, "n4"), node);
        assert_eq!((lines(RecordKind::Node, "n7"), lines(RecordKind::Queue, "x")), (None, None));
    }

    #[test]
    fn options_have_the_lines_they_stand_on() {
        let mut files = Files::new("t");
        files.insert(
            "sched_config",
            "# comment\nby_queue: True all\n\nresources: \"a, \\\nb\"\nby_queue: False prime\n",
            None,
        );
        let found: Vec<String> = options(&files)
            .into_iter()
            .map(|one| format!("{} {}:{}", one.name, one.file, one.line))
            .collect();
        assert_eq!(found, ["by_queue sched_config:2", "resources sched_config:4", "by_queue sched_config:6"]);
    }
}
