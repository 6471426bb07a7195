//! An error message of several lines.

use std::fmt;

use super::Lines;

/// An error message in whole lines: usually one, and quoted text never adds another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message(pub Lines);

impl<T: fmt::Display> FromIterator<T> for Message {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end())
    }
}

impl std::error::Error for Message {}
