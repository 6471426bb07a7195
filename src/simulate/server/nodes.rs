//! Additions and removals of vnodes: an ordered vnode is ready after its boot time, a vnode that is given back is
//! removed once it is empty, and vnodes of a pool are ordered when needed.

use qscope_engine::cluster::{Name, NodeId, NodeState};

use super::SimulatedServer;
use crate::clock::ClockEvent;
use crate::scale::PoolNodeState;

impl SimulatedServer {
    /// Makes a vnode ready: it is no longer down or offline.
    pub(crate) fn ready(&mut self, name: &Name) {
        let Some(id) = self.floor.find(name) else { return };
        self.removed_in_use.retain(|leaving| *leaving != id);
        self.asked = true;
        self.set_gone(id, false);
        if let Some(scaling) = &mut self.scaling {
            scaling.ready(name);
        }
    }

    /// Gives a vnode back: it is removed now, or at the end of the last job on it.
    pub(crate) fn give_back(&mut self, name: &Name) {
        let Some(id) = self.floor.find(name) else { return };
        if !self.removed_in_use.contains(&id) {
            self.removed_in_use.push(id);
        }
        self.remove_empty();
    }

    /// Removes the vnodes of pools that are not up, and plans when ordered ones are ready and idle ones are returned.
    pub(crate) fn plan_pools(&mut self) {
        let Some(scaling) = self.scaling.clone() else { return };
        for node in scaling.pools.iter().flat_map(|pool| &pool.nodes) {
            let name = node.name.clone();
            match node.state {
                PoolNodeState::Booting { ready, .. } => self.clock.plan(ready, ClockEvent::NodeReady(name)),
                PoolNodeState::Up { idle: Some(since), .. } => {
                    self.clock.plan(since + scaling.idle, ClockEvent::NodeIdle { node: name, since });
                }
                PoolNodeState::Gone | PoolNodeState::Up { idle: None, .. } => {}
            }
            if let Some(id) =
                self.floor.find(&node.name).filter(|_| !matches!(node.state, PoolNodeState::Up { .. }))
            {
                self.set_gone(id, true);
            }
        }
    }

    /// Whether a vnode belongs to a pool.
    pub(crate) fn is_in_pool(&self, name: &Name) -> bool {
        let pools = self.scaling.iter().flat_map(|scaling| &scaling.pools);
        pools.flat_map(|pool| &pool.nodes).any(|node| node.name == *name)
    }

    /// Orders vnodes for the waiting jobs.
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

    /// Records which vnodes of pools are empty, and plans their return.
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

    /// Returns a vnode to its pool after it was empty long enough.
    pub(crate) fn return_to_pool(&mut self, name: &Name) {
        let now = self.now();
        if let Some(scaling) = &mut self.scaling {
            scaling.give_back(name, now);
        }
        self.give_back(name);
    }

    /// Removes the vnodes that were given back and are now empty.
    pub(crate) fn remove_empty(&mut self) {
        if self.removed_in_use.is_empty() {
            return;
        }
        let (empty, busy): (Vec<NodeId>, Vec<NodeId>) =
            std::mem::take(&mut self.removed_in_use).into_iter().partition(|id| self.floor.is_empty(*id));
        self.removed_in_use = busy;
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
