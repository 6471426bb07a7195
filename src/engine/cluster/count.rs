//! A number with its noun.

use std::fmt::Display;

/// `1 node`, `3 nodes`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    if number == N::from(1) { format!("1 {thing}") } else { format!("{number} {thing}s") }
}
