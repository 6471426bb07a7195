//! Cached facts about sets: rows with one value per set, each valid until its set changes.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::cluster::Id;
use crate::universe::SetIx;

/// Maximum number of cached values.
const MAX_VALUES: usize = 2_000_000;

/// The row of cached values for one key: the index of its first entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetCacheRow(usize);

/// Values by key and set. Not part of the state: a clone starts empty.
#[derive(Debug)]
pub struct SetCache<K, V> {
    rows: FxHashMap<K, SetCacheRow>,
    /// The rows one after the other, each with one entry per set.
    known: Vec<CachedValue<V>>,
    /// Number of changes of each set so far.
    changes: Vec<u32>,
}

/// A value, and the number of changes of its set when it was computed.
#[derive(Clone, Copy, Debug)]
struct CachedValue<V> {
    changes: u32,
    value: V,
}

impl<K, V> Default for SetCache<K, V> {
    fn default() -> Self {
        Self { rows: FxHashMap::default(), known: Vec::new(), changes: Vec::new() }
    }
}

impl<K, V> Clone for SetCache<K, V> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<K: Eq + Hash, V: Copy + Default> SetCache<K, V> {
    /// Records that a set changed; does nothing before the first row.
    pub(in crate::universe) fn mark_changed(&mut self, set: SetIx) {
        if let Some(changes) = self.changes.get_mut(set.ix()) {
            *changes = changes.wrapping_add(1);
        }
    }

    /// Whether nothing is cached.
    pub(in crate::universe) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether rows have one entry for each of this number of sets.
    pub(in crate::universe) fn is_of(&self, sets: usize) -> bool {
        self.changes.len() == sets
    }

    /// Returns the row of a key for this number of sets, or `None` if it would take too much memory.
    pub fn row(&mut self, key: K, sets: usize) -> Option<SetCacheRow> {
        if !self.is_of(sets) {
            *self = Self { changes: vec![1; sets], ..Self::default() };
        }
        let next = SetCacheRow(self.known.len());
        if next.0 + sets > MAX_VALUES && !self.rows.contains_key(&key) {
            return None;
        }
        let row = *self.rows.entry(key).or_insert(next);
        if row.0 == next.0 {
            self.known.resize(next.0 + sets, CachedValue { changes: 0, value: V::default() });
        }
        Some(row)
    }

    /// Returns the value of a set: the cached one, or else what `read` returns.
    #[inline]
    pub fn value(&mut self, row: SetCacheRow, set: SetIx, read: impl FnOnce() -> V) -> V {
        let known = self.known.get_mut(row.0 + set.ix());
        let (Some(known), Some(changes)) = (known, self.changes.get(set.ix())) else { return read() };
        if known.changes != *changes {
            *known = CachedValue { changes: *changes, value: read() };
        }
        known.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_again_once_its_set_changed_and_no_other_is() {
        let mut known: SetCache<u8, u32> = SetCache::default();
        let row = known.row(7, 2).unwrap_or_else(|| panic!("there is room"));
        let (one, other) = (SetIx(0), SetIx(1));
        assert_eq!((known.value(row, one, || 3), known.value(row, other, || 4)), (3, 4));
        known.mark_changed(one);
        assert_eq!((known.value(row, one, || 5), known.value(row, other, || 6)), (5, 4));
        assert_eq!(known.row(7, 2), Some(row), "a key has one row");
    }

    #[test]
    fn a_row_that_would_fill_too_much_memory_is_refused() {
        let mut known: SetCache<u8, u32> = SetCache::default();
        assert!(known.row(0, MAX_VALUES).is_some());
        assert_eq!(known.row(1, MAX_VALUES), None);
        assert!(known.row(0, MAX_VALUES).is_some(), "the row that is there stays");
    }
}
