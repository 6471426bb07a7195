//! The filter of the filter line.

use qscope_session::query::{Query, QueryError, QueryFields, QueryRecord};

/// A filter as typed: decides which rows every view keeps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    text: String,
    query: Query,
}

impl Filter {
    /// Parses what was typed, in the [query language](qscope_session::query), over rows with these fields.
    ///
    /// # Errors
    /// The text is not a valid query; the error has the place.
    pub fn parse(text: &str, fields: &QueryFields) -> Result<Self, QueryError> {
        Ok(Self { text: text.to_owned(), query: Query::parse(text, fields)? })
    }

    /// The text as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Filter and counts for the title of a pane: `/order  1 of 11`.
    pub(crate) fn note(&self, kept: usize, all: usize) -> String {
        format!("/{}  {kept} of {all}", self.text)
    }

    /// Whether it keeps everything.
    pub fn is_empty(&self) -> bool {
        self.query.is_empty()
    }

    /// Whether it keeps a row.
    pub fn matches(&self, record: &dyn QueryRecord) -> bool {
        self.query.fits(record)
    }

    /// Whether it keeps a row that is only a text.
    pub fn keeps_text(&self, text: &str) -> bool {
        self.query.fits(&text)
    }
}
