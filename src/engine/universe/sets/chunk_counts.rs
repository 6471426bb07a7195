//! How many chunks the buckets of each set have room for, remembered until the set changes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::QueueId;
use crate::universe::{PoolIx, SetIx, ShapeId, SigId};

use super::known_by_set::{KnownBySet, RowOfSets};

/// Chunks that one set holds by the signatures of its nodes, as far as they can be counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChunkCount {
    /// On all its nodes.
    pub all: u32,
    /// On those that are open.
    pub open: u32,
}

/// For how long no set has room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRoom {
    /// Until a node opens.
    Now,
    /// Whatever opens.
    Ever,
}

/// Whose room it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChunkKind {
    /// The chunk.
    pub shape: ShapeId,
    /// Whether each goes on a node of its own.
    pub is_spread: bool,
    /// Whose nodes they are.
    pub queue: Option<QueueId>,
}

/// So many nodes of a set have the same signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodesOfKind {
    pub set: SetIx,
    pub sig: SigId,
    pub count: u32,
}

/// What was found out about sets and still holds. It is no part of the state: a copy knows nothing yet.
#[derive(Default)]
pub struct ChunkCounts {
    rooms: KnownBySet<ChunkKind, ChunkCount>,
    /// The room on all nodes of every set, for rows where it was added up.
    all: FxHashMap<RowOfSets, Arc<[u32]>>,
    /// How many nodes of each signature every set has, by whose nodes they are.
    kinds: FxHashMap<Option<QueueId>, Arc<[NodesOfKind]>>,
    /// The least number of chunks of a row that no set of a pool has open, until something opens in any set.
    lacking: FxHashMap<(RowOfSets, PoolIx), u32>,
    /// The same on all nodes, which holds for ever.
    hopeless: FxHashMap<(RowOfSets, PoolIx), u32>,
}

impl Clone for ChunkCounts {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl ChunkCounts {
    /// Notes that the buckets of a set changed, and whether a node of it may have become open.
    pub(in crate::universe) fn touch(&mut self, set: SetIx, opens: bool) {
        if opens {
            self.lacking.clear();
        }
        self.rooms.touch(set);
    }

    /// The row of a kind of chunk, for as many sets as there are; none when that would fill too much memory.
    pub fn row(&mut self, key: ChunkKind, sets: usize) -> Option<RowOfSets> {
        if !self.rooms.is_of(sets) {
            *self = Self::default();
        }
        self.rooms.row(key, sets)
    }

    /// The room on all nodes of every set, if it was added up.
    pub fn all(&self, row: RowOfSets) -> Option<&Arc<[u32]>> {
        self.all.get(&row)
    }

    /// How many nodes of each signature every set has: those counted, or what `count` returns. It never changes.
    pub fn kinds(
        &mut self,
        queue: Option<QueueId>,
        count: impl FnOnce() -> Arc<[NodesOfKind]>,
    ) -> Arc<[NodesOfKind]> {
        self.kinds.entry(queue).or_insert_with(count).clone()
    }

    /// Keeps the room on all nodes of every set, which never changes.
    pub fn keep_all(&mut self, row: RowOfSets, all: Arc<[u32]>) {
        self.all.insert(row, all);
    }

    /// Whether it is known that no set of a pool has so many chunks of a row open, or on all its nodes.
    pub fn lacks(&self, row: RowOfSets, pool: PoolIx, chunks: u32) -> Option<NoRoom> {
        let key = (row, pool);
        let is_known = |least: &FxHashMap<_, u32>| least.get(&key).is_some_and(|least| *least <= chunks);
        if is_known(&self.hopeless) {
            return Some(NoRoom::Ever);
        }
        is_known(&self.lacking).then_some(NoRoom::Now)
    }

    /// Notes that no set of a pool has so many.
    pub fn note_lack(&mut self, row: RowOfSets, pool: PoolIx, chunks: u32, lack: NoRoom) {
        let known = match lack {
            NoRoom::Now => &mut self.lacking,
            NoRoom::Ever => &mut self.hopeless,
        };
        let least = known.entry((row, pool)).or_insert(chunks);
        *least = (*least).min(chunks);
    }

    /// The room of a set: the one remembered, or what `read` returns.
    #[inline]
    pub fn room(&mut self, row: RowOfSets, set: SetIx, read: impl FnOnce() -> ChunkCount) -> ChunkCount {
        self.rooms.value(row, set, read)
    }
}
