//! What is wrong with a query, and where.

use std::ops::Range;

/// Why a text is not a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct QueryError {
    /// What is wrong, and what would be right.
    pub what: String,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
}

impl QueryError {
    pub(super) fn new(span: Range<usize>, what: impl Into<String>) -> Self {
        Self { what: what.into(), span }
    }

    /// A line that points at the place from below the text: `     ^^^ there is no field "usr"`.
    #[must_use]
    pub fn caret(&self, text: &str) -> String {
        let before = text.get(..self.span.start).unwrap_or(text).chars().count();
        let under = text.get(self.span.clone()).map_or(1, |part| part.chars().count().max(1));
        format!("{}{} {}", " ".repeat(before), "^".repeat(under), self.what)
    }
}
