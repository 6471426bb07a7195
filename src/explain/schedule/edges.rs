//! When prime and dedicated time begin and end.

use qscope_engine::cluster::{DedicatedSlot, Epoch, Seconds, SettingLocation, Snapshot};
use qscope_engine::cycle::time_windows::{TimeWindows, dedicated_line};

use crate::moments::change_at;

/// A time at which prime or dedicated time begins or ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeEdge {
    pub at: Epoch,
    /// `prime time begins`, `dedicated time ends` …
    pub label: &'static str,
    /// Whether it is an edge of dedicated time.
    pub is_dedicated: bool,
    /// The lines of the scheduler's calendars that make it.
    pub lines: Vec<SettingLocation>,
}

/// How far ahead edges are searched for, and their maximum number.
const EDGES_AHEAD: Seconds = Seconds(14 * 86_400);
const MAX_EDGES: usize = 100;

/// Returns the edges of prime and dedicated time after now.
pub(super) fn edges(snap: &Snapshot, windows: &TimeWindows, now: Epoch) -> Vec<TimeEdge> {
    let until = now + EDGES_AHEAD;
    let mut found = Vec::new();
    let mut last = now;
    while let Some(at) = windows.next_event(last).filter(|at| *at > last && *at <= until) {
        last = at;
        let Some(label) = change_at(windows, at) else { continue };
        let slot = windows.dedicated.slot_at(at).filter(|slot| slot.from == at);
        let slot = slot.or_else(|| windows.dedicated.slot_at(Epoch(at.0 - 1)).filter(|slot| slot.to == at));
        let lines = match slot {
            Some(slot) => dedicated_line(snap, slot).into_iter().collect(),
            None => windows.prime_lines(snap, at),
        };
        found.push(TimeEdge { at, label, is_dedicated: slot.is_some(), lines });
        if found.len() >= MAX_EDGES {
            break;
        }
    }
    found
}

/// Returns the periods of dedicated time from now on.
pub(super) fn dedicated(snap: &Snapshot, now: Epoch) -> Vec<DedicatedSlot> {
    let ahead = |slot: &&DedicatedSlot| slot.to > now && slot.from <= now + EDGES_AHEAD;
    snap.dedicated_time.iter().filter(ahead).take(MAX_EDGES).copied().collect()
}
