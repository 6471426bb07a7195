//! "Did you mean": the nearest of a list of names.

/// The candidate nearest to what was written, if it is near enough to be a slip of the finger.
pub(crate) fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + written.chars().count() / 4;
    let scored = candidates.into_iter().map(|name| (edits(written, name), name));
    scored.filter(|(edits, _)| *edits <= limit).min_by_key(|(edits, _)| *edits).map(|(_, name)| name)
}

/// How many letters must change, come or go to make one word the other; one row of the usual table at a time.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (above, y) in row.iter().skip(1).zip(&b) {
            let cost = (diagonal + usize::from(x != *y)).min(left + 1).min(above + 1);
            diagonal = *above;
            left = cost;
            next.push(cost);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let names = ["node.free", "node.busy", "text"];
        assert_eq!(nearest("node.fre", names), Some("node.free"));
        assert_eq!(nearest("txet", names), Some("text"));
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
