//! Picks the job to consider next (rule 6.5).
//!
//! A [`Picker`] holds only positions in the lists, so it is small, and a copy serves as a bookmark.

use super::job_lists::{JobLists, PickingPolicy};
use crate::cluster::JobId;

/// The current positions in the lists of the cycle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picker {
    reservations_done: bool,
    before_queues_done: bool,
    /// Index in `queues` of the queue that the last job came from, under round robin.
    last_queue: Option<usize>,
    /// Index of the first queue that is not yet finished.
    queue: usize,
    /// For each list, the number of leading jobs that are not ready: the server's list first, then the queues'.
    leading_not_ready: Vec<usize>,
}

/// Answers the picker's questions about a job.
pub trait Readiness {
    /// Whether it can still be considered in this cycle.
    fn is_ready(&self, job: JobId) -> bool;
    /// Whether it goes before all queues under `by_queue`: an express or preempted job.
    fn is_ahead(&self, job: JobId) -> bool;
    /// Whether it has the normal preemption level. The first such job that does not go ahead ends the pass of those
    /// that do, ready or not.
    fn is_normal(&self, job: JobId) -> bool;
}

impl Picker {
    /// Returns the next job outside reservations, or `None` when all are done. Under `by_queue`, jobs that go ahead
    /// come first until one is reached that does not; that pass is not repeated.
    pub fn next(&mut self, picking: PickingPolicy, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        self.leading_not_ready.resize(lists.queues.len() + 1, 0);
        match picking {
            PickingPolicy::OneList => self.first_ready(0, &lists.server, jobs),
            PickingPolicy::ByQueue => self.job_ahead(lists, jobs).or_else(|| self.job_of_queue(lists, jobs)),
            PickingPolicy::RoundRobin => self.job_in_turn(lists, jobs),
        }
    }

    /// Restarts every list from its head, after lists were re-sorted or jobs became ready again. The current turn and
    /// the finished passes are kept.
    pub fn rewind(&mut self) {
        self.leading_not_ready.clear();
    }

    /// Returns the next job of a reservation. These come before all others; the pass ends for good the first time
    /// none of them is ready.
    pub fn reservation_job(&mut self, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        if self.reservations_done {
            return None;
        }
        let queues = lists.reservations.iter().filter_map(|place| lists.queues.get(*place));
        let found = queues.flat_map(|list| list.jobs.iter()).copied().find(|job| jobs.is_ready(*job));
        self.reservations_done = found.is_none();
        found
    }

    /// Whether the last pick was a job of a reservation, or the next one may be.
    pub fn is_at_reservations(&self) -> bool {
        !self.reservations_done
    }

    /// Whether the last pick was a job that goes ahead of all queues, under `by_queue`.
    pub fn is_at_jobs_ahead(&self) -> bool {
        !self.before_queues_done
    }

    fn job_ahead(&mut self, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        if self.before_queues_done {
            return None;
        }
        let passed = self.leading_not_ready.first_mut()?;
        let rest = lists.server.get(*passed..).unwrap_or_default();
        // A preempted job that has started again is looked at once more, and ends the pass (rule M52).
        let goes = |job: &JobId| jobs.is_ready(*job) && jobs.is_ahead(*job);
        let ends = |job: &JobId| !jobs.is_ahead(*job) && jobs.is_normal(*job);
        let found = rest.iter().position(|job| goes(job) || ends(job)).unwrap_or(rest.len());
        *passed += found;
        let job = rest.get(found).copied().filter(goes);
        self.before_queues_done = job.is_none();
        job
    }

    /// Returns the next job of the queue being served; a queue without ready jobs is not visited again.
    fn job_of_queue(&mut self, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        while let Some(list) = lists.queues.get(self.queue) {
            if let Some(job) = self.first_ready(self.queue + 1, &list.jobs, jobs) {
                return Some(job);
            }
            self.queue += 1;
        }
        None
    }

    /// Returns a job of the next queue in turn, within the first group of equal priority that has one; a group
    /// without ready jobs is not visited again.
    fn job_in_turn(&mut self, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        let mut start = 0;
        for group in lists.queues.chunk_by(|a, b| a.priority == b.priority) {
            if start < self.queue {
                start += group.len();
                continue;
            }
            let turn = self.last_queue.filter(|last| (start..start + group.len()).contains(last));
            let first = turn.map_or(0, |last| last + 1 - start);
            let in_turn = group.iter().enumerate().cycle().skip(first).take(group.len());
            for (place, list) in in_turn {
                if let Some(job) = self.first_ready(start + place + 1, &list.jobs, jobs) {
                    self.last_queue = Some(start + place);
                    return Some(job);
                }
            }
            start += group.len();
            self.queue = start;
        }
        None
    }

    /// Returns the first ready job of a list, from its current position; jobs passed are not visited again.
    fn first_ready(&mut self, slot: usize, list: &[JobId], jobs: &impl Readiness) -> Option<JobId> {
        let passed = self.leading_not_ready.get_mut(slot)?;
        let rest = list.get(*passed..).unwrap_or_default();
        *passed += rest.iter().take_while(|job| !jobs.is_ready(**job)).count();
        list.get(*passed).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::super::job_lists::QueueList;
    use super::*;
    use crate::cluster::{Period, Policy, QueueId};

    #[derive(Default)]
    struct Status {
        done: RefCell<HashSet<JobId>>,
        ahead: RefCell<HashSet<JobId>>,
        apart: RefCell<HashSet<JobId>>,
    }

    impl Readiness for Status {
        fn is_ready(&self, job: JobId) -> bool {
            !self.done.borrow().contains(&job)
        }
        fn is_ahead(&self, job: JobId) -> bool {
            self.ahead.borrow().contains(&job)
        }
        fn is_normal(&self, job: JobId) -> bool {
            !self.apart.borrow().contains(&job)
        }
    }

    fn list(jobs: &[u32]) -> Arc<[JobId]> {
        jobs.iter().copied().map(JobId).collect()
    }

    fn queue(priority: i64, jobs: &[u32]) -> QueueList {
        QueueList { queue: QueueId(0), priority, jobs: list(jobs) }
    }

    /// Picks all jobs; each is done once picked.
    fn walk(picking: PickingPolicy, lists: &JobLists, status: &Status) -> Vec<u32> {
        let mut picker = Picker::default();
        std::iter::from_fn(|| {
            let job = next(&mut picker, picking, lists, status)?;
            status.done.borrow_mut().insert(job);
            Some(job.0)
        })
        .collect()
    }

    fn next(picker: &mut Picker, picking: PickingPolicy, lists: &JobLists, status: &Status) -> Option<JobId> {
        picker.reservation_job(lists, status).or_else(|| picker.next(picking, lists, status))
    }

    fn lists() -> JobLists {
        let queues =
            vec![queue(1, &[6, 7]), queue(10, &[1, 2, 3]), queue(10, &[4, 5, 8]), queue(0, &[20, 21])];
        JobLists::new(vec![3], list(&[1, 2, 3, 4, 5, 6, 7, 8, 20, 21]), queues, true)
    }

    /// Rule 6.5: reservations, then queues by priority, equal ones in the server's order.
    #[test]
    fn queues_follow_one_another() {
        assert_eq!(
            walk(PickingPolicy::ByQueue, &lists(), &Status::default()),
            [20, 21, 1, 2, 3, 4, 5, 8, 6, 7]
        );
    }

    /// Rule 6.5: queues of equal priority take turns until they are empty.
    #[test]
    fn queues_of_equal_priority_take_turns() {
        assert_eq!(
            walk(PickingPolicy::RoundRobin, &lists(), &Status::default()),
            [20, 21, 1, 4, 2, 5, 3, 8, 6, 7]
        );
        let uneven = JobLists::new(
            Vec::new(),
            list(&[]),
            vec![queue(0, &[1]), queue(0, &[2, 3, 4]), queue(0, &[5, 6])],
            true,
        );
        assert_eq!(walk(PickingPolicy::RoundRobin, &uneven, &Status::default()), [1, 2, 5, 3, 6, 4]);
    }

    /// Rule 6.5: with neither option, all jobs form one list.
    #[test]
    fn one_list_knows_no_queues() {
        assert_eq!(
            walk(PickingPolicy::OneList, &lists(), &Status::default()),
            [20, 21, 1, 2, 3, 4, 5, 6, 7, 8]
        );
    }

    /// Rule 6.5: under by_queue, express and preempted jobs of all queues go first, in the server's order.
    #[test]
    fn jobs_ahead_go_before_all_queues() {
        let status = Status::default();
        status.ahead.borrow_mut().extend([JobId(1), JobId(3)]);
        assert_eq!(walk(PickingPolicy::ByQueue, &lists(), &status), [20, 21, 1, 2, 3, 4, 5, 8, 6, 7]);
        let status = Status::default();
        status.ahead.borrow_mut().extend([JobId(3), JobId(6), JobId(8)]);
        status.apart.borrow_mut().extend([1, 2, 4, 5].map(JobId));
        assert_eq!(walk(PickingPolicy::ByQueue, &lists(), &status), [20, 21, 3, 6, 1, 2, 4, 5, 8, 7]);
        let status = Status::default();
        status.ahead.borrow_mut().extend([JobId(7)]);
        assert_eq!(
            walk(PickingPolicy::RoundRobin, &lists(), &status)[2],
            1,
            "round robin knows no such jobs"
        );
    }

    /// Rule 6.5: once the pass of jobs ahead is over, a job preempted later waits for its queue.
    #[test]
    fn the_pass_for_jobs_ahead_ends_once() {
        let (lists, status, mut picker) = (lists(), Status::default(), Picker::default());
        status.done.borrow_mut().extend([JobId(6), JobId(20), JobId(21)]);
        assert_eq!(next(&mut picker, PickingPolicy::ByQueue, &lists, &status), Some(JobId(1)));
        status.done.borrow_mut().remove(&JobId(6));
        status.done.borrow_mut().remove(&JobId(20));
        status.ahead.borrow_mut().insert(JobId(6));
        picker.rewind();
        assert_eq!(next(&mut picker, PickingPolicy::ByQueue, &lists, &status), Some(JobId(1)));
    }

    /// A job that is ready again is found after a rewind; a copy of the picker continues from its own position.
    #[test]
    fn copies_are_bookmarks() {
        let (lists, status, mut picker) = (lists(), Status::default(), Picker::default());
        status.done.borrow_mut().extend([20, 21, 1, 2].map(JobId));
        assert_eq!(next(&mut picker, PickingPolicy::OneList, &lists, &status), Some(JobId(3)));
        let mut copy = picker.clone();
        status.done.borrow_mut().remove(&JobId(1));
        assert_eq!(next(&mut copy, PickingPolicy::OneList, &lists, &status), Some(JobId(3)));
        copy.rewind();
        assert_eq!(next(&mut copy, PickingPolicy::OneList, &lists, &status), Some(JobId(1)));
    }

    /// Rule 1.11: with both options on, round robin applies.
    #[test]
    fn options_choose_the_way() {
        let mut policy = Policy::program_defaults();
        assert_eq!(PickingPolicy::of(&policy, Period::Prime), PickingPolicy::OneList);
        policy.by_queue.prime = true;
        assert_eq!(PickingPolicy::of(&policy, Period::Prime), PickingPolicy::ByQueue);
        policy.round_robin.prime = true;
        assert_eq!(PickingPolicy::of(&policy, Period::Prime), PickingPolicy::RoundRobin);
        assert_eq!(PickingPolicy::of(&policy, Period::NonPrime), PickingPolicy::OneList);
    }
}
