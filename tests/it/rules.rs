//! `tests/rules.toml` names what holds each rule; everything named there has to exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use qscope::universe::Quirk;
use serde::Deserialize;

use super::cases;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    rule: BTreeMap<String, Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    what: String,
    quirk: Option<String>,
    #[serde(default)]
    cases: Vec<String>,
    #[serde(default)]
    tests: Vec<String>,
    none: Option<String>,
}

fn rules() -> BTreeMap<String, Rule> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules.toml");
    let rules: Rules = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    rules.rule
}

/// Names of all functions below a folder.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            functions(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let name = |rest: &str| {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                rest[..end].to_owned()
            };
            names.extend(text.split("fn ").skip(1).map(name));
        }
    }
}

#[test]
fn every_rule_is_held_by_something_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = BTreeSet::new();
    functions(&root.join("src"), &mut tests);
    functions(&root.join("tests/it"), &mut tests);
    for (number, rule) in rules() {
        assert!(!rule.what.is_empty(), "rule {number} says what it is");
        let held = !rule.cases.is_empty() || !rule.tests.is_empty();
        assert!(held != rule.none.is_some(), "rule {number}: held by something, or `none` says why not");
        for case in &rule.cases {
            let known = cases::all().iter().any(|known| known.name == *case);
            assert!(known, "rule {number}: no case `{case}`");
        }
        for test in &rule.tests {
            assert!(tests.contains(test), "rule {number}: no test `{test}`");
        }
    }
}

#[test]
fn every_quirk_is_a_rule() {
    let named: BTreeSet<String> = rules().into_values().filter_map(|rule| rule.quirk).collect();
    let known: BTreeSet<String> = Quirk::ALL.iter().map(|quirk| quirk.name().to_owned()).collect();
    assert_eq!(named, known);
}

/// What stands for a rule agrees with the real scheduler in what decides.
#[test]
fn cases_of_rules_are_not_excused() {
    let list: toml::Table =
        toml::from_str(&fs::read_to_string(cases::folder().join("exceptions.toml")).unwrap()).unwrap();
    for (number, rule) in rules() {
        for case in &rule.cases {
            let Some(entry) = list.get(case).and_then(toml::Value::as_table) else { continue };
            let lines = ["both", "observed", "fixed"].into_iter().filter_map(|key| entry.get(key));
            let text: Vec<String> = lines.map(ToString::to_string).collect();
            let decides = ["verdict", "path", "exec_vnode", "listed"];
            let words = |text: &String| text.split(['"', ' ', ':']).any(|word| decides.contains(&word));
            assert!(!text.iter().any(words), "rule {number}: {case} does not agree: {text:?}");
        }
    }
}
