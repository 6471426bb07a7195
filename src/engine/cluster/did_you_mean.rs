//! Suggestions for misspelled names.

use super::Catalogue;

/// Names longer than this, in characters, get no suggestion.
const LONGEST: usize = 100;

/// Returns the known name nearest to `name`, if it is near enough to be suggested.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    if letters > LONGEST {
        return None;
    }
    // In a short name two wrong letters leave too little in common.
    let far = if letters <= 4 { 1 } else { letters / 3 + 1 };
    let name = name.to_ascii_lowercase();
    known
        .into_iter()
        // The difference in length is a lower bound of the distance; this skips most comparisons.
        .filter(|word| word.chars().count().abs_diff(letters) <= far)
        .filter_map(|word| {
            Some((distance(&name, &word.to_ascii_lowercase().chars().collect::<Vec<_>>(), far)?, word))
        })
        .min_by_key(|(steps, _)| *steps)
        .map(|(_, word)| word)
}

/// Returns `, did you mean X?`, or an empty text.
pub fn question<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |word| format!(", did you mean `{word}`?"))
}

/// Returns the message for an unknown resource.
pub fn unknown_resource(name: &str, catalogue: &Catalogue) -> String {
    let query = question(name, catalogue.iter().map(|(_, def)| &*def.name));
    format!("no resource is called `{name}`{query}")
}

/// Returns the number of letters to add, drop, change or swap with a neighbour to turn one word into the other, or
/// `None` if it exceeds `far`, which is usually detected after a few letters.
fn distance(from: &str, to: &[char], far: usize) -> Option<usize> {
    let width = to.len() + 1;
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..width).collect();
    let mut previous = None;
    for (row, a) in from.chars().enumerate() {
        let mut line = Vec::with_capacity(width);
        line.push(row + 1);
        let mut least = row + 1;
        for (column, &b) in to.iter().enumerate() {
            let cell = |line: &[usize], at: usize| line.get(at).copied().unwrap_or(usize::MAX - 1);
            let changed = cell(&last, column) + usize::from(a != b);
            let mut best = changed.min(cell(&last, column + 1) + 1).min(cell(&line, column) + 1);
            let left = column.checked_sub(1).and_then(|at| Some((at, *to.get(at)?)));
            if let Some((at, left)) = left
                && left == a
                && previous == Some(b)
            {
                best = best.min(cell(&before, at) + 1);
            }
            least = least.min(best);
            line.push(best);
        }
        // A swap goes back two rows at a cost of one, so later rows may still improve by one.
        if least > far + 1 {
            return None;
        }
        before = std::mem::replace(&mut last, line);
        previous = Some(a);
    }
    last.last().copied().filter(|steps| *steps <= far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_slips_are_recognised_and_strangers_are_not() {
        let known = ["walltime", "queue", "priority"];
        assert_eq!(nearest("waltime", known), Some("walltime"));
        assert_eq!(nearest("qeueu", known), Some("queue"));
        assert_eq!(nearest("Priority", known), Some("priority"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(question("colour", known), "");
    }

    #[test]
    fn steps_are_counted() {
        let steps = |from: &str, to: &str, far| distance(from, &to.chars().collect::<Vec<_>>(), far);
        assert_eq!(steps("abc", "acb", 5), Some(1));
        assert_eq!(steps("", "abc", 5), Some(3));
        assert_eq!(steps("kitten", "sitting", 3), Some(3));
        assert_eq!(steps("kitten", "sitting", 2), None);
    }
}
