//! The jobs of a cycle in the order considered, sorted anew where starts change it (rule 6.5).

use std::sync::Arc;

use crate::cluster::{Column, Direction, JobId, JobSortKey, JobSortTerm, Name, QueueId};
use crate::universe::{JobStatus, Plan, PreemptMethod, State, merge_sort};

use super::eligible::{Eligibility, standing};
use super::fairshare::{EntityId, FairshareTree, entity_of};
use super::job_order::{DecidedBy, JobKeys, JobOrder};
use super::picker::{JobLists, Picker, QueueList, Readiness};
use super::preempt_level::is_express;
use super::setup::{Setup, formula_value};

/// Who comes next.
#[derive(Clone, Debug)]
pub struct Agenda {
    plan: Arc<Plan>,
    setup: Arc<Setup>,
    /// How every job stands.
    pub standing: Column<JobId, Eligibility>,
    keys: Column<JobId, JobKeys>,
    directions: Vec<Direction>,
    /// The lowest preemption priority of any job at the start.
    lowest_priority: Option<i64>,
    tree: FairshareTree,
    /// Whether a job's share is used.
    by_share: bool,
    lists: JobLists,
    picker: Picker,
    /// Whether any job was suspended in this cycle: preempted jobs of all kinds go ahead of the queues then,
    /// and else wait for the turn of their queue.
    suspended: bool,
}

impl Agenda {
    /// The agenda at the start of a cycle.
    #[must_use]
    pub fn new(state: &State, setup: &Arc<Setup>) -> Self {
        let plan = state.plan.clone();
        let by_share = uses_shares(&plan, setup);
        let tree = share_tree(&plan, by_share);
        let keys = plan.snap.policy.job_sort_key.get(plan.period);
        let directions = keys.iter().map(|key| key.direction).collect();
        let mut agenda = Self {
            standing: Column::new(),
            keys: Column::new(),
            directions,
            lowest_priority: None,
            tree,
            by_share,
            lists: JobLists::default(),
            picker: Picker::default(),
            suspended: false,
            setup: setup.clone(),
            plan,
        };
        agenda.keys = agenda.plan.snap.jobs.ids().map(|job| agenda.keys_of(state, job)).collect();
        agenda.lowest_priority = agenda.keys.iter().map(|keys| keys.preempt_priority).min();
        agenda.standing = agenda.plan.snap.jobs.ids().map(|job| agenda.stand(job)).collect();
        agenda.sort();
        agenda
    }

    /// The next job to consider.
    pub fn next(&mut self, state: &State) -> Option<JobId> {
        let mut picker = std::mem::take(&mut self.picker);
        let ready = Ready { agenda: self, state };
        let next = picker.next(self.setup.picking, &self.lists, &ready);
        self.picker = picker;
        next
    }

    /// Whether certainly no job of any state has a lower preemption priority. Where starts can move jobs
    /// between levels, nothing is certain.
    #[must_use]
    pub fn nobody_is_below(&self, priority: i64) -> bool {
        let moving = self.setup.levels.uses_soft_limits() || self.setup.levels.uses_fairshare();
        !moving && self.lowest_priority.is_none_or(|lowest| lowest >= priority)
    }

    /// The formula value of a job.
    #[must_use]
    pub fn formula_of(&self, job: JobId) -> f64 {
        self.keys[job].formula
    }

    /// Why one of two jobs is considered before the other, if it is.
    #[must_use]
    pub fn decided_by(&self, first: JobId, second: JobId) -> Option<DecidedBy> {
        let shares = self.setup.order.fair_share.then_some(&self.tree);
        let order = JobOrder { shares, directions: &self.directions };
        let (order, by) = order.decide(&self.keys[first], &self.keys[second]);
        order.is_lt().then_some(by)
    }

    /// The preemption priority of a job.
    #[must_use]
    pub fn preempt_priority(&self, job: JobId) -> i64 {
        self.keys[job].preempt_priority
    }

    /// Brings the order up to date after a job started, or became a top job: its share is charged, soft
    /// limits may have been crossed.
    pub fn after_start(&mut self, state: &State, job: JobId) {
        let shares = self.setup.order.fair_share;
        if shares && let Some(entity) = self.keys[job].entity {
            let usage = self.usage_of(job);
            self.tree.charge(entity, usage);
        }
        let levels = self.setup.levels.uses_soft_limits() || (shares && self.setup.levels.uses_fairshare());
        if levels {
            for id in self.plan.snap.jobs.ids() {
                self.keys[id].preempt_priority = self.priority_of(state, id);
            }
        }
        if levels || (shares && self.plan.job(job).reservation.is_none()) {
            self.sort();
            self.picker.rewind();
        }
    }

    /// Takes jobs that were preempted into the lists: they may be considered again, before others of their
    /// level (rule 6.5).
    pub fn after_preemption(&mut self, state: &State, victims: &[JobId]) {
        let suspended = |job: &JobId| state.ledger.preempted[*job] == Some(PreemptMethod::Suspend);
        self.suspended |= victims.iter().any(suspended);
        for job in victims {
            self.keys[*job].preempted = Some(state.now);
            self.standing[*job] = Eligibility::Considered;
        }
        if self.setup.levels.uses_soft_limits() {
            for id in self.plan.snap.jobs.ids() {
                self.keys[id].preempt_priority = self.priority_of(state, id);
            }
        }
        self.sort();
        self.picker.rewind();
    }

    /// Whether starts and ends move jobs between levels while nothing is sorted.
    #[must_use]
    pub fn priorities_move(&self) -> bool {
        self.setup.levels.uses_soft_limits()
    }

    /// The preemption priority of a job as the state stands, in a simulation too.
    #[must_use]
    pub fn priority_in(&self, state: &State, job: JobId) -> i64 {
        if self.priorities_move() { self.priority_of(state, job) } else { self.keys[job].preempt_priority }
    }

    /// What a start adds to the usage of the job's entity: `fairshare_usage_res` over what it requests.
    fn usage_of(&self, job: JobId) -> f64 {
        let text = &self.plan.snap.policy.fairshare.usage_res;
        let Ok(formula) = crate::cluster::Formula::parse(text) else { return 0.0 };
        formula.evaluate(&|name| formula_value(&self.plan, job, name, &|_| None)).unwrap_or(0.0)
    }

    fn stand(&self, job: JobId) -> Eligibility {
        let plan = &self.plan;
        let found = standing(plan, &self.setup, job);
        if found == Eligibility::Running {
            return found;
        }
        // Checked before anything else, so that it holds for held jobs and closed queues as well.
        let policy = &plan.snap.policy.fairshare;
        let entity = self.keys[job].entity;
        if self.setup.order.fair_share
            && policy.enforce_no_shares
            && entity.is_some_and(|entity| self.tree.has_zero_shares(entity))
        {
            let why = "its fair share entity has no shares".to_owned();
            return Eligibility::Out(Some(crate::universe::Reason::NoShares.never()), why);
        }
        if found != Eligibility::Considered {
            return found;
        }
        if self.setup.formula.is_some()
            && let Some(threshold) = plan.snap.scheduler.formula_threshold
            && self.keys[job].formula <= threshold
        {
            let why = format!(
                "its formula value {} is not above the threshold {threshold}",
                self.keys[job].formula
            );
            return Eligibility::Out(Some(crate::universe::Reason::UnderThreshold.not_now()), why);
        }
        Eligibility::Considered
    }

    fn keys_of(&self, state: &State, job: JobId) -> JobKeys {
        let of = self.plan.job(job);
        let rank = of.queue_rank.or(of.queued.map(|at| at.0)).unwrap_or(i64::MAX);
        let entity = self.entity(job);
        JobKeys {
            runnable: true,
            preempt_priority: self.priority_with(state, job, entity),
            preempted: None,
            formula: self.formula_value(job, entity),
            entity,
            sort_values: self.sort_values(state, job, entity),
            queue_rank: rank,
            queried: job.0,
        }
    }

    fn entity(&self, job: JobId) -> Option<EntityId> {
        if !self.by_share {
            return None;
        }
        let name = entity_of(self.plan.job(job), &self.plan.snap.policy.fairshare.entity)?;
        self.tree.find(&name)
    }

    fn priority_of(&self, state: &State, job: JobId) -> i64 {
        self.priority_with(state, job, self.keys[job].entity)
    }

    fn priority_with(&self, state: &State, job: JobId, entity: Option<EntityId>) -> i64 {
        let over =
            self.setup.order.fair_share && entity.is_some_and(|entity| self.tree.is_over_share(entity));
        self.setup.levels.of_job(state, job, over)
    }

    fn formula_value(&self, job: JobId, entity: Option<EntityId>) -> f64 {
        let Some(formula) = &self.setup.formula else { return 0.0 };
        let shares = |name: &str| {
            let entity = entity?;
            match name {
                "fairshare_perc" | "fair_share_perc" => Some(self.tree.percentage(entity)),
                "fairshare_tree_usage" => Some(self.tree.tree_usage(entity)),
                "fairshare_factor" => Some(self.tree.factor(entity)),
                _ => None,
            }
        };
        formula.evaluate(&|name| formula_value(&self.plan, job, name, &shares)).unwrap_or(0.0)
    }

    fn sort_values(&self, state: &State, job: JobId, entity: Option<EntityId>) -> Vec<f64> {
        let of = self.plan.job(job);
        let value = |term: &JobSortTerm| match term {
            JobSortTerm::Priority => of.priority as f64,
            JobSortTerm::FairsharePercentage => entity.map_or(0.0, |entity| self.tree.percentage(entity)),
            JobSortTerm::PreemptPriority => self.priority_with(state, job, entity) as f64,
            JobSortTerm::Resource(name) => self
                .plan
                .snap
                .catalogue
                .id(name)
                .and_then(|resource| of.requested.amount(resource))
                .map_or(0.0, |amount| amount.0),
        };
        self.plan.snap.policy.job_sort_key.get(self.plan.period).iter().map(|key| value(&key.term)).collect()
    }

    /// Sorts all lists.
    fn sort(&mut self) {
        let snap = &self.plan.snap;
        let jobs: Vec<JobId> =
            snap.jobs.ids().filter(|id| self.standing[*id] == Eligibility::Considered).collect();
        let (inside, outside): (Vec<JobId>, Vec<JobId>) =
            jobs.into_iter().partition(|id| self.plan.reservation_of(*id).is_some());
        let server = self.sorted(outside);
        let mut here: Column<QueueId, Vec<JobId>> = Column::filled(snap.queues.len(), Vec::new());
        for id in server.iter() {
            if let Some(queue) = self.plan.queue_of(*id) {
                here[queue].push(*id);
            }
        }
        let queues = snap.queues.enumerate().map(|(queue, of)| {
            let jobs = here[queue].as_slice().into();
            QueueList { queue, priority: of.priority, jobs }
        });
        let reservations = snap.reservations.ids().map(|reservation| {
            let here = inside.iter().copied().filter(|id| self.plan.reservation_of(*id) == Some(reservation));
            self.sorted(here.collect())
        });
        self.lists = JobLists::new(reservations.collect(), server, queues.collect());
    }

    fn sorted(&self, mut jobs: Vec<JobId>) -> Arc<[JobId]> {
        let shares = self.setup.order.fair_share.then_some(&self.tree);
        let order = JobOrder { shares, directions: &self.directions };
        let numbers = |job: &JobId| {
            let keys = &self.keys[*job];
            !keys.formula.is_nan() && !keys.sort_values.iter().any(|value| value.is_nan())
        };
        let mut compare = |a: &JobId, b: &JobId| order.compare(&self.keys[*a], &self.keys[*b]);
        // Without shares the order of numbers is a total one, and any stable sort gives the same result.
        if shares.is_none() && jobs.iter().all(numbers) {
            jobs.sort_by(&mut compare);
        } else {
            merge_sort(&mut jobs, &mut compare);
        }
        jobs.into()
    }
}

/// Whether the order or a formula uses the share of a job's entity.
fn uses_shares(plan: &Plan, setup: &Setup) -> bool {
    let by_share = |key: &JobSortKey| key.term == JobSortTerm::FairsharePercentage;
    let keys = plan.snap.policy.job_sort_key.get(plan.period);
    setup.order.fair_share || setup.formula.is_some() || keys.iter().any(by_share)
}

/// The fair share tree, decayed up to now; with every job's entity in it, if their shares are used.
fn share_tree(plan: &Plan, by_share: bool) -> FairshareTree {
    let snap = &plan.snap;
    let policy = &snap.policy.fairshare;
    let (mut tree, _) = FairshareTree::new(&snap.share_groups, policy.unknown_shares);
    tree.record_usage(&snap.usage);
    if !by_share {
        return tree;
    }
    let names: Vec<Name> = snap.jobs.iter().filter_map(|job| entity_of(job, &policy.entity)).collect();
    tree.register(&names);
    tree.decay(snap.now, policy.decay_time, policy.decay_factor);
    tree
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
        is_express(&self.agenda.plan, job)
            || self.agenda.keys[job].preempt_priority > self.agenda.setup.levels.normal()
            || (self.agenda.suspended && self.agenda.keys[job].preempted.is_some())
    }
}

impl Agenda {
    /// Whether a job may still be considered.
    #[must_use]
    pub fn is_waiting(&self, state: &State, job: JobId) -> bool {
        Ready { agenda: self, state }.is_ready(job)
    }
}
