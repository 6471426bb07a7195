//! `tests/rules.toml` states what each rule is and which tests verify it; everything named there has to exist, and
//! every rule that the code cites has to be there.

mod cite;
mod entry;
mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use qscope::universe::Quirk;

use super::cases;
use cite::{citations, system_of};
use entry::{Rule, System, rules};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Collects all Rust files below a folder.
fn sources_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources_below(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the sources of the program and of its tests.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["src", "tests/it", "tests/oracle"] {
        sources_below(&root().join(folder), &mut files);
    }
    files.sort();
    files
}

/// Returns the names of functions marked as tests.
fn tests_of(text: &str) -> Vec<String> {
    let after_mark = text.split("#[test]").skip(1);
    let named = after_mark.filter_map(|rest| {
        let name = rest.split_once("fn ")?.1;
        Some(name.split(['(', '<']).next()?.trim().to_owned())
    });
    named.collect()
}

/// Every rule of every system, by its number.
const NUMBERS: [(System, &str); 6] = [
    (
        System::Pbs,
        "0 1.1 1.2 1.3 1.4 1.6 1.7 1.8 1.9 1.10 1.11
        2.1 2.2 2.3 2.4 2.4.1 2.4.2 2.4.3 2.4.4 2.4.5 2.4.6 2.4.7 2.5
        3.1 3.1.1 3.1.2 3.1.3 3.1.4 3.1.5 3.1.6 3.1.7 3.1.8 3.1.9 3.1.10 3.1.11 3.1.12
        3.2 3.3 3.4 3.4.U 3.5 3.6 3.7 3.8 3.9
        4.1 4.2 4.2.1 4.2.2 4.2.3 4.2.4 4.2.5 4.2.6 4.2.7 4.3 4.4 4.4.A 4.4.B 4.5 4.6 4.7
        5.1 5.1.1 5.1.2 5.1.3 5.1.4 5.2 5.3 5.4 5.4.1 5.4.2 5.4.3 5.5 5.6 5.6.N1 5.6.N2 5.6.N3 5.6.N4 5.7
        6.1 6.2 6.3 6.4 6.4.0 6.4.1 6.4.2 6.4.3 6.4.4 6.4.5 6.4.6 6.4.7 6.4.8 6.4.9 6.4.10
        6.5 6.6 6.7 6.8 6.9 6.10 6.11 6.12 6.13 7 8.7 9.16 10.2 10.5
        11.2 11.4 11.5 11.6 11.7 11.9 11.14 11.15 11.16 11.22 11.26
        B1 B2 B3 B4 B5 D1 D2 D3 D4 D5 D6 D10 D11 D12
        M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12 M13 M14 M15
        M16 M17 M18 M19 M20 M21 M22 M23 M24 M25 M26 M27 M28 M29 M30 M31 M32 M33 M34 M35 M36 M37 M38 M39 M40
        M41 M42 M43 M44 M45 M46 M47 M48 M49 M50 M51 M52",
    ),
    (
        System::Maui,
        "0.3 0.4 0.5 0.6 0.7 0.8 0.9 0.11 0.13
        1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 1.12 1.13 1.14 1.15
        2.1 2.2 2.3 2.4 2.5 2.6 2.7 3.1 3.2 3.3 3.4 3.5 10.1 10.3 13.2 13.11 13.14",
    ),
    (System::Capacity, "1 2 3 4 5 6 7 8 9 11 12 13.1 13.2 13.4 13.5 13.6 13.7 13.9 13.10"),
    (System::Packing, "0 1 3 4 6 8 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12"),
    (System::Traces, "1 3"),
    (System::Days, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"),
];

#[test]
fn no_rule_is_missing() {
    let rules = rules();
    let mut named: BTreeMap<(System, &str), &str> = BTreeMap::new();
    for (id, rule) in &rules {
        let other = named.insert((rule.system, &rule.number), id);
        assert_eq!(other, None, "{} rule {} is also {id}", rule.system.word(), rule.number);
    }
    let of_system = |(system, numbers): (System, &'static str)| {
        numbers.split_whitespace().map(move |number| (system, number))
    };
    let numbers: BTreeSet<(System, &str)> = NUMBERS.into_iter().flat_map(of_system).collect();
    let named: BTreeSet<(System, &str)> = named.into_keys().collect();
    assert_eq!(
        numbers.difference(&named).collect::<Vec<_>>(),
        Vec::<&(_, _)>::new(),
        "not in tests/rules.toml"
    );
    assert_eq!(named.difference(&numbers).collect::<Vec<_>>(), Vec::<&(_, _)>::new(), "no such rules");
    let count = |test: &dyn Fn(&Rule) -> bool| rules.iter().filter(|(_, rule)| test(rule)).count();
    let summary = format!(
        "rules {}: {} held by cases, {} by tests alone, {} by nothing yet, each with the reason\n",
        rules.len(),
        count(&|rule| !rule.cases.is_empty()),
        count(&|rule| rule.cases.is_empty() && !rule.tests.is_empty()),
        count(&|rule| rule.none.is_some())
    );
    std::io::stdout().write_all(summary.as_bytes()).unwrap();
}

/// Returns whether an id consists of lower-case words joined by hyphens.
fn is_kebab(id: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    id.split('-').all(word)
}

/// Ids are keys of the file and therefore unique; each is readable, and so is its rule.
#[test]
fn every_rule_can_be_read() {
    let rules = rules();
    let ids: BTreeSet<&str> = rules.iter().map(|(id, _)| id.as_str()).collect();
    for (id, rule) in &rules {
        assert!(is_kebab(id), "{id}: an id is words in small letters, joined by hyphens");
        assert!(!rule.title.is_empty() && !rule.title.ends_with('.'), "{id}: a title without a full stop");
        let text = rule.sentences();
        let ends = text.ends_with(['.', '`']);
        assert!(ends && text.split('`').count() % 2 == 1, "{id}: whole sentences: {text}");
        assert!(!text.contains("//"), "{id}: no address: {text}");
        // What looks like the id of a rule is one.
        let spans = text.split('`').skip(1).step_by(2);
        let like_ids =
            spans.filter(|span| span.contains('-') && is_kebab(span) && !span.contains(char::is_numeric));
        for span in like_ids {
            assert!(ids.contains(span), "{id}: no rule `{span}`");
        }
    }
}

/// The file is ordered by system, then by number, section by section.
#[test]
fn rules_stand_in_the_order_of_their_numbers() {
    let rules = rules();
    let text = fs::read_to_string(entry::file()).unwrap();
    let in_file: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("[rule.")?.strip_suffix(']')).collect();
    let in_order: Vec<&str> = rules.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(in_file, in_order);
    let mut sections: Vec<(System, &str)> =
        rules.iter().map(|(_, rule)| (rule.system, rule.section.as_str())).collect();
    sections.dedup();
    let distinct: BTreeSet<_> = sections.iter().collect();
    assert_eq!(sections.len(), distinct.len(), "each section in one piece: {sections:?}");
}

/// A citation names a rule, or a section that has rules.
#[test]
fn every_rule_that_is_cited_is_there() {
    let rules = rules();
    let is_there = |system: System, number: &str| {
        let of_section = format!("{number}.");
        let mut numbers =
            rules.iter().filter(|(_, rule)| rule.system == system).map(|(_, rule)| &rule.number);
        numbers.any(|have| have == number || have.starts_with(&of_section))
    };
    let mut cited = 0;
    let mut unknown = Vec::new();
    for path in sources() {
        let within = path.strip_prefix(root()).unwrap();
        if within.starts_with("tests/it/rules/cite.rs") {
            // Holds examples of citations.
            continue;
        }
        for citation in citations(&fs::read_to_string(&path).unwrap()) {
            cited += 1;
            let system = citation.system.unwrap_or_else(|| system_of(within));
            if !is_there(system, &citation.number) {
                let (line, number) = (citation.line, citation.number);
                unknown.push(format!("{}:{line}: {} rule {number}", within.display(), system.word()));
            }
        }
    }
    assert!(unknown.is_empty(), "not in tests/rules.toml:\n{}", unknown.join("\n"));
    std::io::stdout().write_all(format!("{cited} citations of rules\n").as_bytes()).unwrap();
}

#[test]
fn the_page_of_the_rules_is_up_to_date() {
    let (page, file) = (page::render(&rules()), page::file());
    if std::env::var_os(page::WRITE).is_some() {
        fs::write(&file, page).unwrap();
        return;
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    let lines = || found.lines().zip(page.lines());
    let at = lines()
        .position(|(have, want)| have != want)
        .map_or("at its end".to_owned(), |at| format!("line {}", at + 1));
    assert!(
        found == page,
        "{} differs from tests/rules.toml ({at}): write it anew with `{}=1 cargo test --test it rules::`",
        file.display(),
        page::WRITE
    );
}

#[test]
fn every_rule_is_held_by_something_that_exists() {
    let mut tests = BTreeSet::new();
    for path in sources() {
        tests.extend(tests_of(&fs::read_to_string(&path).unwrap()));
    }
    for (id, rule) in rules() {
        let held = !rule.cases.is_empty() || !rule.tests.is_empty();
        assert!(held != rule.none.is_some(), "rule {id}: held by something, or `none` says why not");
        for case in &rule.cases {
            let known = cases::all().iter().any(|known| known.name == *case);
            assert!(known, "rule {id}: no case `{case}`");
        }
        for test in &rule.tests {
            assert!(tests.contains(test), "rule {id}: no test `{test}`");
        }
    }
}

#[test]
fn every_quirk_is_a_rule() {
    let named: BTreeSet<String> = rules().into_iter().filter_map(|(_, rule)| rule.quirk).collect();
    let known: BTreeSet<String> = Quirk::ALL.iter().map(|quirk| quirk.name().to_owned()).collect();
    assert_eq!(named, known);
}

/// Cases that verify a rule agree with the real scheduler in the decisive fields.
#[test]
fn cases_of_rules_are_not_excused() {
    let list: toml::Table =
        toml::from_str(&fs::read_to_string(cases::folder().join("exceptions.toml")).unwrap()).unwrap();
    for (id, rule) in rules() {
        for case in &rule.cases {
            let Some(entry) = list.get(case).and_then(toml::Value::as_table) else { continue };
            let lines = ["both", "observed", "fixed"].into_iter().filter_map(|key| entry.get(key));
            let text: Vec<String> = lines.map(ToString::to_string).collect();
            let decides = ["verdict", "path", "exec_vnode", "listed"];
            let words = |text: &String| text.split(['"', ' ', ':']).any(|word| decides.contains(&word));
            assert!(!text.iter().any(words), "rule {id}: {case} does not agree: {text:?}");
        }
    }
}

/// The rule that selects a path is named by its id, on screens and in texts.
#[test]
fn rules_of_the_path_have_the_ids_of_the_list() {
    use qscope::placement::PathRule as P;
    let list: toml::Table = fs::read_to_string("tests/rules.toml").unwrap().parse().unwrap();
    let number = |rule: P| list["rule"][rule.id()]["number"].as_str().unwrap().to_owned();
    for rule in [
        P::PerJobSort,
        P::AvoidProvision,
        P::Qrun,
        P::InReservation,
        P::Shared,
        P::NotExclusive,
        P::Pack,
        P::MultiVnode,
        P::NamesHost,
        P::NamesVnode,
        P::PreviousPlacement,
    ] {
        assert_eq!(number(rule), format!("3.1.{}", rule.number()), "{}", rule.id());
    }
    assert_eq!(number(P::AllHold), "3.1");
    assert!(!number(P::Policy).is_empty());
}

/// So is every rule that decides about a job.
#[test]
fn rules_that_decide_have_the_ids_of_the_list() {
    use qscope::cycle::{DECIDING_RULES, StopRule};
    use qscope::placement::PathRule;
    let list: toml::Table = fs::read_to_string("tests/rules.toml").unwrap().parse().unwrap();
    for id in DECIDING_RULES {
        assert!(list["rule"].get(*id).is_some(), "{id}");
    }
    let stops = StopRule::ALL.iter().map(|rule| rule.id());
    let all: Vec<&str> = stops.chain(PathRule::IDS.iter().copied()).collect();
    assert_eq!(DECIDING_RULES, all);
}
