//! The table of an object in a hand-written cluster: its keys with their lines.

use qscope_engine::cluster::{NameList, short_id};

use super::super::files::Files;
use super::{RawAttribute, RawRecord, RecordKind};

/// Returns the table of an object in `nodes.toml` or `queue.toml`; `None` if none names it.
pub(super) fn table(files: &Files, thing: RecordKind, name: &str) -> Option<RawRecord> {
    let (slot, heading, key) = match thing {
        RecordKind::Node => ("nodes.toml", "[[node]]", "name"),
        RecordKind::Job => ("queue.toml", "[[job]]", "id"),
        RecordKind::Queue => ("queue.toml", "[[queue]]", "name"),
        RecordKind::Server | RecordKind::Scheduler | RecordKind::Reservation => return None,
    };
    let (file, bytes) = files.contents(slot)?;
    let text = String::from_utf8_lossy(bytes);
    let short = if thing == RecordKind::Job { short_id(name) } else { name };
    let is_it =
        |word: &str| word == name || word == short || NameList::of(word).is_some_and(|all| all.has(name));
    let is_named = |list: &[RawAttribute]| list.iter().any(|one| one.name == key && is_it(&one.value));
    let mut tables = tables(&text, heading).into_iter().enumerate();
    let (at, list) = tables.find(|(_, list)| is_named(list))?;
    Some(RawRecord { file: file.to_owned(), created_at: None, record: at + 1, list })
}

/// Returns the keys of every table with this heading, in the order of the file.
fn tables(text: &str, heading: &str) -> Vec<Vec<RawAttribute>> {
    let mut tables: Vec<Vec<RawAttribute>> = Vec::new();
    let mut is_inside = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            is_inside = line.starts_with(heading);
            if is_inside {
                tables.push(Vec::new());
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| is_inside && !line.starts_with('#')) else {
            continue;
        };
        let value = value.trim().trim_matches('"').to_owned();
        let found = RawAttribute { name: key.trim().to_owned(), value, line: Some(at + 1) };
        if let Some(table) = tables.last_mut() {
            table.push(found);
        }
    }
    tables
}
