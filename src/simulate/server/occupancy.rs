//! Jobs and reservations on each vnode, and what clients would print about the vnode (days rule 4).

mod holdings;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{
    Amount, Column, ExecVnode, GhostKind, Name, Node, NodeId, NodeState, NodeStates, ResourceId,
    ResourceList, SharedColumn, Snapshot, Value, ghosts, value_of,
};

use crate::track::{HeldNodes, SimulatedJobId};

/// Jobs and reservations on all vnodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerOccupancy {
    vnodes: Column<NodeId, VnodeOccupancy>,
    by_name: FxHashMap<Name, NodeId>,
    by_host: FxHashMap<Name, Vec<NodeId>>,
}

impl ServerOccupancy {
    /// Creates empty vnodes with their permanent states, including that of vnodes that an ended job keeps until the
    /// server restarts.
    pub(crate) fn new(snap: &Snapshot) -> Self {
        let lasting = |node: &Node| node.states.without_occupancy();
        let empty = |node| VnodeOccupancy { permanent_states: lasting(node), ..VnodeOccupancy::default() };
        let mut vnodes: Column<NodeId, VnodeOccupancy> = snap.nodes.iter().map(empty).collect();
        for dead in ghosts(snap).iter().filter(|ghost| ghost.kind == GhostKind::Dead) {
            for id in &dead.nodes {
                vnodes[*id].permanent_states = vnodes[*id].permanent_states.with(NodeState::JobExclusive);
            }
        }
        let mut by_host: FxHashMap<Name, Vec<NodeId>> = FxHashMap::default();
        for (id, node) in snap.nodes.enumerate() {
            by_host.entry(host_of(node)).or_default().push(id);
        }
        let by_name = snap.nodes.enumerate().map(|(id, node)| (node.name.clone(), id)).collect();
        Self { vnodes, by_name, by_host }
    }

    /// Returns the vnode of a name.
    pub(crate) fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// Whether neither a job nor a running reservation is on a vnode.
    pub(crate) fn is_empty(&self, id: NodeId) -> bool {
        let spot = &self.vnodes[id];
        spot.jobs.is_empty() && spot.reserved.is_empty()
    }

    /// Changes the permanent states of a vnode.
    pub(crate) fn change_lasting(
        &mut self,
        snap: &mut Snapshot,
        id: NodeId,
        change: impl FnOnce(NodeStates) -> NodeStates,
    ) {
        let lasting = &mut self.vnodes[id].permanent_states;
        *lasting = change(*lasting);
        self.show(&mut snap.nodes, id);
    }

    /// Returns the cores of the vnodes that are up.
    pub(crate) fn cores(&self, snap: &Snapshot) -> f64 {
        let up = snap.nodes.enumerate().filter(|(id, _)| self.vnodes[*id].permanent_states.is_free());
        up.map(|(_, node)| node.available.cpus()).sum()
    }

    /// Puts a job on its vnodes.
    pub(crate) fn occupy(
        &mut self,
        snap: &mut Snapshot,
        job: SimulatedJobId,
        name: &Name,
        held: &HeldNodes,
        is_in_reservation: bool,
    ) {
        for id in &held.nodes {
            self.vnodes[*id].jobs.push(JobOnVnode {
                job,
                is_listed: true,
                is_in_reservation,
                taken: Vec::new(),
            });
            snap.nodes[*id].jobs.push(name.clone());
        }
        for (id, resource, amount) in &held.amounts {
            let guests = &mut self.vnodes[*id].jobs;
            let at = guests.iter().rposition(|guest| guest.job == job).unwrap_or_else(|| {
                guests.push(JobOnVnode { job, is_listed: false, is_in_reservation, taken: Vec::new() });
                guests.len() - 1
            });
            if let Some(guest) = guests.get_mut(at) {
                guest.taken.push((*resource, *amount));
            }
        }
        for id in &held.exclusive_nodes {
            self.vnodes[*id].exclusive_jobs.push(job);
        }
        self.refresh(snap, held);
    }

    /// Takes a job off its vnodes.
    pub(crate) fn vacate(&mut self, snap: &mut Snapshot, job: SimulatedJobId, name: &Name, held: &HeldNodes) {
        for id in held.nodes.iter().chain(held.amounts.iter().map(|(id, _, _)| id)) {
            self.vnodes[*id].jobs.retain(|guest| guest.job != job);
            snap.nodes[*id].jobs.retain(|have| have != name);
        }
        for id in &held.exclusive_nodes {
            self.vnodes[*id].exclusive_jobs.retain(|have| *have != job);
        }
        self.refresh(snap, held);
    }

    fn refresh(&self, snap: &mut Snapshot, held: &HeldNodes) {
        let Snapshot { nodes, .. } = snap;
        for id in &held.nodes {
            self.show(nodes, *id);
        }
        for id in held.exclusive_nodes.iter().chain(held.amounts.iter().map(|(id, _, _)| id)) {
            if !held.nodes.contains(id) {
                self.show(nodes, *id);
            }
        }
    }

    /// Updates the record of one vnode to what clients would print.
    fn show(&self, nodes: &mut SharedColumn<NodeId, Node>, id: NodeId) {
        let spot = &self.vnodes[id];
        let node = &mut nodes[id];
        let mut sums: Vec<(ResourceId, f64)> = Vec::new();
        let of_guests =
            spot.jobs.iter().filter(|guest| !guest.is_in_reservation).flat_map(|guest| &guest.taken);
        for (resource, amount) in of_guests.chain(spot.reserved.iter().flat_map(|one| &one.amounts)) {
            *value_of(&mut sums, *resource) += amount;
        }
        let mut assigned = ResourceList::default();
        for (resource, sum) in sums {
            assigned.set(resource, Value::Amount(Amount(sum)));
        }
        node.assigned = assigned;
        node.states = spot.states(node);
    }

    /// Puts a running reservation on its vnodes.
    pub(crate) fn reserve(&mut self, snap: &mut Snapshot, name: &Name, placement: &ExecVnode, is_excl: bool) {
        let taken = self.taken_amounts(snap, placement);
        for id in self.nodes_of(placement) {
            let taken = taken.iter().filter(|(node, _, _)| *node == id).map(|(_, r, amount)| (*r, *amount));
            self.vnodes[id].reserved.push(ReservationOnVnode {
                name: name.clone(),
                is_excl,
                amounts: taken.collect(),
            });
            self.show(&mut snap.nodes, id);
        }
    }

    /// Takes a reservation off its vnodes.
    pub(crate) fn unreserve(&mut self, snap: &mut Snapshot, name: &Name, placement: &ExecVnode) {
        for id in self.nodes_of(placement) {
            self.vnodes[id].reserved.retain(|one| one.name != *name);
            self.show(&mut snap.nodes, id);
        }
    }

    /// Returns the vnodes of a placement, each once.
    pub(crate) fn nodes_of(&self, placement: &ExecVnode) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> =
            placement.parts().filter_map(|part| self.by_name.get(&part.vnode).copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Updates the records of all vnodes to what clients would print.
    pub(crate) fn show_all(&self, snap: &mut Snapshot) {
        for id in self.vnodes.ids() {
            self.show(&mut snap.nodes, id);
        }
    }
}

/// Returns the host of a vnode: its `host` resource, or else its name.
fn host_of(node: &Node) -> Name {
    node.host().unwrap_or(&node.name).clone()
}

#[derive(Clone, Debug)]
struct JobOnVnode {
    job: SimulatedJobId,
    /// Whether it runs here; otherwise only its amounts are accounted here.
    is_listed: bool,
    /// Whether its amounts are part of those of its reservation.
    is_in_reservation: bool,
    taken: Vec<(ResourceId, f64)>,
}

/// One running reservation on one vnode.
#[derive(Clone, Debug)]
struct ReservationOnVnode {
    name: Name,
    is_excl: bool,
    amounts: Vec<(ResourceId, f64)>,
}

/// Jobs and reservations on one vnode.
#[derive(Clone, Debug, Default)]
struct VnodeOccupancy {
    permanent_states: NodeStates,
    /// Jobs in the order of their starts.
    jobs: Vec<JobOnVnode>,
    /// Jobs that hold it exclusively.
    exclusive_jobs: Vec<SimulatedJobId>,
    reserved: Vec<ReservationOnVnode>,
}

impl VnodeOccupancy {
    /// Returns the states that clients would print.
    fn states(&self, node: &Node) -> NodeStates {
        let mut states = self.permanent_states;
        let amount = |list: &ResourceList| list.amount(ResourceId::ncpus()).unwrap_or_default();
        let has_jobs = self.jobs.iter().any(|guest| guest.is_listed);
        if !self.exclusive_jobs.is_empty() {
            states = states.with(NodeState::JobExclusive);
        } else if has_jobs && amount(&node.assigned) >= amount(&node.available) {
            states = states.with(NodeState::JobBusy);
        }
        if self.reserved.iter().any(|one| one.is_excl) {
            states = states.with(NodeState::ResvExclusive);
        }
        states
    }
}
