//! Prime and non-prime time in which a job need not be tried again.

use crate::cluster::{Epoch, Period, Seconds};
use crate::cycle::Setup;
use crate::universe::State;

/// Prime or non-prime time from a moment on: which, and how long.
#[derive(PartialEq, Eq)]
struct Stretch {
    period: Period,
    length: Seconds,
}

/// Where nothing but the time of day has changed, a job that did not fit at the begin of one stretch does not fit at that of
/// an equal one: what is planned has only come nearer. Years of prime time lie before the end of a job without a walltime,
/// and few of their stretches differ.
#[derive(Default)]
pub(super) struct Stretches {
    /// In which the job was tried since anything else happened.
    failed: Vec<Stretch>,
    /// The change after a moment, found last.
    change: Option<(Epoch, Option<Epoch>)>,
}

impl Stretches {
    /// When prime or non-prime time ends after a moment.
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

    /// The one that begins now; none where it never ends.
    fn at(&mut self, state: &State, setup: &Setup) -> Option<Stretch> {
        let length = self.change_after(setup, state.now)? - state.now;
        Some(Stretch { period: setup.windows.prime.period_at(state.now), length })
    }

    /// The job was tried in the one that begins now, and did not fit.
    pub(super) fn add_failed(&mut self, state: &State, setup: &Setup) {
        let tried = self.at(state, setup);
        self.failed.extend(tried);
    }

    /// Whether the job was not tried in one like that which begins now.
    pub(super) fn is_new(&mut self, state: &State, setup: &Setup) -> bool {
        self.at(state, setup).is_none_or(|stretch| !self.failed.contains(&stretch))
    }

    /// Something else happened: every stretch is worth another try.
    pub(super) fn forget_failed(&mut self) {
        self.failed.clear();
    }
}
