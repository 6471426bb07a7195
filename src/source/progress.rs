//! Reports the progress of reading a large file.

use std::sync::Arc;

use super::tally::{DecodedTally, RecordState};

/// Callback with a file's name, the progress in percent, and the records decoded so far; called whenever the progress
/// grows by a percent.
pub type ReadProgressCallback = Arc<dyn Fn(&str, u8, &DecodedTally) + Send + Sync>;

/// Size in bytes from which progress is reported; smaller files are read too fast.
const LARGE: usize = 1 << 20;

/// Progress in one file.
pub(crate) struct ReadProgress<'f> {
    name: &'f str,
    bytes: &'f [u8],
    report: Option<&'f ReadProgressCallback>,
    percent: u8,
    so_far: DecodedTally,
}

impl<'f> ReadProgress<'f> {
    /// Starts at the beginning of a file.
    pub(crate) fn new(name: &'f str, bytes: &'f [u8], report: Option<&'f ReadProgressCallback>) -> Self {
        let report = report.filter(|_| bytes.len() >= LARGE);
        Self { name, bytes, report, percent: 0, so_far: DecodedTally::default() }
    }

    /// Notes that a slice of the file is being read; text that was copied out of it is ignored.
    pub(crate) fn note_slice(&mut self, piece: &[u8]) {
        let Some(report) = self.report else { return };
        let Some(done) = piece.as_ptr().addr().checked_sub(self.bytes.as_ptr().addr()) else { return };
        let percent =
            done.saturating_mul(100).checked_div(self.bytes.len()).filter(|percent| *percent <= 100);
        let percent = percent.and_then(|percent| u8::try_from(percent).ok()).unwrap_or(0);
        if percent > self.percent {
            self.percent = percent;
            report(self.name, percent, &self.so_far);
        }
    }

    /// Reports that the whole file was read.
    pub(crate) fn end(&self) {
        if let Some(report) = self.report {
            report(self.name, 100, &self.so_far);
        }
    }

    /// Counts a decoded record.
    pub(crate) fn count(&mut self, state: impl FnOnce() -> Option<RecordState>) {
        if let Some(state) = self.report.and_then(|_| state()) {
            self.so_far.add(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_percent_of_a_large_file_is_reported_once() {
        let seen: Arc<Mutex<Vec<u8>>> = Arc::default();
        let into = seen.clone();
        let report: ReadProgressCallback = Arc::new(move |name, percent, _: &DecodedTally| {
            assert_eq!(name, "jobs.json");
            into.lock().unwrap().push(percent);
        });
        let bytes = vec![0; 2 * LARGE];
        let mut progress = ReadProgress::new("jobs.json", &bytes, Some(&report));
        for at in [0, LARGE / 100, LARGE, LARGE + 1, 2 * LARGE - 1, LARGE] {
            progress.note_slice(&bytes[at..]);
        }
        progress.note_slice(b"copied elsewhere");
        progress.end();
        assert_eq!(*seen.lock().unwrap(), [50, 99, 100]);
        seen.lock().unwrap().clear();
        let mut small = ReadProgress::new("jobs.json", &bytes[..9], Some(&report));
        small.note_slice(&bytes[8..9]);
        small.end();
        assert!(seen.lock().unwrap().is_empty(), "a small file is read before that could be shown");
    }
}
