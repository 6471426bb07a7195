//! The future changes on each node as the policies count them: ends return amounts, starts take them (rules
//! 0.6, 10.3).

use super::task_request::TaskRequest;
use qscope_engine::cluster::{Column, Epoch, ResvId};
use qscope_engine::universe::{Allocation, Bit, ConsIx, EventKind, Occupant, Plan, State, read_allocation};

/// A change of a node's free amounts.
#[derive(Clone, Debug)]
pub(super) struct CalendarChange {
    /// Time of the change.
    pub at: Epoch,
    /// Whether amounts are taken, not returned.
    pub takes: bool,
    /// Whether the occupant uses the node exclusively.
    pub exclusive: bool,
    /// The amounts of consumable resources.
    pub amounts: Vec<(ConsIx, f64)>,
}

/// The changes on every node in order of time; reservations that the job may use take nothing from it.
#[derive(Debug, Default)]
pub(super) struct NodeCalendar {
    pub changes: Column<Bit, Vec<CalendarChange>>,
    /// Per node, the amounts that running reservations of the job still leave to it.
    pub assigned_before: Vec<(Bit, ConsIx, f64)>,
    /// Start, end and nodes of the reservations that the job may use.
    pub own: Vec<(Epoch, Epoch, Vec<Bit>)>,
    /// All times of changes, ascending, each once.
    pub moments: Vec<Epoch>,
}

impl NodeCalendar {
    /// Creates the calendar that applies to this job.
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
                calendar.changes[piece.bit].push(CalendarChange {
                    at: key.at,
                    takes: key.kind == EventKind::Run,
                    exclusive: exclusive.contains(piece.bit),
                    amounts: Allocation::consumables_of_piece(plan, piece).collect(),
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

    /// Adds a reservation that the job may use: it takes nothing from the job, and a running one gives what
    /// it has left.
    fn add_own(&mut self, state: &State, id: ResvId) {
        let plan = &state.plan;
        let reservation = &plan.snap.reservations[id];
        let Some(start) = reservation.start else { return };
        let end = reservation.end.or_else(|| reservation.duration.map(|span| start + span)).unwrap_or(start);
        let Some(nodes) = &reservation.nodes else { return };
        let allocation = read_allocation(plan, nodes);
        if let Some(inside) = &state.reservation_nodes[id] {
            for bit in inside.nodes.iter() {
                for ix in plan.consumables.ids() {
                    let left = inside.occupancy.left(plan, ix, *bit);
                    if left > 0.0 && left.is_finite() && reserves(plan, &allocation, *bit, ix) {
                        self.assigned_before.push((*bit, ix, left));
                    }
                }
            }
        }
        self.own.push((start, end, allocation.nodes()));
    }
}

/// Returns whether a reservation holds some of a resource on a node.
fn reserves(plan: &Plan, allocation: &Allocation, bit: Bit, ix: ConsIx) -> bool {
    let on_node = allocation.pieces.iter().filter(|piece| piece.bit == bit);
    on_node
        .flat_map(|piece| Allocation::amounts(plan, piece))
        .any(|(have, amount)| *have == ix && *amount > 0.0)
}

/// Returns whether the job may use a reservation: it was submitted into it, or its `users` list has the job's
/// user (rule 13 item 14).
fn may_use(plan: &Plan, request: &TaskRequest, id: ResvId) -> bool {
    request.reservation == Some(id) || plan.snap.reservations[id].users.contains(&request.user)
}
