//! The expression of a query, and whether a record fits it.

use super::field::Record;
use super::lexer::QueryOperator;
use super::operand::{Operand, holds};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum QueryExpr {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    /// A word in lower case, searched in all texts.
    Word(String),
    Term {
        field: String,
        operator: QueryOperator,
        operand: Operand,
    },
}

impl QueryExpr {
    /// Whether a term names this field; a bare word names none.
    pub(super) fn names(&self, name: &str) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.names(name)),
            Self::Not(part) => part.names(name),
            Self::Word(_) => false,
            Self::Term { field, .. } => field == name,
        }
    }

    /// Whether a part is a bare word.
    pub(super) fn has_words(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::has_words),
            Self::Not(part) => part.has_words(),
            Self::Word(_) => true,
            Self::Term { .. } => false,
        }
    }

    pub(super) fn fits(&self, record: &dyn Record) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.fits(record)),
            Self::Any(parts) => parts.iter().any(|part| part.fits(record)),
            Self::Not(part) => !part.fits(record),
            Self::Word(word) => record.any_text(&|text| holds_word(text, word)),
            Self::Term { field, operator, operand } => {
                record.fact(field).is_some_and(|fact| holds(&fact, *operator, operand))
            }
        }
    }
}

/// Whether a text contains a word given in lower case, ignoring case.
fn holds_word(text: &str, word: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(word);
    }
    // Without a copy, since this is evaluated for every row during typing.
    word.is_empty()
        || text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}
