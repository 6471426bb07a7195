//! Texts that were replaced (console.md 7.2 and 7.3) must not return: on screens, in help, in the README and the
//! manual, and in the strings of the code, from which texts in JSON are made.

use std::fs;
use std::path::Path;

use super::words::collect;

/// Phrases that no text may have: words without an actor, and the left sides of the table of replacements.
const REPLACED: &[&str] = &[
    "shall",
    "turned away",
    "looked into",
    "as it stands",
    "gives up",
    "Into the decision, and into",
    "Say what to run to",
    "Go to what is under the cursor",
    "Give the next pane the focus",
    "stay with this generation",
    "Take the setting away",
    "The second view",
    "does nothing here",
    "nothing has been read yet",
    "nothing under the cursor to copy",
    "nothing is inside this",
    "Nothing has such a name",
    "is not renewed",
    "not the live cycle; F goes back",
    "options are assumed as shipped",
    "clock frozen at",
    "scheduling is OFF",
    "keeps the name of",
    "nothing was odd",
    "Enter keeps the filter",
    "Esc takes it away",
    "left aside: {why}",
    "nothing is queued, and nothing is held",
    "has what a chunk wants",
    "turned down by this decision",
    "yet free in this bitmap",
    "the scheduler's last word",
    "differs from this cycle",
    "array runs as many as it may",
    "0 left of NaN",
    "Waits: fragmented",
    "lose none",
    "ncpus lie idle",
    "no set could ever hold it",
    "In its way",
    "not at all as things are",
    "What would let it start now",
    "Waiting jobs that it does not take",
    "promised to:",
    "ended; x goes on",
    "; x ends it",
    "whatever was considered starts",
    "There is no other generation yet",
    "judged otherwise",
    "No job waits, nothing was logged",
    "perhaps a ghost",
    "no dump says when it was made",
    "Say why a job waits or runs",
    "Hold the model against",
];

#[test]
fn replaced_texts_do_not_come_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md")];
    collect(&root.join("src"), &mut files);
    collect(&root.join("tests/it/snapshots"), &mut files);
    assert!(files.len() > 500, "{}", files.len());
    let mut found = Vec::new();
    for file in files {
        let is_code = file.extension().is_some_and(|ending| ending == "rs");
        let text = fs::read_to_string(&file).unwrap();
        for (at, line) in text.lines().enumerate() {
            let line = if is_code { strings(line) } else { line.to_owned() };
            for phrase in REPLACED.iter().filter(|phrase| has(&line, phrase)) {
                found.push(format!("{}:{}: {phrase}", file.display(), at + 1));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_strings_of_code_are_texts() {
    assert_eq!(strings("let a = \"one \\\"two\\\"\"; // \"three\""), "one \\\"two\\\"");
    assert_eq!(strings("    /// What \"it\" shall be"), "");
    assert!(has("it shall be", "shall") && !has("shallow", "shall"));
}

/// Phrases that the glossary (console.md 7.1) replaces, in cells of verdicts, reasons and states.
const NOT_SAID: &[&str] = &[
    "turned away",
    "not now",
    "skipped",
    "is told",
    "short now",
    "scattered",
    "others ahead",
    "as many as it may",
    "hanging",
    "parked",
    "slip in",
    "ghost",
    "dead job",
    "promised to",
    "kept for it",
    "part of the select",
    "lacks",
    "wish",
    "wants",
    // Nodes are free, part, full or out; `busy` is the name of a bitmap, and may be used.
    "are idle",
    "when idle",
    "idle cluster",
    "buckets idle",
];

/// Checks every sample on the first screen, as jobs, as a table of nodes, in a step and in its reason.
#[test]
fn verdicts_reasons_and_states_are_said_in_the_words_of_the_glossary() {
    use qscope::console::action::Action::{self, AskWhy, StepForward, Toggle, View1, View2, View3, View8};
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let views: [&[Action]; 6] = [&[], &[View3], &[View2, Toggle], &[View1, StepForward], &[AskWhy], &[View8]];
    let (mut found, mut screens) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        // Those of other commands have no cluster in them.
        if !["nodes.json", "nodes.txt", "nodes.toml"].iter().any(|file| path.join(file).exists()) {
            continue;
        }
        let mut stage = super::console_cycle::Stage::open(name, 200, 60);
        for keys in views {
            let seen = stage.act(keys).see();
            screens += 1;
            for line in seen.lines() {
                found.extend(
                    NOT_SAID
                        .iter()
                        .filter(|phrase| has(line, phrase))
                        .map(|p| format!("{name}: {p}: {line}")),
                );
            }
        }
    }
    assert!(screens > 100, "{screens}");
    assert!(found.is_empty(), "{found:#?}");
}

/// The reason of a job and of a cause has one name: what programs read is what Jobs, Why and Board show, and the
/// words of the table's verdicts are values of the filter.
#[test]
fn programs_and_console_name_a_cause_alike() {
    use qscope::console::action::Action::{Accept, AskWhy, Close, Filter, Palette, View3, View8};
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus");
    let json = |arguments: &[&str]| -> serde_json::Value {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"));
        serde_json::from_slice(&program.args(arguments).output().unwrap().stdout).unwrap()
    };
    let folder = folder.to_str().unwrap();
    let board = json(&["board", folder, "--json"]);
    let mut stage = super::console_cycle::Stage::open("campus", 200, 60);
    let seen = stage.act(&[View8]).see();
    let causes = board["causes"].as_array().unwrap();
    assert!(causes.len() > 5, "{board}");
    for cause in causes {
        let name = cause["reason_name"].as_str().unwrap();
        assert!(seen.contains(name), "{name}\n{seen}");
        let job = cause["jobs"][0].as_str().unwrap();
        let why = json(&["why", job, folder, "--fast", "--json"]);
        assert_eq!(why["reason_name"], cause["reason_name"], "{job}");
        stage.act(&[Palette]).type_in(&format!("why {job}"));
        let answer = stage.act(&[Accept, AskWhy]).see();
        assert!(answer.contains(name), "{job}: {name}\n{answer}");
        stage.act(&[Close, View8]);
    }
    for word in ["wait", "never", "skip", "run", "runs"] {
        stage.act(&[View3, Filter]).type_in(&format!("verdict={word}"));
        let seen = stage.act(&[Accept]).see();
        assert!(!seen.contains("has no value") && !seen.contains("No match"), "{word}\n{seen}");
        stage.act(&[Close]);
    }
}

/// Returns whether a line contains a phrase as separate words.
fn has(line: &str, phrase: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    line.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + phrase.len()..]);
        !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
    })
}

/// Returns the text between quotes in a line of code that is not a comment.
fn strings(line: &str) -> String {
    if line.trim_start().starts_with("//") {
        return String::new();
    }
    let mut text = String::new();
    let (mut inside, mut escaped, mut last) = (false, false, ' ');
    for c in line.chars() {
        match c {
            '/' if !inside && last == '/' => break,
            '"' if !escaped => inside = !inside,
            _ if inside => text.push(c),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        last = c;
    }
    text
}
