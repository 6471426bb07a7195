//! A run of records: its bytes, and where it was.

use qscope_engine::cluster::{Name, Page};

use super::{Thing, Together};

/// Number of records in a run: few enough that a change costs little, and enough that comparing runs costs little.
pub(super) const RUN: usize = Page::<()>::ROWS;

/// A run as the last reading met it.
#[derive(Clone)]
pub(super) struct Block<T: Thing> {
    /// Number of records, less than `RUN` for the last run.
    pub(super) records: usize,
    /// Length in bytes, from the first record's name to the last one's end.
    pub(super) length: usize,
    pub(super) hash: u64,
    /// Number of resources known.
    pub(super) resources: usize,
    /// The last reading that met it as a whole.
    pub(super) reading: u32,
    /// Where that was, if it is not noted in each record.
    pub(super) stands: Option<Stand>,
    /// Combined objects of its records, if they fill a page.
    pub(super) whole: Option<Together<T>>,
}

/// An unchanged run.
pub(crate) struct MemoryRun<T: Thing> {
    /// Its number, from 0.
    pub(super) nth: usize,
    /// Length in bytes.
    pub(crate) length: usize,
    /// Number of records.
    pub(crate) records: usize,
    /// Name of the last record.
    pub(crate) last: Name,
    /// Combined objects of its records.
    pub(crate) whole: Option<Together<T>>,
}

/// Where a run was when it was last met as a whole.
#[derive(Clone, Copy)]
pub(super) struct Stand {
    /// Number of records before the first one.
    pub(super) place: usize,
    /// Row of the first object in the snapshot; the others follow.
    pub(super) row: usize,
    /// Byte offset of the first record's name.
    pub(super) from: usize,
    /// Number of reports when the run began.
    pub(super) reported: usize,
    /// Number of reports when the record after it began.
    pub(super) reported_behind: usize,
}
