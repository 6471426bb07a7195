//! Which job is considered next (rule 6.5).
//!
//! A [`Picker`] only remembers where it stands in the lists, so it is small, and a copy of it is a bookmark.

use super::job_lists::{JobLists, Picking};
use crate::cluster::JobId;

/// Where the cycle stands in its lists.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picker {
    reservations_done: bool,
    ahead_done: bool,
    /// The place in `queues` that the last job came from, under round robin.
    last_queue: Option<usize>,
    /// Queues before this place are done with.
    queue: usize,
    /// Places before which no job is ready, by list: the server's, then the queues'.
    passed: Vec<usize>,
}

/// What the picker has to know of a job.
pub trait Readiness {
    /// Whether it can still be considered in this cycle.
    fn is_ready(&self, job: JobId) -> bool;
    /// Whether it goes before all queues under `by_queue`: express jobs, and those that were preempted.
    fn is_ahead(&self, job: JobId) -> bool;
    /// Whether nothing sets it apart: the first such job that does not go ahead ends the pass of those that do.
    fn is_normal(&self, job: JobId) -> bool;
}

impl Picker {
    /// The next job of no reservation; none when all are done. Under `by_queue` jobs that go ahead come first, until
    /// one comes up that does not; none is searched for again.
    pub fn next(&mut self, picking: Picking, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        self.passed.resize(lists.queues.len() + 1, 0);
        match picking {
            Picking::OneList => self.first_ready(0, &lists.server, jobs),
            Picking::ByQueue => self.job_ahead(lists, jobs).or_else(|| self.job_of_queue(lists, jobs)),
            Picking::RoundRobin => self.job_in_turn(lists, jobs),
        }
    }

    /// Starts every list from its head again: after lists were sorted anew, or jobs became ready that were
    /// not. Whose turn it is and which passes are over stays as it is.
    pub fn rewind(&mut self) {
        self.passed.clear();
    }

    /// The next job of a reservation: they come before all others, until none of them is ready for the first time.
    pub fn reservation_job(&mut self, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        if self.reservations_done {
            return None;
        }
        let queues = lists.reservations.iter().filter_map(|place| lists.queues.get(*place));
        let found = queues.flat_map(|list| list.jobs.iter()).copied().find(|job| jobs.is_ready(*job));
        self.reservations_done = found.is_none();
        found
    }

    /// Whether the last pick was a job of a reservation, or is to be one.
    pub fn is_at_reservations(&self) -> bool {
        !self.reservations_done
    }

    /// Whether the last pick was, under `by_queue`, a job that goes ahead of all queues.
    pub fn is_at_jobs_ahead(&self) -> bool {
        !self.ahead_done
    }

    fn job_ahead(&mut self, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        if self.ahead_done {
            return None;
        }
        let passed = self.passed.first_mut()?;
        let rest = lists.server.get(*passed..).unwrap_or_default();
        let stops = |job: &JobId| jobs.is_ready(*job) && (jobs.is_ahead(*job) || jobs.is_normal(*job));
        let found = rest.iter().position(stops).unwrap_or(rest.len());
        *passed += found;
        let job = rest.get(found).copied().filter(|job| jobs.is_ahead(*job));
        self.ahead_done = job.is_none();
        job
    }

    /// The next job of the queue that is served; once a queue has none left it is not come back to.
    fn job_of_queue(&mut self, lists: &JobLists, jobs: &impl Readiness) -> Option<JobId> {
        while let Some(list) = lists.queues.get(self.queue) {
            if let Some(job) = self.first_ready(self.queue + 1, &list.jobs, jobs) {
                return Some(job);
            }
            self.queue += 1;
        }
        None
    }

    /// Within the first group of equal priority that has a job left, the queue after the last one; a group that has none
    /// left is not come back to.
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

    /// The first ready job of a list, from where the list was left; what is passed is not considered again.
    fn first_ready(&mut self, slot: usize, list: &[JobId], jobs: &impl Readiness) -> Option<JobId> {
        let passed = self.passed.get_mut(slot)?;
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

    /// Goes through all jobs, each done once it was considered.
    fn walk(picking: Picking, lists: &JobLists, status: &Status) -> Vec<u32> {
        let mut picker = Picker::default();
        std::iter::from_fn(|| {
            let job = next(&mut picker, picking, lists, status)?;
            status.done.borrow_mut().insert(job);
            Some(job.0)
        })
        .collect()
    }

    fn next(picker: &mut Picker, picking: Picking, lists: &JobLists, status: &Status) -> Option<JobId> {
        picker.reservation_job(lists, status).or_else(|| picker.next(picking, lists, status))
    }

    fn lists() -> JobLists {
        let queues =
            vec![queue(1, &[6, 7]), queue(10, &[1, 2, 3]), queue(10, &[4, 5, 8]), queue(0, &[20, 21])];
        JobLists::new(vec![3], list(&[1, 2, 3, 4, 5, 6, 7, 8, 20, 21]), queues, true)
    }

    /// Rule 6.5: reservations, then queues by priority, equal ones as the server lists them.
    #[test]
    fn queues_follow_one_another() {
        assert_eq!(walk(Picking::ByQueue, &lists(), &Status::default()), [20, 21, 1, 2, 3, 4, 5, 8, 6, 7]);
    }

    /// Rule 6.5: queues of equal priority take turns until they are empty.
    #[test]
    fn queues_of_equal_priority_take_turns() {
        assert_eq!(walk(Picking::RoundRobin, &lists(), &Status::default()), [20, 21, 1, 4, 2, 5, 3, 8, 6, 7]);
        let uneven = JobLists::new(
            Vec::new(),
            list(&[]),
            vec![queue(0, &[1]), queue(0, &[2, 3, 4]), queue(0, &[5, 6])],
            true,
        );
        assert_eq!(walk(Picking::RoundRobin, &uneven, &Status::default()), [1, 2, 5, 3, 6, 4]);
    }

    /// Rule 6.5: with neither option, one list.
    #[test]
    fn one_list_knows_no_queues() {
        assert_eq!(walk(Picking::OneList, &lists(), &Status::default()), [20, 21, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    /// Rule 6.5: under by_queue, express and preempted jobs of all queues go first, in the server's order.
    #[test]
    fn jobs_ahead_go_before_all_queues() {
        let status = Status::default();
        status.ahead.borrow_mut().extend([JobId(1), JobId(3)]);
        assert_eq!(walk(Picking::ByQueue, &lists(), &status), [20, 21, 1, 2, 3, 4, 5, 8, 6, 7]);
        let status = Status::default();
        status.ahead.borrow_mut().extend([JobId(3), JobId(6), JobId(8)]);
        status.apart.borrow_mut().extend([1, 2, 4, 5].map(JobId));
        assert_eq!(walk(Picking::ByQueue, &lists(), &status), [20, 21, 3, 6, 1, 2, 4, 5, 8, 7]);
        let status = Status::default();
        status.ahead.borrow_mut().extend([JobId(7)]);
        assert_eq!(walk(Picking::RoundRobin, &lists(), &status)[2], 1, "round robin knows no such jobs");
    }

    /// Rule 6.5: once no job goes ahead, a job preempted later waits for its queue.
    #[test]
    fn the_pass_for_jobs_ahead_ends_once() {
        let (lists, status, mut picker) = (lists(), Status::default(), Picker::default());
        status.done.borrow_mut().extend([JobId(6), JobId(20), JobId(21)]);
        assert_eq!(next(&mut picker, Picking::ByQueue, &lists, &status), Some(JobId(1)));
        status.done.borrow_mut().remove(&JobId(6));
        status.done.borrow_mut().remove(&JobId(20));
        status.ahead.borrow_mut().insert(JobId(6));
        picker.rewind();
        assert_eq!(next(&mut picker, Picking::ByQueue, &lists, &status), Some(JobId(1)));
    }

    /// A job that is ready again is found after a rewind; a copy of the picker goes on from where it was.
    #[test]
    fn copies_are_bookmarks() {
        let (lists, status, mut picker) = (lists(), Status::default(), Picker::default());
        status.done.borrow_mut().extend([20, 21, 1, 2].map(JobId));
        assert_eq!(next(&mut picker, Picking::OneList, &lists, &status), Some(JobId(3)));
        let mut copy = picker.clone();
        status.done.borrow_mut().remove(&JobId(1));
        assert_eq!(next(&mut copy, Picking::OneList, &lists, &status), Some(JobId(3)));
        copy.rewind();
        assert_eq!(next(&mut copy, Picking::OneList, &lists, &status), Some(JobId(1)));
    }

    /// Rule 1.11: both options on is round robin.
    #[test]
    fn options_choose_the_way() {
        let mut policy = Policy::program_defaults();
        assert_eq!(Picking::of(&policy, Period::Prime), Picking::OneList);
        policy.by_queue.prime = true;
        assert_eq!(Picking::of(&policy, Period::Prime), Picking::ByQueue);
        policy.round_robin.prime = true;
        assert_eq!(Picking::of(&policy, Period::Prime), Picking::RoundRobin);
        assert_eq!(Picking::of(&policy, Period::NonPrime), Picking::OneList);
    }
}
