//! Detects whether a file changed, without reading it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Two writes within this time may leave the same modification time, because of the kernel's clock tick.
const TICK: Duration = Duration::from_millis(20);
/// The same for times in whole or two seconds, as on some file systems.
const COARSE_TICK: Duration = Duration::from_secs(2);
/// A second in nanoseconds.
pub(super) const SECOND: i128 = 1_000_000_000;

/// The result of `fstat` for a file. A change of its content changes at least one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    pub(super) device: u64,
    pub(super) inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970; `changed` is that of the inode.
    pub(super) modified: i128,
    pub(super) changed: i128,
}

impl Fingerprint {
    /// Returns the fingerprint of a file.
    pub fn of(facts: &Metadata) -> Self {
        Self {
            device: facts.dev(),
            inode: facts.ino(),
            size: facts.size(),
            modified: i128::from(facts.mtime()) * SECOND + i128::from(facts.mtime_nsec()),
            changed: i128::from(facts.ctime()) * SECOND + i128::from(facts.ctime_nsec()),
        }
    }

    /// Returns the fingerprint of an imaginary file with this size and modification time.
    pub fn synthetic(size: u64, written: SystemTime) -> Self {
        let at = nanoseconds(written);
        Self { device: 1, inode: 2, size, modified: at, changed: at }
    }

    /// Returns the fingerprint of a folder: its identity, not its content. Inode numbers are reused immediately, so
    /// the creation time is included.
    pub(super) fn of_folder(facts: &Metadata) -> Self {
        let born = facts.created().map_or(0, nanoseconds);
        Self { device: facts.dev(), inode: facts.ino(), size: 0, modified: born, changed: born }
    }

    /// Whether another write could leave the same fingerprint.
    pub(super) fn is_young(&self, now: SystemTime) -> bool {
        let tick = if self.changed % SECOND == 0 { COARSE_TICK } else { TICK };
        (nanoseconds(now) - self.changed).unsigned_abs() < tick.as_nanos()
    }

    /// Returns the time since the file was written, comparing the file system's clock with this machine's.
    pub fn age(&self, now: SystemTime) -> Duration {
        let age = nanoseconds(now) - self.modified.max(self.changed);
        Duration::from_nanos(u64::try_from(age).unwrap_or(0))
    }
}

fn nanoseconds(time: SystemTime) -> i128 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanoseconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(nanoseconds)
    }

    #[test]
    fn a_fingerprint_is_young_for_a_tick() {
        let print = Fingerprint::synthetic(
            3,
            std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(4_001),
        );
        assert!(print.is_young(at(4_000_000_100)));
        assert!(print.is_young(at(3_999_999_999)), "the file server's clock may be ahead");
        assert!(!print.is_young(at(4_030_000_000)));
        let coarse = Fingerprint { changed: 4 * SECOND, ..print };
        assert!(coarse.is_young(at(5_500_000_000)));
        assert!(!coarse.is_young(at(6_500_000_000)));
    }
}
