//! Parses whole numbers as clients print them.

/// Parses a whole number, also in the form `1.79522624380975e+15`.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse().ok().or_else(|| text.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_read_from_their_text() {
        assert_eq!(whole_number("1.79522624380975e+15"), Some(1_795_226_243_809_750));
        assert_eq!(whole_number("1795226914615191"), Some(1_795_226_914_615_191));
        assert_eq!(whole_number("x"), None);
    }
}
