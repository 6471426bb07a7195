//! The jobs of a cycle in the order considered, sorted anew where starts change it (rule 6.5).

use std::collections::VecDeque;
use std::sync::Arc;

use crate::cluster::{Column, Direction, JobId};
use crate::universe::{JobStatus, LevelBits, Plan, State, has_soft_limits_of};

use super::eligible::{ClosedQueues, Eligibility, closed_queues, is_queue_open, standing};
use super::exclusion::Exclusion;
use super::fairshare::FairshareTree;
use super::job_lists::{JobLists, Picking};
use super::job_order::{DecidedBy, JobKeys};
use super::picker::{Picker, Readiness};
use super::setup::Setup;

mod formula_faults;
mod keys;
mod lists;
mod precedence;
mod shares;

pub use precedence::Precedence;
pub(super) use shares::{charge, charge_of, over_shares, share_tree, usage_formula};

pub(super) use formula_faults::FormulaFaults;
use lists::lists_as_read;
use shares::uses_shares;

/// Who comes next.
#[derive(Clone, Debug)]
pub struct Agenda {
    plan: Arc<Plan>,
    setup: Arc<Setup>,
    /// How every job stands.
    pub standing: Column<JobId, Eligibility>,
    /// Shared by copies of an agenda: hardly any cycle changes them.
    keys: Arc<Column<JobId, JobKeys>>,
    faults: FormulaFaults,
    directions: Vec<Direction>,
    tree: FairshareTree,
    /// Whether a job's share is used.
    by_share: bool,
    lists: JobLists,
    picker: Picker,
    /// Whether the lists are to be sorted before the next job is picked.
    resort: bool,
    /// Jobs that wait as ever, but are not considered since an operator started another one alone (rule 6.11).
    behind_qrun: Column<JobId, bool>,
    /// Jobs preempted in vain: they come up before any other.
    in_vain: VecDeque<JobId>,
}

impl Agenda {
    /// The agenda at the start of a cycle.
    pub fn new(state: &State, setup: &Arc<Setup>) -> Self {
        let plan = state.plan.clone();
        let by_share = uses_shares(&plan, setup);
        let tree = share_tree(&plan, by_share);
        let keys = plan.snap.policy.job_sort_key.get(plan.period);
        let directions = keys.iter().map(|key| key.direction).collect();
        let lists = lists_as_read(&plan, setup);
        let mut agenda = Self {
            standing: Column::new(),
            keys: Arc::default(),
            faults: FormulaFaults::default(),
            directions,
            tree,
            by_share,
            lists,
            picker: Picker::default(),
            resort: false,
            behind_qrun: Column::new(),
            in_vain: VecDeque::new(),
            setup: setup.clone(),
            plan,
        };
        let mut ranks = Column::filled(agenda.plan.snap.jobs.len(), u32::MAX);
        for (rank, job) in (0..).zip(agenda.lists.server.iter()) {
            ranks[*job] = rank;
        }
        let mut faults = FormulaFaults::default();
        let keys = |job| agenda.keys_of(state, job, ranks[job], &mut faults);
        let keys: Column<JobId, JobKeys> = agenda.plan.snap.jobs.ids().map(keys).collect();
        agenda.keys = Arc::new(keys);
        agenda.faults = faults;
        let closed = closed_queues(&agenda.plan, setup);
        agenda.standing = agenda.plan.snap.jobs.ids().map(|job| agenda.stand(&closed, job)).collect();
        agenda.leave_to_qrun();
        agenda.sort(state);
        agenda
    }

    /// The next job to consider. Lists are sorted before it, where something made that necessary; but while jobs of
    /// reservations come up nothing is sorted, and what made it necessary is forgotten.
    pub fn next(&mut self, state: &State) -> Option<JobId> {
        let mut picker = std::mem::take(&mut self.picker);
        let next = self.pick(&mut picker, state);
        self.picker = picker;
        next
    }

    fn pick(&mut self, picker: &mut Picker, state: &State) -> Option<JobId> {
        if !self.in_vain.is_empty() {
            self.in_vain.retain(|job| matches!(state.ledger.jobs[*job], JobStatus::Waiting));
        }
        if let Some(job) = self.in_vain.front().copied() {
            return Some(job);
        }
        let of_reservation = picker.reservation_job(&self.lists, &Ready { agenda: self, state });
        if of_reservation.is_some() {
            self.resort = false;
            return of_reservation;
        }
        if std::mem::take(&mut self.resort) {
            self.sort(state);
            picker.rewind();
        }
        picker.next(self.setup.picking, &self.lists, &Ready { agenda: self, state })
    }

    /// For how many jobs the formula has no value, and why; none where there is no such job.
    pub(super) fn formula_fault(&self) -> Option<String> {
        self.faults.words(&self.plan, "job_sort_formula")
    }

    /// The formula value of a job.
    pub fn formula_of(&self, job: JobId) -> f64 {
        self.keys[job].formula
    }

    /// Why one of two jobs is considered before the other, if it is.
    pub fn decided_by(&self, first: JobId, second: JobId) -> Option<DecidedBy> {
        let (order, by) = self.order().decide(&self.keys[first], &self.keys[second]);
        order.is_lt().then_some(by)
    }

    /// Notes that a job started: its share is charged, though its level stays as it was read, and the lists are to be sorted
    /// where there are soft limits, or shares.
    pub fn after_start(&mut self, job: JobId) {
        self.charge(job);
        self.resort |= self.setup.order.fair_share || has_soft_limits_of(&self.plan, job);
    }

    /// Notes that a job became a top job: its share is charged, though no level is read anew.
    pub fn after_planning(&mut self, job: JobId) {
        self.charge(job);
        self.resort |= self.setup.order.fair_share;
    }

    /// Takes jobs that were preempted into account: they may be considered again, before others of their level, if their
    /// queues are open; not where an operator started a job alone.
    pub fn after_preemption(&mut self, state: &State, victims: &[JobId]) {
        for job in victims {
            Arc::make_mut(&mut self.keys)[*job].preempted = Some(state.now);
            if self.plan.snap.qrun.is_none() && is_queue_open(&self.plan, &self.setup, *job) {
                self.standing[*job] = Eligibility::Considered;
            }
        }
        self.resort = true;
    }

    /// Notes that jobs were preempted for one that then found no room: they are resumed before anything else (rule M26).
    pub fn after_vain_preemption(&mut self, victims: &[JobId]) {
        self.in_vain.extend(victims);
    }

    /// Whether a job that comes up was preempted in vain; it is resumed once, whatever the sums of all nodes are.
    pub fn take_in_vain(&mut self, job: JobId) -> bool {
        let is_next = self.is_in_vain(job);
        if is_next {
            self.in_vain.pop_front();
        }
        is_next
    }

    /// Whether a job that comes up was preempted in vain.
    pub fn is_in_vain(&self, job: JobId) -> bool {
        self.in_vain.front() == Some(&job)
    }

    /// Takes out all jobs but the one that an operator started alone.
    fn leave_to_qrun(&mut self) {
        let Some(qrun) = self.plan.snap.qrun else { return };
        let waits =
            |(job, standing): (JobId, &Eligibility)| job != qrun && *standing == Eligibility::Considered;
        self.behind_qrun = self.standing.enumerate().map(waits).collect();
        for (job, _) in self.behind_qrun.enumerate().filter(|(_, behind)| **behind) {
            self.standing[job] = Eligibility::Out(Exclusion::BehindQrun);
        }
    }

    /// The place of every job, queue after queue as they are served, each as its list was sorted last.
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

    /// Whether a job that failed may keep this one from its turn: it waits, or would if no operator had started another.
    pub fn is_behind(&self, state: &State, job: JobId) -> bool {
        let waits = || matches!(state.ledger.jobs[job], JobStatus::Waiting);
        self.is_waiting(state, job)
            || (waits() && self.behind_qrun.checked(job).is_some_and(|behind| *behind))
    }

    /// Whether a job may still be considered.
    pub fn is_waiting(&self, state: &State, job: JobId) -> bool {
        Ready { agenda: self, state }.is_ready(job)
    }

    /// Whether jobs that go ahead of all queues are still being picked, and this is one: there the state of a job is not
    /// looked at, so that an array comes up with nothing left of it (rule M4).
    pub fn is_picked_ahead(&self, state: &State, job: JobId) -> bool {
        self.setup.picking == Picking::ByQueue
            && self.picker.is_at_jobs_ahead()
            && self.plan.reservation_of(job).is_none()
            && Ready { agenda: self, state }.is_ahead(job)
    }

    fn charge(&mut self, job: JobId) {
        if self.setup.order.fair_share
            && let Some(entity) = self.keys[job].entity
        {
            let usage = charge_of(&self.plan, usage_formula(&self.plan).as_ref(), job);
            self.tree.charge(entity, usage);
        }
    }

    fn stand(&self, closed: &ClosedQueues, job: JobId) -> Eligibility {
        let plan = &self.plan;
        let found = standing(plan, &self.setup, closed, job);
        // What is considered is read.
        let is_read = || found == Eligibility::Considered || plan.reads(job);
        if found == Eligibility::Running || !is_read() {
            return found;
        }
        // Checked before anything else, so that it holds for held jobs and stopped queues as well; an operator's qrun
        // clears it.
        let policy = &plan.snap.policy.fairshare;
        let entity = self.keys[job].entity;
        if self.setup.order.fair_share
            && policy.enforce_no_shares
            && plan.snap.qrun != Some(job)
            && entity.is_some_and(|entity| self.tree.has_zero_shares(entity))
        {
            return Eligibility::Out(Exclusion::NoShares);
        }
        if found != Eligibility::Considered {
            return found;
        }
        if self.setup.formula.is_some()
            && let Some(threshold) = plan.snap.scheduler.formula_threshold
            && self.keys[job].formula <= threshold
        {
            // The scheduler keeps single precision: what goes beyond it is no part of the value.
            return Eligibility::Out(Exclusion::UnderThreshold { value: self.keys[job].formula as f32 });
        }
        Eligibility::Considered
    }
}

/// What the picker reads of a job.
struct Ready<'a> {
    agenda: &'a Agenda,
    state: &'a State,
}

impl Readiness for Ready<'_> {
    fn is_ready(&self, job: JobId) -> bool {
        matches!(self.state.ledger.jobs[job], JobStatus::Waiting)
            && self.agenda.standing[job] == Eligibility::Considered
    }

    fn is_ahead(&self, job: JobId) -> bool {
        self.state.ledger.levels[job].bits.has(LevelBits::EXPRESS) || self.agenda.is_preempted(job)
    }

    fn is_normal(&self, job: JobId) -> bool {
        self.state.ledger.levels[job].bits.has(LevelBits::NORMAL)
    }
}
