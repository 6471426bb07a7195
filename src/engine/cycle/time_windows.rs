//! When jobs may run at all: prime time, dedicated time, and the queues assigned to them (rule 6.7).
//!
//! Nothing here reads a clock: every query takes its moment as an argument, so that the calendar can use future ones.

mod dedicated;
mod lines;
mod prime;
mod queue_window;

use crate::cluster::{DedicatedSlot, Epoch, Period, Policy, Seconds};
use crate::universe::Reason;

pub use dedicated::DedicatedTime;
pub use lines::dedicated_line;
pub use prime::PrimeClock;
pub use queue_window::QueueWindow;

/// Why prime or dedicated time closes a queue at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueClosure {
    /// The queue is for dedicated time and it is not dedicated time, or the reverse.
    DedicatedConflict,
    /// The queue is for prime time and it is non-prime time.
    PrimeOnly,
    /// The queue is for non-prime time and it is prime time.
    NonPrimeOnly,
}

impl QueueClosure {
    /// Returns the scheduler's reason for it.
    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::DedicatedConflict => Reason::DedicatedTime,
            Self::PrimeOnly => Reason::PrimeOnly,
            Self::NonPrimeOnly => Reason::NonPrimeOnly,
        }
    }
}

/// Why prime or dedicated time does not allow a job to start at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowRefusal {
    /// The queue is closed.
    Queue(QueueClosure),
    /// The job would run past the end of the dedicated time it starts in, or into the next one.
    CrossesDedicated(DedicatedSlot),
    /// The job would run past the end of prime or non-prime time.
    CrossesPrime {
        /// The period it would run into.
        into: Period,
        /// The latest allowed end, including spill.
        limit: Epoch,
    },
}

impl WindowRefusal {
    /// Returns the scheduler's reason for the refusal.
    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::Queue(closed) => closed.reason(),
            Self::CrossesDedicated(_) => Reason::CrossDedicated,
            Self::CrossesPrime { into, .. } => Reason::CrossPrime { into_prime: into == Period::Prime },
        }
    }
}

/// Prime and dedicated time.
#[derive(Clone, Debug)]
pub struct TimeWindows {
    /// Prime time.
    pub prime: PrimeClock,
    /// Dedicated time.
    pub dedicated: DedicatedTime,
}

impl TimeWindows {
    /// Checks that jobs of a queue are considered at `now` at all (rule 6.2; also rule 6.4 step 6).
    ///
    /// # Errors
    /// The first conflict among dedicated, prime and non-prime time.
    pub fn queue_open(&self, queue: QueueWindow, now: Epoch) -> Result<(), QueueClosure> {
        if queue.dedicated != self.dedicated.slot_at(now).is_some() {
            return Err(QueueClosure::DedicatedConflict);
        }
        if queue.is_anytime() {
            return Ok(());
        }
        match self.prime.period_at(now) {
            Period::NonPrime if queue.prime => Err(QueueClosure::PrimeOnly),
            Period::Prime if queue.non_prime => Err(QueueClosure::NonPrimeOnly),
            Period::Prime | Period::NonPrime => Ok(()),
        }
    }

    /// Checks that a job may run from `now` for `length` without crossing dedicated time (rule 6.7). `length` is the
    /// soft walltime if there is one, on both paths.
    ///
    /// # Errors
    /// The dedicated time that it would cross.
    pub fn dedicated_clear(&self, now: Epoch, length: Seconds) -> Result<(), WindowRefusal> {
        self.dedicated
            .crossed_by(now, now + length)
            .map_or(Ok(()), |slot| Err(WindowRefusal::CrossesDedicated(slot)))
    }

    /// Checks that a job may run from `now` for `length` without crossing the end of prime or non-prime time by more
    /// than the spill (rule 6.7). An end exactly at the limit is allowed.
    ///
    /// # Errors
    /// The period it would run into, and the limit.
    pub fn prime_clear(
        &self,
        policy: &Policy,
        spill_swapped: bool,
        queue: QueueWindow,
        now: Epoch,
        length: Seconds,
    ) -> Result<(), WindowRefusal> {
        match self.prime_limit(policy, spill_swapped, queue, now) {
            Some(limit) if now + length > limit => {
                Err(WindowRefusal::CrossesPrime { into: other(self.prime.period_at(now)), limit })
            }
            _ => Ok(()),
        }
    }

    /// Returns the latest end that `backfill_prime` allows for a job starting at `now`, including spill; `None` if
    /// the option is off in this period, the period never ends, or the queue is exempt.
    ///
    /// Shrink-to-fit jobs are shortened to end here; their shortest length must end **before** it (rule 11, item 4).
    ///
    /// `spill_swapped` is quirk D10: `prime_spill` of the non-prime lines applies in prime time, and the reverse.
    pub fn prime_limit(
        &self,
        policy: &Policy,
        spill_swapped: bool,
        queue: QueueWindow,
        now: Epoch,
    ) -> Option<Epoch> {
        if queue.is_exempt(policy) { None } else { self.prime_limit_of_any(policy, spill_swapped, now) }
    }

    /// Like [`prime_limit`](Self::prime_limit), but for a job of any queue, exempt or not.
    pub fn prime_limit_of_any(&self, policy: &Policy, spill_swapped: bool, now: Epoch) -> Option<Epoch> {
        // Most clusters never set it, and every job reads it.
        if policy.backfill_prime.both_periods().into_iter().all(|on| !*on) {
            return None;
        }
        let period = self.prime.period_at(now);
        if !*policy.backfill_prime.get(period) {
            return None;
        }
        let spill = *policy.prime_spill.get(if spill_swapped { other(period) } else { period });
        self.prime.next_change(now).map(|end| end + spill)
    }

    /// Returns the next moment after `now` at which prime or dedicated time begins or ends: the calendar's policy
    /// events (rule 6.7).
    pub fn next_event(&self, now: Epoch) -> Option<Epoch> {
        let ends = self.dedicated.slot_at(now).map(|slot| slot.to);
        let starts = self.dedicated.next_after(now).map(|slot| slot.from);
        [self.prime.next_change(now), ends, starts].into_iter().flatten().min()
    }
}

/// The other of the two periods.
fn other(period: Period) -> Period {
    match period {
        Period::Prime => Period::NonPrime,
        Period::NonPrime => Period::Prime,
    }
}

#[cfg(test)]
mod tests;
