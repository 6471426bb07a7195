//! Names that differ in one number, and their form in limited space.

use super::name::FoldedName;
use qscope_engine::cluster::NameList;

/// Names that differ in one number, in the order in which they are added until they are sorted.
pub(super) struct NameGroup<'a> {
    pub(super) stem: &'a str,
    /// The text after the number: the domain of a host, `.cl`, or letters.
    pub(super) suffix: &'a str,
    /// Whether the number is in brackets in the name itself, as the index of a subjob is.
    pub(super) bracketed: bool,
    /// First and last number of each run of consecutive numbers.
    pub(super) runs: Vec<(&'a str, &'a str)>,
    /// Value of the last number, kept so that each of many names is parsed only once.
    last: Option<u64>,
    pub(super) names: usize,
}

impl<'a> NameGroup<'a> {
    /// Parses an element of a folded list, `cn[001-008,018].cl`.
    pub(super) fn parse(text: &'a str) -> Self {
        let (stem, bracketed, runs, suffix) = match NameList::of(text) {
            Some(list) => (list.stem, list.is_bracketed(), list.runs().collect(), list.suffix),
            None => (text, false, vec![("", "")], ""),
        };
        let names = runs.iter().map(count_run).sum();
        Self { stem, suffix, bracketed, runs, last: None, names }
    }

    pub(super) fn new((stem, suffix): (&'a str, &'a str), bracketed: bool, number: &'a str) -> Self {
        let runs = vec![(number, number)];
        Self { stem, suffix, bracketed, runs, last: number.parse().ok(), names: 1 }
    }

    /// Parses a name of the same group that ends in its number, as most do, without searching for the number.
    pub(super) fn next_of(&self, name: &'a str) -> Option<FoldedName<'a>> {
        let number = name.strip_prefix(self.stem).filter(|_| !self.bracketed && self.suffix.is_empty())?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(FoldedName { stem: self.stem, number, suffix: "", bracketed: false })
    }

    pub(super) fn add(&mut self, number: &'a str) {
        // A node with two chunks of a job is named once.
        if !number.is_empty() && self.runs.last().is_some_and(|(_, last)| *last == number) {
            return;
        }
        self.names += 1;
        let value = number.parse().ok();
        let counts_up =
            self.last.is_some_and(|last| last.checked_add(1).is_some_and(|next| value == Some(next)));
        self.last = value;
        match self.runs.last_mut() {
            Some((_, last)) if counts_up && is_written_alike(last, number) => *last = number,
            _ => self.runs.push((number, number)),
        }
    }

    /// Puts the numbers in order, each once.
    pub(super) fn sort(&mut self) {
        let value = |number: &str| number.parse::<u64>().ok();
        let follows = |last: &str, next: &str| {
            let after = value(last).and_then(|last| last.checked_add(1));
            after.is_some() && after == value(next) && is_written_alike(last, next)
        };
        if self.runs.is_sorted_by(|(_, before), (after, _)| value(before) < value(after)) {
            return;
        }
        self.runs.sort_by_key(|(first, _)| value(first));
        let mut sorted: Vec<(&str, &str)> = Vec::with_capacity(self.runs.len());
        for run in self.runs.drain(..) {
            match sorted.last_mut() {
                Some((first, last)) if is_padded_alike(first, run.0) && value(run.1) <= value(last) => {
                    self.names -= count_run(&run);
                }
                Some((_, last)) if follows(last, run.0) => *last = run.1,
                _ => sorted.push(run),
            }
        }
        self.runs = sorted;
    }

    pub(super) fn shown(&self) -> String {
        self.with_runs(&self.runs)
    }

    fn with_runs(&self, runs: &[(&str, &str)]) -> String {
        let mut text = String::with_capacity(self.stem.len() + 16 * runs.len().min(64) + self.suffix.len());
        text.push_str(self.stem);
        match (self.bracketed, runs) {
            (false, [run]) if is_bare(*run) => text.push_str(run.0),
            _ => {
                text.push('[');
                push_runs(&mut text, runs);
                text.push(']');
            }
        }
        text + self.suffix
    }

    /// Returns as many runs as fit before a mark, `66[1,…]`; for a single name, or if no run fits, the text cut to
    /// fit.
    pub(super) fn cut_to(&self, columns: usize) -> String {
        let fits = |text: &String| text.chars().count() <= columns;
        let marked = |runs: &[(&str, &str)]| {
            let mut text = String::new();
            push_runs(&mut text, runs);
            format!("{}[{text},…]{}", self.stem, self.suffix)
        };
        // Each run takes at least two columns.
        let begins = self.runs.get(..columns / 2).unwrap_or(&self.runs);
        let several =
            || (1..=begins.len()).rev().filter_map(|most| begins.get(..most)).map(marked).find(fits);
        let fitting = if self.runs.len() > 1 { several() } else { None };
        fitting.unwrap_or_else(|| {
            let cut: String = self.with_runs(begins).chars().take(columns.saturating_sub(1)).collect();
            cut + "…"
        })
    }

    /// Returns as many runs as fit, with the number of their names; `None` if not even the first fits.
    pub(super) fn shown_within(&self, columns: usize) -> Option<(String, usize)> {
        let mut most = 0;
        // Length of the text before the next run, including both brackets; more runs are never shorter.
        let mut before = self.stem.len() + self.suffix.len() + 2;
        for (at, run) in self.runs.iter().enumerate() {
            let length = match at {
                0 if !self.bracketed && is_bare(*run) => before - 2 + length_of(run),
                _ => before + length_of(run),
            };
            if length > columns {
                break;
            }
            before += length_of(run) + 1;
            most = at + 1;
        }
        let runs = self.runs.get(..most).filter(|runs| !runs.is_empty())?;
        let names = if most == self.runs.len() { self.names } else { runs.iter().map(count_run).sum() };
        Some((self.with_runs(runs), names))
    }
}

/// Whether a run is a single number, which needs no brackets.
fn is_bare((first, last): (&str, &str)) -> bool {
    first == last && !first.contains('-')
}

/// Writes runs separated by commas, those of several numbers as `first-last`.
fn push_runs(text: &mut String, runs: &[(&str, &str)]) {
    for (at, (first, last)) in runs.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(first);
        if first != last {
            text.push('-');
            text.push_str(last);
        }
    }
}

fn length_of((first, last): &(&str, &str)) -> usize {
    if first == last { first.len() } else { first.len() + 1 + last.len() }
}

fn count_run((first, last): &(&str, &str)) -> usize {
    let numbers = first.parse::<usize>().ok().zip(last.parse::<usize>().ok());
    numbers.map_or(1, |(first, last)| last.saturating_sub(first) + 1)
}

/// Whether equal values of these paddings are the same number.
fn is_padded_alike(a: &str, b: &str) -> bool {
    a.len() == b.len() || !(a.starts_with('0') || b.starts_with('0'))
}

/// Whether two numbers are padded to the same length, or not at all.
fn is_written_alike(last: &str, next: &str) -> bool {
    last.len() == next.len() || !next.starts_with('0')
}
