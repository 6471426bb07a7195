//! Very many names in one text, to find those with a common part while the user types.

/// Names in order, in lower case.
#[derive(Debug, Default)]
pub(crate) struct NameIndex {
    /// The names, each followed by a line end.
    text: String,
    /// The offset in the text after each name.
    ends: Vec<usize>,
}

impl NameIndex {
    /// Indexes names without line ends; they are identified by their index.
    pub(super) fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut found = Self::default();
        for name in names {
            match name.is_ascii() {
                true => found.text.push_str(name),
                false => found.text.extend(name.chars().flat_map(char::to_lowercase)),
            }
            found.text.push('\n');
            found.ends.push(found.text.len());
        }
        found.text.make_ascii_lowercase();
        found
    }

    /// The indices of the first `most` names that contain a lower-case text.
    pub(crate) fn containing(&self, text: &str, most: usize) -> Vec<usize> {
        let (mut found, mut from) = (Vec::new(), 0);
        while found.len() < most {
            let rest = self.text.get(from..).unwrap_or_default();
            let Some(at) = rest.find(text).filter(|_| !rest.is_empty()) else { break };
            let place = self.ends.partition_point(|end| *end <= from + at);
            let Some(end) = self.ends.get(place) else { break };
            found.push(place);
            from = *end;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_part_are_found_once_each_in_their_order() {
        let names = ["cn01", "CN101", "gpu1", "", "ÄB1"];
        let index = NameIndex::of(names.into_iter());
        assert_eq!(index.containing("n", 9), [0, 1]);
        assert_eq!(index.containing("1", 9), [0, 1, 2, 4]);
        assert_eq!(index.containing("1", 2), [0, 1]);
        assert_eq!(index.containing("äb", 9), [4]);
        assert_eq!(index.containing("", 9), [0, 1, 2, 3, 4]);
        assert!(index.containing("1c", 9).is_empty() && NameIndex::default().containing("", 9).is_empty());
    }
}
