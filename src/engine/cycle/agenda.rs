//! The jobs of a cycle in the order they are considered, re-sorted where a start changes the order (rule 6.5).

use std::collections::VecDeque;
use std::sync::Arc;

use crate::cluster::{Column, JobId, SortDirection};
use crate::universe::{JobStatus, Ledger, LevelBits, Plan, State, has_soft_limits_of};

use super::eligible::{ClosedQueues, Eligibility, closed_queues, initial_eligibility, is_queue_open};
use super::exclusion::Exclusion;
use super::fairshare::FairshareTree;
use super::job_lists::{JobLists, PickingPolicy};
use super::job_order::{DecidingKey, JobKeys};
use super::picker::{Picker, Readiness};
use super::setup::CycleSettings;

mod formula_faults;
mod keys;
mod lists;
mod precedence;
mod shares;

pub use precedence::Precedence;
pub(super) use shares::{charge, charge_of, over_shares, share_tree, usage_formula, uses_shares};

pub(super) use formula_faults::FormulaFaults;
use lists::lists_as_read;

/// Picks the next job to consider.
#[derive(Clone, Debug)]
pub struct Agenda {
    plan: Arc<Plan>,
    settings: Arc<CycleSettings>,
    /// Eligibility of every job; shared by copies of an agenda.
    pub eligibility: Arc<Column<JobId, Eligibility>>,
    /// Shared by copies of an agenda: hardly any cycle changes them.
    keys: Arc<Column<JobId, JobKeys>>,
    faults: FormulaFaults,
    directions: Vec<SortDirection>,
    tree: FairshareTree,
    /// Whether fair share values of jobs are used.
    by_share: bool,
    lists: JobLists,
    picker: Picker,
    /// Whether the lists must be re-sorted before the next job is picked.
    resort: bool,
    /// Jobs that are otherwise eligible but not considered because an operator runs another job alone (rule 6.11).
    behind_qrun: Column<JobId, bool>,
    /// Jobs that were preempted in vain; they are picked before all others.
    preempted_in_vain: VecDeque<JobId>,
}

impl Agenda {
    /// Creates the agenda for the start of a cycle.
    pub fn new(state: &State, settings: &Arc<CycleSettings>) -> Self {
        Self::starting(state.plan.clone(), &state.ledger, settings)
    }

    /// The same from the ledger at the start, before there is a state.
    pub(super) fn starting(plan: Arc<Plan>, ledger: &Ledger, settings: &Arc<CycleSettings>) -> Self {
        let by_share = uses_shares(&plan, settings);
        let tree = share_tree(&plan, by_share);
        let keys = plan.snap.policy.job_sort_key.get(plan.period);
        let directions = keys.iter().map(|key| key.direction).collect();
        let lists = lists_as_read(&plan, settings);
        let mut agenda = Self {
            eligibility: Arc::default(),
            keys: Arc::default(),
            faults: FormulaFaults::default(),
            directions,
            tree,
            by_share,
            lists,
            picker: Picker::default(),
            resort: false,
            behind_qrun: Column::new(),
            preempted_in_vain: VecDeque::new(),
            settings: settings.clone(),
            plan,
        };
        let mut ranks = Column::filled(agenda.plan.snap.jobs.len(), u32::MAX);
        for (rank, job) in (0..).zip(agenda.lists.server.iter()) {
            ranks[*job] = rank;
        }
        let mut faults = FormulaFaults::default();
        let closed = closed_queues(&agenda.plan, settings);
        let jobs = agenda.plan.snap.jobs.len();
        let (mut all_keys, mut standing) = (Column::with_room(jobs), Column::with_room(jobs));
        // Records of jobs lie far apart in memory, so they are passed over once.
        for job in agenda.plan.snap.jobs.ids() {
            let keys = agenda.keys_of(ledger, job, ranks[job], &mut faults);
            standing.push(agenda.eligibility_in_agenda(&closed, job, &keys));
            all_keys.push(keys);
        }
        agenda.keys = Arc::new(all_keys);
        agenda.eligibility = Arc::new(standing);
        agenda.faults = faults;
        agenda.leave_to_qrun();
        agenda.sort(ledger);
        agenda
    }

    /// Returns the next job to consider. Re-sorts the lists first if something made that necessary. While jobs of
    /// reservations are picked nothing is sorted, and a pending re-sort is dropped.
    pub fn next(&mut self, state: &State) -> Option<JobId> {
        if !self.preempted_in_vain.is_empty() {
            self.preempted_in_vain.retain(|job| matches!(state.ledger.jobs[*job], JobStatus::Waiting));
        }
        if let Some(job) = self.preempted_in_vain.front().copied() {
            return Some(job);
        }
        let ledger = &state.ledger;
        let ready = AgendaReadiness { standing: &self.eligibility, keys: &self.keys, ledger };
        let of_reservation = self.picker.reservation_job(&self.lists, &ready);
        if of_reservation.is_some() {
            self.resort = false;
            return of_reservation;
        }
        if std::mem::take(&mut self.resort) {
            self.sort(ledger);
            self.picker.rewind();
        }
        let ready = AgendaReadiness { standing: &self.eligibility, keys: &self.keys, ledger };
        self.picker.next(self.settings.picking, &self.lists, &ready)
    }

    /// Returns for how many jobs the formula has no value and why, or `None` if it has a value for all jobs.
    pub(super) fn formula_fault(&self) -> Option<String> {
        self.faults.words(&self.plan, "job_sort_formula")
    }

    /// Returns the formula value of a job.
    pub fn formula_of(&self, job: JobId) -> f64 {
        self.keys[job].formula
    }

    /// Returns the key that puts `first` before `second`, or `None` if `first` does not sort before `second`.
    pub fn deciding_key(&self, first: JobId, second: JobId) -> Option<DecidingKey> {
        let (order, by) = self.order().decide(&self.keys[first], &self.keys[second]);
        order.is_lt().then_some(by)
    }

    /// Records the start of a job: its entity is charged but its preemption level stays as read, one that was preempted
    /// is so no longer, and the lists are re-sorted later if fair share or a soft limit applies.
    pub fn after_start(&mut self, job: JobId) {
        self.charge(job);
        if self.is_preempted(job) {
            Arc::make_mut(&mut self.keys)[job].preempted = None;
        }
        self.resort |= self.settings.order.fair_share || has_soft_limits_of(&self.plan, job);
    }

    /// Records that a job became a top job: its entity is charged, but no preemption level is read again.
    pub fn after_planning(&mut self, job: JobId) {
        self.charge(job);
        self.resort |= self.settings.order.fair_share;
    }

    /// Records preempted jobs: those whose queues are open may be considered again, before others of their level,
    /// unless an operator runs a job alone.
    pub fn after_preemption(&mut self, state: &State, victims: &[JobId]) {
        for job in victims {
            Arc::make_mut(&mut self.keys)[*job].preempted = Some(state.now);
            if self.plan.snap.qrun.is_none() && is_queue_open(&self.plan, &self.settings, *job) {
                Arc::make_mut(&mut self.eligibility)[*job] = Eligibility::Considered;
            }
        }
        self.resort = true;
    }

    /// Records that jobs were preempted for a job that then did not fit: they are resumed before anything else (rule
    /// M26).
    pub fn after_vain_preemption(&mut self, victims: &[JobId]) {
        self.preempted_in_vain.extend(victims);
    }

    /// Returns whether the picked job was preempted in vain, and removes it from that list: it is resumed once,
    /// without the check against all nodes.
    pub fn remove_preempted_in_vain(&mut self, job: JobId) -> bool {
        let is_next = self.is_in_vain(job);
        if is_next {
            self.preempted_in_vain.pop_front();
        }
        is_next
    }

    /// Whether the picked job was preempted in vain.
    pub fn is_in_vain(&self, job: JobId) -> bool {
        self.preempted_in_vain.front() == Some(&job)
    }

    /// Excludes all jobs but the one that an operator runs alone.
    fn leave_to_qrun(&mut self) {
        let Some(qrun) = self.plan.snap.qrun else { return };
        let waits =
            |(job, standing): (JobId, &Eligibility)| job != qrun && *standing == Eligibility::Considered;
        self.behind_qrun = self.eligibility.enumerate().map(waits).collect();
        for (job, _) in self.behind_qrun.enumerate().filter(|(_, behind)| **behind) {
            Arc::make_mut(&mut self.eligibility)[job] = Eligibility::Excluded(Exclusion::BehindQrun);
        }
    }

    /// Returns the position of every job: queue by queue in the order they are served, each queue in its last sorted
    /// order.
    pub fn places_by_queue(&self) -> Column<JobId, u32> {
        let mut places = Column::filled(self.plan.snap.jobs.len(), u32::MAX);
        let listed = self.lists.queues.iter().flat_map(|list| list.jobs.iter());
        for (place, job) in (0..).zip(listed) {
            places[*job] = place;
        }
        places
    }

    /// Whether a job was preempted in this cycle.
    pub fn is_preempted(&self, job: JobId) -> bool {
        self.keys[job].preempted.is_some()
    }

    /// Whether a failed job may have kept this one from being considered: it is waiting, or would be if no operator
    /// ran another job alone.
    pub fn is_behind(&self, state: &State, job: JobId) -> bool {
        let waits = || matches!(state.ledger.jobs[job], JobStatus::Waiting);
        self.is_waiting(state, job)
            || (waits() && self.behind_qrun.checked(job).is_some_and(|behind| *behind))
    }

    fn readiness<'a>(&'a self, ledger: &'a Ledger) -> AgendaReadiness<'a> {
        AgendaReadiness { standing: &self.eligibility, keys: &self.keys, ledger }
    }

    /// Whether a job may still be considered.
    pub fn is_waiting(&self, state: &State, job: JobId) -> bool {
        self.readiness(&state.ledger).is_ready(job)
    }

    /// Whether the picker is still at the jobs that go ahead of all queues, and this is one of them. The state of a
    /// job is not checked there, so an array is picked even when no subjob is left (rule M4).
    pub fn is_picked_ahead(&self, state: &State, job: JobId) -> bool {
        self.settings.picking == PickingPolicy::ByQueue
            && self.picker.is_at_jobs_ahead()
            && self.plan.reservation_of(job).is_none()
            && self.readiness(&state.ledger).is_ahead(job)
    }

    fn charge(&mut self, job: JobId) {
        if self.settings.order.fair_share
            && let Some(entity) = self.keys[job].entity
        {
            let usage = charge_of(&self.plan, usage_formula(&self.plan).as_ref(), job);
            self.tree.charge(entity, usage);
        }
    }

    fn eligibility_in_agenda(&self, closed: &ClosedQueues, job: JobId, keys: &JobKeys) -> Eligibility {
        let plan = &self.plan;
        let found = initial_eligibility(plan, &self.settings, closed, job);
        // Jobs that are considered have always been read.
        let is_read = || found == Eligibility::Considered || plan.reads(job);
        if found == Eligibility::Running || !is_read() {
            return found;
        }
        // Checked before anything else, so it applies to held jobs and stopped queues too; an operator's qrun skips
        // this check.
        let policy = &plan.snap.policy.fairshare;
        let entity = keys.entity;
        if self.settings.order.fair_share
            && policy.enforce_no_shares
            && plan.snap.qrun != Some(job)
            && entity.is_some_and(|entity| self.tree.has_zero_shares(entity))
        {
            return Eligibility::Excluded(Exclusion::NoShares);
        }
        if found != Eligibility::Considered {
            return found;
        }
        if self.settings.formula.is_some()
            && let Some(threshold) = plan.snap.scheduler.formula_threshold
            && keys.formula <= threshold
        {
            // The scheduler keeps the value in single precision; further digits are not part of it.
            return Eligibility::Excluded(Exclusion::UnderThreshold { value: keys.formula as f32 });
        }
        Eligibility::Considered
    }
}

/// The picker's view of a job's state.
struct AgendaReadiness<'a> {
    standing: &'a Column<JobId, Eligibility>,
    keys: &'a Column<JobId, JobKeys>,
    ledger: &'a Ledger,
}

impl Readiness for AgendaReadiness<'_> {
    fn is_ready(&self, job: JobId) -> bool {
        matches!(self.ledger.jobs[job], JobStatus::Waiting) && self.standing[job] == Eligibility::Considered
    }

    fn is_ahead(&self, job: JobId) -> bool {
        self.ledger.levels[job].bits.has(LevelBits::EXPRESS) || self.keys[job].preempted.is_some()
    }

    fn is_normal(&self, job: JobId) -> bool {
        self.ledger.levels[job].bits.has(LevelBits::NORMAL)
    }
}
