//! Checks whether a chunk still fits a node as planned events happen (rule 4.6).

use rustc_hash::FxHashMap;

use crate::cluster::{Epoch, value_of};
use crate::universe::{
    Allocation, Bit, ConsIx, EventKey, EventKind, JobRequest, Occupant, Plan, State, TimedEvent,
};

/// One event planned on a node before the job would end.
#[derive(Clone, Debug)]
struct PlannedNodeEvent {
    starts: bool,
    exclusive: bool,
    amounts: Vec<(ConsIx, f64)>,
}

/// The events that one job must respect, by node in order; empty if nothing starts before it would end.
#[derive(Clone, Debug, Default)]
pub struct TimeCheck {
    planned: FxHashMap<Bit, Vec<PlannedNodeEvent>>,
}

impl TimeCheck {
    /// Collects the events before the end of a job that starts now.
    pub fn new(state: &State, occupant: Occupant, request: &JobRequest) -> Self {
        let mut check = Self::default();
        if !state.timeline.has_runs() {
            return check;
        }
        let end = check_until(state, request);
        let plan = &state.plan;
        let starts = |(key, _): (&EventKey, &TimedEvent)| key.kind == EventKind::Run;
        if !state.timeline.has_run_before(end)
            || is_inside(plan, occupant)
            || !state.coming_events(end).any(starts)
        {
            return check;
        }
        for (key, event) in state.coming_events(end) {
            if is_same(event.occupant, occupant) || is_inside(plan, event.occupant) {
                continue;
            }
            let exclusive = plan.exclusive_nodes(plan.sharedness(event.occupant));
            for piece in &event.allocation.pieces {
                check.planned.entry(piece.bit).or_default().push(PlannedNodeEvent {
                    starts: key.kind == EventKind::Run,
                    exclusive: exclusive.contains(piece.bit),
                    amounts: Allocation::consumables_of_piece(plan, piece).collect(),
                });
            }
        }
        check
    }

    /// Whether there are no events to respect.
    pub fn is_empty(&self) -> bool {
        self.planned.is_empty()
    }

    /// Whether one chunk fits a node throughout all planned events. `left` returns what the node has now.
    pub fn allows(
        &self,
        bit: Bit,
        exclusive: bool,
        needs: &[(ConsIx, f64)],
        left: &dyn Fn(ConsIx) -> f64,
    ) -> bool {
        let Some(planned) = self.planned.get(&bit) else { return true };
        let mut moved: Vec<(ConsIx, f64)> = Vec::new();
        for event in planned {
            if exclusive || event.exclusive {
                return false;
            }
            let sign = if event.starts { -1.0 } else { 1.0 };
            for (ix, amount) in &event.amounts {
                *value_of(&mut moved, *ix) += sign * amount;
            }
            let fits = |(ix, requested): &(ConsIx, f64)| {
                let shift = moved.iter().find(|(have, _)| have == ix).map_or(0.0, |(_, sum)| *sum);
                *requested <= 0.0 || left(*ix) + shift >= *requested
            };
            if event.starts && !needs.iter().all(fits) {
                return false;
            }
        }
        true
    }
}

/// Whether two occupants are the same job or reservation, subjobs of one array included.
fn is_same(a: Occupant, b: Occupant) -> bool {
    match (a, b) {
        (Occupant::Job(a, _), Occupant::Job(b, _)) => a == b,
        (a, b) => a == b,
    }
}

/// Whether an occupant is a job in a reservation.
fn is_inside(plan: &Plan, occupant: Occupant) -> bool {
    matches!(occupant, Occupant::Job(job, _) if plan.reservation_of(job).is_some())
}

/// Returns the time until which events matter: the soft end, or the hard end if a reservation starts by then. The
/// hard length of a shrink-to-fit job is its shortest, whatever length is tried (measured).
fn check_until(state: &State, request: &JobRequest) -> Epoch {
    let hard = state.now + request.min_walltime.unwrap_or(request.hard_duration);
    let reserved = |occupant: &Occupant| matches!(occupant, Occupant::Reservation(_));
    let starts = |key: &EventKey| key.kind == EventKind::Run;
    let by_then = state.timeline.before(Epoch(hard.0.saturating_add(1)));
    if by_then.into_iter().any(|(key, event)| starts(key) && reserved(&event.occupant)) {
        hard
    } else {
        state.now + request.duration
    }
}
