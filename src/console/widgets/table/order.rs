//! The order of a table's rows: by which column, and how two cells compare (console.md 4).

use std::cmp::Ordering;

/// By which column rows are sorted, and which way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sort {
    /// The column's title.
    pub column: String,
    /// Whether the largest comes first.
    pub descending: bool,
}

impl Sort {
    /// As `:sort` takes it: `ncpus`, or `-ncpus` for the largest first.
    pub(crate) fn parse(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(column) => Self { column: column.to_owned(), descending: true },
            None => Self { column: text.to_owned(), descending: false },
        }
    }

    /// The same as `:sort` takes it.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", if self.descending { "-" } else { "" }, self.column)
    }
}

/// What a row is sorted by. A row that has nothing in the column comes last, whichever way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SortKey {
    Number(f64),
    /// See [`natural`].
    Words(Vec<u8>),
    Nothing,
}

impl SortKey {
    /// The key of a cell's text; signs for nothing are nothing.
    pub(crate) fn of_text(text: &str) -> Self {
        let text = text.trim();
        match text.parse::<f64>() {
            _ if matches!(text, "" | "-" | "–" | "—") => Self::Nothing,
            Ok(number) if number.is_finite() => Self::Number(number),
            _ if text.is_ascii() => Self::Words(natural(text)),
            _ => Self::Words(natural(&text.to_lowercase())),
        }
    }

    /// The key of a number that may be missing.
    pub(crate) fn number(number: Option<f64>) -> Self {
        number.map_or(Self::Nothing, Self::Number)
    }

    /// How it stands to another, the largest first if so asked.
    pub(crate) fn compare(&self, other: &Self, descending: bool) -> Ordering {
        let way = |order: Ordering| if descending { order.reverse() } else { order };
        match (self, other) {
            (Self::Nothing, Self::Nothing) => Ordering::Equal,
            (Self::Nothing, _) => Ordering::Greater,
            (_, Self::Nothing) => Ordering::Less,
            (Self::Number(a), Self::Number(b)) => way(a.total_cmp(b)),
            (Self::Number(a), Self::Words(b)) => way(beside_words(*a, b)),
            (Self::Words(a), Self::Number(b)) => way(beside_words(*b, a).reverse()),
            (Self::Words(a), Self::Words(b)) => way(a.cmp(b)),
        }
    }
}

/// How a number stands to words: by the number that these begin with, as arrays among jobs do, and before what has none.
fn beside_words(number: f64, words: &[u8]) -> Ordering {
    match leading(words) {
        Some(first) => number.total_cmp(&first).then(Ordering::Less),
        None => Ordering::Less,
    }
}

/// The number that words begin with, from the bytes that they compare by.
fn leading(words: &[u8]) -> Option<f64> {
    let (mark, rest) = words.split_first()?;
    let (length, digits) = rest.split_first_chunk::<{ size_of::<usize>() }>()?;
    let digits = digits.get(..usize::from_be_bytes(*length)).filter(|_| *mark == 0)?;
    let digits = std::str::from_utf8(digits).ok()?;
    if digits.is_empty() { Some(0.0) } else { digits.parse().ok() }
}

/// Bytes that compare as the names do whose digits compare as numbers: n9 comes before n10. They are made once for each row,
/// not at each comparison. Letters of ASCII compare without regard to their case.
fn natural(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len() + 8), text);
    loop {
        let (words, behind) = split(rest, false);
        bytes.extend(words.bytes().map(|byte| byte.to_ascii_lowercase()));
        let (number, behind) = split(behind, true);
        let digits = number.trim_start_matches('0');
        if behind.is_empty() && digits.is_empty() {
            return bytes;
        }
        // A byte below all of words, and a longer number is a larger one.
        bytes.push(0);
        bytes.extend(digits.len().to_be_bytes());
        bytes.extend(digits.bytes());
        rest = behind;
    }
}

/// The longest beginning of digits, or of anything else, and the rest.
fn split(text: &str, digits: bool) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same without bytes made before: part by part.
    fn part_by_part(a: &str, b: &str) -> Ordering {
        let ((words, left), (other, right)) = (split(a, false), split(b, false));
        if words != other || (left.is_empty() && right.is_empty()) {
            return words.cmp(other);
        }
        let ((number, left), (than, right)) = (split(left, true), split(right, true));
        let (one, two) = (number.trim_start_matches('0'), than.trim_start_matches('0'));
        (one.len(), one).cmp(&(two.len(), two)).then_with(|| part_by_part(left, right))
    }

    proptest! {
        #[test]
        fn names_compare_part_by_part(a in "[a-c0-3.-]{0,9}", b in "[a-c0-3.-]{0,9}") {
            prop_assert_eq!(natural(&a).cmp(&natural(&b)), part_by_part(&a, &b), "{} {}", a, b);
        }
    }

    #[test]
    fn numbers_compare_as_numbers_names_by_their_parts_and_nothing_comes_last() {
        let sorted = |descending: bool| {
            let mut all = ["n10", "-", "7", "n9", "n9a", "12", "", "a"];
            all.sort_by(|a, b| SortKey::of_text(a).compare(&SortKey::of_text(b), descending));
            all.join(" ")
        };
        assert_eq!(sorted(false), "7 12 a n9 n9a n10 - ");
        assert_eq!(sorted(true), "n10 n9a n9 a 12 7 - ");
        // Arrays stand among jobs by their numbers.
        let mut jobs = ["68", "67[2-5]", "9", "100", "67[]", "66.5", "67"];
        jobs.sort_by(|a, b| SortKey::of_text(a).compare(&SortKey::of_text(b), false));
        assert_eq!(jobs, ["9", "66.5", "67", "67[2-5]", "67[]", "68", "100"]);
    }

    #[test]
    fn a_sort_is_written_as_it_is_typed() {
        for text in ["ncpus", "-wait"] {
            assert_eq!(Sort::parse(text).text(), text);
        }
    }
}
