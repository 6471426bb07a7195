//! Citations of rules in comments: `rule 6.4`, `rules 3.2, 3.4 and 4.4 B`, `rules 0.3 to 0.7`, `rule 6.4 steps 5 to 7`,
//! `quirks B1 and B3`, `packing rules R1 to R12`.

use std::path::Path;

use super::entry::System;

/// A number cited by a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Citation {
    /// The system, where the text names it; otherwise it follows from the folder.
    pub(super) system: Option<System>,
    pub(super) number: String,
    /// The line, from 1.
    pub(super) line: usize,
}

/// The system of rules that a part of the sources cites, by the name of a folder or file. Where several
/// match, the last on the path to the file counts.
const FOLDERS: [(&str, System); 17] = [
    ("capacity", System::Capacity),
    ("cluster", System::Pbs),
    ("command", System::Pbs),
    ("console", System::Pbs),
    ("cycle", System::Pbs),
    ("engine", System::Pbs),
    ("explain", System::Pbs),
    ("farm", System::Packing),
    ("it", System::Pbs),
    ("oracle", System::Pbs),
    ("placement", System::Pbs),
    ("planning", System::Pbs),
    ("policies", System::Maui),
    ("policies_spec", System::Maui),
    ("session", System::Pbs),
    ("source", System::Pbs),
    ("universe", System::Pbs),
];

/// Returns the system whose rules a file cites unless it names another.
pub(super) fn system_of(path: &Path) -> System {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let known = |part: &&str| {
        let name = part.strip_suffix(".rs").unwrap_or(part);
        FOLDERS.iter().find(|(folder, _)| *folder == name).map(|(_, system)| *system)
    };
    parts.iter().rev().find_map(known).unwrap_or(System::Pbs)
}

/// Returns all citations of a text.
pub(super) fn citations(text: &str) -> Vec<Citation> {
    let words = words(text);
    let mut found = Vec::new();
    for (at, (word, _)) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| core(words[before].0));
        let (system, is_start): (_, fn(&str) -> bool) = match core(word).to_lowercase().as_str() {
            "rule" | "rules" => {
                (System::named(&before.to_lowercase()), |core| is_number(core) || is_lettered(core))
            }
            "quirk" | "quirks" | "bug" | "bugs" => {
                (Some(System::Pbs), |core| core.split(['-', '–']).all(is_lettered))
            }
            "defect" | "defects" => (Some(System::Capacity), is_number),
            _ => continue,
        };
        let list = &words[at + 1..];
        let starts = |(word, _): &(&str, usize)| {
            let core = core(word);
            is_start(core) || core.split('–').all(is_start)
        };
        if list.first().is_some_and(starts) {
            found.extend(List::read(list).into_iter().map(|(number, line)| Citation {
                system,
                number,
                line,
            }));
        }
    }
    found
}

/// Returns the words of a text without comment marks, each with its line.
fn words(text: &str) -> Vec<(&str, usize)> {
    let mut words = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let bare = ["///", "//!", "//"].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
        words.extend(bare.split_whitespace().map(|word| (word, at + 1)));
    }
    words
}

/// Punctuation around a word that is not part of it.
const MARKS: &str = "()[]{},;:.`\"'|";

fn core(word: &str) -> &str {
    word.trim_matches(|c| MARKS.contains(c))
}

/// Returns whether it is a number: `6`, `6.4`.
fn is_number(core: &str) -> bool {
    core.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether it is a lettered number: `R3`, `B1`.
fn is_lettered(core: &str) -> bool {
    core.strip_prefix(['B', 'D', 'M', 'R']).is_some_and(|rest| !rest.contains('.') && is_number(rest))
}

/// Returns whether it is a part of the number before it: `A`, `N2`.
fn is_part(core: &str) -> bool {
    let is_letter = core.len() == 1 && core.bytes().all(|byte| byte.is_ascii_uppercase());
    is_letter || core.strip_prefix('N').is_some_and(|rest| !rest.contains('.') && is_number(rest))
}

/// A list of numbers as read so far.
#[derive(Default)]
struct List {
    found: Vec<(String, usize)>,
    /// The rule that steps, items and letters are parts of.
    whole: String,
    /// Whether single numbers are steps or items of that rule.
    in_items: bool,
    /// Whether the next number ends a range that began with the last one.
    in_range: bool,
    /// Whether another number may follow.
    is_open: bool,
}

impl List {
    fn read(words: &[(&str, usize)]) -> Vec<(String, usize)> {
        let mut list = Self { is_open: true, ..Self::default() };
        for (word, line) in words {
            let core = core(word);
            if !list.take(core, *line) {
                break;
            }
            let behind = word.rsplit_once(core).map_or("", |(_, behind)| behind);
            if !matches!(behind, "" | ",") {
                break;
            }
            list.is_open = behind == "," || matches!(core, "and" | "to") || is_item_word(core);
        }
        list.found
    }

    /// Reads one word; returns whether it belongs to the list.
    fn take(&mut self, word: &str, line: usize) -> bool {
        if let Some((from, to)) = word.split_once('–') {
            self.is_open = true;
            return self.take(from, line) && {
                self.is_open = true;
                self.in_range = true;
                self.take(to, line)
            };
        }
        match word {
            "and" => {}
            "to" => self.in_range = true,
            _ if is_item_word(word) => self.in_items = true,
            _ if is_number(word) && self.is_open && self.in_items && !word.contains('.') => {
                self.push(format!("{}.{word}", self.whole), line);
            }
            _ if (is_number(word) || is_lettered(word)) && self.is_open => {
                self.in_items = false;
                word.clone_into(&mut self.whole);
                self.push(word.to_owned(), line);
            }
            _ if is_part(word) && self.whole.contains('.') => {
                self.push(format!("{}.{word}", self.whole), line);
            }
            _ => return false,
        }
        true
    }

    fn push(&mut self, number: String, line: usize) {
        // A part stands for its rule: "4.4 A" is one citation.
        let whole =
            self.found.pop_if(|(last, _)| *last == self.whole && number.starts_with(&format!("{last}.")));
        let from = self.found.last().map(|(last, _)| last.clone());
        let between = from.filter(|_| self.in_range && whole.is_none());
        let between = between.map_or_else(Vec::new, |from| between_numbers(&from, &number));
        self.found.extend(between.into_iter().map(|number| (number, line)));
        self.found.push((number, line));
        self.in_range = false;
    }
}

fn is_item_word(word: &str) -> bool {
    matches!(word, "step" | "steps" | "test" | "tests" | "item" | "items" | "trap")
}

/// Returns the numbers between two that differ in their last part.
fn between_numbers(from: &str, to: &str) -> Vec<String> {
    let parts = |number: &str| {
        let at = number.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        let (head, tail) = number.split_at(at);
        tail.parse::<u32>().ok().map(|tail| (head.to_owned(), tail))
    };
    match (parts(from), parts(to)) {
        (Some((head, first)), Some((same, last))) if head == same => {
            (first + 1..last).map(|number| format!("{head}{number}")).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn every_form_of_a_citation_is_read() {
    let read = |text: &str| {
        let found = citations(text);
        let shown = |found: Citation| match found.system {
            Some(system) => format!("{} {}", system.word(), found.number),
            None => found.number,
        };
        found.into_iter().map(shown).collect::<Vec<_>>().join(" ")
    };
    for (text, numbers) in [
        ("/// Which path (rule 3.1). The next", "3.1"),
        ("//! On a list (rules 4.4 A,\n//! 4.5), over bitmaps.", "4.4.A 4.5"),
        ("rule 2.7, E1 to E6.", "2.7"),
        ("(rules 5.6 N1, N2 and 5.7)", "5.6.N1 5.6.N2 5.7"),
        ("(rules 6.4 steps 3, 8, 9 and 6.6)", "6.4.3 6.4.8 6.4.9 6.6"),
        ("(rule 6.4 steps 5 to 7)", "6.4.5 6.4.6 6.4.7"),
        ("(rule 6.8; rule 11 item 2 for those past)", "6.8 11.2"),
        ("(rule 4.2,\n//! tests 2, 6 and 7).", "4.2.2 4.2.6 4.2.7"),
        ("Rule 4.2, test 7 and rule 4.4: a job", "4.2.7 4.4"),
        ("rules 0.3 to 0.6", "0.3 0.4 0.5 0.6"),
        ("(rules 3.1–3.3, 4.1)", "3.1 3.2 3.3 4.1"),
        ("bugs B1–B3", "pbs B1 pbs B2 pbs B3"),
        ("(rule 3.2, quirk D2)", "3.2 pbs D2"),
        ("packing rules R3 to R5, R9.", "packing R3 packing R4 packing R5 packing R9"),
        ("(defect 13.9)", "capacity 13.9"),
        ("(rule 2.5, first table)", "2.5"),
        ("(rule 6.12)\", |snap| 3", "6.12"),
        ("the rule is that quirks of 3 kinds follow", ""),
    ] {
        assert_eq!(read(text), numbers, "{text}");
    }
}

#[test]
fn the_last_folder_of_a_path_says_whose_rules_are_cited() {
    for (path, system) in [
        ("src/placement/policies/site/checks.rs", System::Maui),
        ("src/planning/policies/site.rs", System::Maui),
        ("src/planning/farm/farm_state.rs", System::Packing),
        ("src/planning/capacity.rs", System::Capacity),
        ("src/engine/placement/path.rs", System::Pbs),
        ("src/farm/trace/swf.rs", System::Packing),
        ("tests/it/policies_spec.rs", System::Maui),
        ("tests/it/agree.rs", System::Pbs),
    ] {
        assert_eq!(system_of(Path::new(path)), system, "{path}");
    }
}
