//! The arrivals of synthetic jobs: each class draws its bursts from a stream of its own.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::farm::random::SplitMix64;
use crate::farm::workload::{ClassNo, FarmJob, JobNo};

/// A class and the state from which it draws its next burst.
#[derive(Clone, Debug)]
pub(super) struct BurstStream {
    pub(super) class: ClassNo,
    pub(super) random: SplitMix64,
    pub(super) at: f64,
    pub(super) gap: f64,
    pub(super) run: f64,
    pub(super) sigma: f64,
    pub(super) burst: f64,
    pub(super) slots: u32,
    pub(super) profile: Vec<f64>,
    pub(super) peak: f64,
}

/// Iterator over the jobs in order of arrival; each burst is drawn when it is due, so that memory stays
/// small.
#[derive(Clone, Debug)]
pub struct SyntheticArrivals {
    streams: Vec<BurstStream>,
    next: BinaryHeap<Reverse<(i64, usize)>>,
    burst: Vec<FarmJob>,
    until: i64,
    number: u32,
}

impl BurstStream {
    /// Draws the time of the next burst; none at or after `until`.
    fn next(&mut self, until: i64) -> Option<i64> {
        loop {
            self.at += self.random.exponential(self.gap);
            if !self.at.is_finite() || self.at >= until as f64 {
                return None;
            }
            if self.peak <= 0.0 {
                return Some(self.at as i64);
            }
            let hour = (self.at / 3600.0) as usize % self.profile.len();
            let rate = self.profile.get(hour).copied().unwrap_or(0.0);
            if self.random.uniform() * self.peak < rate {
                return Some(self.at as i64);
            }
        }
    }

    fn job(&mut self, submit: i64) -> FarmJob {
        let run = if self.sigma > 0.0 { self.random.lognormal(self.run, self.sigma) } else { self.run };
        let run = run.round().clamp(1.0, f64::from(u32::MAX)) as u32;
        FarmJob { submit, run, class: self.class, slots: self.slots, priority: 0, memory: 0 }
    }
}

impl SyntheticArrivals {
    /// Creates the iterator over the jobs of these streams before second `until`.
    pub(super) fn of(streams: Vec<BurstStream>, until: i64) -> Self {
        let mut arrivals = Self { streams, next: BinaryHeap::new(), burst: Vec::new(), until, number: 0 };
        for stream in 0..arrivals.streams.len() {
            arrivals.queue(stream);
        }
        arrivals
    }

    fn queue(&mut self, stream: usize) {
        let until = self.until;
        if let Some(at) = self.streams.get_mut(stream).and_then(|stream| stream.next(until)) {
            self.next.push(Reverse((at, stream)));
        }
    }
}

impl Iterator for SyntheticArrivals {
    type Item = (JobNo, FarmJob);

    fn next(&mut self) -> Option<Self::Item> {
        if self.burst.is_empty() {
            let Reverse((at, place)) = self.next.pop()?;
            let stream = self.streams.get_mut(place)?;
            let size = stream.random.geometric(stream.burst);
            self.burst = (0..size).map(|_| stream.job(at)).collect();
            self.burst.reverse();
            self.queue(place);
        }
        let number = JobNo(self.number);
        self.number = self.number.saturating_add(1);
        Some((number, self.burst.pop()?))
    }
}
