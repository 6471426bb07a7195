//! Slots in use over a window in a few columns, summed while a simulation runs: for a line of block
//! characters.

use super::{FarmObserver, FarmSample, FarmWindow};

/// Slots in use, averaged over equal parts of a window.
#[derive(Clone, PartialEq, Debug)]
pub struct Bins {
    window: FarmWindow,
    sums: Vec<f64>,
    since: i64,
    used: u64,
}

impl Bins {
    /// Divides a window into `columns` equal parts.
    pub fn new(window: FarmWindow, columns: usize) -> Self {
        Self { window, sums: vec![0.0; columns], since: window.from, used: 0 }
    }

    /// Returns the mean of each column.
    pub fn finish(mut self) -> Vec<f64> {
        self.advance(self.window.to);
        let width = self.window.seconds() as f64 / self.sums.len().max(1) as f64;
        self.sums.iter().map(|sum| if width > 0.0 { sum / width } else { 0.0 }).collect()
    }

    fn advance(&mut self, t: i64) {
        let (from, to) = (self.since.max(self.window.from), t.min(self.window.to));
        self.since = self.since.max(t);
        let width = self.window.seconds() as f64 / self.sums.len().max(1) as f64;
        if to <= from || width <= 0.0 || self.used == 0 {
            return;
        }
        let column_at = |second: i64| second.saturating_sub(self.window.from) as f64 / width;
        let (from, to) = (column_at(from), column_at(to));
        let last = (to.ceil() as usize).min(self.sums.len());
        for (column, sum) in self.sums.iter_mut().enumerate().take(last).skip(from as usize) {
            let part = (to.min(column as f64 + 1.0) - from.max(column as f64)).max(0.0);
            *sum += part * width * self.used as f64;
        }
    }
}

impl FarmObserver for Bins {
    fn sample(&mut self, sample: &FarmSample<'_>) {
        self.advance(sample.t);
        self.used = sample.used();
    }
}
