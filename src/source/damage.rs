//! Every small dump of the cases, damaged in every way: nothing panics, and complete records before the damage are
//! kept.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use super::choice::ChosenFile;
use super::files::Files;
use super::log::DiagnosticLog;
use super::record::{DumpKind, RawDump};
use super::{json, text};
use qscope_engine::cluster::{FileFormat, FilePosition};

/// A dump of the cases.
struct Victim {
    name: String,
    kind: DumpKind,
    form: FileFormat,
    bytes: Vec<u8>,
}

/// A record: its name, where it starts, and its attributes as `name.resource` and value.
type Flat = (String, usize, Vec<(String, String)>);

fn victims() -> Vec<Victim> {
    let names = [
        ("nodes", DumpKind::Nodes),
        ("jobs", DumpKind::Jobs),
        ("queues", DumpKind::Queues),
        ("server", DumpKind::Server),
        ("resvs", DumpKind::Reservations),
        ("resources", DumpKind::Resources),
    ];
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/source");
    let mut all = Vec::new();
    for case in fs::read_dir(cases).unwrap() {
        let case = case.unwrap().path();
        let title = case.file_name().unwrap().to_str().unwrap().to_owned();
        let files = Files::from_folder(&case).unwrap();
        for (start, kind) in names {
            for name in super::files::KNOWN.iter().filter(|name| name.starts_with(start)) {
                let Some(chosen) = ChosenFile::open(&files, name, kind) else { continue };
                let name = format!("{title}/{name}");
                all.push(Victim { name, kind, form: chosen.form, bytes: chosen.bytes.to_vec() });
            }
        }
    }
    assert!(all.len() > 70, "{}", all.len());
    all
}

/// Reads all records of these bytes, in the victim's form; starts are byte offsets.
fn records(victim: &Victim, bytes: &[u8]) -> Vec<Flat> {
    read(victim, bytes).0
}

/// The same, and whether the reader had to guess where something ends.
fn read(victim: &Victim, bytes: &[u8]) -> (Vec<Flat>, bool) {
    let mut all = Vec::new();
    let lines: Vec<usize> = match victim.form {
        FileFormat::Text => {
            let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect()
        }
        _ => Vec::new(),
    };
    let mut log = DiagnosticLog::default();
    let mut sink = |record: &super::record::Record<'_>, _: &mut DiagnosticLog| {
        let attributes = record.attributes.iter().map(|a| {
            let dot = a.resource.as_ref().map(|r| format!(".{r}")).unwrap_or_default();
            (format!("{}{dot}", a.name), a.value.to_string())
        });
        let start = match record.position {
            FilePosition::Line(line) => lines[line - 1],
            FilePosition::Byte(at) => at,
            _ => 0,
        };
        all.push((record.name.to_string(), start, attributes.collect()));
        ControlFlow::Continue(())
    };
    let dump = RawDump::new(victim.kind, bytes);
    match victim.form {
        FileFormat::Json => json::read_afresh(dump, &mut log, &mut sink),
        _ => text::read(dump, &mut log, &mut sink),
    };
    let guesses = ["record-damaged", "json-damaged", "json-quote", "json-brace"];
    let guessed = log.finish().0.iter().any(|reported| guesses.contains(&reported.code));
    (all, guessed)
}

/// Returns the number of records that end before this byte: those followed by one that starts at or before it.
fn complete_records_before(all: &[Flat], at: usize) -> usize {
    all.iter().skip(1).filter(|(_, start, _)| *start <= at).count()
}

#[test]
fn every_prefix_keeps_the_whole_records() {
    for victim in victims() {
        let all = records(&victim, &victim.bytes);
        for end in 0..victim.bytes.len() {
            let got = records(&victim, &victim.bytes[..end]);
            let whole = complete_records_before(&all, end);
            assert_eq!(got.get(..whole), all.get(..whole), "{} up to {end}", victim.name);
        }
    }
}

#[test]
fn every_changed_byte_keeps_the_records_before_it() {
    for victim in victims() {
        let (all, guessed) = read(&victim, &victim.bytes);
        if guessed {
            // Further damage can undo the guess.
            continue;
        }
        let others: &[u8] = match victim.form {
            FileFormat::Json => b"\"\\{}[],:x0 \n\xff\0",
            _ => b"\n\t =x:.\0\xff",
        };
        let first = all.first().map_or(0, |(_, start, _)| *start);
        let mut bytes = victim.bytes.clone();
        for at in first..victim.bytes.len() {
            // A changed header of the next record can affect the one before.
            let before = complete_records_before(&all, at)
                .saturating_sub(usize::from(victim.form == FileFormat::Text));
            for byte in others {
                bytes[at] = *byte;
                let got = records(&victim, &bytes);
                assert_eq!(
                    got.get(..before),
                    all.get(..before),
                    "{} at {at}: {}",
                    victim.name,
                    *byte as char
                );
            }
            bytes[at] = victim.bytes[at];
        }
    }
}

#[test]
fn every_fold_column_reads_the_same() {
    let folds = |kind| !matches!(kind, DumpKind::Nodes | DumpKind::Reservations);
    let is_text = |victim: &Victim| victim.form == FileFormat::Text && folds(victim.kind);
    for victim in victims().into_iter().filter(is_text) {
        let all: Vec<_> =
            records(&victim, &victim.bytes).into_iter().map(|(name, _, rest)| (name, rest)).collect();
        let mut start = 0;
        for line in victim.bytes.split_inclusive(|byte| *byte == b'\n') {
            let value = line.windows(3).position(|window| window == b" = ").map(|at| at + 3);
            let is_first = line.starts_with(b"    ") && !line.starts_with(b"     ");
            if let (Some(value), true) = (value, is_first) {
                for column in value + 1..line.trim_ascii_end().len() {
                    for fold in ["\n\t", "\n        "] {
                        let (before, after) = victim.bytes.split_at(start + column);
                        let folded = [before, fold.as_bytes(), after].concat();
                        let got: Vec<_> = records(&victim, &folded)
                            .into_iter()
                            .map(|(name, _, rest)| (name, rest))
                            .collect();
                        assert_eq!(got, all, "{} at {}", victim.name, start + column);
                    }
                }
            }
            start += line.len();
        }
    }
}
