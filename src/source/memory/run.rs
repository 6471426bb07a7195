//! A run of records: its bytes, and where it was.

use qscope_engine::cluster::{ColumnPage, Name};

use super::{CacheValue, RunObjects};

/// Number of records in a run: few enough that a change costs little, and enough that comparing runs costs little.
pub(super) const RUN: usize = ColumnPage::<()>::ROWS;

/// A run as the last reading met it.
#[derive(Clone)]
pub(super) struct CachedRun<T: CacheValue> {
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
    pub(super) position: Option<RunPosition>,
    /// Combined objects of its records, if they fill a page.
    pub(super) whole: Option<RunObjects<T>>,
}

/// An unchanged run.
pub(crate) struct UnchangedRun<T: CacheValue> {
    /// Its number, from 0.
    pub(super) nth: usize,
    /// Length in bytes.
    pub(crate) length: usize,
    /// Number of records.
    pub(crate) records: usize,
    /// Name of the last record.
    pub(crate) last_name: Name,
    /// Combined objects of its records.
    pub(crate) combined_objects: Option<RunObjects<T>>,
}

/// Where a run was when it was last met as a whole.
#[derive(Clone, Copy)]
pub(super) struct RunPosition {
    /// Number of records before the first one.
    pub(super) records_before: usize,
    /// Row of the first object in the snapshot; the others follow.
    pub(super) row: usize,
    /// Byte offset of the first record's name.
    pub(super) from: usize,
    /// Number of reports when the run began.
    pub(super) reported: usize,
    /// Number of reports when the record after it began.
    pub(super) reported_behind: usize,
}
