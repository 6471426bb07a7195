//! Expected events: ends of running jobs, starts and ends of reservations and top jobs (rule 6.8).

pub(in crate::universe) mod occupant;
pub(in crate::universe) mod planned;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cluster::Epoch;

use super::{Allocation, Occupant};

/// Kind of an event; ends come before starts of the same second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum EventKind {
    /// The occupant releases its nodes.
    End,
    /// The occupant takes its nodes.
    Run,
}

/// Position of an event in the timeline: time, kind, then order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct EventKey {
    pub at: Epoch,
    pub kind: EventKind,
    /// Order of creation.
    pub serial: u32,
}

#[derive(Clone, Debug)]
pub struct TimedEvent {
    /// Job or reservation that the event is about.
    pub occupant: Occupant,
    /// Its nodes.
    pub allocation: Arc<Allocation>,
}

/// All expected events, in order.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    events: BTreeMap<EventKey, TimedEvent>,
    runs: usize,
    next_serial: u32,
}

impl Timeline {
    /// Returns a key for a new event.
    pub fn fresh_key(&mut self, at: Epoch, kind: EventKind) -> EventKey {
        self.next_serial += 1;
        EventKey { at, kind, serial: self.next_serial }
    }

    /// Inserts or removes the event of a key; returns the previous one.
    pub fn put(&mut self, key: EventKey, event: Option<TimedEvent>) -> Option<TimedEvent> {
        let run = usize::from(key.kind == EventKind::Run);
        let old = match event {
            Some(event) => {
                self.runs += run;
                self.events.insert(key, event)
            }
            None => self.events.remove(&key),
        };
        if old.is_some() {
            self.runs -= run;
        }
        old
    }

    /// Returns all events in order.
    pub fn iter(&self) -> impl Iterator<Item = (&EventKey, &TimedEvent)> {
        self.events.iter()
    }

    /// Returns the events before `end`, in order.
    pub fn before(&self, end: Epoch) -> impl Iterator<Item = (&EventKey, &TimedEvent)> {
        self.events.iter().take_while(move |(key, _)| key.at < end)
    }

    /// Whether there is an event at or before `at`.
    pub fn has_event_until(&self, at: Epoch) -> bool {
        self.events.keys().next().is_some_and(|key| key.at <= at)
    }

    /// Whether any start is planned.
    pub fn has_runs(&self) -> bool {
        self.runs > 0
    }

    /// Whether any start is planned before `end`.
    pub fn has_run_before(&self, end: Epoch) -> bool {
        self.runs > 0 && self.before(end).any(|(key, _)| key.kind == EventKind::Run)
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}
