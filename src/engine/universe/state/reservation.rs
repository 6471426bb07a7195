//! The universe as the jobs of a running reservation see it.

use std::borrow::Cow;

use crate::cluster::{JobId, ResvId, Seconds};

use crate::universe::{JobRequest, Occupant, State, StateCells, StateChange};

impl State {
    /// Returns the running reservation that a job is in; `None` for other occupants.
    pub fn reservation_of(&self, occupant: Occupant) -> Option<ResvId> {
        let Occupant::Job(job, _) = occupant else { return None };
        self.plan.reservation_of(job).filter(|id| self.reservation_nodes[*id].is_some())
    }

    /// Makes changes on the nodes as a reservation's jobs see them.
    pub(in crate::universe) fn change_within(&mut self, reservation: ResvId, change: impl FnOnce(&mut Self)) {
        self.change(StateChange::Occupancy(reservation));
        change(self);
        self.change(StateChange::Occupancy(reservation));
    }

    /// Returns the request of a job with its walltimes cut to what is left of the reservation that it is in.
    pub fn capped<'r>(&self, job: JobId, request: &'r JobRequest) -> Cow<'r, JobRequest> {
        let inside = self.reservation_of(Occupant::Job(job, None));
        let end = inside.and_then(|id| self.plan.snap.reservations[id].end);
        let left = end.map(|end| Seconds((end.0 - self.now.0).max(0)));
        match left.filter(|left| *left < request.duration.max(request.hard_duration)) {
            None => Cow::Borrowed(request),
            Some(left) => Cow::Owned(JobRequest {
                duration: request.duration.min(left),
                hard_duration: request.hard_duration.min(left),
                ..request.clone()
            }),
        }
    }

    /// Runs `read` on the universe as the jobs of a running reservation see it.
    pub fn in_reservation<T>(&mut self, reservation: ResvId, read: impl FnOnce(&mut Self) -> T) -> T {
        self.cells.swap_floor(reservation);
        let hosts = std::mem::take(&mut self.cells.host_sets);
        let result = read(self);
        self.cells.host_sets = hosts;
        self.cells.swap_floor(reservation);
        result
    }
}

impl StateCells {
    /// Swaps the floor with that of a reservation's inside; a second call restores it.
    pub(super) fn swap_floor(&mut self, reservation: ResvId) {
        self.sets.mark_all();
        if let Some(inside) = &mut self.reservation_nodes[reservation] {
            std::mem::swap(&mut inside.occupancy, &mut self.occupancy);
        }
    }
}
