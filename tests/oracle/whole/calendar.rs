//! The calendar: planned events, and the simulation of time in a copy of the cluster (rules 6.8, 4.6).

use std::rc::Rc;

use qscope_engine::cluster::Period;

use super::times;
use super::world::{Allocation, Event, What, Who, World, by_node};

/// The effects of one step of a simulation.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Happened {
    /// Whether something ended or a node came up, so that there may be more room.
    pub(crate) more_room: bool,
    /// Whether the period changed.
    pub(crate) period: bool,
}

/// Returns whether a planned start at this time is that of a top job that never starts (rule M11).
fn is_missed(missed_at: Option<i64>, at: i64, who: Option<Who>) -> bool {
    missed_at == Some(at) && matches!(who, Some(Who::Job(_)))
}

impl World {
    /// Returns when a job or reservation would end if it began now: by its soft and by its hard length.
    pub(crate) fn ends_of(&self, who: Who) -> (i64, i64) {
        match who {
            Who::Job(job) => {
                let row = &self.jobs[job];
                let left = |length: i64| self.now + (length - row.used).max(0);
                // For a job that may be shrunk, the shortest length is the hard one, whatever length is
                // tried.
                let shortest = row.min.filter(|_| !row.runs()).map(|min| self.now + min);
                let hard = || left(row.hard_duration().max(row.duration()));
                (left(row.duration()), shortest.unwrap_or_else(hard))
            }
            Who::Resv(resv) => (self.resvs[resv].end, self.resvs[resv].end),
        }
    }

    /// Returns the end that counts, if something starts before it; the hard one if a reservation starts
    /// within it (rule 4.6).
    pub(crate) fn busy_before(&self, (soft, hard): (i64, i64)) -> Option<i64> {
        let starts = |end: i64| self.coming(end).filter(|event| event.what == What::Start);
        // A reservation that starts exactly at the hard end is within it.
        let by_reservation =
            starts(hard.saturating_add(1)).any(|event| matches!(event.who, Some(Who::Resv(_))));
        let end = if by_reservation { hard } else { soft };
        starts(end).next().map(|_| end)
    }

    /// Returns the end if something starts before it. Limits, and the resources of queue and server, use the
    /// soft end, and ignore starts for now (rule M40).
    pub(crate) fn busy_until(&self, end: i64) -> Option<i64> {
        let busy = self.coming_later(end).any(|event| event.what == What::Start);
        busy.then_some(end)
    }

    /// Returns the events before `end`, in order, that keep nodes from others. Overdue starts and ends do not
    /// count (rule M9).
    pub(crate) fn coming(&self, end: i64) -> impl Iterator<Item = &Event> {
        let missed = |event: &Event| {
            let is_start = event.what == What::Start;
            event.at < self.now || (is_start && is_missed(self.missed_at, event.at, event.who))
        };
        self.calendar.iter().filter(move |event| event.at < end && !missed(event))
    }

    /// Returns the events before `end`, in order, without starts for now or earlier.
    pub(crate) fn coming_later(&self, end: i64) -> impl Iterator<Item = &Event> {
        let counts = |event: &&Event| event.what != What::Start || event.at > self.now;
        self.calendar.iter().filter(move |event| event.at < end).filter(counts)
    }

    /// Limits the end of a job to that of the reservation that it is in.
    pub(crate) fn within_resv(&self, job: usize, end: i64) -> i64 {
        self.jobs[job].reservation.map_or(end, |resv| end.min(self.resvs[resv].end))
    }

    /// Inserts an event in order of time, ends before starts.
    pub(crate) fn plan(&mut self, at: i64, what: What, who: Option<Who>, allocation: &Rc<Allocation>) {
        let nodes = Rc::new(by_node(allocation));
        let event = Event { at, what, who, allocation: allocation.clone(), nodes };
        let key = |event: &Event| (event.at, event.what == What::Start);
        let place = self.calendar.iter().position(|other| key(other) > key(&event));
        self.calendar.insert(place.unwrap_or(self.calendar.len()), event);
    }

    /// Removes the events of a job or reservation.
    pub(crate) fn unplan(&mut self, who: Who) {
        self.calendar.retain(|event| event.who != Some(who));
    }

    /// Returns a copy for simulations.
    pub(crate) fn copy(&self) -> Self {
        let mut copy = self.clone();
        copy.simulated = true;
        let server = |set: &usize| self.sets[*set].owner == super::sets::Owner::Server;
        for node in &mut copy.nodes {
            if self.given.fixed {
                node.sets.retain(server);
            } else if let Some(other) = node.sets.iter().position(|set| !server(set)) {
                node.sets.truncate(other);
            }
            node.events.retain(|(at, who)| !is_missed(self.missed_at, *at, Some(*who)));
        }
        copy
    }

    /// Advances to the next events: a window of them, or one change of the period (rule 6.8).
    pub(crate) fn go_on(&mut self) -> Option<Happened> {
        let missed_at = self.missed_at;
        self.calendar.retain(|event| event.what != What::Start || !is_missed(missed_at, event.at, event.who));
        match (self.calendar.first().map(|event| event.at), self.period_end) {
            (None, None) => None,
            (None, Some(_)) if self.last_change => None,
            (None, Some(at)) => {
                self.last_change = true;
                // A change at the time of the last event is the last one.
                let just_changed = self.now > self.snap().now.0
                    && times::period_at(self.snap(), self.now - 1).1 == Some(self.now);
                Some(self.change_period(if just_changed { self.now } else { at }))
            }
            (Some(next), Some(at)) if at < next => Some(self.change_period(at)),
            (Some(next), _) => Some(self.perform_window(next)),
        }
    }

    fn change_period(&mut self, at: i64) -> Happened {
        self.now = at;
        let (period, end) = times::period_at(self.snap(), at);
        (self.period, self.period_end) = (period, end);
        Happened { period: true, more_room: false }
    }

    fn perform_window(&mut self, next: i64) -> Happened {
        let fuzzy = self.snap().scheduler.fuzzy.0.0.max(1);
        let until = (next + fuzzy) / fuzzy * fuzzy;
        let mut happened = Happened::default();
        while let Some(event) = self.calendar.first().filter(|event| event.at <= until).cloned() {
            self.calendar.remove(0);
            self.now = event.at;
            happened.more_room |= self.perform(&event);
        }
        // The period follows the clock, even where it changes within the window (case `d3104`).
        (self.period, self.period_end) = times::period_at(self.snap(), self.now);
        happened
    }

    /// Performs an event; returns whether there may be more room.
    pub(crate) fn perform(&mut self, event: &Event) -> bool {
        match (event.what, event.who) {
            (What::End, Some(Who::Job(job))) => {
                // A job that never started gives back what was planned for it (rule M11).
                if !self.jobs[job].runs() {
                    self.jobs[job].allocation = event.allocation.clone();
                }
                self.finish(job);
            }
            (What::End, Some(Who::Resv(resv))) => self.finish_resv(resv),
            (What::Start, Some(Who::Job(job))) => self.begin(job, &event.allocation),
            (What::Start, Some(Who::Resv(resv))) => self.begin_resv(resv),
            (What::NodeUp(node), _) => {
                self.nodes[node].states = qscope_engine::cluster::NodeStates::FREE;
                self.stale = true;
            }
            _ => {}
        }
        !matches!(event.what, What::Start | What::DedicatedStart)
    }

    /// Performs the events up to a time, one after the other, and stays at that time.
    pub(crate) fn go_to(&mut self, moment: i64) {
        while let Some(event) = self.calendar.first().filter(|event| event.at <= moment).cloned() {
            self.calendar.remove(0);
            self.now = self.now.max(event.at);
            self.perform(&event);
        }
        self.now = moment;
        (self.period, self.period_end) = times::period_at(self.snap(), moment);
    }

    /// Returns whether the time is in a dedicated slot, and that slot or the next one: at its very end a slot
    /// still counts as the next (rule 11.4).
    pub(crate) fn dedicated_slot(&self) -> (bool, Option<(i64, i64)>) {
        let slots = &self.given.dedicated;
        let inside = slots.iter().find(|(from, to)| *from <= self.now && self.now < *to);
        let next = slots.iter().find(|(_, to)| *to >= self.now);
        (inside.is_some(), inside.or(next).copied())
    }

    pub(crate) fn is_prime(&self) -> bool {
        self.period == Period::Prime
    }
}
