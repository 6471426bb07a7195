//! Errors in a query, with their place.

use qscope_engine::cluster::pointed_at;
use std::ops::Range;

/// Error: a text is not a valid query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct QueryError {
    /// What is wrong, and what would be right.
    pub what: String,
    /// Byte range of the error in the text.
    pub span: Range<usize>,
    /// Whether a name is not a field of these records: it may be a field of other records, or a resource of another
    /// cluster.
    pub is_unknown_field: bool,
}

impl QueryError {
    pub(super) fn new(span: Range<usize>, what: impl Into<String>) -> Self {
        Self { what: what.into(), span, is_unknown_field: false }
    }

    /// Returns the text, and a line below it that points at the error: `     ^^^ there is no field "usr"`.
    pub fn pointed(&self, text: &str) -> [String; 2] {
        pointed_at(text, self.span.clone(), &self.what)
    }
}
