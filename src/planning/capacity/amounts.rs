//! The amounts that a node has free or that a job takes, at one point in time.

use super::{CapacityShape, PackingNumber};

/// Memory, cores, disk and accelerators: free in a slice, or requested by a job.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PackingAmounts<N> {
    /// Memory in bytes.
    pub memory: i64,
    pub cores: N,
    /// Disk in bytes.
    pub disk: i64,
    /// Number of accelerators.
    pub gpus: i64,
}

impl<N: PackingNumber> PackingAmounts<N> {
    /// Returns the amounts of a shape.
    pub fn of(shape: &CapacityShape) -> Self {
        Self { memory: shape.memory, cores: N::of(shape.cores), disk: shape.disk, gpus: shape.gpus }
    }

    /// Returns whether each amount is at most the free one.
    pub fn fits(&self, free: &Self) -> bool {
        self.memory <= free.memory
            && self.cores <= free.cores
            && self.disk <= free.disk
            && self.gpus <= free.gpus
    }

    /// Subtracts what a job takes.
    pub fn without(&self, taken: &Self) -> Self {
        self.combine(taken, i64::saturating_sub, N::minus)
    }

    /// Returns the sum of both.
    pub fn with(&self, more: &Self) -> Self {
        self.combine(more, i64::saturating_add, N::plus)
    }

    /// Returns the larger of each amount.
    pub fn largest(&self, other: &Self) -> Self {
        self.combine(other, i64::max, |mine, other| if other > mine { other } else { mine })
    }

    /// Returns the smaller of each amount.
    pub fn smallest(&self, other: &Self) -> Self {
        self.combine(other, i64::min, |mine, other| if other < mine { other } else { mine })
    }

    #[inline]
    fn combine(&self, other: &Self, whole: impl Fn(i64, i64) -> i64, cores: impl Fn(N, N) -> N) -> Self {
        Self {
            memory: whole(self.memory, other.memory),
            cores: cores(self.cores, other.cores),
            disk: whole(self.disk, other.disk),
            gpus: whole(self.gpus, other.gpus),
        }
    }

    /// Returns negative amounts that no job fits, not even one that requests nothing.
    pub fn closed() -> Self {
        Self { memory: i64::MIN, cores: N::of(-1.0), disk: i64::MIN, gpus: i64::MIN }
    }
}
