//! The effects of starts and ends on the universe (rule 3.4): the only writers of the state.

pub(in crate::universe) mod hosts;
mod node_order;
mod occupy;
mod planned;
pub(in crate::universe) mod preemption;
pub(in crate::universe) mod sets;
pub(in crate::universe) mod shares;
pub(in crate::universe) mod soft_limits;
mod vacate;
mod withdraw;

use std::sync::Arc;

use crate::cluster::{NodeState, PlaceSharing};

use super::{
    Allocation, Bit, ClassId, EventKind, HostIx, JobStatus, LedgerChange, Occupant, Rejection, State,
    StateChange,
};
use crate::cluster::{Epoch, JobId, JobState};
use crate::universe::transition::shares::AmountsByNode;

impl State {
    /// Starts a job on its nodes and plans its end.
    pub fn start(
        &mut self,
        occupant: Occupant,
        sharedness: PlaceSharing,
        allocation: &Arc<Allocation>,
        end: Epoch,
    ) {
        self.begin(occupant, sharedness, allocation);
        if let Occupant::Job(job, None) = occupant
            && let Some(method) = self.ledger.preempted[job]
        {
            self.keep_amounts(job, method, -1.0);
        }
        let held = self.held_by(occupant, allocation);
        self.plan_event(end, EventKind::End, occupant, &held);
        match occupant {
            Occupant::Job(job, None) => {
                let running = JobStatus::Running(held);
                self.change(StateChange::Ledger(LedgerChange::Job(job, running)));
            }
            Occupant::Job(job, Some(_)) => {
                let count = self.ledger.started[job] + 1;
                self.change(StateChange::Ledger(LedgerChange::StartedSubjobs(job, count)));
            }
            Occupant::Reservation(_) => {}
        }
        self.count_levels(occupant);
    }

    /// Puts an occupant on its nodes and counts it, for a start now or in a simulation.
    pub fn begin(&mut self, occupant: Occupant, sharedness: PlaceSharing, allocation: &Arc<Allocation>) {
        let shares = AmountsByNode::of(&self.plan, allocation);
        if let Some(inside) = self.reservation_of(occupant) {
            self.change_within(inside, |state| state.load(occupant, sharedness, &shares));
            shares.iter().for_each(|share| self.close_behind(sharedness, share.bit));
        } else {
            self.occupy(occupant, sharedness, &shares);
        }
        self.charge(occupant, 1.0);
        self.charge_no_kept(occupant);
        self.update_levels(occupant, true);
        self.count_subjob(occupant, true);
        self.resort_pools(Some(&self.sets_with(&shares)));
        self.resort_nodes(occupant);
        // Copies of nodes in a reservation are in no set.
        if self.reservation_of(occupant).is_none() {
            self.sort_hosts();
        }
        self.drop_group_pools();
    }

    /// Takes an occupant off its nodes, for an end in a simulation (rule 3.4).
    pub fn finish(&mut self, occupant: Occupant, allocation: &Arc<Allocation>) {
        let shares = AmountsByNode::of(&self.plan, allocation);
        if let Some(inside) = self.reservation_of(occupant) {
            self.change_within(inside, |state| state.unload(occupant, &shares));
        } else {
            self.vacate(occupant, &shares);
        }
        self.charge(occupant, -1.0);
        self.update_levels(occupant, false);
        self.count_subjob(occupant, false);
        self.change(StateChange::AreSetsStale(true));
        self.drop_group_pools();
    }

    /// Sets the current time.
    pub fn set_clock(&mut self, now: Epoch) {
        if now != self.now {
            self.change(StateChange::Clock(now));
        }
    }

    /// Raises or lowers the meters of a job. Meters of assigned amounts never fall below zero, because the dump may
    /// show less assigned to a queue than ends there (rule 3.4, as for nodes). Meters of limits may, by the end of a
    /// top job that never started (rule M11).
    fn charge(&mut self, occupant: Occupant, sign: f64) {
        let plan = self.plan.clone();
        let amounts = if sign > 0.0 {
            plan.meters.charges_of_occupant(occupant)
        } else {
            plan.meters.released_by(occupant)
        };
        for (meter, amount) in amounts.iter() {
            let value = self.ledger.meters[*meter] + sign * amount;
            let is_assigned = plan.meters.assigned_resource(*meter).is_some();
            let value = if is_assigned { value.max(0.0) } else { value };
            self.change(StateChange::Ledger(LedgerChange::Meter(*meter, value)));
        }
    }

    /// Counts a start or end of a subjob, which `max_run_subjobs` limits (rule 6.4 step 4). A subjob that was exiting
    /// when the cycle began is not counted.
    fn count_subjob(&mut self, occupant: Occupant, starts: bool) {
        let Occupant::Job(job, index) = occupant else { return };
        if index.is_none() && self.plan.job(job).state == JobState::Exiting {
            return;
        }
        let Some(array) = index.map_or(self.plan.array_of[job], |_| Some(job)) else { return };
        let running = self.ledger.running_subjobs[array];
        let running = if starts { running.saturating_add(1) } else { running.saturating_sub(1) };
        self.change(StateChange::Ledger(LedgerChange::RunningSubjobs(array, running)));
    }

    /// Makes the server's own node job-exclusive when an exclusive job starts on its copy in a reservation (rule
    /// 6.9).
    fn close_behind(&mut self, sharedness: PlaceSharing, bit: Bit) {
        let states = self.occupancy.states[bit].with(NodeState::JobExclusive);
        if self.plan.exclusive_nodes(sharedness).contains(bit) && states != self.occupancy.states[bit] {
            self.change(StateChange::States(bit, states));
        }
    }

    /// Whether a node was free when it was read and has since been closed by an exclusive job inside a reservation
    /// (rule 6.9).
    pub fn is_closed_behind(&self, bit: Bit) -> bool {
        let is_closed =
            self.occupancy.states[bit].has(NodeState::JobExclusive) && self.occupancy.load[bit].jobs == 0;
        is_closed && self.plan.node(bit).states.is_free()
    }

    /// Records the host that a packed job used last.
    pub fn set_last_host(&mut self, host: Option<HostIx>) {
        if host != self.last_host {
            self.change(StateChange::LastHost(host));
        }
    }

    /// Marks an array as running if its last subjob was started.
    pub fn close_array_when_done(&mut self, job: JobId) {
        let count = self.plan.job(job).array.as_ref().map_or(0, |array| array.remaining.len());
        if usize::try_from(self.ledger.started[job]).is_ok_and(|started| started >= count) {
            let done = JobStatus::Running(Arc::new(Allocation::default()));
            self.change(StateChange::Ledger(LedgerChange::Job(job, done)));
        }
    }

    /// Excludes the other jobs of a runone dependency when one of them starts (rule 6.2).
    pub fn stop_run_one(&mut self, job: JobId) {
        let plan = self.plan.clone();
        let Some(depend) = &plan.job(job).depend else { return };
        for part in depend.split(',').filter_map(|part| part.strip_prefix("runone:")) {
            for name in part.split(':') {
                let name = name.split_once('@').map_or(name, |(name, _)| name);
                if let Some(other) = plan.snap.job_named(name).filter(|other| *other != job) {
                    self.change(StateChange::Ledger(LedgerChange::Job(other, JobStatus::Excluded)));
                }
            }
        }
    }

    /// Records that a job was refused, and with it the class that `failed`, if one did, with the reason.
    pub fn refuse(&mut self, job: JobId, failed: Option<(ClassId, &Arc<Rejection>)>) {
        self.change(StateChange::Ledger(LedgerChange::Job(job, JobStatus::Refused)));
        if let Some((class, rejection)) = failed {
            self.fail_class(job, class, rejection);
        }
    }

    /// Records that a class failed with one of its jobs, unless it had failed before.
    pub fn fail_class(&mut self, job: JobId, class: ClassId, rejection: &Arc<Rejection>) {
        if self.ledger.failed[class].is_none() {
            let why = Some(rejection.clone());
            self.change(StateChange::Ledger(LedgerChange::Failed(class, why, Some(job))));
        }
    }
}
