//! Future events, in the order in which they happen (days rule 2).
//!
//! Within one second: ends of jobs, ends of reservations, starts of reservations, vnodes becoming ready; then
//! releases of holds, execution times and deletions; then removals of vnodes, then arrivals. Events of one kind are
//! in the order in which they were planned.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use qscope_engine::cluster::{Epoch, Name};

use crate::track::SimulatedJobId;

/// An event at the server that the scheduler does not cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ClockEvent {
    /// A job ends by itself or at its walltime; `run` distinguishes this run from later ones.
    JobEnds {
        job: SimulatedJobId,
        /// Number of the run that ends.
        run: u32,
    },
    ReservationEnds(Name),
    ReservationStarts(Name),
    /// A vnode has booted.
    NodeReady(Name),
    /// A vnode is to be removed once it is empty.
    NodeRemoved(Name),
    /// A vnode of a pool may have been idle long enough; valid if it has been empty since then.
    NodeIdle {
        node: Name,
        /// Time since which it was empty.
        since: Epoch,
    },
    /// The hold of a job is released.
    HoldReleased(SimulatedJobId),
    /// The execution time of a job is reached.
    TimeReached(SimulatedJobId),
    /// The owner of a job deletes it.
    Cancelled(SimulatedJobId),
    /// The job at this position of the list arrives.
    Arrives(usize),
}

impl ClockEvent {
    /// Returns the rank among events of one second.
    fn class(&self) -> u8 {
        match self {
            Self::JobEnds { .. } => 1,
            Self::ReservationEnds(_) => 2,
            Self::ReservationStarts(_) => 3,
            Self::NodeReady(_) => 4,
            Self::HoldReleased(_) | Self::TimeReached(_) | Self::Cancelled(_) => 5,
            Self::NodeRemoved(_) | Self::NodeIdle { .. } => 6,
            Self::Arrives(_) => 7,
        }
    }
}

/// A planned event, ordered by the fields before the event.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PlannedEvent {
    at: Epoch,
    class: u8,
    sequence: u64,
    event: ClockEvent,
}

impl Ord for PlannedEvent {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.class, self.sequence).cmp(&(other.at, other.class, other.sequence))
    }
}

impl PartialOrd for PlannedEvent {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// All planned events.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventQueue {
    events: BinaryHeap<Reverse<PlannedEvent>>,
    planned: u64,
}

impl EventQueue {
    pub(crate) fn plan(&mut self, at: Epoch, event: ClockEvent) {
        self.planned += 1;
        let planned = PlannedEvent { at, class: event.class(), sequence: self.planned, event };
        self.events.push(Reverse(planned));
    }

    /// Returns the time of the next event that is still valid; invalid ones are dropped.
    pub(crate) fn next_at(&mut self, is_meant: impl Fn(&ClockEvent) -> bool) -> Option<Epoch> {
        while let Some(Reverse(next)) = self.events.peek() {
            if is_meant(&next.event) {
                return Some(next.at);
            }
            self.events.pop();
        }
        None
    }

    /// Returns the next event if it happens at or before `until`.
    pub(crate) fn take(&mut self, until: Epoch) -> Option<ClockEvent> {
        let is_due = self.events.peek().is_some_and(|Reverse(next)| next.at <= until);
        if is_due { self.events.pop().map(|Reverse(next)| next.event) } else { None }
    }

    /// Returns all planned events in the order in which they happen.
    pub(crate) fn events_in_order(&self) -> Vec<(Epoch, &ClockEvent)> {
        let mut all: Vec<&PlannedEvent> = self.events.iter().map(|Reverse(planned)| planned).collect();
        all.sort_unstable();
        all.into_iter().map(|planned| (planned.at, &planned.event)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_2_within_a_second_ends_come_before_arrivals() {
        let mut clock = EventQueue::default();
        clock.plan(Epoch(5), ClockEvent::Arrives(0));
        clock.plan(Epoch(5), ClockEvent::Cancelled(SimulatedJobId(1)));
        clock.plan(Epoch(5), ClockEvent::NodeRemoved("n1".into()));
        clock.plan(Epoch(5), ClockEvent::NodeReady("n2".into()));
        clock.plan(Epoch(5), ClockEvent::ReservationStarts("R2".into()));
        clock.plan(Epoch(5), ClockEvent::ReservationEnds("R1".into()));
        clock.plan(Epoch(5), ClockEvent::JobEnds { job: SimulatedJobId(3), run: 0 });
        clock.plan(Epoch(4), ClockEvent::Arrives(7));
        let mut order = Vec::new();
        while let Some(event) = clock.take(Epoch(5)) {
            order.push(event.class());
        }
        assert_eq!(order, [7, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn what_is_no_longer_meant_does_not_keep_time_going() {
        let mut clock = EventQueue::default();
        clock.plan(Epoch(5), ClockEvent::JobEnds { job: SimulatedJobId(3), run: 0 });
        assert_eq!(clock.next_at(|_| false), None);
        assert!(clock.take(Epoch(9)).is_none());
    }
}
