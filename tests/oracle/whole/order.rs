//! The choice of the next job (rule 6.5).

use std::cmp::Ordering;

use qscope_engine::cluster::{JobSortTerm, SortDirection};

use super::world::World;

/// The state of the search for the next job.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The server's list, and that of each queue.
    server: Vec<usize>,
    queues: Vec<Vec<usize>>,
    by_queue: bool,
    round_robin: bool,
    /// Whether jobs of running reservations still come first.
    in_resvs: bool,
    /// Whether the last of these jobs made a new order necessary; the next one clears it.
    to_sort: bool,
    /// Whether express and preempted jobs still come before the queues.
    ahead: bool,
    ahead_at: usize,
    queue: usize,
    /// For round robin: the index after the queue that came last.
    robin: usize,
    /// The priority of its group; queues of higher priority are not visited again.
    robin_group: i64,
}

impl Turn {
    pub(crate) fn new(world: &World) -> Self {
        let policy = &world.snap().policy;
        let server: Vec<usize> = (0..world.jobs.len())
            .filter(|job| {
                world.jobs[*job].parent.is_none() || world.jobs[*job].suspended || world.jobs[*job].runs()
            })
            .collect();
        let of = |queue| server.iter().copied().filter(|job| world.jobs[*job].queue == queue).collect();
        // Jobs are read queue by queue.
        let queues: Vec<Vec<usize>> = (0..world.queues.len()).map(of).collect();
        let mut turn = Self {
            server: queues.concat(),
            queues,
            by_queue: *policy.by_queue.get(world.period),
            round_robin: *policy.round_robin.get(world.period),
            in_resvs: true,
            to_sort: false,
            ahead: true,
            ahead_at: 0,
            queue: 0,
            robin: 0,
            robin_group: i64::MAX,
        };
        turn.sort(world);
        turn
    }

    /// Sorts all lists that the current policy keeps sorted.
    pub(crate) fn sort(&mut self, world: &World) {
        let each = self.by_queue || self.round_robin;
        if each {
            for list in &mut self.queues {
                *list = merge_sorted(std::mem::take(list), &|a, b| compare(world, a, b));
            }
        }
        if each && world.fair_share() {
            self.server = self.queues.concat();
        } else {
            self.server = merge_sorted(std::mem::take(&mut self.server), &|a, b| compare(world, a, b));
        }
        self.ahead_at = 0;
    }

    /// Sorts again during the cycle, but not while reservations are served.
    pub(crate) fn sort_again(&mut self, world: &World) {
        if self.in_resvs {
            self.to_sort = true;
        } else {
            self.sort(world);
        }
    }

    /// Adds a job that appeared, or became runnable again, in this cycle.
    pub(crate) fn add(&mut self, world: &World, job: usize) {
        if !self.server.contains(&job) {
            self.server.push(job);
            self.queues[world.jobs[job].queue].push(job);
        }
    }

    /// Returns the queues' lists one after the other, each as it was last sorted.
    pub(crate) fn sorted_by_queue(&self) -> Vec<usize> {
        self.queues.concat()
    }

    pub(crate) fn all(&self) -> &[usize] {
        &self.server
    }

    pub(crate) fn next(&mut self, world: &World) -> Option<usize> {
        let ready = |job: &usize| !world.jobs[*job].done && world.is_waiting(*job);
        if let Some(job) = world.qrun {
            return Some(job).filter(ready);
        }
        if self.in_resvs {
            let to_sort = std::mem::take(&mut self.to_sort);
            if let Some(job) = self.next_in_resv(world) {
                return Some(job);
            }
            self.in_resvs = false;
            if to_sort {
                self.sort(world);
            }
        }
        let waits = |job: &usize| ready(job) && world.jobs[*job].reservation.is_none();
        // An array with no index left only comes up among the jobs that go ahead (rule M4).
        let ready = |job: &usize| waits(job) && world.is_runnable(*job);
        if self.round_robin {
            return self.next_robin(world, &ready);
        }
        if !self.by_queue {
            return self.server.iter().copied().find(ready);
        }
        if self.ahead
            && let Some(job) = self.next_ahead(world, &waits)
        {
            return Some(job);
        }
        while let Some(list) = self.queues.get(self.queue) {
            if let Some(job) = list.iter().copied().find(ready) {
                return Some(job);
            }
            self.queue += 1;
        }
        None
    }

    fn next_in_resv(&self, world: &World) -> Option<usize> {
        let ready = |job: &usize| !world.jobs[*job].done && world.is_waiting(*job);
        (0..world.resvs.len()).filter(|resv| world.resvs[*resv].running).find_map(|resv| {
            let queue = world.queues.iter().position(|queue| queue.reservation == Some(resv))?;
            let list = self.resv_list(world, queue);
            list.into_iter().find(ready)
        })
    }

    /// Returns a reservation's jobs, in the server's order unless queues are served one by one.
    fn resv_list(&self, world: &World, queue: usize) -> Vec<usize> {
        let mut list = self.queues[queue].clone();
        if !self.by_queue && !self.round_robin {
            list.sort_by_key(|job| world.jobs[*job].rank.1);
        }
        list
    }

    /// Returns the next express or preempted job; the first normal job that is neither ends this phase for
    /// good, even one that has started in the meantime (rule M52).
    fn next_ahead(&mut self, world: &World, ready: &dyn Fn(&usize) -> bool) -> Option<usize> {
        while let Some(&job) = self.server.get(self.ahead_at) {
            let row = &world.jobs[job];
            let is_back = row.preempted.is_some_and(|at| at >= world.now) && world.preempts();
            if row.level.express || is_back {
                if ready(&job) {
                    return Some(job);
                }
            } else if row.level.normal {
                self.ahead = false;
                return None;
            }
            self.ahead_at += 1;
        }
        self.ahead = false;
        None
    }

    /// Returns the next job where queues of equal priority take turns until none of them has a job left (rule
    /// 6.5).
    fn next_robin(&mut self, world: &World, ready: &dyn Fn(&usize) -> bool) -> Option<usize> {
        let priority = |queue: &usize| world.queues[*queue].priority;
        let is_left = |queue: &usize| priority(queue) <= self.robin_group;
        let with_jobs: Vec<usize> = (0..self.queues.len())
            .filter(is_left)
            .filter(|queue| self.queues[*queue].iter().any(ready))
            .collect();
        let most = with_jobs.iter().map(priority).max()?;
        self.robin_group = most;
        let group: Vec<usize> = (0..self.queues.len()).filter(|queue| priority(queue) == most).collect();
        let start = group.iter().position(|queue| *queue >= self.robin).unwrap_or(0);
        let turn = (0..group.len()).map(|step| group[(start + step) % group.len()]);
        let queue = turn.into_iter().find(|queue| with_jobs.contains(queue))?;
        self.robin = queue + 1;
        self.queues[queue].iter().copied().find(ready)
    }
}

impl World {
    /// Returns whether a job waits; arrays without an index left do until they are refused (rule M4).
    pub(crate) fn is_waiting(&self, job: usize) -> bool {
        self.jobs[job].doing == super::world::Doing::Waits
    }
}

/// The merge sort of all lists. Fair shares are not a strict order, and neither are the sums of sets (rule
/// 5.3), so that the sorting algorithm is part of the rule.
pub(crate) fn merge_sorted(mut list: Vec<usize>, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    if list.len() < 2 {
        return list;
    }
    let right = merge_sorted(list.split_off(list.len() / 2), compare);
    let left = merge_sorted(list, compare);
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    let mut merged = Vec::new();
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let from_left = compare(*a, *b) != Ordering::Greater;
        merged.extend(if from_left { left.next() } else { right.next() });
    }
    merged.into_iter().chain(left).chain(right).collect()
}

/// Compares by the keys of rule 6.5 in turn.
fn compare(world: &World, a: usize, b: usize) -> Ordering {
    let (x, y) = (&world.jobs[a], &world.jobs[b]);
    let ready = |job: usize| world.is_waiting(job) && !world.jobs[job].done;
    let first = |p: bool, q: bool| q.cmp(&p);
    let came = |row: &super::world::Job| row.preempted.filter(|at| *at >= world.now && world.preempts());
    first(ready(a), ready(b))
        .then(y.level.priority.cmp(&x.level.priority))
        .then(first(came(x).is_some(), came(y).is_some()))
        .then(came(x).cmp(&came(y)))
        .then(y.formula.partial_cmp(&x.formula).unwrap_or(Ordering::Equal))
        .then_with(|| {
            if world.fair_share() { world.shares.compare(x.entity, y.entity) } else { Ordering::Equal }
        })
        .then_with(|| by_keys(world, a, b))
        .then(x.rank.cmp(&y.rank))
}

fn by_keys(world: &World, a: usize, b: usize) -> Ordering {
    let value = |job: usize, term: &JobSortTerm| match term {
        JobSortTerm::Priority => world.jobs[job].priority as f64,
        JobSortTerm::PreemptPriority => world.jobs[job].level.priority as f64,
        JobSortTerm::FairsharePercentage => f64::from(world.shares.rows[world.jobs[job].entity].percentage),
        JobSortTerm::Resource(name) => {
            let id = world.snap().catalogue.id(name);
            id.and_then(|id| world.jobs[job].requested.get(&id)).copied().unwrap_or(0.0)
        }
    };
    let keys = world.snap().policy.job_sort_key.get(world.period).iter();
    let orders = keys.map(|key| {
        let order = value(a, &key.term).partial_cmp(&value(b, &key.term)).unwrap_or(Ordering::Equal);
        if key.direction == SortDirection::High { order.reverse() } else { order }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}
