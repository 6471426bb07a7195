//! Reservations that wait to be confirmed: examined before all jobs (rule 6.9).

use std::sync::Arc;

use crate::cluster::{Epoch, ReservationState, ResvId};
use crate::placement::{Probe, place_reservation};
use crate::universe::{Allocation, JobRequest, Occupant, Plan, Reason, Rejection, State};

use super::calendar::simulate_until;
use super::limits::reservation_resources;
use super::setup::Setup;

/// What became of one reservation that waited to be confirmed.
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub reservation: ResvId,
    /// When it starts.
    pub start: Epoch,
    /// Where, or why it was denied.
    pub result: Result<Arc<Allocation>, Rejection>,
}

impl Confirmation {
    /// Whether it was confirmed.
    pub fn is_confirmed(&self) -> bool {
        self.result.is_ok()
    }
}

/// Tries to confirm all reservations that wait for it, in the order of the dump; those confirmed are in
/// the way of those after them. None is tried when an operator starts a job by qrun (rule 6.1).
pub(super) fn confirm_all(state: &mut State, setup: &Setup) -> Vec<Confirmation> {
    let plan = state.plan.clone();
    let waits = |id: &ResvId| plan.snap.reservations[*id].state == ReservationState::Unconfirmed;
    let waiting = plan.snap.reservations.ids().filter(|id| plan.snap.qrun.is_none() && waits(id));
    waiting.filter_map(|id| confirm(state, setup, &plan, id)).collect()
}

/// None for a reservation that the dump does not show fully.
fn confirm(state: &mut State, setup: &Setup, plan: &Plan, id: ResvId) -> Option<Confirmation> {
    let request = plan.reserved[id].as_ref()?;
    let start = plan.snap.reservations[id].start?;
    let mark = state.mark();
    simulate_until(state, start);
    let result = examine(state, setup, id, request).map(Arc::new);
    state.rollback(mark);
    if let Ok(allocation) = &result {
        state.make_top(Occupant::Reservation(id), start, start + request.duration, allocation);
    }
    Some(Confirmation { reservation: id, start, result })
}

/// The run check of a reservation at its start: no queue, no limits (rule 6.9).
fn examine(
    state: &mut State,
    setup: &Setup,
    id: ResvId,
    request: &JobRequest,
) -> Result<Allocation, Rejection> {
    state.refresh_sets();
    let plan = state.plan.clone();
    if !plan.snap.policy.resv_ignores_dedicated
        && setup.windows.dedicated_clear(state.now, request.duration).is_err()
    {
        return Err(Reason::CrossDedicated.not_now());
    }
    reservation_resources(state, request)?;
    place_reservation(state, id, request, &mut Probe::off()).result.map(|placed| (*placed.allocation).clone())
}
