//! Periods of prime and non-prime time in which a job need not be tried again.

use crate::cluster::{Epoch, Period, Seconds};
use crate::cycle::Setup;
use crate::universe::State;

/// A period of prime or non-prime time from a moment on, with its length.
#[derive(PartialEq, Eq)]
struct RemainingPeriod {
    period: Period,
    length: Seconds,
}

/// The periods in which the job has failed. If only the time of day has changed, a job that did not fit at the start
/// of one period does not fit at the start of an equal one: planned starts have only come nearer. A job without a
/// walltime can have years of prime time before its end, but few of those periods differ.
#[derive(Default)]
pub(super) struct FailedPeriods {
    /// Periods in which the job was tried since the last other event.
    failed: Vec<RemainingPeriod>,
    /// The last lookup: a moment and the change after it.
    change: Option<(Epoch, Option<Epoch>)>,
}

impl FailedPeriods {
    /// Returns when the current prime or non-prime time ends.
    pub(super) fn change_after(&mut self, setup: &Setup, moment: Epoch) -> Option<Epoch> {
        match self.change {
            Some((from, change)) if from == moment => change,
            _ => {
                let change = setup.windows.prime.next_change(moment);
                self.change = Some((moment, change));
                change
            }
        }
    }

    /// Returns the period that begins now; `None` if it never ends.
    fn at(&mut self, state: &State, setup: &Setup) -> Option<RemainingPeriod> {
        let length = self.change_after(setup, state.now)? - state.now;
        Some(RemainingPeriod { period: setup.windows.prime.period_at(state.now), length })
    }

    /// Records that the job was tried in the period that begins now and did not fit.
    pub(super) fn add_failed(&mut self, state: &State, setup: &Setup) {
        let tried = self.at(state, setup);
        self.failed.extend(tried);
    }

    /// Whether the job was not yet tried in a period equal to the one that begins now.
    pub(super) fn is_new(&mut self, state: &State, setup: &Setup) -> bool {
        self.at(state, setup).is_none_or(|stretch| !self.failed.contains(&stretch))
    }

    /// Records another event: every period is worth another try.
    pub(super) fn forget_failed(&mut self) {
        self.failed.clear();
    }
}
