//! A number with its noun, and the first of many names.

use std::fmt::Display;

/// `1 node`, `3 nodes`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    if number == N::from(1) { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// The first few names, and how many there are besides.
pub fn some(names: &[impl AsRef<str>], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    and_more(shown.join(", "), names.len().saturating_sub(most))
}

/// What is shown of a list, and how many there are besides.
pub fn and_more(shown: String, more: usize) -> String {
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
