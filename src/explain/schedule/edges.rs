//! The beginnings and ends of prime and dedicated time (rule 6.7).

use qscope_engine::cluster::{Epoch, Period, Seconds};
use qscope_engine::cycle::windows_of;
use qscope_engine::universe::State;

/// A time at which prime or dedicated time begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeEdge {
    pub at: Epoch,
    /// `prime time begins`, `dedicated time ends` …
    pub what: &'static str,
}

/// How far ahead edges are searched for, and their maximum number.
const EDGES_AHEAD: Seconds = Seconds(14 * 86_400);
const MAX_EDGES: usize = 100;

/// Returns the edges of prime and dedicated time after now.
pub(super) fn edges(state: &State) -> Vec<TimeEdge> {
    let windows = windows_of(&state.plan.snap);
    let until = state.now + EDGES_AHEAD;
    let mut found = Vec::new();
    let mut last = state.now;
    while let Some(at) = windows.next_event(last).filter(|at| *at > last && *at <= until) {
        let before = Epoch(at.0 - 1);
        let (was, is) = (windows.dedicated.slot_at(before), windows.dedicated.slot_at(at));
        let what = match (was, is, windows.prime.period_at(at)) {
            (None, Some(_), _) => "dedicated time begins",
            (Some(_), None, _) => "dedicated time ends",
            (_, _, Period::Prime) => "prime time begins",
            (_, _, Period::NonPrime) => "prime time ends",
        };
        found.push(TimeEdge { at, what });
        if found.len() >= MAX_EDGES {
            break;
        }
        last = at;
    }
    found
}
