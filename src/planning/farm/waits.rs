//! The wait times of jobs, counted by length, so that millions of waits need no more space than a few.

/// Seconds below which waits are kept exactly.
const EXACT: u64 = 256;
/// Number of steps per doubling for longer waits: accurate within 0.8 %.
const STEPS: u64 = 128;

/// The waits of one class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitHistogram {
    counts: Vec<u64>,
    /// The longest wait at each place.
    longest_at: Vec<u64>,
    jobs: u64,
    seconds: u128,
    longest: u64,
}

impl WaitHistogram {
    /// Adds the wait of a job, in seconds.
    pub fn add(&mut self, seconds: i64) {
        let seconds = u64::try_from(seconds).unwrap_or(0);
        let place = place(seconds);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
            self.longest_at.resize(place + 1, 0);
        }
        if let (Some(count), Some(longest)) = (self.counts.get_mut(place), self.longest_at.get_mut(place)) {
            *count += 1;
            *longest = (*longest).max(seconds);
        }
        self.jobs += 1;
        self.seconds += u128::from(seconds);
        self.longest = self.longest.max(seconds);
    }

    /// Returns the number of jobs.
    pub fn jobs(&self) -> u64 {
        self.jobs
    }

    /// Returns the sum of all waits in seconds.
    pub fn total(&self) -> u128 {
        self.seconds
    }

    /// Returns the mean wait in seconds.
    pub fn mean(&self) -> Option<f64> {
        (self.jobs > 0).then(|| self.seconds as f64 / self.jobs as f64)
    }

    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// Returns the wait in seconds of some job that `percent` of the jobs did not exceed, within 0.8 %.
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let wanted = (self.jobs * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let reached = |count: &u64| {
            seen += count;
            seen >= wanted
        };
        let place = self.counts.iter().position(reached)?;
        self.longest_at.get(place).copied()
    }

    /// Adds the waits of another class.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
            self.longest_at.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        for (mine, theirs) in self.longest_at.iter_mut().zip(&other.longest_at) {
            *mine = (*mine).max(*theirs);
        }
        self.jobs += other.jobs;
        self.seconds += other.seconds;
        self.longest = self.longest.max(other.longest);
    }
}

fn place(seconds: u64) -> usize {
    if seconds < EXACT {
        return usize::try_from(seconds).unwrap_or(0);
    }
    let doubling = u64::from(seconds.ilog2() - EXACT.ilog2());
    // The shift keeps eight bits, of which the first is always set: 128 to 255.
    let step = (seconds >> (doubling + 1)) - STEPS;
    usize::try_from(EXACT + doubling * STEPS + step).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn waits_at_one_place_differ_by_less_than_the_accuracy(seconds in 0u64..1 << 45) {
            prop_assert!(place(seconds + seconds / 125 + 1) > place(seconds), "{seconds}");
        }
    }

    /// A percentile is a wait that some job had.
    #[test]
    fn long_waits_are_returned_as_they_are() {
        let of = |all: &[i64]| {
            let mut waits = WaitHistogram::default();
            all.iter().for_each(|wait| waits.add(*wait));
            waits
        };
        let mut waits = of(&[300, 1800]);
        assert_eq!((waits.percentile(50), waits.percentile(95)), (Some(300), Some(1800)));
        waits.merge(&of(&[3200, 3200, 90_000]));
        assert_eq!((waits.percentile(50), waits.percentile(95)), (Some(3200), Some(90_000)));
    }

    #[test]
    fn percentiles_of_short_waits_are_exact() {
        let mut waits = WaitHistogram::default();
        (1..=100).for_each(|wait| waits.add(wait));
        assert_eq!(waits.percentile(50), Some(50));
        assert_eq!(waits.percentile(95), Some(95));
        assert_eq!(waits.mean(), Some(50.5));
        assert_eq!(WaitHistogram::default().percentile(50), None);
    }
}
