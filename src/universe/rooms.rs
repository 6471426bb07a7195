//! How many chunks the buckets of each set have room for, remembered until the set changes.

use rustc_hash::FxHashMap;

use crate::cluster::{Id, QueueId};

use super::request::ShapeId;
use super::set::SetIx;

/// Chunks that one set holds by the signatures of its nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Room {
    /// On all its nodes.
    pub all: u64,
    /// On those that are open.
    pub open: u64,
}

/// Whose room it is: chunks of this shape, each on a node of its own or not, on nodes of this queue.
pub type RoomKey = (ShapeId, bool, Option<QueueId>);

/// The room of every set for chunks of one kind.
#[derive(Debug)]
pub struct RoomRow(usize);

/// What was found out about sets and still holds. It is no part of the state: a copy knows nothing yet.
#[derive(Default)]
pub struct Rooms {
    rows: FxHashMap<RoomKey, usize>,
    known: Vec<Vec<Known>>,
    /// How often the buckets of each set changed.
    changes: Vec<u32>,
}

/// Room, and how often the set had changed when it was found out.
#[derive(Clone, Copy)]
struct Known {
    changes: u32,
    room: Room,
}

impl Clone for Rooms {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for Rooms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rooms")
    }
}

impl Rooms {
    /// Notes that the buckets of a set changed.
    pub(super) fn touch(&mut self, set: SetIx) {
        if let Some(changes) = self.changes.get_mut(set.ix()) {
            *changes = changes.wrapping_add(1);
        }
    }

    /// The row of a kind of chunk, for as many sets as there are.
    pub fn row(&mut self, key: RoomKey, sets: usize) -> RoomRow {
        if self.changes.len() < sets {
            self.changes.resize(sets, 1);
        }
        let next = self.known.len();
        let row = *self.rows.entry(key).or_insert(next);
        if row == next {
            self.known.push(vec![Known { changes: 0, room: Room::default() }; sets]);
        }
        RoomRow(row)
    }

    /// The room of a set: the one remembered, or what `look` finds.
    #[inline]
    pub fn room(&mut self, row: &RoomRow, set: SetIx, look: impl FnOnce() -> Room) -> Room {
        let known = self.known.get_mut(row.0).and_then(|row| row.get_mut(set.ix()));
        let (Some(known), Some(changes)) = (known, self.changes.get(set.ix())) else { return look() };
        if known.changes != *changes {
            *known = Known { changes: *changes, room: look() };
        }
        known.room
    }
}
