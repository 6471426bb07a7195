//! Vnodes come and go during a simulation: one that was ordered is ready after its boot time; one that is given back goes
//! when it is empty; one of a pool is ordered when it is needed.

use qscope_engine::cluster::{Name, NodeId, NodeState};

use super::SimulatedServer;
use crate::clock::ClockEvent;
use crate::scale::PoolState;

impl SimulatedServer {
    /// A vnode is ready: it is neither down nor offline any more.
    pub(crate) fn ready(&mut self, name: &Name) {
        let Some(id) = self.floor.find(name) else { return };
        self.leaving.retain(|leaving| *leaving != id);
        self.asked = true;
        self.set_gone(id, false);
        if let Some(scaling) = &mut self.scaling {
            scaling.ready(name);
        }
    }

    /// A vnode is given back: it goes now, or with the end of the last job on it.
    pub(crate) fn give_back(&mut self, name: &Name) {
        let Some(id) = self.floor.find(name) else { return };
        if !self.leaving.contains(&id) {
            self.leaving.push(id);
        }
        self.remove_empty();
    }

    /// What is in no pool yet goes, and what was ordered or is empty is planned.
    pub(crate) fn plan_pools(&mut self) {
        let Some(scaling) = self.scaling.clone() else { return };
        for node in scaling.pools.iter().flat_map(|pool| &pool.nodes) {
            let name = node.name.clone();
            match node.state {
                PoolState::Booting { ready, .. } => self.clock.plan(ready, ClockEvent::NodeReady(name)),
                PoolState::Up { idle: Some(since), .. } => {
                    self.clock.plan(since + scaling.idle, ClockEvent::NodeIdle { node: name, since });
                }
                PoolState::Gone | PoolState::Up { idle: None, .. } => {}
            }
            if let Some(id) =
                self.floor.find(&node.name).filter(|_| !matches!(node.state, PoolState::Up { .. }))
            {
                self.set_gone(id, true);
            }
        }
    }

    /// Whether a vnode is of a pool.
    pub(crate) fn is_in_pool(&self, name: &Name) -> bool {
        let pools = self.scaling.iter().flat_map(|scaling| &scaling.pools);
        pools.flat_map(|pool| &pool.nodes).any(|node| node.name == *name)
    }

    /// Orders vnodes for what waits.
    pub(crate) fn order_nodes(&mut self) {
        if self.scaling.is_none() || self.waiting() == 0 {
            return;
        }
        let Some(scaling) = &mut self.scaling else { return };
        let (ordered, ready) = scaling.order(&self.snap);
        for name in ordered {
            self.clock.plan(ready, ClockEvent::NodeReady(name));
        }
    }

    /// Notes which vnodes of pools are empty, and plans when they go.
    pub(crate) fn observe_pools(&mut self) {
        let now = self.now();
        let Some(scaling) = &mut self.scaling else { return };
        let floor = &self.floor;
        let is_empty = |name: &Name| floor.find(name).is_some_and(|id| floor.is_empty(id));
        let due = now + scaling.idle;
        for node in scaling.observe(now, is_empty) {
            self.clock.plan(due, ClockEvent::NodeIdle { node, since: now });
        }
    }

    /// A vnode of a pool was empty for long enough, and goes.
    pub(crate) fn return_to_pool(&mut self, name: &Name) {
        let now = self.now();
        if let Some(scaling) = &mut self.scaling {
            scaling.give_back(name, now);
        }
        self.give_back(name);
    }

    /// Removes the vnodes that were given back and are empty by now.
    pub(crate) fn remove_empty(&mut self) {
        if self.leaving.is_empty() {
            return;
        }
        let (empty, busy): (Vec<NodeId>, Vec<NodeId>) =
            std::mem::take(&mut self.leaving).into_iter().partition(|id| self.floor.is_empty(*id));
        self.leaving = busy;
        for id in empty {
            self.set_gone(id, true);
        }
    }

    fn set_gone(&mut self, id: NodeId, is_gone: bool) {
        let mut floor = std::mem::take(&mut self.floor);
        floor.change_lasting(self.snap_mut(), id, |states| {
            let up = states.without(NodeState::Offline).without(NodeState::Down);
            if is_gone { up.with(NodeState::Offline) } else { up }
        });
        self.floor = floor;
        self.cores = self.floor.cores(&self.snap);
    }
}
