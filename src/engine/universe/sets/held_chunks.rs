//! How many chunks the nodes of each set hold, counted node by node and remembered until one of them changes.

use crate::cluster::{QueueId, Sharedness};
use crate::universe::ShapeId;

use super::known_by_set::KnownBySet;

/// Which chunks are counted, and on which nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HeldKind {
    /// The chunk.
    pub shape: ShapeId,
    /// Whether each goes on a node of its own.
    pub is_spread: bool,
    /// Whom the job shares its nodes with.
    pub sharedness: Sharedness,
    /// Whose nodes they are.
    pub queue: Option<QueueId>,
}

/// What the nodes of one set hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeldChunks {
    /// How many chunks, each node by itself; none where that is no matter of division.
    pub chunks: Option<u32>,
    /// How many nodes a search examines before it gives up.
    pub examined: u32,
}

/// The counts of every set, by kind.
pub type HeldBySet = KnownBySet<HeldKind, HeldChunks>;
