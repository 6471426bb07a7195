//! The files of the fair share tree: `resource_group`, and `usage` or the output of `pbsfs`.

use super::{Epoch, Name};

/// One line of `resource_group`.
#[derive(Clone, PartialEq, Debug)]
pub struct ShareGroup {
    /// Name of the entity.
    pub name: Name,
    pub number: i64,
    /// Name of its parent.
    pub parent: Name,
    pub shares: f64,
}

/// The usage of one entity.
#[derive(Clone, PartialEq, Debug)]
pub struct UsageRecord {
    /// Name of the entity.
    pub name: Name,
    /// Usage, decayed up to `decayed`.
    pub usage: f64,
    /// Time of the last decay, if known.
    pub decayed: Option<Epoch>,
}
