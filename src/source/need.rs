//! Estimates the memory that a cluster needs before it is allocated: a failed allocation would abort the program and
//! leave the terminal unusable.

use memchr::memmem::find_iter;
use qscope_system::kernel;

use super::{Files, SourceError};

/// Bytes needed per vnode or job in addition to its file, including the cycle; measured with 110,000 of them, which
/// took 3000 bytes each.
const RECORD: u64 = 3400;
/// Size in bytes below which the kernel is not asked.
const SMALL: u64 = 16 << 20;
/// Text that occurs once in each record, by dump.
const MARKS: [(&str, &[u8]); 4] = [
    ("nodes.json", b"\"Mom\""),
    ("nodes.txt", b"  Mom = "),
    ("jobs.json", b"\"job_state\""),
    ("jobs.txt", b"Job Id: "),
];

/// Number of records in the dumps counted last, and their size in bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct DumpSize {
    bytes: u64,
    records: u64,
}

impl DumpSize {
    /// Estimates the number of records in dumps of `bytes` bytes, if that is about the size of those counted last;
    /// `None` otherwise.
    fn scaled(self, bytes: u64) -> Option<u64> {
        let is_alike = bytes.abs_diff(self.bytes) <= self.bytes / 8;
        let records = u128::from(self.records) * u128::from(bytes) / u128::from(self.bytes.max(1));
        u64::try_from(records).ok().filter(|_| is_alike && self.bytes > 0)
    }
}

/// Refuses files whose cluster would not fit into the memory that is left; only dumps are counted. Dumps of about the
/// size of those read last are not searched for records, unless their cluster would be refused.
///
/// # Errors
/// [`SourceError::Memory`] with the need and the bound.
pub(crate) fn check(files: &Files, counted: &mut DumpSize) -> Result<(), SourceError> {
    let dumps = || {
        let found = MARKS.iter().map(|(name, mark)| Some((files.contents(name)?.1, mark)));
        found.flatten()
    };
    let bytes = dumps().map(|(bytes, _)| bytes.len() as u64).sum();
    if counted.scaled(bytes).is_some_and(|records| is_room_for(records).is_ok()) {
        return Ok(());
    }
    let records = dumps().map(|(bytes, mark)| find_iter(bytes, mark).count() as u64).sum();
    *counted = DumpSize { bytes, records };
    is_room_for(records)
}

fn is_room_for(records: u64) -> Result<(), SourceError> {
    refuse(records.saturating_mul(RECORD), &format!("{records} vnodes and jobs"), kernel::memory_left)
}

/// The same for files that are not yet read.
pub(crate) fn check_bytes(bytes: u64) -> Result<(), SourceError> {
    check_memory(bytes, "the files themselves")
}

/// The same for anything that needs so many bytes.
///
/// # Errors
/// [`SourceError::Memory`] with the need and the bound.
pub fn check_memory(bytes: u64, what: &str) -> Result<(), SourceError> {
    refuse(bytes, what, kernel::memory_left)
}

fn refuse(
    need: u64,
    what: &str,
    left: impl FnOnce() -> Option<(u64, &'static str)>,
) -> Result<(), SourceError> {
    if need < SMALL {
        return Ok(());
    }
    match left() {
        Some((left, bound)) if left < need => {
            Err(SourceError::Memory { what: what.to_owned(), need: need >> 20, left: left >> 20, bound })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_about_as_long_as_before_have_about_as_many_records() {
        let counted = DumpSize { bytes: 1000, records: 10 };
        assert_eq!(counted.scaled(1000), Some(10));
        assert_eq!(counted.scaled(1100), Some(11));
        assert_eq!((counted.scaled(2000), counted.scaled(100)), (None, None));
        assert_eq!(DumpSize::default().scaled(0), None);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_need_and_the_bound() {
        let left = || Some((200 << 20, "ulimit -v"));
        assert!(refuse(100 << 20, "x", left).is_ok());
        assert!(refuse(1 << 20, "x", || Some((0, "ulimit -v"))).is_ok());
        let error = refuse(352_000_000, "110000 vnodes and jobs", left).unwrap_err().to_string();
        assert_eq!(
            error,
            "110000 vnodes and jobs need about 335 MB of memory, and 200 MB are left (ulimit -v)"
        );
    }
}
