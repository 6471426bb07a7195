//! How far the reading of a large file has come, for whoever shows it.

use std::sync::Arc;

use super::so_far::{RecordState, SoFar};

/// Called with a file's name, how much of it was read, in percent, whenever that has grown by one, and what the records
/// show that were decoded for it.
pub type ReadingReport = Arc<dyn Fn(&str, u8, &SoFar) + Send + Sync>;

/// Files below so many bytes are read before anything could be shown of it.
const LARGE: usize = 1 << 20;

/// The place in one file.
pub(crate) struct ReadProgress<'f> {
    name: &'f str,
    bytes: &'f [u8],
    report: Option<&'f ReadingReport>,
    percent: u8,
    so_far: SoFar,
}

impl<'f> ReadProgress<'f> {
    /// At the beginning of a file.
    pub(crate) fn new(name: &'f str, bytes: &'f [u8], report: Option<&'f ReadingReport>) -> Self {
        let report = report.filter(|_| bytes.len() >= LARGE);
        Self { name, bytes, report, percent: 0, so_far: SoFar::default() }
    }

    /// Takes in that a piece of the file is being read; a text that was copied out of it counts for nothing.
    pub(crate) fn reach(&mut self, piece: &[u8]) {
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

    /// Reports that all of the file was read.
    pub(crate) fn end(&self) {
        if let Some(report) = self.report {
            report(self.name, 100, &self.so_far);
        }
    }

    /// Counts a record that was decoded.
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
        let report: ReadingReport = Arc::new(move |name, percent, _: &SoFar| {
            assert_eq!(name, "jobs.json");
            into.lock().unwrap().push(percent);
        });
        let bytes = vec![0; 2 * LARGE];
        let mut progress = ReadProgress::new("jobs.json", &bytes, Some(&report));
        for at in [0, LARGE / 100, LARGE, LARGE + 1, 2 * LARGE - 1, LARGE] {
            progress.reach(&bytes[at..]);
        }
        progress.reach(b"copied elsewhere");
        progress.end();
        assert_eq!(*seen.lock().unwrap(), [50, 99, 100]);
        seen.lock().unwrap().clear();
        let mut small = ReadProgress::new("jobs.json", &bytes[..9], Some(&report));
        small.reach(&bytes[8..9]);
        small.end();
        assert!(seen.lock().unwrap().is_empty(), "a small file is read before that could be shown");
    }
}
