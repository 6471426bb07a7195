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
        Self {
            memory: self.memory.saturating_sub(taken.memory),
            cores: self.cores.minus(taken.cores),
            disk: self.disk.saturating_sub(taken.disk),
            gpus: self.gpus.saturating_sub(taken.gpus),
        }
    }

    /// The sum of both.
    pub fn with(&self, more: &Self) -> Self {
        Self {
            memory: self.memory.saturating_add(more.memory),
            cores: self.cores.plus(more.cores),
            disk: self.disk.saturating_add(more.disk),
            gpus: self.gpus.saturating_add(more.gpus),
        }
    }

    /// The larger of both, each amount by itself.
    pub fn largest(&self, other: &Self) -> Self {
        Self {
            memory: self.memory.max(other.memory),
            cores: if other.cores > self.cores { other.cores } else { self.cores },
            disk: self.disk.max(other.disk),
            gpus: self.gpus.max(other.gpus),
        }
    }

    /// The smaller of both, each amount by itself.
    pub fn smallest(&self, other: &Self) -> Self {
        Self {
            memory: self.memory.min(other.memory),
            cores: if other.cores < self.cores { other.cores } else { self.cores },
            disk: self.disk.min(other.disk),
            gpus: self.gpus.min(other.gpus),
        }
    }

    /// Less than nothing of everything: no job fits, not even one that wants nothing.
    pub fn closed() -> Self {
        Self { memory: i64::MIN, cores: N::of(-1.0), disk: i64::MIN, gpus: i64::MIN }
    }
}
