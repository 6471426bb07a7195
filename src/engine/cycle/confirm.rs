//! Confirms waiting reservations; they are examined before all jobs (rule 6.9).

use std::sync::Arc;

use crate::cluster::{Epoch, ReservationState, ResvId};
use crate::placement::{Probe, ProbeEvent, ProposedPlacement, place_reservation};
use crate::universe::{Allocation, CopyPurpose, JobRequest, Occupant, Plan, Reason, Rejection, State};

use super::limits::reservation_resources;
use super::{Setup, simulate_until};

/// The result for one reservation that waited to be confirmed.
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub reservation: ResvId,
    pub start: Epoch,
    /// The nodes assigned, or why it was denied.
    pub result: Result<Arc<Allocation>, Rejection>,
}

impl Confirmation {
    /// Whether it was confirmed.
    pub fn is_confirmed(&self) -> bool {
        self.result.is_ok()
    }
}

/// The recorded examination of one reservation: the node path at the reservation's start.
#[derive(Clone, Debug)]
pub struct ConfirmationTrace {
    pub reservation: ResvId,
    pub start: Epoch,
    /// The placement, or why it was denied.
    pub result: Result<ProposedPlacement, Rejection>,
    /// The check that denied it, if any.
    pub denied_at: Option<ConfirmCheck>,
    /// Events recorded by the search.
    pub events: Vec<ProbeEvent>,
    /// The state at its start, including reservations confirmed before it; without a journal.
    pub state: State,
}

/// The checks of a reservation, in the order made (rule 6.9).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConfirmCheck {
    /// Dedicated time.
    Time,
    /// The resources of the server.
    Resources,
    /// A node for each chunk.
    Placement,
}

/// Repeats the confirmations of a cycle up to `wanted` and records that one. Returns `None` if it does not wait to be
/// confirmed. `state` must be at the very start of the cycle.
pub(super) fn examine_again(mut state: State, setup: &Setup, wanted: ResvId) -> Option<ConfirmationTrace> {
    let plan = state.plan.clone();
    for id in waiting(&plan) {
        if id != wanted {
            confirm(&mut state, setup, &plan, id);
            continue;
        }
        let request = plan.reserved[id].as_ref()?;
        let start = plan.snap.reservations[id].start?;
        state.in_copy(CopyPurpose::Calendar, |state| {
            simulate_until(state, start);
            state.refresh_sets();
        });
        let mut found = state.without_journal();
        let mut probe = Probe::on();
        let examined =
            found.in_copy(CopyPurpose::Calendar, |state| examine(state, setup, id, request, &mut probe));
        let denied_at = examined.as_ref().err().map(|(check, _)| *check);
        let result = examined.map_err(|(_, why)| why);
        found.forget_journal();
        return Some(ConfirmationTrace {
            reservation: id,
            start,
            result,
            denied_at,
            events: probe.events,
            state: found,
        });
    }
    None
}

/// Tries to confirm all waiting reservations in the order of the dump; confirmed ones occupy nodes for the later
/// ones. None is tried when an operator starts a job by qrun (rule 6.1).
pub(super) fn confirm_all(state: &mut State, setup: &Setup) -> Vec<Confirmation> {
    let plan = state.plan.clone();
    waiting(&plan).filter_map(|id| confirm(state, setup, &plan, id)).collect()
}

fn waiting(plan: &Plan) -> impl Iterator<Item = ResvId> {
    let waits = |id: &ResvId| plan.snap.reservations[*id].state == ReservationState::Unconfirmed;
    plan.snap.reservations.ids().filter(move |id| plan.snap.qrun.is_none() && waits(id))
}

/// Returns `None` for a reservation that the dump does not show fully.
fn confirm(state: &mut State, setup: &Setup, plan: &Plan, id: ResvId) -> Option<Confirmation> {
    let request = plan.reserved[id].as_ref()?;
    let start = plan.snap.reservations[id].start?;
    let mark = state.mark();
    let examined = state.in_copy(CopyPurpose::Calendar, |state| {
        simulate_until(state, start);
        examine(state, setup, id, request, &mut Probe::off())
    });
    let result = examined.map(|placed| placed.allocation).map_err(|(_, why)| why);
    state.rollback(mark);
    if let Ok(allocation) = &result {
        state.make_top(Occupant::Reservation(id), start, start + request.duration, allocation);
    }
    Some(Confirmation { reservation: id, start, result })
}

/// The run check of a reservation at its start; it has no queue and no limits (rule 6.9).
fn examine(
    state: &mut State,
    setup: &Setup,
    id: ResvId,
    request: &JobRequest,
    probe: &mut Probe,
) -> Result<ProposedPlacement, (ConfirmCheck, Rejection)> {
    state.refresh_sets();
    let plan = state.plan.clone();
    if !plan.snap.policy.resv_ignores_dedicated
        && setup.windows.dedicated_clear(state.now, request.duration).is_err()
    {
        return Err((ConfirmCheck::Time, Reason::CrossDedicated.not_now()));
    }
    reservation_resources(state, request).map_err(|why| (ConfirmCheck::Resources, why))?;
    place_reservation(state, id, request, probe).result.map_err(|why| (ConfirmCheck::Placement, why))
}
