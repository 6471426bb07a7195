//! Amounts that a node has left, or that a job takes, without any time.

use super::{CapacityShape, Measure};

/// Memory, cores, disk and accelerators: free in a slice, or wanted by a job.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Room<N> {
    /// Bytes.
    pub memory: i64,
    pub cores: N,
    /// Bytes.
    pub disk: i64,
    /// Accelerators.
    pub gpus: i64,
}

impl<N: Measure> Room<N> {
    /// The amounts of a shape.
    pub fn of(shape: &CapacityShape) -> Self {
        Self { memory: shape.memory, cores: N::of(shape.cores), disk: shape.disk, gpus: shape.gpus }
    }

    /// Whether this much of everything is there.
    pub fn fits(&self, free: &Self) -> bool {
        self.memory <= free.memory
            && self.cores <= free.cores
            && self.disk <= free.disk
            && self.gpus <= free.gpus
    }

    /// What is left when a job has taken its part.
    pub fn without(&self, taken: &Self) -> Self {
        self.each(taken, i64::saturating_sub, N::minus)
    }

    /// The sum of both.
    pub fn with(&self, more: &Self) -> Self {
        self.each(more, i64::saturating_add, N::plus)
    }

    /// The larger of both, each amount by itself.
    pub fn largest(&self, other: &Self) -> Self {
        self.each(other, i64::max, |mine, other| if other > mine { other } else { mine })
    }

    /// The smaller of both, each amount by itself.
    pub fn smallest(&self, other: &Self) -> Self {
        self.each(other, i64::min, |mine, other| if other < mine { other } else { mine })
    }

    #[inline]
    fn each(&self, other: &Self, whole: impl Fn(i64, i64) -> i64, cores: impl Fn(N, N) -> N) -> Self {
        Self {
            memory: whole(self.memory, other.memory),
            cores: cores(self.cores, other.cores),
            disk: whole(self.disk, other.disk),
            gpus: whole(self.gpus, other.gpus),
        }
    }

    /// Less than nothing of everything: no job fits, not even one that wants nothing.
    pub fn closed() -> Self {
        Self { memory: i64::MIN, cores: N::of(-1.0), disk: i64::MIN, gpus: i64::MIN }
    }
}
