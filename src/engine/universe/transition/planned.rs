//! Planned events: the timeline, and starts planned on nodes (rules 3.4, M9, M11, M40).

use std::sync::Arc;

use crate::cluster::Epoch;
use crate::universe::{
    Allocation, Availability, Bit, EventKey, EventKind, LedgerChange, NodeEvent, Occupant, Quirk, State,
    StateChange, TimedEvent,
};

impl State {
    /// Adds an event to the timeline.
    pub fn plan_event(
        &mut self,
        at: Epoch,
        kind: EventKind,
        occupant: Occupant,
        allocation: &Arc<Allocation>,
    ) {
        let key = self.fresh_event_key(at, kind);
        let event = TimedEvent { occupant, allocation: allocation.clone() };
        self.change(StateChange::Timeline(Box::new((key, Some(event)))));
    }

    /// Removes an event from the timeline, as it has happened.
    pub fn take_event(&mut self, key: EventKey) {
        self.change(StateChange::Timeline(Box::new((key, None))));
    }

    /// Whether an event is the start of a top job at exactly the time of the cycle, with no earlier event at that
    /// time. Simulations continue from the first event that was planned for now or later before the cycle, and such a
    /// start precedes it (rule M11).
    pub fn is_at_once(&self, key: &EventKey, event: &TimedEvent) -> bool {
        let is_job = matches!(event.occupant, Occupant::Job(..));
        key.kind == EventKind::Run && is_job && key.at == self.plan.snap.now && !self.begins_with_event
    }

    /// Returns the events before `end` that keep nodes from other jobs, in order: excludes events in the past and
    /// starts at exactly the time of the cycle (rules M9, M11, M40).
    pub fn coming_events(&self, end: Epoch) -> impl Iterator<Item = (&EventKey, &TimedEvent)> {
        self.timeline.before(end).filter(|(key, event)| key.at >= self.now && !self.is_at_once(key, event))
    }

    /// Removes starts of top jobs at exactly the time of the cycle from their nodes, but not from the timeline, as
    /// copies of the universe do (measured): no bucket keeps nodes for them there.
    pub fn forget_starts_at_once(&mut self) {
        let soon = self.timeline.before(Epoch(self.plan.snap.now.0.saturating_add(1)));
        let at_once = soon.filter(|(key, event)| self.is_at_once(key, event));
        let starts: Vec<TimedEvent> = at_once.map(|(_, event)| event.clone()).collect();
        for event in starts {
            event.allocation.nodes().into_iter().for_each(|bit| self.forget_event(bit, event.occupant));
        }
    }

    /// Makes a job a top job: plans its start and end and makes its nodes busy later (rule 3.4).
    pub fn make_top(&mut self, occupant: Occupant, at: Epoch, end: Epoch, allocation: &Arc<Allocation>) {
        self.plan_event(at, EventKind::Run, occupant, allocation);
        let held = self.held_by(occupant, allocation);
        self.plan_event(end, EventKind::End, occupant, &held);
        for bit in allocation.nodes() {
            self.add_node_event(bit, NodeEvent { at, occupant });
        }
        if let Occupant::Job(job, _) = occupant {
            self.change(StateChange::Ledger(LedgerChange::TopJob(job, true)));
        }
        // Pools created for single jobs are kept until a job starts or ends (rule 5.1), unless sets follow everything
        // planned (quirk B4 off), in which case they are created again.
        if !self.plan.has(Quirk::CalendarNotInSets) {
            self.drop_group_pools();
        }
    }

    fn add_node_event(&mut self, bit: Bit, event: NodeEvent) {
        let mut events: Vec<NodeEvent> =
            self.node_events[bit].iter().flat_map(|list| list.iter().copied()).collect();
        let at = events.partition_point(|have| have.at <= event.at);
        events.insert(at, event);
        self.change(StateChange::NodeEvents(bit, Some(events.into())));
        if let Some(bucket) = self.bucket_of[bit]
            && self.buckets[bucket].free.contains(bit)
        {
            let mut counts = self.buckets[bucket].counts;
            counts.add(Availability::Free, -1);
            counts.add(Availability::Later, 1);
            self.change(StateChange::Availability(bucket, bit, Availability::Later));
            self.change(StateChange::Counts(bucket, counts));
        }
        if !self.plan.has(Quirk::CalendarNotInSets) {
            self.update_set_buckets(bit);
        }
    }

    /// Removes an occupant's own start from a node.
    pub(super) fn forget_event(&mut self, bit: Bit, occupant: Occupant) {
        let Some(events) = &self.node_events[bit] else { return };
        if !events.iter().any(|event| event.occupant == occupant) {
            return;
        }
        let rest: Vec<_> = events.iter().copied().filter(|event| event.occupant != occupant).collect();
        self.change(StateChange::NodeEvents(bit, (!rest.is_empty()).then(|| rest.into())));
    }
}
