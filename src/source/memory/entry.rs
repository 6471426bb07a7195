//! What is kept of a record, and where readings met it.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::identity::IdentityLook;
use crate::record::Body;
use qscope_engine::cluster::Name;

impl Body<'_> {
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(self.first_key);
        hasher.write(self.bytes);
        hasher.finish()
    }
}

/// A record as it was decoded.
#[derive(Clone)]
pub(super) struct RememberedRecord<T> {
    pub(super) name: Name,
    pub(super) length: usize,
    pub(super) hash: u64,
    /// How many resources were known then; none where another definition took the place of one of them.
    pub(super) resources: Option<usize>,
    pub(super) look: IdentityLook,
    pub(super) thing: T,
}

/// Where the last reading that met an entry met it.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Met {
    /// That reading.
    pub(super) reading: u32,
    /// How many records stood before it.
    pub(super) place: usize,
    /// The row that its object has in the snapshot; none of one that is over.
    pub(super) row: Option<usize>,
    /// The byte of its name, where it stands among other records of the section.
    pub(super) from: Option<usize>,
    /// The byte behind it.
    pub(super) to: usize,
    /// How much had been reported when it began.
    pub(super) reported: usize,
    /// How much had been reported when the next one began.
    pub(super) reported_behind: usize,
}

impl Met {
    /// The same in a run that began at one byte and begins at another.
    pub(super) fn moved(self, old: usize, new: usize) -> Self {
        let moved = |at: usize| at.wrapping_sub(old).wrapping_add(new);
        Self { from: self.from.map(moved), to: moved(self.to), ..self }
    }
}

/// A record of a run that stands in the file again.
pub(crate) struct Again<'m, T> {
    pub(crate) thing: &'m T,
    pub(crate) look: &'m IdentityLook,
    /// The row that its object has in the snapshot, to be noted.
    pub(crate) row: &'m mut Option<usize>,
}

/// A record that an earlier reading met.
pub(crate) struct Found<'m, T> {
    /// How long its body is.
    pub(crate) length: usize,
    pub(crate) look: &'m IdentityLook,
    pub(crate) thing: T,
    /// The row of an object of the same name that this reading met before.
    pub(crate) earlier: Option<usize>,
    pub(super) row: &'m mut Option<usize>,
}

impl<T> Found<'_, T> {
    /// Notes the row that its object has now; without one an earlier row stays.
    pub(crate) fn set_row(self, row: Option<usize>) {
        *self.row = row.or(self.earlier);
    }
}
