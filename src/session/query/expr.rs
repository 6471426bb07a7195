//! What a query asks for, and whether a record fits it.

use std::borrow::Cow;

use super::field::Record;
use super::lexer::QueryOperator;
use super::operand::{Operand, holds};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum QueryExpr {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    /// Small letters, searched in all words.
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
            Self::Word(word) => holds_word(record.words(), word),
            Self::Term { field, operator, operand } => {
                record.fact(field).is_some_and(|fact| holds(&fact, *operator, operand))
            }
        }
    }
}

/// Whether words hold one in small letters, whatever letters they have.
fn holds_word(words: Cow<'_, str>, word: &str) -> bool {
    if !words.is_ascii() {
        return words.to_lowercase().contains(word);
    }
    // In place: this is asked of every row while one types.
    let mut words = words.into_owned();
    words.make_ascii_lowercase();
    words.contains(word)
}
