//! Formatting of a number with its noun, and of the first of many names.

use std::fmt::Display;

/// Formats a count: `1 node`, `3 nodes`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    if number == N::from(1) { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// Formats the first `most` names and the number of the others.
pub fn first_names(names: &[impl AsRef<str>], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    append_count(shown.join(", "), names.len().saturating_sub(most))
}

/// Appends the number of items not shown, if any.
pub fn append_count(shown: String, more: usize) -> String {
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
