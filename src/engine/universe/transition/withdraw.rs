//! Takes a start back that the server refused.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::cluster::{NodeState, NodeStates, ResourceId};
use crate::universe::{Allocation, Bit, Change, EventKey, EventKind, NodeSet, Occupant, State, TimedEvent};

impl State {
    /// Takes an occupant off its nodes and off the calendar, as if it had never begun. What others have on these nodes
    /// stays theirs, which an end would not leave them.
    pub fn withdraw(&mut self, occupant: Occupant, allocation: &Arc<Allocation>) {
        let nodes = allocation.nodes();
        let before: Vec<NodeStates> = nodes.iter().map(|bit| self.floor.states[*bit]).collect();
        let of_it = self.timeline.iter().filter(|(_, event)| event.occupant == occupant);
        let keys: Vec<EventKey> = of_it.map(|(key, _)| *key).collect();
        keys.into_iter().for_each(|key| self.take_event(key));
        self.finish(occupant, allocation);
        let alone = self.held_alone();
        for (bit, before) in nodes.into_iter().zip(before) {
            let keeps = |state, holds| before.has(state) && holds;
            let states = before
                .with_if(NodeState::JobExclusive, keeps(NodeState::JobExclusive, alone.contains(bit)))
                .with_if(NodeState::JobBusy, keeps(NodeState::JobBusy, self.is_used_up(bit)));
            if states != self.floor.states[bit] {
                self.change(Change::States(bit, states));
            }
        }
    }

    /// The nodes that jobs have alone which are on them now.
    fn held_alone(&self) -> NodeSet {
        let is_run = |(key, _): &(&EventKey, &TimedEvent)| key.kind == EventKind::Run;
        let planned: FxHashSet<Occupant> =
            self.timeline.iter().filter(is_run).map(|(_, event)| event.occupant).collect();
        let mut found = NodeSet::new(self.plan.nodes.len());
        let is_job = |occupant| matches!(occupant, Occupant::Job(..)) && !planned.contains(&occupant);
        for (_, event) in self.timeline.iter().filter(|event| !is_run(event) && is_job(event.1.occupant)) {
            let alone = self.plan.exclusive_nodes(self.plan.sharedness(event.occupant));
            let bits = event.allocation.pieces.iter().map(|piece| piece.bit);
            bits.filter(|bit| alone.contains(*bit)).for_each(|bit| found.insert(bit));
        }
        found
    }

    /// Whether jobs on a node leave none of its cpus.
    fn is_used_up(&self, bit: Bit) -> bool {
        let cpus = self.plan.consumables.ix(ResourceId::ncpus());
        self.floor.load[bit].jobs > 0 && cpus.is_some_and(|ix| self.floor.left(&self.plan, ix, bit) <= 0.0)
    }
}
