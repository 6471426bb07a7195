//! The order of a table's rows: the sorted column, and how two cells compare (console.md 4).

use std::cmp::Ordering;

/// The sorted column and the direction, and the column that orders rows equal in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sort {
    /// The column's title.
    pub column: String,
    /// Whether the largest comes first.
    pub descending: bool,
    /// The order of rows that are equal in the column.
    pub then: Option<Box<Self>>,
}

/// What separates the columns of an order in a text; titles have commas.
const THEN: &str = "; ";

impl Sort {
    /// The order by one column.
    pub(crate) fn by_column(column: String, descending: bool) -> Self {
        Self { column, descending, then: None }
    }

    /// Parses `ncpus`, `-ncpus` for the largest first, or several of these: `state; -ncpus`.
    pub(crate) fn parse(text: &str) -> Self {
        let (first, then) = text.split_once(THEN).map_or((text, None), |(first, then)| (first, Some(then)));
        let (column, descending) = first.strip_prefix('-').map_or((first, false), |column| (column, true));
        let then = then.map(|then| Box::new(Self::parse(then)));
        Self { then, ..Self::by_column(column.to_owned(), descending) }
    }

    /// The same as text.
    pub(crate) fn text(&self) -> String {
        let one = |sort: &Self| format!("{}{}", if sort.descending { "-" } else { "" }, sort.column);
        self.criteria().map(one).collect::<Vec<_>>().join(THEN)
    }

    /// This order and those that follow it.
    pub(crate) fn criteria(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |sort| sort.then.as_deref())
    }
}

/// The sort key of a row. Rows with `Nothing` come last in both directions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SortKey {
    Number(f64),
    /// Bytes made by [`natural`].
    Words(Vec<u8>),
    Nothing,
}

impl SortKey {
    /// The key of a cell's text; dashes count as nothing.
    pub(crate) fn of_text(text: &str) -> Self {
        let text = text.trim();
        // Most texts are not numbers, which the first letter shows.
        let is_like_number = matches!(text.as_bytes(), [b'0'..=b'9' | b'+' | b'-' | b'.', ..]);
        match is_like_number.then(|| text.parse::<f64>().ok()).flatten() {
            _ if matches!(text, "" | "-" | "–" | "—") => Self::Nothing,
            Some(number) if number.is_finite() => Self::Number(number),
            _ if text.is_ascii() => Self::Words(natural(text)),
            _ => Self::Words(natural(&text.to_lowercase())),
        }
    }

    /// The key of a number that may be missing.
    pub(crate) fn number(number: Option<f64>) -> Self {
        number.map_or(Self::Nothing, Self::Number)
    }

    /// Compares two keys, reversed if `descending`.
    pub(crate) fn compare(&self, other: &Self, descending: bool) -> Ordering {
        let way = |order: Ordering| if descending { order.reverse() } else { order };
        match (self, other) {
            (Self::Nothing, Self::Nothing) => Ordering::Equal,
            (Self::Nothing, _) => Ordering::Greater,
            (_, Self::Nothing) => Ordering::Less,
            (Self::Number(a), Self::Number(b)) => way(a.total_cmp(b)),
            (Self::Number(a), Self::Words(b)) => way(compare_with_words(*a, b)),
            (Self::Words(a), Self::Number(b)) => way(compare_with_words(*b, a).reverse()),
            (Self::Words(a), Self::Words(b)) => way(a.cmp(b)),
        }
    }
}

/// Compares a number with words: by the number that these begin with, as for arrays among jobs; numbers come before
/// words without one.
fn compare_with_words(number: f64, words: &[u8]) -> Ordering {
    match leading(words) {
        Some(first) => number.total_cmp(&first).then(Ordering::Less),
        None => Ordering::Less,
    }
}

/// The number that words begin with, from their comparison bytes.
fn leading(words: &[u8]) -> Option<f64> {
    let (length, rest) = words.split_first().filter(|(mark, _)| **mark == 0)?.1.split_first()?;
    let (length, digits) = match *length {
        LONG => rest.split_first_chunk().map(|(length, digits)| (usize::from_be_bytes(*length), digits))?,
        short => (usize::from(short), rest),
    };
    let digits = std::str::from_utf8(digits.get(..length)?).ok()?;
    if digits.is_empty() { Some(0.0) } else { digits.parse().ok() }
}

/// Marks a length that does not fit into one byte; the length follows.
const LONG: u8 = u8::MAX;

/// Bytes that compare like the text with its digits compared as numbers: n9 comes before n10. They are made once for
/// each row instead of at each comparison. ASCII letters compare case-insensitively.
fn natural(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len() + 8), text.as_bytes());
    loop {
        let (words, behind) = split(rest, false);
        bytes.extend(words.iter().map(u8::to_ascii_lowercase));
        let (number, behind) = split(behind, true);
        let zeros = number.iter().position(|digit| *digit != b'0').unwrap_or(number.len());
        let digits = number.get(zeros..).unwrap_or_default();
        if behind.is_empty() && digits.is_empty() {
            return bytes;
        }
        // A byte less than any in words; then the length, as longer numbers are larger.
        bytes.push(0);
        match u8::try_from(digits.len()) {
            Ok(length) if length < LONG => bytes.push(length),
            _ => {
                bytes.push(LONG);
                bytes.extend(digits.len().to_be_bytes());
            }
        }
        bytes.extend(digits);
        rest = behind;
    }
}

/// Splits after the longest prefix of digits, or of anything else.
fn split(text: &[u8], digits: bool) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| byte.is_ascii_digit() != digits).unwrap_or(text.len());
    text.split_at(end)
}

/// The indices of keys in sorted order; the sort is stable.
pub(crate) fn sorted_indices(keys: &[SortKey], descending: bool) -> Vec<usize> {
    if let Some(ranks) = keys.iter().map(|key| key.rank(descending)).collect::<Option<Vec<u64>>>() {
        // Numbers compare as one machine word each.
        let mut ranked: Vec<(u64, usize)> = ranks.into_iter().zip(0..).collect();
        ranked.sort_unstable();
        return ranked.into_iter().map(|(_, at)| at).collect();
    }
    let mut beginnings: Vec<(SortKeyPrefix, &SortKey, usize)> =
        keys.iter().zip(0..).map(|(key, at)| (key.beginning(), key, at)).collect();
    beginnings.sort_by(|(begin, key, _), (other, than, _)| match (begin, other) {
        (Some(begin), Some(other)) if begin != other => {
            if descending {
                other.cmp(begin)
            } else {
                begin.cmp(other)
            }
        }
        _ => key.compare(than, descending),
    });
    beginnings.into_iter().map(|(.., at)| at).collect()
}

/// The first bytes of words, in which most of them differ.
type SortKeyPrefix = Option<u128>;

impl SortKey {
    /// An integer that compares like the number; `None` for words.
    fn rank(&self, descending: bool) -> Option<u64> {
        match self {
            Self::Number(number) => {
                let bits = number.to_bits();
                let rank = if number.is_sign_negative() { !bits } else { bits | 1 << 63 };
                Some(if descending { !rank } else { rank })
            }
            Self::Nothing => Some(u64::MAX),
            Self::Words(_) => None,
        }
    }

    fn beginning(&self) -> SortKeyPrefix {
        let Self::Words(words) = self else { return None };
        let mut first = [0; 16];
        first.iter_mut().zip(words).for_each(|(to, byte)| *to = *byte);
        Some(u128::from_be_bytes(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same without precomputed bytes: part by part.
    fn part_by_part(a: &[u8], b: &[u8]) -> Ordering {
        let ((words, left), (other, right)) = (split(a, false), split(b, false));
        if words != other || (left.is_empty() && right.is_empty()) {
            return words.cmp(other);
        }
        let ((number, left), (than, right)) = (split(left, true), split(right, true));
        let trimmed =
            |digits: &[u8]| digits.iter().copied().skip_while(|digit| *digit == b'0').collect::<Vec<u8>>();
        let (one, two) = (trimmed(number), trimmed(than));
        (one.len(), &one).cmp(&(two.len(), &two)).then_with(|| part_by_part(left, right))
    }

    proptest! {
        #[test]
        fn names_compare_part_by_part(a in "[a-c0-3.-]{0,9}", b in "[a-c0-3.-]{0,9}") {
            let parts = part_by_part(a.as_bytes(), b.as_bytes());
            prop_assert_eq!(natural(&a).cmp(&natural(&b)), parts, "{} {}", a, b);
        }

        #[test]
        fn keys_are_put_in_the_order_in_which_they_compare(
            texts in prop::collection::vec("-|[nN]?[0-9]{0,3}(\\.[05])?|-[0-9]|[a-c]{12}[0-9a-c]{0,9}", 0..30),
            numbers in any::<bool>(),
            descending in any::<bool>(),
        ) {
            let keys: Vec<SortKey> = texts.iter().map(|text| SortKey::of_text(text)).collect();
            let is_meant = |key: &SortKey| !numbers || !matches!(key, SortKey::Words(_));
            let keys: Vec<SortKey> = keys.into_iter().filter(is_meant).collect();
            let mut places: Vec<usize> = (0..keys.len()).collect();
            places.sort_by(|a, b| keys[*a].compare(&keys[*b], descending));
            prop_assert_eq!(sorted_indices(&keys, descending), places);
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
        // Arrays are ordered among jobs by their numbers.
        let mut jobs = ["68", "67[2-5]", "9", "100", "67[]", "66.5", "67"];
        jobs.sort_by(|a, b| SortKey::of_text(a).compare(&SortKey::of_text(b), false));
        assert_eq!(jobs, ["9", "66.5", "67", "67[2-5]", "67[]", "68", "100"]);
    }

    #[test]
    fn a_number_longer_than_one_byte_counts_comes_after_shorter_ones() {
        let long = |digits: usize| natural(&format!("n{}", "7".repeat(digits)));
        assert!(long(254) < long(255) && long(255) < long(256) && long(300) < long(70_000));
        assert_eq!(leading(&natural(&format!("{}a", "1".repeat(255)))), "1".repeat(255).parse().ok());
    }

    #[test]
    fn a_sort_is_written_as_it_is_typed() {
        for text in ["ncpus", "-wait", "state; -ncpus", "reason, or where"] {
            assert_eq!(Sort::parse(text).text(), text);
        }
    }
}
