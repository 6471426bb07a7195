//! How many chunks the buckets of each set have room for, remembered until the set changes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Id, QueueId};

use crate::universe::{PoolIx, SetIx, ShapeId};

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
pub enum Lack {
    /// Until a node opens.
    Now,
    /// Whatever opens.
    Ever,
}

/// So many counts are remembered, in twelve bytes each.
const MAX_ROOMS: usize = 2_000_000;

/// Whose room it is: chunks of this shape, each on a node of its own or not, on nodes of this queue.
pub type ChunkKind = (ShapeId, bool, Option<QueueId>);

/// Where the room of every set for chunks of one kind is remembered.
#[derive(Clone, Copy, Debug)]
pub struct ChunkRow(usize);

/// What was found out about sets and still holds. It is no part of the state: a copy knows nothing yet.
#[derive(Default)]
pub struct ChunkCounts {
    rows: FxHashMap<ChunkKind, ChunkRow>,
    /// Row after row, with as many entries as there are sets.
    known: Vec<KnownCount>,
    /// The room on all nodes of every set, for rows where it was added up.
    all: FxHashMap<usize, Arc<[u32]>>,
    /// How often the buckets of each set changed.
    changes: Vec<u32>,
    /// The least number of chunks of a row that no set of a pool has open, until something opens in any set.
    lacking: FxHashMap<(usize, PoolIx), u32>,
    /// The same on all nodes, which holds for ever.
    hopeless: FxHashMap<(usize, PoolIx), u32>,
}

/// ChunkCount, and how often the set had changed when it was found out.
#[derive(Clone, Copy)]
struct KnownCount {
    changes: u32,
    room: ChunkCount,
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
        // None before the first row.
        if let Some(changes) = self.changes.get_mut(set.ix()) {
            *changes = changes.wrapping_add(1);
        }
    }

    /// The row of a kind of chunk, for as many sets as there are; none when that would fill too much memory.
    pub fn row(&mut self, key: ChunkKind, sets: usize) -> Option<ChunkRow> {
        if self.changes.len() != sets {
            *self = Self { changes: vec![1; sets], ..Self::default() };
        }
        let next = ChunkRow(self.known.len());
        if next.0 + sets > MAX_ROOMS && !self.rows.contains_key(&key) {
            return None;
        }
        let row = *self.rows.entry(key).or_insert(next);
        if row.0 == next.0 {
            let unknown = KnownCount { changes: 0, room: ChunkCount::default() };
            self.known.resize(next.0 + sets, unknown);
        }
        Some(row)
    }

    /// The room on all nodes of every set, if it was added up.
    pub fn all(&self, row: ChunkRow) -> Option<&Arc<[u32]>> {
        self.all.get(&row.0)
    }

    /// Keeps the room on all nodes of every set, which never changes.
    pub fn keep_all(&mut self, row: ChunkRow, all: Arc<[u32]>) {
        self.all.insert(row.0, all);
    }

    /// Whether it is known that no set of a pool has so many chunks of a row open, or on all its nodes.
    pub fn lacks(&self, row: ChunkRow, pool: PoolIx, chunks: u32) -> Option<Lack> {
        let key = (row.0, pool);
        let is_known = |least: &FxHashMap<_, u32>| least.get(&key).is_some_and(|least| *least <= chunks);
        match () {
            () if is_known(&self.hopeless) => Some(Lack::Ever),
            () if is_known(&self.lacking) => Some(Lack::Now),
            () => None,
        }
    }

    /// Notes that no set of a pool has so many.
    pub fn note_lack(&mut self, row: ChunkRow, pool: PoolIx, chunks: u32, lack: Lack) {
        let known = match lack {
            Lack::Now => &mut self.lacking,
            Lack::Ever => &mut self.hopeless,
        };
        let least = known.entry((row.0, pool)).or_insert(chunks);
        *least = (*least).min(chunks);
    }

    /// The room of a set: the one remembered, or what `read` returns.
    #[inline]
    pub fn room(&mut self, row: ChunkRow, set: SetIx, read: impl FnOnce() -> ChunkCount) -> ChunkCount {
        let known = self.known.get_mut(row.0 + set.ix());
        let (Some(known), Some(changes)) = (known, self.changes.get(set.ix())) else { return read() };
        if known.changes != *changes {
            *known = KnownCount { changes: *changes, room: read() };
        }
        known.room
    }
}
