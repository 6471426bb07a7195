//! The two arithmetics of the packer: doubles as in the original, and whole thousandths.

use std::fmt::Debug;

/// A number that the packer adds, subtracts and compares: a time in seconds or a number of cores.
pub trait PackingNumber: Copy + PartialEq + PartialOrd + Debug + Default + Send + Sync {
    /// Converts from seconds or cores.
    fn of(value: f64) -> Self;
    /// Converts to seconds or cores.
    fn value(self) -> f64;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The difference; may be negative.
    fn minus(self, other: Self) -> Self;
    /// Returns an upper bound that allows for the rounding of sums that should be equal.
    fn with_slack(self) -> Self;
}

impl PackingNumber for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }

    fn with_slack(self) -> Self {
        self + self.abs() * 1e-9 + 1e-9
    }
}

/// Exact thousandths of a second or of a core: the default arithmetic, in which no sum differs from its parts
/// by a rounding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Milli(pub i64);

impl PackingNumber for Milli {
    fn of(value: f64) -> Self {
        Self((value * 1000.0).round() as i64)
    }

    fn value(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    fn with_slack(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_add_up_where_doubles_do_not() {
        let twenty = (0..20).fold(Milli::of(4.0), |left, _| left.minus(Milli::of(0.2)));
        assert_eq!(twenty, Milli(0));
        let doubles = (0..20).fold(4.0, |left: f64, _| left.minus(0.2));
        assert!(doubles < 0.0, "the original ends below nothing: {doubles}");
    }
}
