//! One vocabulary: words that were replaced must not return to the code, its comments, its texts or the screens.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Code does not hear, say or wish, and every actor has a name: `receive`, `report`, `state`, `request`, `user`, `job`.
const VERBS: [&str; 20] = [
    "hear",
    "hears",
    "heard",
    "hearing",
    "tell",
    "tells",
    "telling",
    "told",
    "say",
    "says",
    "saying",
    "said",
    "wish",
    "wishes",
    "nobody",
    "somebody",
    "anybody",
    "everybody",
    "dive",
    "dives",
];

/// Former names of types and constants, now `EventKind`, `Occupant`, `Availability`, `SetsByNode`, `DirtySets`,
/// `Requests`, `Eligibility`, `DecisionLine`, `Summary`, `OpenViews`, `Screen`, `ThemeOptions`, `SubjectState`,
/// `WatchMode`, `MAX_…`.
const NAMES: [&str; 16] = [
    "Happening",
    "Party",
    "Pocket",
    "Around",
    "Unsettled",
    "Asked",
    "Standing",
    "Told",
    "Census",
    "Desk",
    "Shown",
    "Taste",
    "Looks",
    "Lens",
    "Means",
    "Wish",
];

/// Words that must not appear on a screen or in the manual: a reading of all files is called a snapshot there.
const ON_SCREEN: [&str; 2] = ["generation", "generations"];

/// Files in which a word stays, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("src/engine/cluster/elim.rs", "tell", "the message is part of the reference answers of elim lines"),
    ("src/command/why/json.rs", "said", "`scheduler_said` is a key of the contract"),
    ("src/command/agree/json.rs", "said", "`said` is a key of the contract"),
    ("src/session/agreement/class.rs", "said", "`said` is a key of the contract"),
    ("src/session/agreement/logged.rs", "said", "`said` is a key of the contract"),
];

/// Folders whose words are replaced in another change; empty once that is merged.
const PENDING: &[&str] = &[];

#[test]
fn replaced_words_do_not_come_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md")];
    collect(&root.join("src"), &mut files);
    collect(&root.join("tests/it/snapshots"), &mut files);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let path = file.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        if PENDING.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for (at, line) in text.lines().enumerate() {
            for word in replaced(line, !path.ends_with(".rs")) {
                if !ALLOWED.iter().any(|(allowed, what, _)| *allowed == path && *what == word) {
                    found.entry(path.clone()).or_default().push(format!("{}: {word}", at + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "replaced words, with their lines: {found:#?}");
}

#[test]
fn every_exception_is_needed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (path, word, reason) in ALLOWED {
        let text = fs::read_to_string(root.join(path)).unwrap();
        let is_there = text.lines().any(|line| replaced(line, true).contains(&(*word).to_owned()));
        assert!(is_there && !reason.is_empty(), "{path} has no `{word}`");
    }
}

#[test]
fn words_are_found_within_names() {
    assert_eq!(replaced("fn round_told(&self) { Standing::now() }", false), ["told", "Standing"]);
    assert_eq!(replaced("let isSaid = MOST_ROWS; // the generation", true), ["said", "MOST_", "generation"]);
    assert_eq!(replaced("understanding the essay, retold with means around", false), Vec::<String>::new());
}

/// Returns the replaced words of a line, also within names.
fn replaced(line: &str, on_screen: bool) -> Vec<String> {
    let mut found = Vec::new();
    for name in line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        for word in words(name) {
            let plain = word.to_ascii_lowercase();
            if VERBS.contains(&plain.as_str()) || (on_screen && ON_SCREEN.contains(&plain.as_str())) {
                found.push(plain);
            }
        }
        if !on_screen && NAMES.contains(&name) {
            found.push(name.to_owned());
        }
        if name.starts_with("MOST_") {
            found.push("MOST_".to_owned());
        }
    }
    found
}

/// Returns the words of a name: parts between underscores, and before capitals.
fn words(name: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if c == '_' || (c.is_ascii_uppercase() && after_small) {
            all.push(String::new());
        }
        if c != '_'
            && let Some(last) = all.last_mut()
        {
            last.push(c);
        }
        after_small = c.is_ascii_lowercase();
    }
    all
}

/// Collects all Rust files, pages and snapshots of a folder.
pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            collect(&path, files);
        } else if matches!(ending, Some("rs" | "md" | "snap")) {
            files.push(path);
        }
    }
}
