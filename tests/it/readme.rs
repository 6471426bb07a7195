//! The examples of the README, run exactly as written there.

use std::path::Path;
use std::process::Output;

use crate::ran::ran;

use serde_json::Value;

const START: &str = "cargo run --release -- ";

/// Returns the commands, a list of words each.
fn examples() -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).unwrap();
    let commands = text.lines().filter_map(|line| line.strip_prefix(START));
    commands.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

fn run(words: &[String], more: &[&str]) -> Output {
    ran(words.iter().map(String::as_str).chain(more.iter().copied()))
}

/// Returns whether a command opens the console, which needs a terminal.
fn opens_the_console(words: &[String]) -> bool {
    words == ["tour"] || words.iter().all(|word| word.starts_with("samples/"))
}

#[test]
fn every_example_answers() {
    let (mut answered, mut opened) = (0, 0);
    for words in examples() {
        if opens_the_console(&words) {
            let mut folders = words.iter().filter(|word| *word != "tour");
            assert!(folders.all(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).is_dir()));
            opened += 1;
            continue;
        }
        let output = run(&words, &[]);
        // Exit code 1 means "no": jobs wait, or the cycles differ.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {output:?}");
        assert!(output.stdout.len() > 100 && output.stderr.is_empty(), "{words:?}: {output:?}");
        answered += 1;
    }
    assert!(answered >= 6 && opened >= 1, "{answered} {opened}");
}

/// A what-if that changes nothing would demonstrate nothing.
#[test]
fn every_what_if_touches_a_job() {
    let changes = ["--set", "--add-nodes", "--policy", "--at"];
    let mut seen = 0;
    for words in examples().into_iter().filter(|words| words.iter().any(|word| changes.contains(&&**word))) {
        assert_eq!(words[0], "compare", "{words:?}: only compare shows what became of it");
        let found: Value = serde_json::from_slice(&run(&words, &["--json"]).stdout).unwrap();
        let jobs: usize =
            found["jobs"].as_object().unwrap().values().map(|kind| kind.as_array().unwrap().len()).sum();
        assert!(jobs > 0, "{words:?}: {found}");
        seen += 1;
    }
    assert!(seen >= 2, "{seen}");
}

/// The program states that it changes nothing: in the first paragraph of the README and in the first line of the help.
#[test]
fn it_is_stated_that_only_reading_is_done() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(text.split("\n\n").nth(1).unwrap().contains("It only reads"), "{text}");
    for flag in ["--help", "-h"] {
        let output = run(&[], &[flag]);
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.split("\n\n").next().unwrap().contains("only reads"), "{help}");
    }
}
