//! Limits on reading archives, and the stream that enforces them.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Limits for one archive; an archive beyond a limit is refused by the name of the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArchiveLimits {
    /// `archive-member-size`: largest file that is kept, in bytes.
    pub member: u64,
    /// `archive-size`: maximum unpacked size in total, in bytes.
    pub total: u64,
    /// `archive-ratio`: maximum unpacked bytes per packed byte, once more than `free` bytes are unpacked.
    pub ratio: u64,
    /// Number of unpacked bytes up to which the ratio is not checked.
    pub free: u64,
    /// `archive-members`: maximum number of entries.
    pub members: u64,
    /// `archive-time`: maximum time for reading.
    pub time: Duration,
}

impl Default for ArchiveLimits {
    /// 2 GiB a file, 16 GiB in all, 1,000:1 past 100 MiB, a million entries, ten minutes.
    fn default() -> Self {
        Self {
            member: 2 << 30,
            total: 16 << 30,
            ratio: 1000,
            free: 100 << 20,
            members: 1_000_000,
            time: Duration::from_secs(600),
        }
    }
}

/// A limit that was exceeded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct ExceededLimit(String);

impl ExceededLimit {
    /// Returns the exceeded limit that caused an error of the stream, if any.
    pub(super) fn of(error: &io::Error) -> Option<Self> {
        let mut cause: &(dyn std::error::Error + 'static) = error.get_ref()?;
        loop {
            if let Some(refused) = cause.downcast_ref::<Self>() {
                return Some(refused.clone());
            }
            if let Some(inner) = cause.downcast_ref::<io::Error>()
                && let Some(refused) = Self::of(inner)
            {
                return Some(refused);
            }
            cause = cause.source()?;
        }
    }
}

impl ArchiveLimits {
    pub(super) fn members(&self, count: u64) -> Result<(), ExceededLimit> {
        let most = self.members;
        if count <= most {
            Ok(())
        } else {
            Err(ExceededLimit(format!("refused: more than {most} entries; the limit is `archive-members`")))
        }
    }

    pub(super) fn member(&self, path: &str, size: u64) -> Result<(), ExceededLimit> {
        let most = self.member;
        if size <= most {
            return Ok(());
        }
        let path: String = path.chars().take(80).collect();
        Err(ExceededLimit(format!(
            "refused: {} has {size} bytes; the limit `archive-member-size` is {most}",
            path.escape_debug()
        )))
    }
}

/// Counts the bytes read through it.
pub(super) struct CountedReader<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R> CountedReader<R> {
    pub(super) fn new(inner: R) -> (Self, Arc<AtomicU64>) {
        let count = Arc::new(AtomicU64::new(0));
        (Self { inner, count: count.clone() }, count)
    }
}

impl<R: Read> Read for CountedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A stream of unpacked bytes that ends with an error where a limit is exceeded.
pub(super) struct LimitedReader<R> {
    inner: R,
    limits: ArchiveLimits,
    /// Number of packed bytes read so far; `None` if nothing is packed.
    packed: Option<Arc<AtomicU64>>,
    unpacked: u64,
    started: Instant,
}

impl<R: Read> LimitedReader<R> {
    pub(super) fn plain(inner: R, limits: ArchiveLimits) -> Self {
        Self { inner, limits, packed: None, unpacked: 0, started: Instant::now() }
    }

    pub(super) fn unpacking(inner: R, limits: ArchiveLimits, packed: Arc<AtomicU64>) -> Self {
        Self { packed: Some(packed), ..Self::plain(inner, limits) }
    }

    fn check(&self) -> Result<(), ExceededLimit> {
        let ArchiveLimits { total, ratio, free, time, .. } = self.limits;
        if self.unpacked > total {
            return Err(ExceededLimit(format!(
                "refused: more than {total} bytes unpacked; the limit is `archive-size`"
            )));
        }
        let packed = self.packed.as_ref().map(|packed| packed.load(Ordering::Relaxed).max(1));
        if let Some(packed) = packed.filter(|packed| self.unpacked > free && self.unpacked / packed > ratio) {
            let unpacked = self.unpacked;
            return Err(ExceededLimit(format!(
                "refused: {packed} bytes unpack to more than {unpacked}; the limit `archive-ratio` is {ratio}"
            )));
        }
        if self.started.elapsed() > time {
            let seconds = time.as_secs();
            return Err(ExceededLimit(format!(
                "refused: reading took longer than {seconds} s; the limit is `archive-time`"
            )));
        }
        Ok(())
    }
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.unpacked += read as u64;
        self.check().map_err(io::Error::other)?;
        Ok(read)
    }
}
