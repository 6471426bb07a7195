//! `tests/rules.toml` names what holds each rule; everything named there has to exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
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

/// Names of all tests below a folder.
fn tests_below(folder: &Path, names: &mut BTreeSet<String>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            tests_below(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(tests_of(&fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Names of functions marked as tests.
fn tests_of(text: &str) -> Vec<String> {
    let after_mark = text.split("#[test]").skip(1);
    let named = after_mark.filter_map(|rest| {
        let name = rest.split_once("fn ")?.1;
        Some(name.split(['(', '<']).next()?.trim().to_owned())
    });
    named.collect()
}

/// Every numbered rule, every bug and every departure.
const NUMBERS: &str = "
    2.1 2.2 2.3 2.4.1 2.4.2 2.4.3 2.4.4 2.4.5 2.4.6 2.4.7 2.5
    3.1.1 3.1.2 3.1.3 3.1.4 3.1.5 3.1.6 3.1.7 3.1.8 3.1.9 3.1.10 3.1.11 3.1.12 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9
    4.1 4.2.1 4.2.2 4.2.3 4.2.4 4.2.5 4.2.6 4.2.7 4.3 4.4.A 4.4.B 4.5 4.6 4.7
    5.1.1 5.1.2 5.1.3 5.1.4 5.2 5.3 5.4.1 5.4.2 5.4.3 5.5 5.6.N1 5.6.N2 5.6.N3 5.6.N4 5.7
    6.1 6.2 6.3 6.4.0 6.4.1 6.4.2 6.4.3 6.4.4 6.4.5 6.4.6 6.4.7 6.4.8 6.4.9 6.4.10
    6.5 6.6 6.7 6.8 6.9 6.10 6.11 6.12 6.13
    M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12
    B1 B2 B3 B4 D1 D2 D3 D4 D5 D6 D10 D11 D12
    R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12";

#[test]
fn no_rule_is_missing() {
    let rules = rules();
    let named: BTreeSet<&str> = rules.keys().map(String::as_str).collect();
    let numbers: BTreeSet<&str> = NUMBERS.split_whitespace().collect();
    assert_eq!(
        numbers.difference(&named).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "not in tests/rules.toml"
    );
    assert_eq!(named.difference(&numbers).collect::<Vec<_>>(), Vec::<&&str>::new(), "no such rules");
    let count = |test: &dyn Fn(&Rule) -> bool| rules.values().filter(|rule| test(rule)).count();
    let summary = format!(
        "rules {}: {} held by cases, {} by tests alone, {} by nothing yet, each with the reason\n",
        rules.len(),
        count(&|rule| !rule.cases.is_empty()),
        count(&|rule| rule.cases.is_empty() && !rule.tests.is_empty()),
        count(&|rule| rule.none.is_some())
    );
    std::io::stdout().write_all(summary.as_bytes()).unwrap();
}

#[test]
fn every_rule_is_held_by_something_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = BTreeSet::new();
    tests_below(&root.join("src"), &mut tests);
    tests_below(&root.join("tests/it"), &mut tests);
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
