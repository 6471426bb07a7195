//! The fair share tree's files: `resource_group`, `usage`, or what `pbsfs` prints.

use super::{Epoch, Name};

/// One line of `resource_group`.
#[derive(Clone, PartialEq, Debug)]
pub struct ShareGroup {
    /// The entity's name.
    pub name: Name,
    pub number: i64,
    /// Its parent's name.
    pub parent: Name,
    pub shares: f64,
}

/// The usage of one entity.
#[derive(Clone, PartialEq, Debug)]
pub struct UsageRecord {
    /// The entity's name.
    pub name: Name,
    /// Its usage, decayed up to `decayed`.
    pub usage: f64,
    /// When usage was last decayed, if known.
    pub decayed: Option<Epoch>,
}
