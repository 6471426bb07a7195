//! The load of the server over time: one sample for each second in which something changed, taken after the last
//! events of that second (days rule 11).

use qscope_engine::cluster::Epoch;
use qscope_explain::{FreeCapacity, core_hours};

use crate::server::SimulatedServer;

/// The load of the server from a time on.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadSample {
    pub at: Epoch,
    /// Cores of running jobs.
    pub busy: f64,
    /// Number of jobs queued or suspended; an array with indices left counts as one.
    pub queued: usize,
    /// Number of running jobs.
    pub running: usize,
    /// Cores of the vnodes that are up.
    pub cores: f64,
    /// What takes time to measure; `None` if it was not requested.
    pub detail: Option<LoadDetail>,
}

/// What waits and what is free from a time on.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadDetail {
    /// Cores times walltime that the jobs queued or suspended request, in seconds; arrays count with the subjobs that
    /// are left, and a job without a walltime with an hour.
    pub core_seconds_waiting: f64,
    /// What is free.
    pub free: FreeCapacity,
}

impl LoadDetail {
    /// Measures what waits, given what is free.
    pub(crate) fn of(server: &SimulatedServer, free: FreeCapacity) -> Self {
        let waiting = server.snap.jobs.iter().filter(|job| job.waits_for_nodes());
        // An empty floating-point sum would be negative zero.
        let core_seconds_waiting = waiting.fold(0.0, |sum, job| sum + core_hours(job) * 3600.0);
        Self { core_seconds_waiting, free }
    }
}

/// All samples, in order; each holds until the next one.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadSeries {
    /// Cores of the vnodes that are up at the start.
    pub cores: f64,
    pub samples: Vec<LoadSample>,
}

impl LoadSeries {
    /// Creates a series without samples.
    pub(crate) fn new(cores: f64) -> Self {
        Self { cores, samples: Vec::new() }
    }

    /// Adds a sample, if anything differs from the last one.
    pub(crate) fn sample(&mut self, server: &SimulatedServer, detail: Option<LoadDetail>) {
        let sample = LoadSample {
            at: server.now(),
            busy: server.busy_cores(),
            queued: server.waiting() + server.arrays_just_emptied(),
            running: server.running.len(),
            cores: server.cores,
            detail,
        };
        let is_same = |last: &LoadSample| LoadSample { at: sample.at, ..last.clone() } == sample;
        if !self.samples.last().is_some_and(is_same) {
            self.samples.push(sample);
        }
    }

    /// Returns the mean number of cores of the vnodes that are up in a window; exact if it does not change.
    pub(crate) fn mean_cores(&self, window: (Epoch, Epoch)) -> Option<f64> {
        if self.samples.iter().all(|sample| (sample.cores - self.cores).abs() < f64::EPSILON) {
            return Some(self.cores);
        }
        let length = (window.1 - window.0).0;
        let length = (length > 0).then_some(length as f64)?;
        Some(self.integral(window, |sample| sample.cores) / length)
    }

    /// Returns the time integral of a value over a window, with time in seconds.
    pub fn integral(&self, window: (Epoch, Epoch), value: impl Fn(&LoadSample) -> f64) -> f64 {
        let ends = self.samples.iter().skip(1).map(|next| next.at).chain([window.1.max(window.0)]);
        let piece = |(sample, end): (&LoadSample, Epoch)| {
            let (from, to) = (sample.at.max(window.0), end.min(window.1));
            let seconds = (to - from).0.max(0) as f64;
            value(sample) * seconds
        };
        self.samples.iter().zip(ends).map(piece).sum()
    }
}
