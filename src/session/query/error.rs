//! What is wrong with a query, and where.

use qscope_engine::cluster::pointed_at;
use std::ops::Range;

/// Why a text is not a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct QueryError {
    /// What is wrong, and what would be right.
    pub what: String,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// Whether a name is no field of these records: it may be one of others, or a resource of another cluster.
    pub is_unknown_field: bool,
}

impl QueryError {
    pub(super) fn new(span: Range<usize>, what: impl Into<String>) -> Self {
        Self { what: what.into(), span, is_unknown_field: false }
    }

    /// The text, and a line that points at the place from below it: `     ^^^ there is no field "usr"`.
    pub fn pointed(&self, text: &str) -> [String; 2] {
        pointed_at(text, self.span.clone(), &self.what)
    }
}
