//! Jobs and reservations on one vnode.

use qscope_engine::cluster::{Name, Node, NodeState, NodeStates, ResourceId, ResourceList};

use crate::track::TrackId;

/// One job on one vnode.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    pub(super) job: TrackId,
    /// Whether it runs here; otherwise only its amounts are accounted here.
    pub(super) is_listed: bool,
    /// Whether its amounts are part of those of its reservation.
    pub(super) is_inside: bool,
    pub(super) taken: Vec<(ResourceId, f64)>,
}

/// One running reservation on one vnode.
#[derive(Clone, Debug)]
pub(super) struct Reserved {
    pub(super) name: Name,
    pub(super) is_excl: bool,
    pub(super) taken: Vec<(ResourceId, f64)>,
}

/// Jobs and reservations on one vnode.
#[derive(Clone, Debug, Default)]
pub(super) struct Spot {
    /// Permanent states.
    pub(super) lasting: NodeStates,
    /// Jobs in the order of their starts.
    pub(super) guests: Vec<Guest>,
    /// Jobs that hold it exclusively.
    pub(super) alone: Vec<TrackId>,
    pub(super) reserved: Vec<Reserved>,
}

impl Spot {
    /// Returns the states that clients would print.
    pub(super) fn states(&self, node: &Node) -> NodeStates {
        let mut states = self.lasting;
        let amount = |list: &ResourceList| list.amount(ResourceId::ncpus()).unwrap_or_default();
        let has_jobs = self.guests.iter().any(|guest| guest.is_listed);
        if !self.alone.is_empty() {
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
