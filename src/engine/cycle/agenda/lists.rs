//! The job lists as the scheduler reads them, and how it sorts them (rule 6.5).

use std::sync::Arc;

use crate::cluster::{Column, JobId, JobSortTerm, QueueId};
use crate::universe::{Ledger, Plan, merge_sort};

use crate::cycle::fairshare::{EntityId, EntityRanks};
use crate::cycle::job_lists::{JobLists, PickingPolicy, QueueList};
use crate::cycle::job_order::{JobOrder, ShareOrder};
use crate::cycle::picker::Readiness;
use crate::cycle::{Agenda, CycleSettings};

impl Agenda {
    /// Returns the order that the lists are sorted by.
    pub fn order(&self) -> JobOrder<'_> {
        let shares =
            if self.settings.order.fair_share { ShareOrder::Tree(&self.tree) } else { ShareOrder::Off };
        JobOrder { shares, directions: &self.directions }
    }

    /// Sorts the lists, starting from their current order: one list for the whole server, or one per queue. With fair
    /// share, the server's list is the concatenation of the queues' lists.
    pub(super) fn sort(&mut self, ledger: &Ledger) {
        self.read_keys(ledger);
        let mut lists = std::mem::take(&mut self.lists);
        let in_turn = self.settings.picking != PickingPolicy::OneList;
        let places = self.places_of_shares(&lists.server);
        let mut order = self.order();
        if let Some(places) = &places {
            order.shares = ShareOrder::Ranks(places);
        }
        let is_total = self.is_total(order, &lists.server);
        if in_turn {
            for list in &mut lists.queues {
                list.jobs = self.sorted(list.jobs.to_vec(), order, is_total);
            }
        }
        let one_by_one =
            || -> Vec<JobId> { lists.queues.iter().flat_map(|list| list.jobs.iter().copied()).collect() };
        let in_order = in_turn && (self.settings.order.fair_share || is_total);
        lists.server = if let Some(only) = lists.only_queue().filter(|_| in_order) {
            only.jobs.clone()
        } else if in_turn && self.settings.order.fair_share {
            one_by_one().into()
        } else if in_turn && is_total {
            // A total order gives the same result from any input order, and the queues are already sorted.
            self.sorted(one_by_one(), order, is_total)
        } else {
            self.sorted(lists.server.to_vec(), order, is_total)
        };
        self.lists = lists;
    }

    /// Updates the sort keys that change within a cycle.
    fn read_keys(&mut self, ledger: &Ledger) {
        let keys = self.plan.snap.policy.job_sort_key.get(self.plan.period);
        let of_level = keys.iter().position(|key| key.term == JobSortTerm::PreemptPriority);
        let mut all = std::mem::take(&mut self.keys);
        for (job, keys) in self.plan.snap.jobs.ids().zip(Arc::make_mut(&mut all).iter_mut()) {
            let runnable = self.readiness(ledger).is_ready(job);
            let priority = ledger.levels[job].priority;
            (keys.runnable, keys.preempt_priority) = (runnable, priority);
            if let Some(value) = of_level.and_then(|at| keys.sort_values.get_mut(at)) {
                *value = priority as f64;
            }
        }
        self.keys = all;
    }

    /// Whether the order of these jobs is total, so that any sort gives the same result. It is if all values are
    /// numbers and fair share is compared by places or not at all.
    fn is_total(&self, order: JobOrder<'_>, jobs: &[JobId]) -> bool {
        let has_values = self.settings.formula.is_some() || !self.directions.is_empty();
        !matches!(order.shares, ShareOrder::Tree(_))
            && (!has_values || jobs.iter().all(|job| self.keys[*job].are_numbers()))
    }

    /// Returns the places of the entities of all these jobs; `None` without fair share or if an entity has no place.
    fn places_of_shares(&self, jobs: &[JobId]) -> Option<EntityRanks> {
        if !self.settings.order.fair_share {
            return None;
        }
        let entities: Option<Vec<EntityId>> = jobs.iter().map(|job| self.keys[*job].entity).collect();
        self.tree.places(entities?)
    }

    fn sorted(&self, mut jobs: Vec<JobId>, order: JobOrder<'_>, is_total: bool) -> Arc<[JobId]> {
        let mut compare = |a: &JobId, b: &JobId| order.compare(&self.keys[*a], &self.keys[*b]);
        if is_total {
            jobs.sort_by(&mut compare);
        } else {
            merge_sort(&mut jobs, &mut compare);
        }
        jobs.into()
    }
}

/// Returns all jobs as the scheduler reads them: queue by queue in the order they are served, each in the server's
/// order.
pub(super) fn lists_as_read(plan: &Plan, settings: &CycleSettings) -> JobLists {
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
    let in_turn = settings.picking != PickingPolicy::OneList;
    let mut lists = JobLists::new(Vec::new(), Arc::default(), queues.collect(), in_turn);
    lists.server = lists.queues.iter().flat_map(|list| list.jobs.iter().copied()).collect();
    let place = |jobs: &Vec<JobId>| {
        let queue = jobs.first().and_then(|job| plan.queue_of(*job))?;
        lists.queues.iter().position(|list| list.queue == queue)
    };
    lists.reservations = of_reservation.iter().filter_map(place).collect();
    lists
}
