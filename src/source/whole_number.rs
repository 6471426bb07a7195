//! Parses whole numbers as clients print them.

/// Parses a whole number, also in the form `1.79522624380975e+15`; `None` beyond 64 bits.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let text = text.trim();
    let number = || text.parse::<f64>().ok().filter(|n| n.abs() < BEYOND).map(|n| n as i64);
    text.parse().ok().or_else(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_read_from_their_text() {
        assert_eq!(whole_number("1.79522624380975e+15"), Some(1_795_226_243_809_750));
        assert_eq!(whole_number("1795226914615191"), Some(1_795_226_914_615_191));
        assert_eq!(whole_number("x"), None);
        for far in ["99999999999999999999", "1e99", "-1e19", "inf", "nan"] {
            assert_eq!(whole_number(far), None, "{far}");
        }
    }
}
