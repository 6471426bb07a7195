//! What the filter line keeps.

use qscope_session::query::{Fields, Query, QueryError, Record};

/// A filter as typed: what every view keeps rows by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    text: String,
    query: Query,
}

impl Filter {
    /// A filter from what was typed, in the [query language](qscope_session::query), over rows of these fields.
    ///
    /// # Errors
    /// The text is no query; with the place.
    pub fn parse(text: &str, fields: &Fields) -> Result<Self, QueryError> {
        Ok(Self { text: text.to_owned(), query: Query::parse(text, fields)? })
    }

    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether everything is kept.
    pub fn is_empty(&self) -> bool {
        self.query.is_empty()
    }

    /// Whether a row is kept.
    pub fn keeps(&self, record: &dyn Record) -> bool {
        self.query.fits(record)
    }

    /// Whether a row that is nothing but a text is kept.
    pub fn keeps_text(&self, text: &str) -> bool {
        self.query.fits(&text)
    }
}
