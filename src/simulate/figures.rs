//! The mean of numbers, the value at a share of them, and numbers to so many places.

use serde::{Serialize, Serializer};

/// A number to so many places.
pub fn rounded(value: f64, places: i32) -> f64 {
    let scale = 10f64.powi(places);
    let scaled = (value * scale).round() / scale;
    if scaled.is_finite() { scaled } else { value }
}

/// For JSON: to nine places.
pub(crate) fn nine_places<S: Serializer>(
    value: &(impl Into<Option<f64>> + Copy),
    to: S,
) -> Result<S::Ok, S::Error> {
    (*value).into().map(|value| rounded(value, 9)).serialize(to)
}

/// For JSON: to three places.
pub(crate) fn three_places<S: Serializer>(
    value: &(impl Into<Option<f64>> + Copy),
    to: S,
) -> Result<S::Ok, S::Error> {
    (*value).into().map(|value| rounded(value, 3)).serialize(to)
}

/// The value at the position of a share of all, rounded up and counted from 1.
pub fn at_share<T: Copy>(sorted: &[T], part: usize, of: usize) -> Option<T> {
    let position = (sorted.len() * part).div_ceil(of).max(1);
    sorted.get(position - 1).copied()
}

/// The mean; none of nothing.
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
