//! Line breaks in sentences: none between a number and what it counts, or between a date and its time.

/// Words after a number that it does not count.
const JOINING: [&str; 12] = ["and", "or", "to", "in", "on", "at", "with", "is", "are", "was", "but", "for"];

/// Units of time: `2 h 14 min`.
const OF_TIME: [&str; 3] = ["d", "h", "min"];

/// Whether a text may be broken at the blank with this byte offset.
pub fn may_break_at(text: &str, blank: usize) -> bool {
    let (Some(head), Some(tail)) = (text.get(..blank), text.get(blank + 1..)) else { return true };
    let mut words = head.rsplit(' ');
    let (before, earlier) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let after = tail.split(' ').next().unwrap_or_default();
    let is_joined = is_number(before) && is_counted(after)
        || before == "of" && is_number(earlier) && starts_with_digit(after)
        || OF_TIME.contains(&before) && is_number(earlier) && is_number(after)
        || is_date(before) && starts_with_digit(after) && after.contains(':');
    !is_joined
}

/// Splits a text into words, kept together where it must not be broken unless that makes `most` bytes or more: `the`,
/// `16 nodes`.
pub fn unbreakable_words(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (blank, _) in text.match_indices(' ') {
        let next = text.get(blank + 1..).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
        if may_break_at(text, blank) || blank - from + next.len() >= most {
            parts.push(text.get(from..blank).unwrap_or_default());
            from = blank + 1;
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether a word is a number, possibly after a bracket or sign.
fn is_number(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '~', '−', '+']);
    starts_with_digit(word) && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether a word is in lower case and not one that joins two parts of a sentence.
fn is_counted(word: &str) -> bool {
    let bare = word.trim_end_matches([',', '.', ';', ':', ')']);
    bare.starts_with(|first: char| first.is_ascii_lowercase()) && !JOINING.contains(&bare)
}

/// Whether a word is a date as in tables, `11-21`.
fn is_date(word: &str) -> bool {
    let word = word.trim_start_matches('(');
    word.contains('-') && word.len() >= 5 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_what_it_counts_and_a_date_its_time() {
        let parts = |text| unbreakable_words(text, 30);
        assert_eq!(parts("until 11-21 02:57, in 2 h 14 min"), ["until", "11-21 02:57,", "in", "2 h 14 min"]);
        assert_eq!(parts("5 of 16 whole nodes and 3 jobs"), ["5 of 16 whole", "nodes", "and", "3 jobs"]);
        assert_eq!(parts("jobs 50 51 and 52  on n1"), ["jobs", "50", "51", "and", "52", "", "on", "n1"]);
        assert_eq!(unbreakable_words("12 nodes", 6), ["12", "nodes"]);
    }
}
