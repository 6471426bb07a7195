//! The wait times of jobs, counted by length, so that millions of waits need no more space than a few.

/// Seconds below which waits are kept exactly.
const EXACT: u64 = 256;
/// Number of steps per doubling for longer waits: accurate within 0.8 %.
const STEPS: u64 = 128;

/// The waits of one class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitHistogram {
    counts: Vec<u64>,
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
        }
        if let Some(count) = self.counts.get_mut(place) {
            *count += 1;
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

    /// Returns the wait in seconds that `percent` of the jobs did not exceed, within 0.8 %.
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let wanted = (self.jobs * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Some(length(place).min(self.longest));
            }
        }
        None
    }

    /// Adds the waits of another class.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
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

/// Returns the middle of the range of waits counted at `place`.
fn length(place: usize) -> u64 {
    let place = place as u64;
    if place < EXACT {
        return place;
    }
    let (doubling, step) = ((place - EXACT) / STEPS, (place - EXACT) % STEPS);
    let width = 1u64 << (doubling + 1).min(62);
    (STEPS + step).saturating_mul(width).saturating_add(width / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_wait_is_printed_within_its_accuracy(seconds in 0u64..1 << 45) {
            let printed = length(place(seconds));
            let off = printed.abs_diff(seconds);
            prop_assert!(off * 125 <= seconds, "{seconds} reported as {printed}");
        }
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
