//! A small language that selects some of many things: jobs, nodes, sets, buckets, events, as
//! `records` has them, or whatever else is a [`Record`].
//!
//! ```text
//! user:ann path:node wait          all three hold; a bare word matches anywhere
//! walltime>=2h and not queue=long  comparison, and, or, not, parentheses
//! node=n1* | (mem<16gb verdict!=run)
//! ```
//! `:` matches a part of a text, `~` a pattern anywhere in it (`name~^cn0[12]`, a regular expression), `=` and `!=`
//! compare the whole of it (with `*` for anything), `< <= > >=` compare numbers, sizes, durations and moments. Texts
//! with spaces or brackets stand in quotes. Letters large and small are the same. `name` is the id of whatever is
//! listed.
//!
//! A [`Query`] is read once against the [`Fields`] of what it is about, so that a misspelt field is an error with a
//! place and a guess, not an empty answer. Filters, breakpoints and `qscope cycle --where` all use it.

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
