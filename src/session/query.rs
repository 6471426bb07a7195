//! A small language to select rows from a list: jobs, nodes, sets, buckets or events, as defined in `records`, or
//! anything else that is a [`Record`].
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
//! A [`Query`] is parsed once against the [`Fields`] of its records, so that a misspelt field is an error with a
//! place and a suggestion, not an empty result. Filters, breakpoints and `qscope cycle --where` use it.

mod completion;
mod error;
mod expr;
mod field;
mod lexer;
mod of_text;
mod operand;
mod parser;

pub use completion::{Completion, Wanted, completion};
pub use error::QueryError;
pub use field::{Fact, Field, FieldColumn, FieldKind, Fields, Record};
pub use lexer::MAX_LETTERS;
pub use of_text::Query;
