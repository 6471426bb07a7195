//! What is known of a run of records: its bytes, and where it stood.

use qscope_engine::cluster::{Name, Page};

use super::{Thing, Together};

/// So many records are one run: few enough that a change costs little, and enough that looking at a run costs nothing.
pub(super) const RUN: usize = Page::<()>::ROWS;

/// A run as the last reading met it.
#[derive(Clone)]
pub(super) struct Block<T: Thing> {
    /// How many records it has; fewer where it was the last one.
    pub(super) records: usize,
    /// From the first record's name to the last one's end, in bytes.
    pub(super) length: usize,
    pub(super) hash: u64,
    /// How many resources were known.
    pub(super) resources: usize,
    /// The last reading that met it as a whole.
    pub(super) reading: u32,
    /// Where it did, if that is not noted with each record.
    pub(super) stands: Option<Stand>,
    /// What its records come to together, where they fill a page.
    pub(super) whole: Option<Together<T>>,
}

/// A run that stands in the file again.
pub(crate) struct MemoryRun<T: Thing> {
    /// Its number, counted from 0.
    pub(super) nth: usize,
    /// How many bytes it has.
    pub(crate) length: usize,
    /// How many records.
    pub(crate) records: usize,
    /// The last one's name.
    pub(crate) last: Name,
    /// What they come to together.
    pub(crate) whole: Option<Together<T>>,
}

/// Where a run stood when it was last met as a whole.
#[derive(Clone, Copy)]
pub(super) struct Stand {
    /// How many records stood before the first one.
    pub(super) place: usize,
    /// The row that the first one's object has in the snapshot; those of the others follow.
    pub(super) row: usize,
    /// The byte of the first one's name.
    pub(super) from: usize,
    /// How much had been reported when the run began.
    pub(super) reported: usize,
    /// How much had been reported when the record behind it began.
    pub(super) reported_behind: usize,
}
