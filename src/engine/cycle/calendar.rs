//! Simulating what is known to happen, until a job that cannot start now would fit (rule 6.8).

use std::sync::Arc;

use crate::cluster::{Epoch, JobId, Sharedness};
use crate::placement::PathChoice;
use crate::universe::{Allocation, EventKey, EventKind, Occupant, State, TimedEvent};

use super::consider::{Mode, consider};
use super::outcome::TopJob;
use super::rehearsal::{Recording, considered};
use super::setup::Setup;

/// Estimates when and where a job starts. The state is the same afterwards.
#[must_use]
pub(super) fn estimate(
    state: &mut State,
    setup: &Setup,
    job: JobId,
    choice: PathChoice,
    recording: Recording<'_>,
) -> Option<TopJob> {
    let trial = state.begin_trial();
    let found = state.simulate(|state| {
        state.forget_starts_at_once();
        search(state, setup, job, choice, recording)
    });
    // The only thing that a simulation leaves behind (rule 11 item 7).
    let last_host = state.last_host;
    state.end_trial(trial);
    state.set_last_host(last_host);
    found
}

/// Prime time comes and goes for ever; this many changes after the last event are examined.
const CHANGES_AFTER_LAST_EVENT: u32 = 64;

fn search(
    state: &mut State,
    setup: &Setup,
    job: JobId,
    choice: PathChoice,
    mut recording: Recording<'_>,
) -> Option<TopJob> {
    let mut windows = 0;
    let mut idle = 0;
    loop {
        if let Some(allocation) = fits(state, setup, job, choice, recording.as_deref_mut()) {
            return Some(TopJob { start: state.now, allocation, path: choice.path, windows });
        }
        // Only ends, and changes of prime or dedicated time, can let a job in that did not fit.
        loop {
            idle = if next_event(state).is_none() { idle + 1 } else { 0 };
            if idle > CHANGES_AFTER_LAST_EVENT {
                return None;
            }
            if simulate_window(state, setup, recording.as_deref_mut())? {
                break;
            }
        }
        windows += 1;
    }
}

fn fits(
    state: &mut State,
    setup: &Setup,
    job: JobId,
    choice: PathChoice,
    mut recording: Recording<'_>,
) -> Option<Arc<Allocation>> {
    let mode = Mode::Simulated(choice);
    let outcome = considered(recording.as_deref_mut(), state, job, |state, probe| {
        consider(state, setup, job, mode, probe)
    });
    if let Some(recording) = recording {
        recording.tried_window(state.now, outcome.rejection.clone());
    }
    outcome.placed.map(|placed| placed.allocation)
}

/// Performs all events of the next window; returns whether anything may have become available. None when
/// nothing is left to happen.
fn simulate_window(state: &mut State, setup: &Setup, mut recording: Recording<'_>) -> Option<bool> {
    let event = next_event(state).map(|(key, _)| key.at);
    // What changes at the very moment of an event still changes, though the clock stands there already.
    let mut changed = state.now;
    let policy = setup.windows.next_event(changed);
    let first = match (event, policy) {
        (Some(event), Some(policy)) => event.min(policy),
        (Some(event), None) => event,
        (None, Some(policy)) if policy > state.now => policy,
        _ => return None,
    };
    let window = window_end(first, state.plan.snap.scheduler.fuzzy.0.0);
    let mut more = false;
    loop {
        let next = next_event(state).map(|(key, event)| (*key, event.clone()));
        let policy = setup.windows.next_event(changed).filter(|at| *at <= window);
        match next.filter(|(key, _)| key.at <= window && policy.is_none_or(|at| key.at <= at)) {
            Some((key, event)) => {
                more |= key.kind == EventKind::End;
                if let Some(recording) = recording.as_deref_mut() {
                    recording.performed(key, &event);
                }
                perform(state, key, &event);
            }
            None => match policy {
                // That dedicated time ends always gives room; another change only by itself (measured).
                Some(at) => {
                    more |= at > state.now || setup.windows.dedicated.ends_at(at);
                    state.set_clock(at);
                    changed = at;
                }
                None => return Some(more),
            },
        }
    }
}

/// What happens next. The start of a top job planned for the very moment of the cycle never comes true in a
/// simulation (measured); its end does.
fn next_event(state: &State) -> Option<(&EventKey, &TimedEvent)> {
    state.timeline.iter().find(|(key, event)| !state.is_at_once(key, event))
}

/// Performs everything that is known to happen until a moment, that moment included.
pub fn simulate_until(state: &mut State, until: Epoch) {
    let next = |state: &State| next_event(state).map(|(key, event)| (*key, event.clone()));
    while let Some((key, event)) = next(state).filter(|(key, _)| key.at <= until) {
        perform(state, key, &event);
    }
    if state.now < until {
        state.set_clock(until);
    }
}

/// The end of the window that an event opens: (T + f) / f × f in whole numbers.
fn window_end(first: Epoch, fuzzy: i64) -> Epoch {
    let fuzzy = fuzzy.max(1);
    Epoch((first.0 + fuzzy) / fuzzy * fuzzy)
}

/// Makes one event come true.
fn perform(state: &mut State, key: EventKey, event: &TimedEvent) {
    state.take_event(key);
    match key.kind {
        EventKind::End => state.finish(event.occupant, &event.allocation),
        EventKind::Run => {
            let sharedness = sharedness_of(state, event.occupant);
            state.begin(event.occupant, sharedness, &event.allocation);
        }
    }
    state.set_clock(key.at);
}

fn sharedness_of(state: &State, occupant: Occupant) -> Sharedness {
    let plan = &state.plan;
    match occupant {
        Occupant::Job(job, _) => {
            plan.requests[job].as_ref().map_or(Sharedness::Unsaid, |r| r.place.sharedness)
        }
        Occupant::Reservation(id) => {
            plan.snap.reservations[id].place.as_ref().map_or(Sharedness::Unsaid, |place| place.sharedness)
        }
    }
}
