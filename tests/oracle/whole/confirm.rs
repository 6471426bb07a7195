//! Reservations that are to be confirmed (rules 6.9, 11.22).

use std::rc::Rc;

use qscope_engine::cluster::{Epoch, ReservationState};

use super::node_path::Search;
use super::nodes_step::over_sets;
use super::world::{Allocation, What, Who, World};

impl World {
    /// Tries every reservation that is due, altered ones first; returns whether one was confirmed, and the
    /// answers.
    pub(crate) fn confirm_reservations(&mut self) -> (bool, Vec<String>) {
        let mut due: Vec<usize> = (0..self.resvs.len()).filter(|resv| self.is_due(*resv)).collect();
        due.sort_by_key(|resv| self.state_of(*resv) != ReservationState::BeingAltered);
        let (mut any, mut said) = (false, Vec::new());
        for resv in due {
            let name = self.resvs[resv].name.clone();
            match self.find_room(resv) {
                Some(allocation) => {
                    any = true;
                    let text = super::outcome::exec_vnode(self, &allocation);
                    let start = self.resvs[resv].start;
                    said.push(format!(
                        "{name} PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default {start} {text}"
                    ));
                    self.keep_room(resv, allocation);
                }
                None => said.push(format!("{name} PBS_RESV_CONFIRM_FAIL 0 null")),
            }
        }
        (any, said)
    }

    fn state_of(&self, resv: usize) -> ReservationState {
        let found = self.snap().reservations.iter().find(|row| row.name == self.resvs[resv].name);
        found.map_or(ReservationState::None, |row| row.state)
    }

    fn is_due(&self, resv: usize) -> bool {
        let found = self.snap().reservations.iter().find(|row| row.name == self.resvs[resv].name);
        let retry = found.and_then(|row| row.retry).is_some_and(|at| at <= Epoch(self.now));
        match self.state_of(resv) {
            ReservationState::Unconfirmed | ReservationState::BeingAltered => true,
            ReservationState::Degraded | ReservationState::InConflict => retry,
            _ => false,
        }
    }

    /// Advances a copy to its start and places it by the node path, over the server's sets.
    fn find_room(&self, resv: usize) -> Option<Allocation> {
        let mut copy = self.copy();
        copy.unplan(Who::Resv(resv));
        let start = copy.resvs[resv].start;
        copy.go_to(start);
        copy.stale = true;
        copy.refresh_sets();
        let end = copy.resvs[resv].end;
        if !self.snap().policy.resv_ignores_dedicated && copy.crosses_dedicated(end) {
            return None;
        }
        let (ask, wide) = (copy.resvs[resv].ask.clone(), copy.resvs[resv].job_wide.clone());
        let (own, sets) = (copy.unbound.clone(), copy.pools.server.clone());
        let all = &copy.sets[copy.pools.all];
        if !all.lacks(&copy, &ask, &wide, super::compare::NOW).is_empty() {
            return None;
        }
        let mut search = Search::new(&copy, Who::Resv(resv), &ask, (end, end), &own, false);
        let found = over_sets(&copy, &mut search, sets, &own, &wide, &mut Vec::new());
        found.ok().map(|placed| placed.allocation)
    }

    /// Adds a confirmed reservation to the calendar.
    fn keep_room(&mut self, resv: usize, allocation: Allocation) {
        let allocation = Rc::new(allocation);
        let (start, end) = (self.resvs[resv].start, self.resvs[resv].end);
        self.resvs[resv].allocation = allocation.clone();
        self.plan(start, What::Start, Some(Who::Resv(resv)), &allocation);
        self.plan(end, What::End, Some(Who::Resv(resv)), &allocation);
    }
}
