//! The nodes at one moment of the cycle: load, states and assigned amounts.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Amount, Column, Diagnostic, ExecVnode, Job, Name, NodeStates, Reservation, Snapshot};

use crate::universe::{Bit, ConsIx, NodeSet, Plan};

/// Number of jobs and reservations on a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeLoad {
    pub jobs: u16,
    /// Running reservations.
    pub reservations: u16,
}

impl NodeLoad {
    /// Whether anything runs on the node.
    pub fn is_busy(self) -> bool {
        self.jobs > 0 || self.reservations > 0
    }
}

/// Amounts granted to a reservation, by consumable and node.
pub(in crate::universe) type GrantedAmounts = FxHashMap<(ConsIx, Bit), f64>;

/// All nodes of the complex at one moment.
#[derive(Clone, Debug)]
pub struct NodeOccupancy {
    /// Assigned amounts by consumable; indirect amounts are counted at the node that keeps them.
    pub assigned: Column<ConsIx, Column<Bit, f64>>,
    /// Jobs and reservations on each node.
    pub load: Column<Bit, NodeLoad>,
    /// State bits.
    pub states: Column<Bit, NodeStates>,
    /// Nodes that are free now and have a licence.
    pub open_nodes: NodeSet,
    pub occupied: NodeSet,
    /// Amounts granted to the reservation, on the floor that its jobs see.
    pub granted: Option<Arc<GrantedAmounts>>,
    /// The unset resources that a start has taken of on a node: from then on the node has them, with nothing available,
    /// also after the job's end (rule M27).
    pub(in crate::universe) made_by_starts: BTreeSet<(ConsIx, Bit)>,
}

impl NodeOccupancy {
    /// Builds the floor of a snapshot, and the record of which nodes list which jobs.
    pub(in crate::universe) fn new(plan: &Plan) -> (Self, NodeJobIndex) {
        let len = plan.nodes.len();
        let mut floor = Self {
            assigned: plan.capacity.assigned().clone(),
            load: Column::filled(len, NodeLoad::default()),
            states: Column::filled(len, NodeStates::FREE),
            open_nodes: NodeSet::new(len),
            occupied: NodeSet::new(len),
            granted: None,
            made_by_starts: BTreeSet::new(),
        };
        let mut listed = NodeJobIndex::new(&plan.snap, len);
        for bit in plan.nodes.ids() {
            floor.read(plan, &mut listed, bit);
        }
        (floor, listed)
    }

    /// Returns the floor that follows that of the previous snapshot, which has the same nodes and reservations.
    /// `changed` are the nodes whose records differ; nodes with equal records on which other jobs now run are added
    /// to it.
    pub(in crate::universe) fn following(
        &self,
        plan: &Plan,
        before: &NodeJobIndex,
        changed: &mut Vec<Bit>,
    ) -> (Self, NodeJobIndex) {
        let mut listed = before.following(&plan.snap);
        before.add_affected_nodes(&listed, plan, changed);
        let mut floor = Self {
            assigned: plan.capacity.assigned().clone(),
            load: self.load.clone(),
            states: self.states.clone(),
            open_nodes: self.open_nodes.clone(),
            occupied: self.occupied.clone(),
            granted: None,
            made_by_starts: BTreeSet::new(),
        };
        for bit in changed.iter() {
            floor.read(plan, &mut listed, *bit);
        }
        (floor, listed)
    }

    /// Reads one node.
    fn read(&mut self, plan: &Plan, listed: &mut NodeJobIndex, bit: Bit) {
        let node = plan.node(bit);
        let (load, ghosts) = listed.occupants.of(&node.name, &node.jobs);
        self.load[bit] = load;
        self.states[bit] = node.states;
        listed.note(bit, &node.jobs, ghosts);
        if ghosts && listed.occupants.all_known {
            recount(plan, bit, &mut self.assigned);
        }
        self.refresh_bits(plan, bit);
    }

    /// Updates the `open_nodes` and `occupied` bits of one node.
    pub fn refresh_bits(&mut self, plan: &Plan, bit: Bit) {
        self.open_nodes.put(bit, self.states[bit].is_free() && plan.masks.licensed.contains(bit));
        self.occupied.put(bit, self.load[bit].is_busy());
    }

    /// Returns a node's own total of a consumable; for a node of a reservation as its jobs see it, what the
    /// reservation was granted (rule M46). NaN where unset or kept on another node.
    pub fn total(&self, plan: &Plan, ix: ConsIx, bit: Bit) -> f64 {
        let own = plan.capacity.contribution(ix, bit);
        self.granted_of(ix, bit).filter(|_| !own.is_nan()).unwrap_or(own)
    }

    /// Returns what the reservation was granted on a node; `None` on the floor outside reservations.
    pub fn granted_of(&self, ix: ConsIx, bit: Bit) -> Option<f64> {
        self.granted.as_ref()?.get(&(ix, bit)).copied()
    }

    /// Returns the amount assigned of that total.
    pub fn assigned_of(&self, plan: &Plan, ix: ConsIx, bit: Bit) -> f64 {
        let beyond = if self.granted.is_some() {
            plan.capacity.contribution(ix, bit) - self.total(plan, ix, bit)
        } else {
            0.0
        };
        self.assigned[ix][bit] - beyond
    }

    /// Returns what is left of a consumable on a node, never below zero; an unset resource counts as zero, or as
    /// infinity if it may be unset.
    #[inline]
    pub fn left(&self, plan: &Plan, ix: ConsIx, bit: Bit) -> f64 {
        let available = plan.capacity.available(ix, bit);
        if available.is_nan() {
            let endless = plan.unset_ok.contains(&plan.consumables.resource(ix));
            return if endless { f64::INFINITY } else { 0.0 };
        }
        (available - self.assigned[ix][plan.capacity.keeper(ix, bit)]).max(0.0)
    }
}

/// Which nodes list which jobs, as far as the next floor needs it.
#[derive(Clone, Debug)]
pub(in crate::universe) struct NodeJobIndex {
    occupants: RunningOccupants,
    /// Union of the mark bits of the jobs that a node lists, as in a Bloom filter: a node without a job's bit does
    /// not list it.
    marks: Column<Bit, u64>,
    /// Nodes that list jobs that do not run: their assigned amounts follow from all jobs.
    ghosts: NodeSet,
}

impl NodeJobIndex {
    fn new(snap: &Snapshot, len: usize) -> Self {
        Self {
            occupants: RunningOccupants::new(snap),
            marks: Column::filled(len, 0),
            ghosts: NodeSet::new(len),
        }
    }

    /// Returns the record for another snapshot with the same reservations.
    fn following(&self, snap: &Snapshot) -> Self {
        let occupants = RunningOccupants {
            reserved: self.occupants.reserved.clone(),
            ..RunningOccupants::without_reservations(snap)
        };
        Self { occupants, marks: self.marks.clone(), ghosts: self.ghosts.clone() }
    }

    fn note(&mut self, bit: Bit, jobs: &[Name], ghosts: bool) {
        self.marks[bit] = jobs.iter().fold(0, |marks, job| marks | mark_of(job));
        self.ghosts.put(bit, ghosts);
    }

    /// Adds the nodes that list a job that started or ended running since, and those whose sums follow from all jobs.
    fn add_affected_nodes(&self, next: &Self, plan: &Plan, changed: &mut Vec<Bit>) {
        let (old, new) = (&self.occupants.running, &next.occupants.running);
        let came = new.iter().filter(|(job, inside)| old.get(*job) != Some(*inside));
        let went = old.iter().filter(|(job, _)| !new.contains_key(*job));
        let names: Vec<&Name> = came.chain(went).map(|(job, _)| job).collect();
        let any = names.iter().fold(0, |marks, job| marks | mark_of(job));
        let lists = |bit: Bit| {
            let listed = &plan.node(bit).jobs;
            listed.iter().any(|job| names.contains(&job))
        };
        let marked = self.marks.enumerate().filter(|(_, marks)| *marks & any != 0).map(|(bit, _)| bit);
        let more: Vec<Bit> = marked.filter(|bit| lists(*bit)).chain(self.ghosts.iter()).collect();
        if !more.is_empty() {
            changed.extend(more);
            changed.sort_unstable();
            changed.dedup();
        }
    }
}

/// Returns a mask with one of 64 bits set, chosen by the hash of a job's id.
fn mark_of(job: &Name) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    job.hash(&mut hasher);
    1 << (hasher.finish() >> 58)
}

/// The jobs and reservations that really run.
#[derive(Clone, Debug)]
struct RunningOccupants {
    /// Each running job by name, with whether it is in a reservation: such jobs run on the reservation's own nodes.
    running: FxHashMap<Name, bool>,
    reserved: Arc<[(Name, FxHashSet<Name>)]>,
    /// Whether every job was read, and nodes list what runs there; otherwise a job that only nodes list runs there, with
    /// the amounts in the node dump.
    all_known: bool,
}

impl RunningOccupants {
    fn new(snap: &Snapshot) -> Self {
        let on_nodes = |r: &Reservation| {
            r.nodes.iter().flat_map(ExecVnode::parts).map(|part| part.vnode.clone()).collect()
        };
        let reserved = snap
            .reservations
            .iter()
            .filter(|reservation| reservation.is_running())
            .map(|reservation| (reservation.name.clone(), on_nodes(reservation)))
            .collect();
        Self { reserved, ..Self::without_reservations(snap) }
    }

    fn without_reservations(snap: &Snapshot) -> Self {
        let is_table = snap.reported(Diagnostic::NODE_TABLE).next().is_some();
        let all_known = snap.has_all_jobs() && !is_table;
        Self { running: running(snap), reserved: Arc::default(), all_known }
    }

    /// Returns the load of a node, and whether it lists a job that does not run.
    fn of(&self, node: &Name, listed: &[Name]) -> (NodeLoad, bool) {
        if listed.is_empty() && self.reserved.is_empty() {
            return (NodeLoad::default(), false);
        }
        let mut seen: Vec<&Name> = Vec::with_capacity(listed.len());
        let mut ghosts = false;
        for name in listed {
            match self.running.get(name) {
                None => {
                    ghosts = true;
                    if !self.all_known && !seen.contains(&name) {
                        seen.push(name);
                    }
                }
                Some(in_reservation) if !in_reservation && !seen.contains(&name) => seen.push(name),
                Some(_) => {}
            }
        }
        let reservations = self.reserved.iter().filter(|(_, nodes)| nodes.contains(node)).count();
        let small = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        (NodeLoad { jobs: small(seen.len()), reservations: small(reservations) }, ghosts)
    }
}

/// Returns each running job by name, with whether it is in a reservation.
fn running(snap: &Snapshot) -> FxHashMap<Name, bool> {
    let runs = |job: &&Job| job.state.has_nodes();
    snap.jobs.iter().filter(runs).map(|job| (job.name.clone(), job.reservation.is_some())).collect()
}

/// Recounts a node's assigned amounts from what runs there, as the scheduler does for nodes with vanished jobs (rule
/// 6.1).
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
            values.filter_map(|(_, text)| Amount::parse(kind, text).ok()).map(|a| a.0).sum()
        };
        let jobs = snap.jobs.iter().filter(|job| job.state.has_nodes());
        let outside = jobs.filter(|job| job.reservation.is_none()).filter_map(|job| job.exec_vnode.as_ref());
        let reservations =
            snap.reservations.iter().filter(|r| r.is_running()).filter_map(|r| r.nodes.as_ref());
        assigned[ix][bit] = outside.chain(reservations).map(given).sum();
    }
}
