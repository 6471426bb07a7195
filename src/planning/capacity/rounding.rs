//! Rounding half away from zero, with the original's one slip.

/// Rounds to a whole number, halves away from zero. As in the original, the largest double below one half is
/// rounded up.
pub fn round_half_away(x: f64) -> i64 {
    let sign = if x >= 0.0 { 1 } else { -1 };
    let low = x.round_ties_even() as i64;
    let high = (x + f64::from(sign)).round_ties_even() as i64;
    let sign = i64::from(sign);
    if high == low.saturating_add(2 * sign) { low.saturating_add(sign) } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_away_from_zero() {
        for (x, whole) in [(0.5, 1), (-0.5, -1), (2.5, 3), (-2.5, -3), (4.4999999, 4), (-0.4, 0)] {
            assert_eq!(round_half_away(x), whole, "{x}");
        }
        assert_eq!(round_half_away(0.499_999_999_999_999_94), 1, "the slip");
    }
}
