//! The words of a sentence with their places, and whether a number among them is an amount or a job.

use std::ops::Range;

use crate::widgets::text::is_in_name;

/// Words after which numbers are jobs; except after `of`, as in `the list of jobs 5`.
const OF_JOBS: [&str; 3] = ["job", "jobs", "behind"];

/// Pairs of words after which numbers are jobs.
const TOWARDS_JOBS: [(&str, &str); 6] = [
    ("taken", "by"),
    ("kept", "by"),
    ("ahead", "of"),
    ("chunk", "of"),
    ("planned", "for"),
    ("trying", "for"),
];

/// What the words around a name show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordKind {
    /// Nothing.
    Any,
    /// A word before it shows that it is a job.
    Job,
    /// A word before it shows that it is a queue.
    Queue,
    /// A number before what it counts, or after `of`.
    Amount,
}

/// A word without punctuation; a folded list is one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// Byte offset of its start.
    pub(super) start: usize,
    pub(super) kind: WordKind,
}

impl Word<'_> {
    pub(super) fn place(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// The words of a text, each with what the words around it show.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = bare(text);
    let (mut last, mut kind) = ("", WordKind::Any);
    for at in 0..words.len() {
        let next = words.get(at + 1).map(|word| (word.start, word.text));
        let Some(word) = words.get_mut(at) else { break };
        let is_number = word.text.starts_with(|first: char| first.is_ascii_digit());
        // In `1 job (7) took its nodes` the 7 does not count what follows the bracket.
        let closed = |start| text.get(word.place().end..start).is_some_and(|between| between.contains(')'));
        let is_counted = |(start, next): (usize, &str)| {
            next.starts_with(|first: char| first.is_ascii_lowercase()) && !closed(start)
        };
        let counts = last == "of" || next.is_some_and(is_counted);
        word.kind = match kind {
            WordKind::Any if is_number && counts => WordKind::Amount,
            _ => kind,
        };
        kind = match word.text {
            // `jobs 2 6 4`: the following numbers are jobs as well.
            _ if is_number && word.kind == WordKind::Job => WordKind::Job,
            "queue" => WordKind::Queue,
            here if last != "of" && OF_JOBS.contains(&here) || TOWARDS_JOBS.contains(&(last, here)) => {
                WordKind::Job
            }
            _ => WordKind::Any,
        };
        last = word.text;
    }
    words
}

fn bare(text: &str) -> Vec<Word<'_>> {
    let (mut words, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    let mut push = |range: Range<usize>| {
        let word = text.get(range.clone()).unwrap_or_default();
        let trimmed = word.trim_start_matches(['.', '"']);
        let start = range.start + word.len() - trimmed.len();
        let trimmed = trimmed.trim_end_matches(['.', '"']);
        if !trimmed.is_empty() {
            words.push(Word { text: trimmed, start, kind: WordKind::Any });
        }
    };
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends =
            letter.is_whitespace() || matches!(letter, '(' | ')' | ';' | ':') || depth == 0 && letter == ',';
        if ends {
            push(from..at);
            from = at + letter.len_utf8();
        }
    }
    push(from..text.len());
    words
}

/// The places of a name of several words, or of one within a longer word, where it is not part of another name.
pub(super) fn whole_word_places(text: &str, name: &str) -> impl Iterator<Item = Range<usize>> {
    // A signed number is not a name: `−1` nodes are not job 1.
    let part = |letter: Option<char>| letter.is_some_and(|c| is_in_name(c) || matches!(c, '−' | '+'));
    let stands = move |range: &Range<usize>| {
        let after = text.get(range.end..).unwrap_or_default();
        // A full stop usually ends a sentence rather than being part of a name.
        let after = after.strip_prefix('.').filter(|rest| !part(rest.chars().next())).unwrap_or(after);
        let before = text.get(..range.start).unwrap_or_default();
        !part(before.chars().next_back()) && !part(after.chars().next())
    };
    text.match_indices(name).map(|(at, name)| at..at + name.len()).filter(stands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_list_is_one_word_and_signs_around_words_are_none() {
        let text = "0 left: jobs 2 6 +1, n[001-003,008] (n020).";
        let found = words(text);
        let texts: Vec<&str> = found.iter().map(|word| word.text).collect();
        assert_eq!(texts, ["0", "left", "jobs", "2", "6", "+1", "n[001-003,008]", "n020"]);
        assert!(found.iter().all(|word| text.get(word.place()) == Some(word.text)));
    }

    #[test]
    fn words_around_a_number_part_jobs_from_amounts() {
        let kinds = |text| -> Vec<WordKind> { words(text).iter().map(|word| word.kind).collect() };
        assert_eq!(kinds("jobs 2 6")[1..], [WordKind::Job, WordKind::Job]);
        assert_eq!(kinds("5 of 16")[..], [WordKind::Amount, WordKind::Any, WordKind::Amount]);
        assert_eq!(kinds("queue 7 and 7")[1], WordKind::Queue);
        // A closing bracket separates a number from what follows.
        assert_eq!(kinds("1 job ahead of it (7) took its nodes")[5], WordKind::Any);
    }
}
