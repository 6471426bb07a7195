//! Vnodes come and go during a simulation: one that was ordered is ready after its boot time; one that is given back goes
//! when it is empty.

use qscope_engine::cluster::{Name, NodeId, NodeState};

use super::Server;

impl Server {
    /// A vnode is ready: it is neither down nor offline any more.
    pub(crate) fn ready(&mut self, name: &Name) {
        let Some(id) = self.floor.find(name) else { return };
        self.leaving.retain(|leaving| *leaving != id);
        self.asked = true;
        self.set_gone(id, false);
    }

    /// A vnode is given back: it goes now, or with the end of the last job on it.
    pub(crate) fn give_back(&mut self, name: &Name) {
        let Some(id) = self.floor.find(name) else { return };
        if !self.leaving.contains(&id) {
            self.leaving.push(id);
        }
        self.remove_empty();
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
