//! A remembered record, and where readings met it.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::identity::IdentityHints;
use crate::record::RecordBody;
use qscope_engine::cluster::Name;

impl RecordBody<'_> {
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(self.first_key);
        hasher.write(self.bytes);
        hasher.finish()
    }
}

/// A decoded record.
#[derive(Clone)]
pub(super) struct CachedRecord<T> {
    pub(super) name: Name,
    pub(super) length: usize,
    pub(super) hash: u64,
    /// Number of resources known at that time; `None` if the definition of one of them changed since.
    pub(super) resources: Option<usize>,
    pub(super) look: IdentityHints,
    pub(super) thing: T,
}

/// Where the last reading that met an entry found it.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct RecordPosition {
    pub(super) reading: u32,
    /// Number of records before it.
    pub(super) records_before: usize,
    /// Row of its object in the snapshot; `None` for an object that is gone.
    pub(super) row: Option<usize>,
    /// Byte offset of its name, if it is among other records of the section.
    pub(super) from: Option<usize>,
    /// Byte offset of its end.
    pub(super) to: usize,
    /// Number of reports when it began.
    pub(super) reported: usize,
    /// Number of reports when the next one began.
    pub(super) reported_behind: usize,
}

impl RecordPosition {
    /// Shifts it for a run that began at offset `old` and begins at `new`.
    pub(super) fn moved(self, old: usize, new: usize) -> Self {
        let moved = |at: usize| at.wrapping_sub(old).wrapping_add(new);
        Self { from: self.from.map(moved), to: moved(self.to), ..self }
    }
}

/// An unchanged record of a run.
pub(crate) struct UnchangedRecord<'m, T> {
    pub(crate) thing: &'m T,
    pub(crate) look: &'m IdentityHints,
    /// Row of its object in the snapshot, to be set.
    pub(crate) row: &'m mut Option<usize>,
}

/// An unchanged record that an earlier reading met.
pub(crate) struct CacheHit<'m, T> {
    /// Length of its body in bytes.
    pub(crate) length: usize,
    pub(crate) hints: &'m IdentityHints,
    pub(crate) object: T,
    /// Row of an object of the same name that this reading met before.
    pub(crate) earlier_row: Option<usize>,
    pub(super) row: &'m mut Option<usize>,
}

impl<T> CacheHit<'_, T> {
    /// Sets the row of its object; without one an earlier row stays.
    pub(crate) fn set_row(self, row: Option<usize>) {
        *self.row = row.or(self.earlier_row);
    }
}
