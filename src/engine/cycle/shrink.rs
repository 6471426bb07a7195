//! Shrink-to-fit jobs: shortened to end before a boundary or before a planned start (rule 6.13).

use crate::cluster::{Epoch, JobId, Seconds};
use crate::placement::SetAttempts;
use crate::universe::{EventKind, JobRequest, Quirk, Reason, State};

use super::{Outcome, Setup};

/// Maximum number of lengths tried between the shortest and the longest.
const TRIES: i64 = 5;

/// Considers a shrink-to-fit job.
pub(super) fn shrink(
    state: &mut State,
    setup: &Setup,
    (job, request): (JobId, &JobRequest),
    shortest: Seconds,
    consider: &mut dyn FnMut(&mut State, &JobRequest) -> Outcome,
) -> Outcome {
    let mut tries = SetAttempts::default();
    let mut attempt = |state: &mut State, length: Seconds| {
        let mut outcome = consider(state, &request.lasting(length));
        tries.extend(&outcome.tries);
        outcome.tries.clone_from(&tries);
        let known = outcome.placed.is_some() && length != Seconds::UNLIMITED;
        let shrunk_to = known.then_some(length);
        Outcome { shrunk_to, ..outcome }
    };
    let full = attempt(state, request.duration);
    if full.placed.is_some() || is_final(&full) {
        return full;
    }
    let mut longest = request.duration;
    if let Some(boundary) = nearest_boundary(state, setup, job, longest) {
        let end = state.now + shortest;
        if end > boundary.at || (end == boundary.at && boundary.strict) {
            return full;
        }
        longest = Seconds(boundary.at.0 - state.now.0);
        let shrunk = attempt(state, longest);
        if shrunk.placed.is_some() {
            return shrunk;
        }
    }
    let short = attempt(state, shortest);
    if short.placed.is_none() {
        return short;
    }
    for length in lengths_between(state, shortest, longest) {
        let shrunk = attempt(state, length);
        if shrunk.placed.is_some() {
            return shrunk;
        }
    }
    short
}

/// Whether no length can help: the job's queue is closed at this time.
fn is_final(outcome: &Outcome) -> bool {
    let reason = outcome.rejection.as_ref().map(|rejection| &rejection.reason);
    matches!(reason, Some(Reason::DedicatedTime | Reason::PrimeOnly | Reason::NonPrimeOnly))
}

/// A moment that the job must not cross.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Boundary {
    at: Epoch,
    /// Whether the shortest length must end before it rather than at it (rule 11, item 4).
    strict: bool,
}

/// Returns the first boundary of prime or dedicated time that a job of this length would cross, if any. A job of an
/// exempt queue that is shortened by dedicated time may not cross prime time either (measured).
fn nearest_boundary(state: &State, setup: &Setup, job: JobId, length: Seconds) -> Option<Boundary> {
    let plan = &state.plan;
    let policy = &plan.snap.policy;
    let window = setup.window(plan, job)?;
    let (now, windows) = (state.now, &setup.windows);
    let end = now + length;
    let dedicated = windows.dedicated.crossed_by(now, end).map(|slot| match slot.from <= now {
        true => Boundary { at: slot.to, strict: false },
        false => Boundary { at: slot.from, strict: end >= slot.to },
    });
    let counts = dedicated.is_some() || !window.is_exempt(policy);
    let limit = windows.prime_limit_of_any(policy, plan.has(Quirk::SpillSwapped), now);
    let prime = limit.filter(|limit| counts && end > *limit).map(|at| Boundary { at, strict: true });
    [prime, dedicated].into_iter().flatten().min_by_key(|boundary| boundary.at)
}

/// Returns the lengths to try between two bounds. Each ends at a planned start: the last one within 5/5, 4/5, 3/5,
/// 2/5 and 1/5 of the time to the last start, and before the one tried previously (rule 6.13).
fn lengths_between(state: &State, shortest: Seconds, longest: Seconds) -> Vec<Seconds> {
    let (from, to) = (state.now + shortest, state.now + longest);
    let starts: Vec<Epoch> = state
        .timeline
        .before(to)
        .filter(|(key, _)| key.kind == EventKind::Run && key.at > from)
        .map(|(key, _)| key.at)
        .collect();
    moments(&starts, from).into_iter().map(|at| Seconds(at.0 - state.now.0)).collect()
}

fn moments(starts: &[Epoch], from: Epoch) -> Vec<Epoch> {
    let Some(last) = starts.last() else { return Vec::new() };
    let span = last.0 - from.0;
    let mut moments: Vec<Epoch> = Vec::new();
    for part in (1..=TRIES).rev() {
        let limit = Epoch(from.0 + span * part / TRIES);
        let before_last = |at: &&Epoch| moments.last().is_none_or(|last| *at < last);
        let within = starts.iter().rev().find(|at| **at <= limit && before_last(at)).copied();
        moments.extend(within);
    }
    moments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(of: &[i64]) -> Vec<Epoch> {
        of.iter().map(|hour| Epoch(hour * 3600)).collect()
    }

    /// Rule 6.13: at most five lengths, from the farthest start backwards, none twice.
    #[test]
    fn five_moments_are_tried() {
        let starts = hours(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(moments(&starts, Epoch(600)), hours(&[9, 7, 5, 3, 1]));
        assert_eq!(moments(&hours(&[1, 2, 5]), Epoch(600)), hours(&[5, 2, 1]));
        assert_eq!(moments(&[], Epoch(600)), []);
        let early = hours(&[1, 2, 3, 4, 20]);
        assert_eq!(moments(&early, Epoch(600)), hours(&[20, 4, 3, 2, 1]), "no moment is tried twice");
    }
}
