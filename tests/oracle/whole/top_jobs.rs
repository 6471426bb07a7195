//! Places in the calendar for jobs that cannot run now (rule 6.8).

use std::rc::Rc;

use super::buckets::{FREE, LATER};
use super::check::How;
use super::nodes_step::Path;
use super::world::{Allocation, What, Who, World};

/// The number of top jobs: of the server, and of each queue with a depth of its own.
#[derive(Clone, Debug)]
pub(crate) struct Depths {
    server: u32,
    queues: Vec<u32>,
}

impl Depths {
    pub(crate) fn new(world: &World) -> Self {
        Self { server: 0, queues: vec![0; world.queues.len()] }
    }

    fn has_room(&self, world: &World, queue: usize) -> bool {
        match world.queues[queue].depth {
            Some(depth) => self.queues[queue] < depth,
            None => self.server < world.snap().server.backfill_depth.unwrap_or(1),
        }
    }

    fn use_up(&mut self, world: &World, queue: usize) {
        match world.queues[queue].depth {
            Some(_) => self.queues[queue] += 1,
            None => self.server += 1,
        }
    }
}

impl World {
    pub(crate) fn backfills(&self) -> bool {
        let on = *self.snap().policy.backfill.get(self.period);
        let by_queue = self.queues.iter().any(|queue| queue.depth.is_some_and(|depth| depth > 0));
        (on && self.snap().server.backfill_depth != Some(0)) || by_queue
    }

    fn enforces(&self, job: usize) -> bool {
        self.snap().scheduler.enforce_resumption && self.jobs[job].preempted.is_some()
    }

    /// Returns whether a preempted job must resume before others (rule 6.8).
    fn must_resume(&self, job: usize) -> bool {
        let normal = super::levels::normal_priority(self.snap());
        self.enforces(job) && self.jobs[job].level.priority >= normal
    }

    /// Returns whether a job that cannot run now gets a place in the calendar.
    pub(crate) fn deserves_place(&self, job: usize, depths: &Depths) -> bool {
        let row = &self.jobs[job];
        let asks_aoe = row.ask.names(qscope_engine::cluster::ResourceId::aoe());
        if !self.backfills() || row.reservation.is_some() || row.planned {
            return false;
        }
        if asks_aoe && !self.snap().policy.allow_aoe_calendar {
            return false;
        }
        let strict = *self.snap().policy.strict_ordering.get(self.period);
        // A preempted job needs no free place, but takes one (case `w1320`).
        let has_room = row.preempted.is_some() || depths.has_room(self, row.queue);
        self.must_resume(job) || (has_room && !row.topjob_ineligible && strict)
    }

    /// Estimates the start of a job and plans it; returns its start and nodes.
    pub(crate) fn calendar(
        &mut self,
        job: usize,
        path: Path,
        depths: &mut Depths,
    ) -> Option<(i64, Rc<Allocation>)> {
        let (start, allocation, length) = self.estimate(job, path)?;
        if !self.enforces(job) {
            depths.use_up(self, self.jobs[job].queue);
        }
        self.jobs[job].planned = true;
        let planned = if self.jobs[job].array.is_some() { self.make_subjob(job) } else { job };
        let who = Some(Who::Job(planned));
        self.plan(start, What::Start, who, &allocation);
        self.plan(start + length, What::End, who, &allocation);
        for (node, _) in super::world::by_node(&allocation) {
            self.expect(node, start, Who::Job(planned));
        }
        Some((start, allocation))
    }

    /// Notes a planned start on a node, which moves from free to busy later (rule 3.4; quirk B4).
    fn expect(&mut self, node: usize, start: i64, who: Who) {
        self.nodes[node].events.push((start, who));
        self.nodes[node].events.sort_unstable();
        let later = |bucket: &mut super::buckets::Bucket| {
            if bucket.members[node] && bucket.lists[FREE][node] {
                bucket.put(node, LATER);
            }
        };
        self.buckets.iter_mut().for_each(later);
        if self.given.fixed {
            self.sets.iter_mut().flat_map(|set| &mut set.buckets).for_each(later);
        }
    }

    /// Simulates time in a copy until the job runs; returns its start, nodes and length.
    fn estimate(&mut self, job: usize, path: Path) -> Option<(i64, Rc<Allocation>, i64)> {
        let mut copy = self.copy();
        let found = self.estimate_in(&mut copy, job, path);
        // Only the host used last survives a simulation (rule 11.7).
        self.last_host = copy.last_host;
        found
    }

    fn estimate_in(&self, copy: &mut Self, job: usize, path: Path) -> Option<(i64, Rc<Allocation>, i64)> {
        let how = How { path, qrun: false, quick: false, all: false };
        let mut again = true;
        loop {
            if again {
                let answer = copy.check(job, how);
                if let Some(placed) = answer.placed {
                    let row = &copy.jobs[job];
                    let length = row.planned_length(self.now);
                    let in_order = placed.in_order.filter(|_| row.back.is_none());
                    let allocation = in_order.unwrap_or(placed.allocation);
                    return Some((copy.now, Rc::new(allocation), length));
                }
            }
            let before = copy.period;
            let happened = copy.go_on()?;
            again = happened.more_room
                || (happened.period && copy.period != before && self.period_matters(copy, job));
        }
    }

    /// Returns whether a change of the period alone may let a job run (rule 6.8).
    fn period_matters(&self, copy: &Self, job: usize) -> bool {
        let policy = &self.snap().policy;
        let queue = &self.queues[self.jobs[job].queue];
        let of_period = if copy.is_prime() { queue.prime } else { queue.non_prime };
        let crosses = (policy.backfill_prime.prime || policy.backfill_prime.non_prime)
            && !policy.prime_exempt_anytime_queues;
        crosses || of_period || policy.backfill.prime != policy.backfill.non_prime
    }
}
