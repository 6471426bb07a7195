//! The line with which a node publishes its own attributes, `n name value name value…` (packing rule 6).
//!
//! Lines occur with names and values in either order. Both are read; `name value`, as LSF documents it, is written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Prefix of the attributes that count the jobs of a class.
pub const PREFIX: &str = "packing_";

/// Order of names and values in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NameValueOrder {
    /// `name value`, as documented.
    NameValue,
    ValueName,
    /// Both in one line.
    Mixed,
}

impl NameValueOrder {
    /// Returns the word used in answers.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A parsed line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ElimLine {
    /// Values as written, by name.
    pub values: BTreeMap<String, String>,
    /// Order of names and values; `None` for an empty line.
    pub order: Option<NameValueOrder>,
    pub warnings: Vec<String>,
}

/// Why a text is not such a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ElimError {
    /// It does not start with the number of pairs.
    #[error("first token is not a count")]
    Count,
    /// The number of words differs from the announced one.
    #[error("expected {expected} tokens after the count, found {found}")]
    Length {
        /// Twice the announced count.
        expected: u64,
        /// Number of words found.
        found: u64,
    },
    /// A pair of two names or two numbers.
    #[error("cannot tell name from value in '{first} {second}'")]
    Pair {
        /// First word of the pair.
        first: String,
        second: String,
    },
}

impl ElimLine {
    /// Parses a line. Line breaks count as white space.
    ///
    /// # Errors
    /// No count, a wrong number of words, or a pair without exactly one number.
    pub fn parse(text: &str) -> Result<Self, ElimError> {
        let mut words = text.split_whitespace();
        let count = words.next().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let count: u64 = count.and_then(|word| word.parse().ok()).ok_or(ElimError::Count)?;
        let words: Vec<&str> = words.collect();
        let (expected, found) = (count.saturating_mul(2), words.len() as u64);
        if expected != found {
            return Err(ElimError::Length { expected, found });
        }
        let mut line = Self::default();
        for pair in words.chunks_exact(2) {
            if let [first, second] = pair {
                line.pair(first, second)?;
            }
        }
        if line.order == Some(NameValueOrder::Mixed) {
            line.warnings.push("mixed orders".to_owned());
        }
        Ok(line)
    }

    fn pair(&mut self, first: &str, second: &str) -> Result<(), ElimError> {
        let (order, name, value) = match (is_number(first), is_number(second)) {
            (true, false) => (NameValueOrder::ValueName, second, first),
            (false, true) => (NameValueOrder::NameValue, first, second),
            _ => return Err(ElimError::Pair { first: first.to_owned(), second: second.to_owned() }),
        };
        self.order = match self.order {
            Some(before) if before != order => Some(NameValueOrder::Mixed),
            _ => Some(order),
        };
        if self.values.insert(name.to_owned(), value.to_owned()).is_some() {
            self.warnings.push(format!("duplicate {name}"));
        }
        Ok(())
    }

    /// Creates a line from counts by name; counts of the same name are summed.
    pub fn of(counts: impl IntoIterator<Item = (String, u64)>) -> Self {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for (name, count) in counts {
            let sum = sums.entry(name).or_insert(0);
            *sum = sum.saturating_add(count);
        }
        let values = sums.into_iter().map(|(name, count)| (name, count.to_string())).collect();
        Self { values, order: Some(NameValueOrder::NameValue), warnings: Vec::new() }
    }

    /// Returns the counts of jobs by class, from the attributes named `packing_CLASS`.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let count = |(name, value): (&String, &String)| {
            Some((name.strip_prefix(PREFIX)?.to_owned(), value.parse().ok()?))
        };
        self.values.iter().filter_map(count).collect()
    }

    /// Formats the line as LSF documents it, names in byte order.
    pub fn write(&self) -> String {
        let mut text = self.values.len().to_string();
        for (name, value) in &self.values {
            // Writing to a string does not fail.
            let _written = write!(text, " {name} {value}");
        }
        text
    }
}

/// Whether a word is a finite number; words such as `inf` or `nan` are names.
fn is_number(word: &str) -> bool {
    let starts = word.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    starts && word.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_in_the_other_order_is_written_as_documented() {
        let line =
            ElimLine::parse("4 2 packing_auger 3 packing_alicesgm 1\npacking_superb 1 packing_atlasprd")
                .unwrap();
        assert_eq!(line.write(), "4 packing_alicesgm 3 packing_atlasprd 1 packing_auger 2 packing_superb 1");
        assert_eq!(line.counts().values().sum::<u64>(), 7);
        assert_eq!(ElimLine::parse(&line.write()).unwrap().values, line.values);
        assert_eq!(ElimLine::default().write(), "0");
        let same = ElimLine::of([("packing_a_b".to_owned(), 2), ("packing_a_b".to_owned(), 1)]);
        assert_eq!(same.write(), "1 packing_a_b 3");
    }
}
