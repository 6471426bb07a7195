//! Mean, percentiles and rounding.

use serde::{Serialize, Serializer};

/// Rounds a number to `places` decimal places.
pub fn rounded(value: f64, places: i32) -> f64 {
    let scale = 10f64.powi(places);
    let scaled = (value * scale).round() / scale;
    if scaled.is_finite() { scaled } else { value }
}

/// Serialises a number with nine decimal places.
pub(crate) fn nine_places<S: Serializer>(
    value: &(impl Into<Option<f64>> + Copy),
    to: S,
) -> Result<S::Ok, S::Error> {
    (*value).into().map(|value| rounded(value, 9)).serialize(to)
}

/// Serialises a number with three decimal places.
pub(crate) fn three_places<S: Serializer>(
    value: &(impl Into<Option<f64>> + Copy),
    to: S,
) -> Result<S::Ok, S::Error> {
    (*value).into().map(|value| rounded(value, 3)).serialize(to)
}

/// Returns the value at the share `part / of` of a sorted list; its position, counted from 1, is rounded up.
pub fn at_share<T: Copy>(sorted: &[T], part: usize, of: usize) -> Option<T> {
    let position = (sorted.len() * part).div_ceil(of).max(1);
    sorted.get(position - 1).copied()
}

/// Returns the mean; `None` of an empty list.
pub fn mean(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_rounded_up_and_counted_from_one() {
        let all = [10, 20, 30, 40];
        assert_eq!(
            [at_share(&all, 1, 2), at_share(&all, 19, 20), at_share(&all, 0, 1)],
            [20, 40, 10].map(Some)
        );
        assert_eq!(at_share::<i64>(&[], 1, 2), None);
    }

    #[test]
    fn nothing_has_no_mean_and_endless_numbers_are_not_rounded() {
        assert_eq!((mean(&[]), mean(&[1.0, 2.0])), (None, Some(1.5)));
        assert_eq!([rounded(1.2346, 3), rounded(f64::MAX, 9)], [1.235, f64::MAX]);
    }
}
