//! The lists of jobs as the scheduler reads them, and how it sorts them (rule 6.5).

use std::sync::Arc;

use crate::cluster::{Column, JobId, JobSortTerm, QueueId};
use crate::universe::{Plan, State, merge_sort};

use crate::cycle::job_lists::{JobLists, Picking, QueueList};
use crate::cycle::job_order::JobOrder;
use crate::cycle::{Agenda, Setup};

impl Agenda {
    /// The order by which lists are sorted.
    pub fn order(&self) -> JobOrder<'_> {
        let shares = self.setup.order.fair_share.then_some(&self.tree);
        JobOrder { shares, directions: &self.directions }
    }

    /// Sorts the lists from what they are: one list for the whole server, or one for every queue. With shares the
    /// server's list is those of the queues one after the other.
    pub(super) fn sort(&mut self, state: &State) {
        self.read_keys(state);
        let mut lists = std::mem::take(&mut self.lists);
        let in_turn = self.setup.picking != Picking::OneList;
        let is_total = self.is_total(&lists.server);
        if in_turn {
            for list in &mut lists.queues {
                list.jobs = self.sorted(list.jobs.to_vec(), is_total);
            }
        }
        let one_by_one =
            || -> Vec<JobId> { lists.queues.iter().flat_map(|list| list.jobs.iter().copied()).collect() };
        lists.server = if in_turn && self.setup.order.fair_share {
            one_by_one().into()
        } else if in_turn && is_total {
            // In a total order it makes no difference what is sorted, and queues are sorted already.
            self.sorted(one_by_one(), is_total)
        } else {
            self.sorted(lists.server.to_vec(), is_total)
        };
        self.lists = lists;
    }

    /// Brings up to date what changes of the keys within a cycle.
    fn read_keys(&mut self, state: &State) {
        let keys = self.plan.snap.policy.job_sort_key.get(self.plan.period);
        let of_level = keys.iter().position(|key| key.term == JobSortTerm::PreemptPriority);
        for job in self.plan.snap.jobs.ids() {
            let runnable = self.is_waiting(state, job);
            let priority = state.ledger.levels[job].priority;
            let keys = &mut self.keys[job];
            (keys.runnable, keys.preempt_priority) = (runnable, priority);
            if let Some(value) = of_level.and_then(|at| keys.sort_values.get_mut(at)) {
                *value = priority as f64;
            }
        }
    }

    /// Whether the order of these jobs is a total one, so that any sort gives the same result: that of numbers is, without
    /// shares.
    fn is_total(&self, jobs: &[JobId]) -> bool {
        let numbers = |job: &JobId| {
            let keys = &self.keys[*job];
            !keys.formula.is_nan() && !keys.sort_values.iter().any(|value| value.is_nan())
        };
        let has_values = self.setup.formula.is_some() || !self.directions.is_empty();
        self.order().shares.is_none() && (!has_values || jobs.iter().all(numbers))
    }

    fn sorted(&self, mut jobs: Vec<JobId>, is_total: bool) -> Arc<[JobId]> {
        let order = self.order();
        let mut compare = |a: &JobId, b: &JobId| order.compare(&self.keys[*a], &self.keys[*b]);
        if is_total {
            jobs.sort_by(&mut compare);
        } else {
            merge_sort(&mut jobs, &mut compare);
        }
        jobs.into()
    }
}

/// All jobs as the scheduler reads them: queue after queue as they are served, each queue's as the server lists them.
pub(super) fn lists_as_read(plan: &Plan, setup: &Setup) -> JobLists {
    let snap = &plan.snap;
    let mut here: Column<QueueId, Vec<JobId>> = Column::filled(snap.queues.len(), Vec::new());
    let mut of_reservation = Column::filled(snap.reservations.len(), Vec::new());
    for id in snap.jobs.ids() {
        if let Some(queue) = plan.queue_of(id) {
            here[queue].push(id);
        }
        if let Some(reservation) = plan.reservation_of(id) {
            of_reservation[reservation].push(id);
        }
    }
    let queues = snap.queues.enumerate().map(|(queue, of)| {
        let jobs = here[queue].as_slice().into();
        QueueList { queue, priority: of.priority, jobs }
    });
    let in_turn = setup.picking != Picking::OneList;
    let mut lists = JobLists::new(Vec::new(), Arc::default(), queues.collect(), in_turn);
    lists.server = lists.queues.iter().flat_map(|list| list.jobs.iter().copied()).collect();
    let place = |jobs: &Vec<JobId>| {
        let queue = jobs.first().and_then(|job| plan.queue_of(*job))?;
        lists.queues.iter().position(|list| list.queue == queue)
    };
    lists.reservations = of_reservation.iter().filter_map(place).collect();
    lists
}
