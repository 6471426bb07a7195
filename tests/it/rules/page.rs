//! The rules as a page of the documentation: `src/engine/rules.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::entry::{Rule, System};

/// Environment variable with which the page is written instead of compared.
pub(super) const WRITE: &str = "QSCOPE_WRITE";

const INTRODUCTION: &str = "# Rules of the scheduler and of the policies

The rules that the model implements, each with the cases and tests that hold it. A rule is known by its id; its number \
is the alias under which comments cite it, `rule 3.7`. Numbers are those of one system; outside the modules of that \
system the citation names it, `packing rule 3`. Cases are clusters in `tests/cases` with the answer of the real \
scheduler, tests are functions by name.

This page is written from `tests/rules.toml` by `QSCOPE_WRITE=1 cargo test --test it rules::`; edit that file, not \
this page.
";

/// Returns the path of the page.
pub(super) fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine/rules.md")
}

/// Renders the page of these rules, in their order.
pub(super) fn render(rules: &[(String, Rule)]) -> String {
    let anchors: BTreeMap<&str, String> =
        rules.iter().map(|(id, rule)| (id.as_str(), anchor(rule))).collect();
    let mut page = INTRODUCTION.to_owned();
    contents(&mut page, rules);
    let mut section = None;
    for (id, rule) in rules {
        let here = (rule.system, rule.section.as_str());
        if section != Some(here) {
            write!(page, "\n## {}\n", heading(rule)).unwrap();
            section = Some(here);
        }
        one(&mut page, id, rule, &anchors);
    }
    page
}

/// Returns the anchor of a rule: for the scheduler by number alone, for others with the system.
fn anchor(rule: &Rule) -> String {
    match rule.system {
        System::Pbs => format!("rule-{}", rule.number),
        system => format!("rule-{}-{}", system.word(), rule.number),
    }
}

fn heading(rule: &Rule) -> String {
    let system = match rule.system {
        System::Pbs => "PBS",
        System::Maui => "Allocation policies",
        System::Capacity => "Capacity",
        System::Packing => "Farm",
        System::Traces => "Traces",
        System::Days => "Simulation",
    };
    format!("{system}: {}", escaped(&rule.section))
}

/// Writes a line for each section, with links to its rules.
fn contents(page: &mut String, rules: &[(String, Rule)]) {
    page.push_str("\n## Contents\n\n");
    for group in rules.chunk_by(|(_, a), (_, b)| (a.system, &a.section) == (b.system, &b.section)) {
        let links: Vec<String> =
            group.iter().map(|(id, rule)| format!("[`{id}`](#{})", anchor(rule))).collect();
        writeln!(page, "- **{}**: {}", heading(&group[0].1), links.join(", ")).unwrap();
    }
}

fn one(page: &mut String, id: &str, rule: &Rule, anchors: &BTreeMap<&str, String>) {
    let alias = match rule.system {
        System::Pbs => format!("rule {}", rule.number),
        system => format!("{} rule {}", system.word(), rule.number),
    };
    let title = escaped(&rule.title);
    write!(page, "\n### `{id}`\n\n<a id=\"{}\"></a>**{title}** ({alias})\n", anchor(rule)).unwrap();
    write!(page, "\n{}\n", linked(&rule.sentences(), anchors)).unwrap();
    write!(page, "\n{}\n", held_by(rule)).unwrap();
}

/// Returns the cases and tests of a rule, as one paragraph.
fn held_by(rule: &Rule) -> String {
    let named = |what: &str, names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| format!("{what}: {}.", names.join(", ")))
    };
    let quirk = rule.quirk.as_ref().map(|quirk| format!("Switched by `--quirk {quirk}=on|off`."));
    let none = rule.none.as_ref().map(|why| format!("Not tested: {}.", escaped(why)));
    let parts = [quirk, named("Cases", &rule.cases), named("Tests", &rule.tests), none];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns a text with its code unchanged, everything else escaped, and the ids of rules as links.
fn linked(text: &str, anchors: &BTreeMap<&str, String>) -> String {
    let pieces = text.split('`').enumerate().map(|(at, piece)| match (at % 2, anchors.get(piece)) {
        (0, _) => escaped(piece),
        (_, Some(anchor)) => format!("[`{piece}`](#{anchor})"),
        (_, None) => format!("`{piece}`"),
    });
    pieces.collect()
}

/// Escapes the characters of Markdown and HTML in a text, except in code.
fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            write!(plain, "`{piece}`").unwrap();
            continue;
        }
        for c in piece.chars() {
            if "\\[]<>*_|".contains(c) {
                plain.push('\\');
            }
            plain.push(c);
        }
    }
    plain
}

#[test]
fn marks_of_markdown_mean_themselves() {
    let anchors = BTreeMap::from([("a-rule", "rule-1".to_owned())]);
    assert_eq!(
        linked("a [b] <c> *d* `e[0] <f>`, see `a-rule`", &anchors),
        "a \\[b\\] \\<c\\> \\*d\\* `e[0] <f>`, see [`a-rule`](#rule-1)"
    );
}
