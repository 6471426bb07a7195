//! Takes a start back that the server refused.

use std::sync::Arc;

use crate::cluster::{NodeState, NodeStates, ResourceId};
use crate::universe::{Allocation, Bit, Change, EventKey, EventKind, Occupant, State};

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
        for (bit, before) in nodes.into_iter().zip(before) {
            let keeps = |state, holds| before.has(state) && holds;
            let states = before
                .with_if(NodeState::JobExclusive, keeps(NodeState::JobExclusive, self.is_held_alone(bit)))
                .with_if(NodeState::JobBusy, keeps(NodeState::JobBusy, self.is_used_up(bit)));
            if states != self.floor.states[bit] {
                self.change(Change::States(bit, states));
            }
        }
    }

    /// Whether a job that is on a node now has it alone.
    fn is_held_alone(&self, bit: Bit) -> bool {
        let is_planned = |occupant: Occupant| {
            self.timeline.iter().any(|(key, event)| key.kind == EventKind::Run && event.occupant == occupant)
        };
        self.timeline.iter().any(|(key, event)| {
            key.kind == EventKind::End
                && matches!(event.occupant, Occupant::Job(..))
                && self.plan.exclusive_nodes(self.plan.sharedness(event.occupant)).contains(bit)
                && event.allocation.nodes().contains(&bit)
                && !is_planned(event.occupant)
        })
    }

    /// Whether jobs on a node leave none of its cpus.
    fn is_used_up(&self, bit: Bit) -> bool {
        let cpus = self.plan.consumables.ix(ResourceId::ncpus());
        self.floor.load[bit].jobs > 0 && cpus.is_some_and(|ix| self.floor.left(&self.plan, ix, bit) <= 0.0)
    }
}
