//! What the filter line keeps.

/// A filter as typed: what every view keeps rows by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    wanted: String,
}

impl Filter {
    /// A filter from what was typed.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), wanted: text.to_lowercase() }
    }

    /// What was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether everything is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Whether a row of this text is kept.
    #[must_use]
    pub fn keeps(&self, text: &str) -> bool {
        self.is_empty() || text.to_lowercase().contains(&self.wanted)
    }
}
