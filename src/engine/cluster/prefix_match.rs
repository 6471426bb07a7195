//! Whether a text begins with what was typed.

/// Whether a text begins with `head`, in letters of either case.
pub fn begins_with(text: &str, head: &str) -> bool {
    text.get(..head.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_either_case_begin_a_text() {
        assert!(begins_with("FirstAvailable", "first") && begins_with("a", ""));
        assert!(!begins_with("a", "ab") && !begins_with("\u{e9}t\u{e9}", "e"));
    }
}
