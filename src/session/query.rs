//! A small language to select rows from a list: jobs, nodes, sets, buckets or events, as defined in `records`, or
//! anything else that is a [`QueryRecord`].
//!
//! ```text
//! user:ann path:node wait          all three hold; a bare word matches anywhere
//! walltime>=2h and not queue=long  comparison, and, or, not, parentheses
//! node=n1* | (mem<16gb verdict!=run)
//! ```
//! `:` matches a part of a text, `~` a pattern anywhere in it (`name~^cn0[12]`, a regular expression), `=` and `!=`
//! compare the whole text (with `*` for anything), `< <= > >=` compare numbers, sizes, durations and times. Texts
//! with spaces or brackets are quoted. Case is ignored. `name` is the id of the listed objects.
//!
//! A [`Query`] is parsed once against the [`QueryFields`] of its records, so that a misspelt field is an error with a
//! place and a suggestion, not an empty result. Filters, breakpoints and `qscope cycle --where` use it.

mod completion;
mod field;
mod lexer;
mod of_text;
mod operand;
mod parser;

pub use completion::{Completion, CompletionKind, completion};
pub use field::{FieldColumn, FieldKind, FieldValue, QueryField, QueryFields, QueryRecord};
pub use lexer::MAX_LETTERS;
pub use of_text::Query;

use std::ops::Range;

use qscope_engine::cluster::caret_lines;

use lexer::QueryOperator;
use operand::{Operand, holds};

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
    fn new(span: Range<usize>, what: impl Into<String>) -> Self {
        Self { what: what.into(), span, is_unknown_field: false }
    }

    /// Returns the text, and a line below it that points at the error: `     ^^^ there is no field "usr"`.
    pub fn pointed(&self, text: &str) -> [String; 2] {
        caret_lines(text, self.span.clone(), &self.what)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum QueryExpr {
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
    fn names(&self, name: &str) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.names(name)),
            Self::Not(part) => part.names(name),
            Self::Word(_) => false,
            Self::Term { field, .. } => field == name,
        }
    }

    /// Whether a part is a bare word.
    fn has_words(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::has_words),
            Self::Not(part) => part.has_words(),
            Self::Word(_) => true,
            Self::Term { .. } => false,
        }
    }

    fn fits(&self, record: &dyn QueryRecord) -> bool {
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
