//! The nodes as they stand at one moment of the cycle: load, states, what is assigned.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Column, ExecVnode, Job, JobState, Name, NodeStates, Reservation, Snapshot};

use crate::universe::nodes::amounts::ConsIx;
use crate::universe::nodes::node_set::{Bit, NodeSet};
use crate::universe::plan::Plan;

/// Who is on a node, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Load {
    pub jobs: u16,
    /// Running reservations.
    pub reservations: u16,
}

impl Load {
    /// Whether any is.
    pub fn any(self) -> bool {
        self.jobs > 0 || self.reservations > 0
    }
}

/// All nodes of the complex as they stand.
#[derive(Clone, Debug)]
pub struct Floor {
    /// What is assigned, by consumable; indirect amounts stand at the node that keeps them.
    pub assigned: Column<ConsIx, Column<Bit, f64>>,
    /// Who is there.
    pub load: Column<Bit, Load>,
    /// State bits.
    pub states: Column<Bit, NodeStates>,
    /// Nodes that are free now and have a licence.
    pub open: NodeSet,
    /// Nodes with an occupant.
    pub occupied: NodeSet,
}

impl Floor {
    /// The floor of a snapshot.
    pub fn new(plan: &Plan) -> Self {
        let snap = &plan.snap;
        let mut assigned = plan.capacity.assigned().clone();
        let loads = Loads::new(snap);
        let mut load: Column<Bit, Load> = Column::new();
        let mut states: Column<Bit, NodeStates> = Column::new();
        for (bit, node) in plan.nodes.enumerate() {
            let (on_node, ghosts) = loads.of(snap, &snap.nodes[node.id].name, &snap.nodes[node.id].jobs);
            load.push(on_node);
            states.push(snap.nodes[node.id].states);
            if ghosts {
                recount(plan, bit, &mut assigned);
            }
        }
        let len = plan.nodes.len();
        let mut floor = Self { assigned, load, states, open: NodeSet::new(len), occupied: NodeSet::new(len) };
        for bit in plan.nodes.ids() {
            floor.refresh_bits(plan, bit);
        }
        floor
    }

    /// Brings the two bitmaps up to date for one node.
    pub fn refresh_bits(&mut self, plan: &Plan, bit: Bit) {
        self.open.put(bit, self.states[bit].is_free() && plan.licensed.contains(bit));
        self.occupied.put(bit, self.load[bit].any());
    }

    /// What is left of a consumable on a node, never below zero; unset counts as zero, or as endless
    /// for resources that may be unset.
    #[inline]
    pub fn left(&self, plan: &Plan, ix: ConsIx, bit: Bit) -> f64 {
        let available = plan.capacity.available(ix, bit);
        if available.is_nan() {
            let endless = plan.unset_ok.contains(&plan.consumables.resource(ix));
            return if endless { f64::INFINITY } else { 0.0 };
        }
        (available - self.assigned[ix][plan.capacity.home(ix, bit)]).max(0.0)
    }
}

/// Which jobs and reservations really run.
struct Loads {
    /// Each running job by name, and whether it is in a reservation: such jobs are on the reservation's own nodes.
    running: FxHashMap<Name, bool>,
    reserved: Vec<(Name, FxHashSet<Name>)>,
}

impl Loads {
    fn new(snap: &Snapshot) -> Self {
        let on_nodes = |r: &Reservation| {
            r.nodes.iter().flat_map(ExecVnode::parts).map(|part| part.vnode.clone()).collect()
        };
        let mut running = FxHashMap::with_capacity_and_hasher(snap.jobs.len(), Default::default());
        let runs = |job: &&Job| matches!(job.state, JobState::Running | JobState::Exiting);
        running
            .extend(snap.jobs.iter().filter(runs).map(|job| (job.name.clone(), job.reservation.is_some())));
        Self {
            running,
            reserved: snap
                .reservations
                .iter()
                .filter(|reservation| reservation.is_running())
                .map(|reservation| (reservation.name.clone(), on_nodes(reservation)))
                .collect(),
        }
    }

    /// The load of a node, and whether it lists a job that does not run.
    fn of(&self, snap: &Snapshot, node: &Name, listed: &[Name]) -> (Load, bool) {
        let mut seen: Vec<&Name> = Vec::with_capacity(listed.len());
        let mut ghosts = false;
        for name in listed {
            match self.running.get(name) {
                None => ghosts |= !snap.jobs.is_empty() || !listed.is_empty(),
                Some(in_reservation) if !in_reservation && !seen.contains(&name) => seen.push(name),
                Some(_) => {}
            }
        }
        let reservations = self.reserved.iter().filter(|(_, nodes)| nodes.contains(node)).count();
        let small = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        (Load { jobs: small(seen.len()), reservations: small(reservations) }, ghosts)
    }
}

/// Counts a node's assigned amounts anew from what runs there, as the scheduler does for nodes with
/// vanished jobs (rule 6.1).
fn recount(plan: &Plan, bit: Bit, assigned: &mut Column<ConsIx, Column<Bit, f64>>) {
    let snap = &plan.snap;
    let name = plan.node_name(bit);
    for ix in plan.consumables.ids() {
        let resource = plan.consumables.resource(ix);
        let kind = snap.catalogue.kind(resource);
        let word = snap.catalogue.name(resource);
        let given = |placement: &ExecVnode| -> f64 {
            let parts = placement.parts().filter(|part| part.vnode == *name);
            let values = parts.flat_map(|part| &part.resources).filter(|(have, _)| have == word);
            values.filter_map(|(_, text)| crate::cluster::Amount::parse(kind, text).ok()).map(|a| a.0).sum()
        };
        let jobs = snap.jobs.iter().filter(|job| matches!(job.state, JobState::Running | JobState::Exiting));
        let outside = jobs.filter(|job| job.reservation.is_none()).filter_map(|job| job.exec_vnode.as_ref());
        let reservations =
            snap.reservations.iter().filter(|r| r.is_running()).filter_map(|r| r.nodes.as_ref());
        assigned[ix][bit] = outside.chain(reservations).map(given).sum();
    }
}
