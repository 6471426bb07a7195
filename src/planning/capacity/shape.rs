//! Shapes: what a job requests or a node has, and their order.

use std::cmp::Ordering;

use serde::Serialize;

/// The set of node types that a job may use, beyond the amounts; an index into the packer's list, where 0
/// allows every type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TypeSetIx(pub u32);

/// The amounts a job requests for its run time, or a node type offers for its billing slice.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct CapacityShape {
    /// Run time of a job, or billing slice of a node type, in seconds.
    pub wall_time: f64,
    /// Memory in bytes.
    pub memory: i64,
    /// Cores, possibly a fraction.
    pub cores: f64,
    /// Bytes of scratch space.
    pub disk: i64,
    /// Accelerators, unknown to the original, whose shapes have 0.
    pub gpus: i64,
    /// For a job: it may be placed on preemptible nodes. For a node type: its nodes can be taken away.
    pub preemptible: bool,
    /// For a job: it needs the node for itself. Not in the original.
    pub exclusive: bool,
    /// For a job: the types it may use. Not in the original.
    #[serde(skip)]
    pub site: TypeSetIx,
}

/// Why numbers are not a valid shape.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ShapeError {
    /// A number is negative.
    #[error("{what} is negative: {value}")]
    Negative {
        /// Name of the number.
        what: &'static str,
        value: f64,
    },
    /// A number is infinite or NaN.
    #[error("{what} is not a finite number: {value}")]
    NotFinite {
        /// Name of the number.
        what: &'static str,
        value: f64,
    },
    /// A number is so large that sums would not be exact.
    #[error("{what} is too large: {value}")]
    TooLarge {
        /// Name of the number.
        what: &'static str,
        value: f64,
    },
    /// The slice of a node type has no length.
    #[error("the slice of a node type must be longer than 0 s")]
    NoSlice,
}

/// The largest amount accepted: whole numbers above it are not exact in doubles.
const LARGEST: f64 = 9_007_199_254_740_992.0;
/// The longest time accepted, in seconds: about thirty thousand years.
const LONGEST: f64 = 1e12;

impl CapacityShape {
    /// Returns the shape with only the amounts that the original knows, as if no other had been requested.
    #[must_use]
    pub fn original_amounts(&self) -> Self {
        let Self { wall_time, memory, cores, disk, preemptible, .. } = *self;
        Self { wall_time, memory, cores, disk, preemptible, ..Self::default() }
    }

    /// Checks that every number can be packed.
    ///
    /// # Errors
    /// The first number that is negative, not finite, or beyond what doubles hold exactly.
    pub fn checked(self) -> Result<Self, ShapeError> {
        let numbers = [
            ("wall time", self.wall_time, LONGEST),
            ("memory", self.memory as f64, LARGEST),
            ("cores", self.cores, LONGEST),
            ("disk", self.disk as f64, LARGEST),
            ("gpus", self.gpus as f64, LARGEST),
        ];
        for (what, value, most) in numbers {
            if !value.is_finite() {
                return Err(ShapeError::NotFinite { what, value });
            }
            if value < 0.0 {
                return Err(ShapeError::Negative { what, value });
            }
            if value > most {
                return Err(ShapeError::TooLarge { what, value });
            }
        }
        Ok(self)
    }

    /// As [`checked`](Self::checked), and the slice of a node type must not be empty.
    ///
    /// # Errors
    /// As for `checked`, or an empty slice.
    pub fn checked_as_node(self) -> Result<Self, ShapeError> {
        let shape = self.checked()?;
        // A slice shorter than a thousandth rounds to 0 and would never cover a job.
        if shape.wall_time < 0.001 { Err(ShapeError::NoSlice) } else { Ok(shape) }
    }

    /// Orders node types and jobs: preemptible ones first, then by memory, cores, disk and time, each
    /// ascending, and last by what the original does not know.
    pub fn order(&self, other: &Self) -> Ordering {
        (other.preemptible.cmp(&self.preemptible))
            .then(self.memory.cmp(&other.memory))
            .then(self.cores.total_cmp(&other.cores))
            .then(self.disk.cmp(&other.disk))
            .then(self.wall_time.total_cmp(&other.wall_time))
            .then(self.gpus.cmp(&other.gpus))
            .then(self.exclusive.cmp(&other.exclusive))
            .then(self.site.cmp(&other.site))
    }

    /// Returns the key under which equal shapes are found in a map.
    pub fn key(&self) -> ShapeKey {
        ShapeKey {
            // Adding 0.0 makes both signs of zero equal.
            wall_time: (self.wall_time + 0.0).to_bits(),
            cores: (self.cores + 0.0).to_bits(),
            amounts: [self.memory, self.disk, self.gpus],
            flags: (self.preemptible, self.exclusive, self.site),
        }
    }
}

/// A shape as a map key: equal keys are equal shapes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShapeKey {
    wall_time: u64,
    cores: u64,
    amounts: [i64; 3],
    flags: (bool, bool, TypeSetIx),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(wall_time: f64, memory: i64, cores: f64, disk: i64, preemptible: bool) -> CapacityShape {
        CapacityShape { wall_time, memory, cores, disk, preemptible, ..CapacityShape::default() }
    }

    #[test]
    fn preemptible_first_then_memory_cores_disk_time() {
        let mut all = [
            shape(3600.0, 60, 36.0, 100, false),
            shape(3600.0, 260, 32.0, 600, false),
            shape(3600.0, 1, 1.0, 8, false),
            shape(3600.0, 60, 36.0, 100, true),
        ];
        all.sort_by(CapacityShape::order);
        let memory: Vec<_> = all.iter().map(|s| (s.memory, s.preemptible)).collect();
        assert_eq!(memory, [(60, true), (1, false), (60, false), (260, false)]);
    }

    #[test]
    fn numbers_that_cannot_be_packed_are_named() {
        let good = shape(1.0, 1, 1.0, 1, false);
        assert!(good.checked_as_node().is_ok());
        let error = |shape: CapacityShape| shape.checked_as_node().unwrap_err().to_string();
        assert_eq!(error(CapacityShape { memory: -3, ..good }), "memory is negative: -3");
        assert_eq!(
            error(CapacityShape { wall_time: f64::INFINITY, ..good }),
            "wall time is not a finite number: inf"
        );
        assert!(error(CapacityShape { cores: 1e300, ..good }).starts_with("cores is too large"));
        assert!(error(CapacityShape { wall_time: 0.0, ..good }).contains("longer than 0"));
    }
}
