//! Names that differ in one number, and how they are written in a limited place.

use super::name::FoldedName;
use qscope_engine::cluster::NameList;

/// Names that differ in one number, in the order of their first.
pub(super) struct NameGroup<'a> {
    pub(super) stem: &'a str,
    /// What stands behind the number: the domain of a host, `.cl`, or letters.
    pub(super) suffix: &'a str,
    /// What stands before and after the numbers in the name itself: nothing, or the brackets of a subjob's index.
    pub(super) bracketed: bool,
    /// First and last of each run of numbers that count up.
    pub(super) runs: Vec<(&'a str, &'a str)>,
    /// The value of the last number: names are many, and each is parsed once.
    last: Option<u64>,
    pub(super) names: usize,
}

impl<'a> NameGroup<'a> {
    /// A part of a folded list, `cn[001-008,018].cl`.
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

    /// A name of the same group that ends in its number, as most do, without looking for that anew.
    pub(super) fn next_of(&self, name: &'a str) -> Option<FoldedName<'a>> {
        let number = name.strip_prefix(self.stem).filter(|_| !self.bracketed && self.suffix.is_empty())?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(FoldedName { stem: self.stem, number, suffix: "", bracketed: false })
    }

    pub(super) fn add(&mut self, number: &'a str) {
        // A node that a job has two parts on is named once.
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

    pub(super) fn shown(&self) -> String {
        self.with(&self.runs)
    }

    fn with(&self, runs: &[(&str, &str)]) -> String {
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

    /// As many runs as fit before a mark, `66[1,…]`; of a single name, or where no run fits, what fits of the text.
    pub(super) fn cut_to(&self, columns: usize) -> String {
        let fits = |text: &String| text.chars().count() <= columns;
        let marked = |runs: &[(&str, &str)]| {
            let mut text = String::new();
            push_runs(&mut text, runs);
            format!("{}[{text},…]{}", self.stem, self.suffix)
        };
        // Each run takes two columns at least.
        let begins = self.runs.get(..columns / 2).unwrap_or(&self.runs);
        let several =
            || (1..=begins.len()).rev().filter_map(|most| begins.get(..most)).map(marked).find(fits);
        let fitting = if self.runs.len() > 1 { several() } else { None };
        fitting.unwrap_or_else(|| {
            let cut: String = self.with(begins).chars().take(columns.saturating_sub(1)).collect();
            cut + "…"
        })
    }

    /// As many runs as fit, and how many names these are; none where not even the first fits.
    pub(super) fn shown_within(&self, columns: usize) -> Option<(String, usize)> {
        let mut most = 0;
        // What stands before the next run, with both brackets; more runs are never shorter.
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
        Some((self.with(runs), names))
    }
}

/// Whether a run is one number, which needs no brackets.
fn is_bare((first, last): (&str, &str)) -> bool {
    first == last && !first.contains('-')
}

/// Writes runs with commas between them, those of several numbers as the first and the last.
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

/// Whether two numbers are padded to the same length, or not at all.
fn is_written_alike(last: &str, next: &str) -> bool {
    last.len() == next.len() || !next.starts_with('0')
}
