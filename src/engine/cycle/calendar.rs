//! Simulates known future events until a job that cannot start now would fit (rule 6.8).

mod stretches;

use std::sync::Arc;

use crate::cluster::{Epoch, JobId, Period};
use crate::placement::PathChoice;
use crate::universe::{Allocation, CopyPurpose, EventKey, EventKind, State, TimedEvent};
use stretches::FailedPeriods;

use super::rehearsal::{SimulationRecorder, considered};
use super::{ConsiderationMode, Setup, TopJob, consider};

/// Estimates when and where a job starts. The state is restored afterwards.
pub(super) fn estimate(
    state: &mut State,
    setup: &Setup,
    job: JobId,
    choice: PathChoice,
    recording: SimulationRecorder<'_>,
) -> Option<TopJob> {
    let search = WindowSearch {
        setup,
        job,
        choice,
        recording,
        failed_periods: FailedPeriods::default(),
        is_last_change_made: false,
    };
    let trial = state.begin_trial();
    let found = state.in_copy(CopyPurpose::Calendar, |state| {
        state.forget_starts_at_once();
        search.run(state)
    });
    state.end_simulation(trial);
    found
}

/// The search for the first window in which a job fits.
struct WindowSearch<'a> {
    setup: &'a Setup,
    job: JobId,
    choice: PathChoice,
    recording: SimulationRecorder<'a>,
    failed_periods: FailedPeriods,
    /// Whether all events are used up and the one change of prime time that may follow them was made.
    is_last_change_made: bool,
}

impl WindowSearch<'_> {
    fn run(mut self, state: &mut State) -> Option<TopJob> {
        let mut windows = 0;
        loop {
            if let Some(allocation) = self.fits(state) {
                return Some(TopJob { start: state.now, allocation, path: self.choice.path, windows });
            }
            self.failed_periods.add_failed(state, self.setup);
            // Most events cannot make room for a job that did not fit.
            while !self.advance(state)? {}
            windows += 1;
        }
    }

    fn fits(&mut self, state: &mut State) -> Option<Arc<Allocation>> {
        let (setup, job, mode) = (self.setup, self.job, ConsiderationMode::Simulated(self.choice));
        let outcome = considered(self.recording.as_deref_mut(), state, job, |state, probe| {
            consider(state, setup, job, mode, probe)
        });
        if let Some(recording) = &mut self.recording {
            recording.tried_window(state.now, outcome.rejection.as_deref().cloned());
        }
        outcome.placed.map(|placed| placed.allocation)
    }

    /// Advances to the next change: a change of prime time before the next event, or all events of the next window.
    /// Returns whether the job is to be tried again, or `None` when nothing is left to happen. After the last event
    /// one more change of prime time is made, including one at the exact moment of that event.
    fn advance(&mut self, state: &mut State) -> Option<bool> {
        let event = next_event(state).map(|(key, _)| key.at);
        let dedicated = self.setup.windows.dedicated.next_event(state.now);
        let next = [event, dedicated].into_iter().flatten().min();
        let is_after_the_last =
            next.is_none() && !self.is_last_change_made && state.now > state.plan.snap.now;
        let from = if is_after_the_last { Epoch(state.now.0 - 1) } else { state.now };
        let change = self.failed_periods.change_after(self.setup, from);
        if let Some(at) = change.filter(|at| next.is_none_or(|next| *at < next)) {
            if next.is_none() && std::mem::replace(&mut self.is_last_change_made, true) {
                return None;
            }
            state.set_clock(at);
            return Some(self.failed_periods.is_new(state, self.setup) && self.may_prime_change_help(state));
        }
        self.failed_periods.forget_failed();
        Some(self.simulate_window(state, next?))
    }

    /// Whether a change of prime time alone may let the job fit: jobs may not cross such changes, the job's queue is
    /// for the period that begins, or backfilling changes.
    fn may_prime_change_help(&self, state: &State) -> bool {
        let policy = &state.plan.snap.policy;
        let crossing = policy.backfill_prime.prime || policy.backfill_prime.non_prime;
        let begins = self.setup.windows.prime.period_at(state.now);
        let of_queue = self.setup.window(&state.plan, self.job).is_some_and(|window| match begins {
            Period::Prime => window.prime,
            Period::NonPrime => window.non_prime,
        });
        (crossing && !policy.prime_exempt_anytime_queues)
            || of_queue
            || policy.backfill.prime != policy.backfill.non_prime
    }

    /// Performs all events of the window that begins at `first`. Returns whether any of them may have made room: the
    /// end of a job or of dedicated time.
    fn simulate_window(&mut self, state: &mut State, first: Epoch) -> bool {
        let window = window_end(first, state.plan.snap.scheduler.fuzzy.0.0);
        let dedicated_time = &self.setup.windows.dedicated;
        // A change at the exact moment of an event still counts, even though the clock has already reached it.
        let mut changed = state.now;
        let mut more = false;
        loop {
            let next = next_event(state).map(|(key, event)| (*key, event.clone()));
            let dedicated = dedicated_time.next_event(changed).filter(|at| *at <= window);
            match next.filter(|(key, _)| key.at <= window && dedicated.is_none_or(|at| key.at <= at)) {
                Some((key, event)) => {
                    more |= key.kind == EventKind::End;
                    if let Some(recording) = &mut self.recording {
                        recording.performed(key, &event);
                    }
                    perform(state, key, &event);
                }
                None => {
                    let Some(at) = dedicated else { return more };
                    // Dedicated time that began before the cycle, after an overdue end, counts as well (measured).
                    more |= dedicated_time.ends_at(at) || at <= state.plan.snap.now;
                    state.set_clock(at);
                    changed = at;
                }
            }
        }
    }
}

/// Returns the next event. The start of a top job planned for the very moment of the cycle never happens in a
/// simulation (measured); its end does.
fn next_event(state: &State) -> Option<(&EventKey, &TimedEvent)> {
    state.timeline.iter().find(|(key, event)| !state.is_at_once(key, event))
}

/// Performs all known events up to and including a moment.
pub fn simulate_until(state: &mut State, until: Epoch) {
    let next = |state: &State| next_event(state).map(|(key, event)| (*key, event.clone()));
    while let Some((key, event)) = next(state).filter(|(key, _)| key.at <= until) {
        perform(state, key, &event);
    }
    if state.now < until {
        state.set_clock(until);
    }
}

/// Returns the end of the window that an event opens: `(T + f) / f * f` in integer arithmetic; never before the event
/// itself.
fn window_end(first: Epoch, fuzzy: i64) -> Epoch {
    let fuzzy = fuzzy.max(1);
    Epoch(first.0.saturating_add(fuzzy) / fuzzy * fuzzy).max(first)
}

/// Applies one event.
fn perform(state: &mut State, key: EventKey, event: &TimedEvent) {
    state.take_event(key);
    match key.kind {
        EventKind::End => state.finish(event.occupant, &event.allocation),
        EventKind::Run => {
            let sharedness = state.plan.sharedness(event.occupant);
            state.begin(event.occupant, sharedness, &event.allocation);
        }
    }
    state.set_clock(key.at);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_the_event_that_opens_it() {
        assert_eq!(window_end(Epoch(61), 60), Epoch(120));
        assert_eq!(window_end(Epoch(120), 60), Epoch(180));
        assert_eq!(window_end(Epoch(7), 0), Epoch(8));
        assert_eq!(window_end(Epoch(i64::MAX), 60), Epoch(i64::MAX));
    }
}
