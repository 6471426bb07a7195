//! Number of chunks that the nodes of each set hold, counted node by node and cached until one of them changes.

use crate::cluster::{PlaceSharing, QueueId};
use crate::universe::ShapeId;

use super::set_cache::SetCache;

/// Key of a count: the chunk, and the nodes it is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HeldChunksKey {
    /// The chunk.
    pub shape: ShapeId,
    /// Whether every chunk needs a node of its own.
    pub is_spread: bool,
    /// Sharing that the job requests.
    pub sharedness: PlaceSharing,
    /// Queue that the nodes are bound to.
    pub queue: Option<QueueId>,
}

/// Counts of one set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeldChunkCount {
    /// Number of chunks, summed over nodes; `None` if it cannot be computed by division.
    pub chunks: Option<u32>,
    /// Number of nodes that a search examines before it stops.
    pub examined: u32,
}

/// Counts of every set, by kind.
pub type HeldChunkCache = SetCache<HeldChunksKey, HeldChunkCount>;
