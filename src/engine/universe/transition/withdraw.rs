//! Withdrawal of starts that the server refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::cluster::{NodeState, NodeStates, ResourceId, ResvId};
use crate::universe::{
    Allocation, Bit, EventKey, EventKind, JobStatus, LedgerChange, NodeSet, Occupant, State, StateChange,
    TimedEvent,
};

impl State {
    /// Withdraws starts from nodes, calendar and ledger as if they had not happened. Unlike an end, this keeps states
    /// that other jobs cause on these nodes.
    pub fn withdraw(&mut self, starts: &[(Occupant, Arc<Allocation>)]) {
        let occupants: FxHashSet<Occupant> = starts.iter().map(|(occupant, _)| *occupant).collect();
        let of_them = self.timeline.iter().filter(|(_, event)| occupants.contains(&event.occupant));
        let keys: Vec<EventKey> = of_them.map(|(key, _)| *key).collect();
        keys.into_iter().for_each(|key| self.take_event(key));
        let mut before: BTreeMap<Option<ResvId>, BTreeMap<Bit, NodeStates>> = BTreeMap::new();
        for (occupant, allocation) in starts {
            let inside = self.reservation_of(*occupant);
            let seen = before.entry(inside).or_default();
            self.on_floor(inside, |state| {
                for bit in allocation.nodes() {
                    seen.entry(bit).or_insert(state.occupancy.states[bit]);
                }
            });
            self.finish(*occupant, allocation);
            self.forget_start(*occupant);
        }
        for (inside, before) in before {
            let alone = self.exclusively_held(inside);
            self.on_floor(inside, |state| state.keep_states(&before, &alone));
        }
    }

    /// Runs `work` on the floor of a reservation, or on that of all nodes.
    fn on_floor(&mut self, inside: Option<ResvId>, work: impl FnOnce(&mut Self)) {
        match inside {
            Some(inside) => self.change_within(inside, work),
            None => work(self),
        }
    }

    /// Restores the states that nodes had before and that other jobs on them still cause.
    fn keep_states(&mut self, before: &BTreeMap<Bit, NodeStates>, alone: &NodeSet) {
        for (bit, before) in before {
            let keeps = |state, holds| before.has(state) && holds;
            let states = before
                .with_if(NodeState::JobExclusive, keeps(NodeState::JobExclusive, alone.contains(*bit)))
                .with_if(NodeState::JobBusy, keeps(NodeState::JobBusy, self.is_used_up(*bit)));
            if states != self.occupancy.states[*bit] {
                self.change(StateChange::States(*bit, states));
            }
        }
    }

    /// Removes a start from the ledger: an array has started one subjob less, another job waits again.
    fn forget_start(&mut self, occupant: Occupant) {
        match occupant {
            Occupant::Job(job, None) => {
                self.recount_kept(job);
                self.change(StateChange::Ledger(LedgerChange::Job(job, JobStatus::Waiting)));
            }
            Occupant::Job(job, Some(_)) => {
                let count = self.ledger.started[job].saturating_sub(1);
                self.change(StateChange::Ledger(LedgerChange::StartedSubjobs(job, count)));
            }
            Occupant::Reservation(_) => {}
        }
    }

    /// Returns the nodes that running jobs hold exclusively, within a reservation or outside of all.
    fn exclusively_held(&self, inside: Option<ResvId>) -> NodeSet {
        let is_run = |(key, _): &(&EventKey, &TimedEvent)| key.kind == EventKind::Run;
        let planned: FxHashSet<Occupant> =
            self.timeline.iter().filter(is_run).map(|(_, event)| event.occupant).collect();
        let mut found = NodeSet::new(self.plan.nodes.len());
        let is_job = |occupant| {
            matches!(occupant, Occupant::Job(..))
                && !planned.contains(&occupant)
                && self.reservation_of(occupant) == inside
        };
        for (_, event) in self.timeline.iter().filter(|event| !is_run(event) && is_job(event.1.occupant)) {
            let alone = self.plan.exclusive_nodes(self.plan.sharedness(event.occupant));
            let bits = event.allocation.pieces.iter().map(|piece| piece.bit);
            bits.filter(|bit| alone.contains(*bit)).for_each(|bit| found.insert(bit));
        }
        found
    }

    /// Whether jobs on a node use all of its cpus.
    fn is_used_up(&self, bit: Bit) -> bool {
        let cpus = self.plan.consumables.ix(ResourceId::ncpus());
        self.occupancy.load[bit].jobs > 0
            && cpus.is_some_and(|ix| self.occupancy.left(&self.plan, ix, bit) <= 0.0)
    }
}
