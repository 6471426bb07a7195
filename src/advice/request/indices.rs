//! The subjobs of an array, and errors of options.

/// A text that is not a valid option of `qsub`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}`{text}`: {what}")]
pub struct OptionError {
    /// Its place, such as `job.sh:3: `; empty on the command line.
    pub place: String,
    pub text: String,
    /// What is wrong, and what was expected.
    pub what: &'static str,
}

/// The subjobs of an array, as `-J FIRST-LAST[:STEP][%MOST]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubjobIndices {
    first: u32,
    last: u32,
    step: u32,
    /// Maximum number of subjobs that run at once.
    pub most: Option<u32>,
}

impl SubjobIndices {
    /// Maximum number of subjobs, beyond that of any server; where `max_array_size` of the server or the queue is
    /// known, it is checked as well.
    const MOST: u32 = 1_000_000;

    /// Parses text such as `1-100:2%5`.
    ///
    /// # Errors
    /// A text that is no range, or one of fewer than two or too many subjobs.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        let what = "expected FIRST-LAST[:STEP][%MOST], such as 1-100:2%5, with two subjobs at least";
        let fail = || OptionError { place: String::new(), text: text.to_owned(), what };
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| fail());
        let (range, most) = match text.split_once('%') {
            Some((range, most)) => (range, Some(number(most)?).filter(|most| *most > 0)),
            None => (text, None),
        };
        let (range, step) = match range.split_once(':') {
            Some((range, step)) => (range, number(step)?),
            None => (range, 1),
        };
        let (first, last) = range.split_once('-').ok_or_else(fail)?;
        let (first, last) = (number(first)?, number(last)?);
        if step == 0 || first >= last {
            return Err(fail());
        }
        let found = Self { first, last, step, most };
        match found.count() {
            0..2 => Err(fail()),
            count if count > Self::MOST => {
                let what = "has more than 1000000 subjobs, more than any server takes";
                Err(OptionError { what, ..fail() })
            }
            _ => Ok(found),
        }
    }

    /// Returns the number of subjobs.
    pub fn count(self) -> u32 {
        (self.last - self.first) / self.step + 1
    }

    /// Returns the indices in ascending order.
    pub fn all(self) -> impl Iterator<Item = u32> {
        (self.first..=self.last).step_by(self.step as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_ranges() {
        let parse = |text: &str| {
            SubjobIndices::parse(text).map(|found| (found.all().collect::<Vec<_>>(), found.most))
        };
        assert_eq!(parse("1-4").unwrap(), (vec![1, 2, 3, 4], None));
        assert_eq!(parse("2-9:3%2").unwrap(), (vec![2, 5, 8], Some(2)));
        for wrong in ["", "4", "4-1", "1-1", "1-9:0", "1-9:x", "-1-4", "1-9:20", "0-4000000000"] {
            parse(wrong).unwrap_err();
        }
        let many = SubjobIndices::parse("1-1000001").unwrap_err();
        assert!(many.what.contains("more than 1000000 subjobs"), "{}", many.what);
        SubjobIndices::parse("1-1000000").unwrap();
    }
}
