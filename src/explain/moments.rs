//! The moments at which a waiting job may begin to fit: known ends and starts, and changes of prime and dedicated time.

use qscope_engine::cluster::{Epoch, Period};
use qscope_engine::cycle::time_windows::TimeWindows;
use qscope_engine::universe::State;

/// Maximum number of consecutive changes of prime time considered if nothing else happens. They repeat from week to
/// week forever, so after this many only the next other event counts.
const IDLE_CHANGES: u32 = 64;

/// The moments after a state, in order.
#[derive(Default)]
pub(super) struct MomentSequence {
    /// Number of changes of prime time since anything else happened.
    idle: u32,
}

impl MomentSequence {
    /// Returns the next moment after a state; `None` if nothing is left to change.
    pub(super) fn next(&mut self, state: &State, windows: &TimeWindows) -> Option<Epoch> {
        let event = state.timeline.iter().next().map(|(key, _)| key.at);
        let once = [event, windows.dedicated.next_event(state.now)].into_iter().flatten().min();
        self.earlier(once, windows.prime.next_change(state.now), true)
    }

    /// Returns the earlier of what happens once and a change of prime time. After many changes in a row only what happens
    /// once counts; changes at which jobs start are not counted.
    pub(super) fn earlier(
        &mut self,
        once: Option<Epoch>,
        change: Option<Epoch>,
        is_idle: bool,
    ) -> Option<Epoch> {
        let change = change.filter(|change| once.is_none_or(|once| *change < once));
        self.idle = if is_idle && change.is_some() { self.idle + 1 } else { 0 };
        change.filter(|_| self.idle <= IDLE_CHANGES).or(once)
    }
}

/// Returns what begins or ends at a moment: `dedicated time ends`, `prime time begins`; `None` if neither does.
pub(super) fn change_at(windows: &TimeWindows, at: Epoch) -> Option<&'static str> {
    let before = Epoch(at.0.saturating_sub(1));
    let is_dedicated = |at| windows.dedicated.slot_at(at).is_some();
    let period = windows.prime.period_at(at);
    match (is_dedicated(before), is_dedicated(at), period) {
        (false, true, _) => Some("dedicated time begins"),
        (true, false, _) => Some("dedicated time ends"),
        _ if windows.prime.period_at(before) == period => None,
        (.., Period::Prime) => Some("prime time begins"),
        (.., Period::NonPrime) => Some("prime time ends"),
    }
}
