//! The events of a simulation in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

qscope_engine::id!(
    /// A job of the scenario, by its position in the list.
    LoopJobNo
);
qscope_engine::id!(
    /// A node, by its position in the order of launches.
    LaunchNo
);

/// An event of the simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoopEvent {
    Submit(LoopJobNo),
    /// A node has booted.
    Ready(LaunchNo),
    End(LoopJobNo),
}

/// A moment as a key of a heap; times are finite.
#[derive(Clone, Copy, PartialEq, Debug)]
struct EventTime(f64);

impl Eq for EventTime {}

impl PartialOrd for EventTime {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for EventTime {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Events in order of time, then in order of insertion.
#[derive(Default)]
pub(super) struct LoopAgenda {
    heap: BinaryHeap<Reverse<(EventTime, u64)>>,
    events: Vec<LoopEvent>,
}

impl LoopAgenda {
    pub(super) fn add(&mut self, time: f64, event: LoopEvent) {
        self.heap.push(Reverse((EventTime(time), self.events.len() as u64)));
        self.events.push(event);
    }

    pub(super) fn next_time(&self) -> Option<f64> {
        self.heap.peek().map(|Reverse((EventTime(time), _))| *time)
    }

    /// Removes and returns the next event that is due at `time`.
    pub(super) fn take(&mut self, time: f64) -> Option<LoopEvent> {
        self.next_time().filter(|next| *next <= time)?;
        let Reverse((_, ix)) = self.heap.pop()?;
        self.events.get(usize::try_from(ix).ok()?).copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}
