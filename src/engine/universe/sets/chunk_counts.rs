//! Number of chunks that the buckets of each set have room for, cached until the set changes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::QueueId;
use crate::universe::{PoolIx, SetIx, ShapeId, SigId};

use super::set_cache::{SetCache, SetCacheRow};

/// Number of chunks that one set holds by the signatures of its nodes, as far as they can be counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChunkCount {
    /// On all nodes.
    pub all: u32,
    /// On open nodes.
    pub open: u32,
}

/// How long it holds that no set has room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRoom {
    /// Until a node opens.
    Temporary,
    Permanent,
}

/// Key of a count: the chunk and the nodes it is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChunkCountKey {
    /// The chunk.
    pub shape: ShapeId,
    /// Whether every chunk needs a node of its own.
    pub is_spread: bool,
    /// Queue that the nodes are bound to.
    pub queue: Option<QueueId>,
}

/// Number of nodes of a set with the same signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignatureCount {
    pub set: SetIx,
    pub sig: SigId,
    pub count: u32,
}

/// Cached facts about sets that are still valid. Not part of the state: a clone starts empty.
#[derive(Default)]
pub struct ChunkCountCache {
    counts: SetCache<ChunkCountKey, ChunkCount>,
    /// Room on all nodes of every set, for rows that were summed.
    all: FxHashMap<SetCacheRow, Arc<[u32]>>,
    /// Number of nodes of each signature in every set, by the queue that the nodes are bound to.
    kinds: FxHashMap<Option<QueueId>, Arc<[SignatureCount]>>,
    /// Smallest known number of chunks of a row for which no set of a pool has enough open nodes; valid until a node
    /// opens.
    lacking: FxHashMap<(SetCacheRow, PoolIx), u32>,
    /// The same for all nodes, which is permanent.
    permanent_totals: FxHashMap<(SetCacheRow, PoolIx), u32>,
}

impl Clone for ChunkCountCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl ChunkCountCache {
    /// Records that the buckets of a set changed, and whether one of its nodes may have opened.
    pub(in crate::universe) fn mark_changed(&mut self, set: SetIx, opens: bool) {
        if opens {
            self.lacking.clear();
        }
        self.counts.mark_changed(set);
    }

    /// Returns the row of a kind of chunk for this number of sets, or `None` if it would take too much memory.
    pub fn row(&mut self, key: ChunkCountKey, sets: usize) -> Option<SetCacheRow> {
        if !self.counts.is_of(sets) {
            *self = Self::default();
        }
        self.counts.row(key, sets)
    }

    /// Returns the room on all nodes of every set, if it was summed.
    pub fn counts_of_sets(&self, row: SetCacheRow) -> Option<&Arc<[u32]>> {
        self.all.get(&row)
    }

    /// Returns the number of nodes of each signature in every set, calling `count` the first time. It never changes.
    pub fn kinds(
        &mut self,
        queue: Option<QueueId>,
        count: impl FnOnce() -> Arc<[SignatureCount]>,
    ) -> Arc<[SignatureCount]> {
        self.kinds.entry(queue).or_insert_with(count).clone()
    }

    /// Stores the room on all nodes of every set, which never changes.
    pub fn keep_all(&mut self, row: SetCacheRow, all: Arc<[u32]>) {
        self.all.insert(row, all);
    }

    /// Returns for how long no set of a pool has room for `chunks` chunks of a row, or `None` if that is not known.
    pub fn lacks(&self, row: SetCacheRow, pool: PoolIx, chunks: u32) -> Option<NoRoom> {
        let key = (row, pool);
        let is_known = |least: &FxHashMap<_, u32>| least.get(&key).is_some_and(|least| *least <= chunks);
        if is_known(&self.permanent_totals) {
            return Some(NoRoom::Permanent);
        }
        is_known(&self.lacking).then_some(NoRoom::Temporary)
    }

    /// Records that no set of a pool has room for `chunks` chunks.
    pub fn note_lack(&mut self, row: SetCacheRow, pool: PoolIx, chunks: u32, lack: NoRoom) {
        let known = match lack {
            NoRoom::Temporary => &mut self.lacking,
            NoRoom::Permanent => &mut self.permanent_totals,
        };
        let least = known.entry((row, pool)).or_insert(chunks);
        *least = (*least).min(chunks);
    }

    /// Returns the room of a set: the cached value, or else what `read` returns.
    #[inline]
    pub fn count_of(
        &mut self,
        row: SetCacheRow,
        set: SetIx,
        read: impl FnOnce() -> ChunkCount,
    ) -> ChunkCount {
        self.counts.value(row, set, read)
    }
}
