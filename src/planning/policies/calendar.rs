//! What happens on each node from now on, as the policies count it: ends give back, starts take (rules 0.6,
//! 10.3).

use super::task_request::TaskRequest;
use qscope_engine::cluster::{Column, Epoch, ResvId};
use qscope_engine::universe::{Allocation, Bit, ConsIx, EventKind, Occupant, Plan, State, read_allocation};

/// Something that changes what a node has.
#[derive(Clone, Debug)]
pub(super) struct NodeChange {
    /// When.
    pub at: Epoch,
    /// Whether it takes or gives back.
    pub takes: bool,
    /// Whether whoever takes wants the node alone.
    pub exclusive: bool,
    /// What.
    pub amounts: Vec<(ConsIx, f64)>,
}

/// The changes on every node in order of time, with the job's own reservations left open to it.
#[derive(Debug, Default)]
pub(super) struct NodeCalendar {
    /// Per node.
    pub changes: Column<Bit, Vec<NodeChange>>,
    /// What running reservations of the job's leave to it, per node.
    pub assigned_before: Vec<(Bit, ConsIx, f64)>,
    /// Reservations that the job may use and their nodes, with start and end.
    pub own: Vec<(Epoch, Epoch, Vec<Bit>)>,
    /// Every moment at which something changes, ascending, each once.
    pub moments: Vec<Epoch>,
}

impl NodeCalendar {
    /// The calendar as this job sees it.
    pub(super) fn new(state: &State, request: &TaskRequest) -> Self {
        let plan = &state.plan;
        let changes = Column::filled(plan.nodes.len(), Vec::new());
        let mut calendar = Self { changes, ..Self::default() };
        let is_own = |id: ResvId| may_use(plan, request, id);
        for (key, event) in state.timeline.iter() {
            let sharedness = match event.occupant {
                Occupant::Reservation(id) if is_own(id) => continue,
                Occupant::Job(job, _) if plan.reservation_of(job).is_some_and(|id| !is_own(id)) => continue,
                other => plan.sharedness(other),
            };
            let exclusive = plan.exclusive_nodes(sharedness);
            for piece in &event.allocation.pieces {
                calendar.changes[piece.bit].push(NodeChange {
                    at: key.at,
                    takes: key.kind == EventKind::Run,
                    exclusive: exclusive.contains(piece.bit),
                    amounts: Allocation::taken(plan, piece).collect(),
                });
            }
            calendar.moments.push(key.at);
        }
        calendar.moments.dedup();
        for id in plan.snap.reservations.ids().filter(|id| is_own(*id)) {
            calendar.add_own(state, id);
        }
        calendar
    }

    /// A reservation that the job may use takes nothing from it; a running one gives what it has left.
    fn add_own(&mut self, state: &State, id: ResvId) {
        let plan = &state.plan;
        let reservation = &plan.snap.reservations[id];
        let Some(start) = reservation.start else { return };
        let end = reservation.end.or_else(|| reservation.duration.map(|span| start + span)).unwrap_or(start);
        let Some(nodes) = &reservation.nodes else { return };
        let allocation = read_allocation(plan, nodes);
        if let Some(inside) = &state.insides[id] {
            for bit in inside.nodes.iter() {
                for ix in plan.consumables.ids() {
                    let left = inside.floor.left(plan, ix, *bit);
                    if left > 0.0 && left.is_finite() && reserves(plan, &allocation, *bit, ix) {
                        self.assigned_before.push((*bit, ix, left));
                    }
                }
            }
        }
        self.own.push((start, end, allocation.nodes()));
    }
}

/// Whether a reservation holds some of a resource on a node.
fn reserves(plan: &Plan, allocation: &Allocation, bit: Bit, ix: ConsIx) -> bool {
    let on_node = allocation.pieces.iter().filter(|piece| piece.bit == bit);
    on_node
        .flat_map(|piece| Allocation::amounts(plan, piece))
        .any(|(have, amount)| *have == ix && *amount > 0.0)
}

/// Whether a reservation is the job's: it is in it, or its `users` name the job's (rule 13 item 14).
fn may_use(plan: &Plan, request: &TaskRequest, id: ResvId) -> bool {
    request.reservation == Some(id) || plan.snap.reservations[id].users.contains(&request.user)
}
