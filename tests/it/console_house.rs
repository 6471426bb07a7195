//! House rules that no lint checks: colours are defined in the theme, the terminal is used in the console, and text
//! leaves through its exits.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the files outside the folder that contain one of the words.
fn strays(folder: &str, words: &[&str]) -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = src.join(folder);
    let files = sources(&src).into_iter().filter(|path| !path.starts_with(&inside));
    files.filter(|path| words.iter().any(|word| fs::read_to_string(path).unwrap().contains(word))).collect()
}

#[test]
fn colours_are_named_in_the_theme_only() {
    let words = ["style::Color", "Color::Rgb", "Color::Indexed", "Color::Reset"];
    let mut strays = strays("console/theme", &words);
    // It names none: it writes what the theme has chosen.
    let output = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/console/terminal/output");
    strays.retain(|path| !path.starts_with(&output) && *path != output.with_extension("rs"));
    assert_eq!(strays, Vec::<PathBuf>::new());
}

#[test]
fn only_the_console_knows_the_terminal() {
    assert_eq!(strays("console", &["ratatui::", "crossterm::"]), Vec::<PathBuf>::new());
}

/// Exits: new code that writes to a stream or makes JSON must use one of them.
#[test]
fn text_leaves_by_the_exits_only() {
    let streams = strays("exits", &["stdout()", "stderr()", "println!", "CopyToClipboard"]);
    let names = |files: Vec<PathBuf>| -> Vec<String> {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut names: Vec<String> =
            files.iter().map(|path| path.strip_prefix(&src).unwrap().display().to_string()).collect();
        names.sort();
        names
    };
    // The command's lines and its meter; the console's screen, and its report after the end.
    assert_eq!(
        names(streams),
        [
            "command/meter.rs",
            "command/output.rs",
            "console/panics.rs",
            "console/run.rs",
            "console/terminal.rs",
        ]
    );
    let json = strays("exits", &["serde_json::to_string", "serde_json::to_writer", "serde_json::to_vec"]);
    assert_eq!(names(json), ["source/collect/filter/tests.rs", "source/json/agreement.rs"], "tests only");
}
