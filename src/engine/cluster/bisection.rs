//! The search for the number at which something begins to hold.

/// Returns the number nearest to `fails` for which `holds_for` is true, from `fails`, for which it is not, towards
/// `holds`, for which it is; both may be the larger one. Calls it a logarithmic number of times, for numbers between the
/// two only.
pub fn nearest_holding(mut fails: i64, mut holds: i64, mut holds_for: impl FnMut(i64) -> bool) -> i64 {
    while holds.abs_diff(fails) > 1 {
        let middle = fails.midpoint(holds);
        if holds_for(middle) { holds = middle } else { fails = middle }
    }
    holds
}

#[cfg(test)]
mod tests {
    use super::nearest_holding;

    #[test]
    fn the_border_is_found_from_both_sides() {
        for border in 1..=70 {
            assert_eq!(nearest_holding(0, 70, |number| number >= border), border);
            assert_eq!(nearest_holding(0, -70, |number| number <= -border), -border);
        }
    }
}
