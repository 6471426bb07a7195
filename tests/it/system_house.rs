//! Files are opened and written, and programs started, in one room only.

use std::fs;
use std::path::{Path, PathBuf};

/// Collects all Rust files in a folder.
pub(crate) fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Calls that open, write or start something without that room.
const CALLS: [&str; 17] = [
    "File::open",
    "File::create",
    "File::options",
    "OpenOptions",
    "fs::read(",
    "fs::read_to_string(",
    "fs::write(",
    "fs::copy(",
    "fs::rename(",
    "fs::hard_link(",
    "fs::remove_file(",
    "fs::open(",
    "DirBuilder",
    "create_dir",
    "openat(",
    "process::Command",
    "Command::new(",
];

/// Whether a line has a call; a type whose name only ends like it is another.
fn is_called(line: &str, call: &str) -> bool {
    let is_part = |before: &str| before.ends_with(|c: char| c.is_alphanumeric());
    line.match_indices(call).any(|(at, _)| !is_part(&line[..at]))
}

#[test]
fn no_other_room_opens_files_or_starts_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    let (mut found, mut at_home) = (Vec::new(), 0);
    for path in paths {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        if name.ends_with("tests.rs") || name.contains("/tests/") || name == "source/damage.rs" {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let program = text.split("#[cfg(test)]\nmod ").next().unwrap();
        for (number, line) in (1..).zip(program.lines()) {
            let calls =
                CALLS.iter().any(|call| is_called(line, call)) && !line.trim_start().starts_with("//");
            // Whether there is a terminal is found out by opening it.
            if calls && name.starts_with("system") {
                at_home += 1;
            } else if calls && !line.contains("File::open(\"/dev/tty\")") {
                found.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    }
    assert_eq!(found, [""; 0]);
    assert!(at_home > 5, "the calls are looked for: {at_home}");
}
