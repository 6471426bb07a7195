//! House rules that no lint knows: colours live in the theme, the terminal in the console.

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

/// Files outside the folder that hold one of the words.
fn strays(folder: &str, words: &[&str]) -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = src.join(folder);
    let files = sources(&src).into_iter().filter(|path| !path.starts_with(&inside));
    files.filter(|path| words.iter().any(|word| fs::read_to_string(path).unwrap().contains(word))).collect()
}

#[test]
fn colours_are_named_in_the_theme_only() {
    assert_eq!(
        strays("console/theme", &["style::Color", "Color::Rgb", "Color::Indexed", "Color::Reset"]),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn only_the_console_knows_the_terminal() {
    assert_eq!(strays("console", &["ratatui::", "crossterm::"]), Vec::<PathBuf>::new());
}
