//! The run check: all tests in order; the first that fails gives the reason (rule 6.4).

use super::compare::{IN_ALL, NOW, show};
use super::nodes_step::{Path, Placed};
use super::reason::{Code, No};
use super::world::{Amounts, What, Who, World};

/// The mode of a check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) path: Path,
    pub(crate) qrun: bool,
    /// Whether to check against all nodes first; not in simulations.
    pub(crate) quick: bool,
    /// Whether to return all reasons instead of the first (rule 6.10).
    pub(crate) all: bool,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) placed: Option<Placed>,
    pub(crate) reasons: Vec<No>,
    /// The path entered, and the sets tried.
    pub(crate) path: Option<Path>,
    pub(crate) tried: Vec<String>,
}

impl World {
    pub(crate) fn check(&mut self, job: usize, how: How) -> Answer {
        let mut answer = Answer::default();
        // The check against all nodes needs the sums; without it, only a job that reaches the nodes does
        // (rule M16).
        if how.quick {
            self.refresh_sets();
        }
        type Step = fn(&World, usize, How) -> Vec<No>;
        let steps: [Step; 10] = [
            Self::runnable,
            Self::quick_check,
            Self::limits_step,
            Self::subjobs,
            Self::prime_boundary,
            Self::dedicated_queue,
            Self::period_queue,
            Self::dedicated_boundary,
            Self::queue_resources,
            Self::server_resources,
        ];
        for step in steps {
            let found = step(self, job, how);
            answer.reasons.extend(if how.all { found } else { found.into_iter().take(1).collect() });
            if !answer.reasons.is_empty() && !how.all {
                return answer;
            }
        }
        answer.path = Some(how.path);
        if self.jobs[job].back.is_none() {
            self.refresh_sets();
        }
        if how.all {
            answer.reasons.extend(self.single_nodes(job, how.qrun));
        }
        let placed = match how.path {
            Path::Bucket => self.by_buckets(job, &mut answer.tried),
            Path::Node => self.by_nodes(job, how.qrun, &mut answer.tried),
        };
        match placed {
            Ok(placed) if answer.reasons.is_empty() => answer.placed = Some(placed),
            Ok(_) => {}
            Err(no) => answer.reasons.push(no),
        }
        answer
    }

    /// Returns whether a job is queued, an array with an index left, or suspended by the scheduler (rule
    /// 6.2).
    pub(crate) fn is_runnable(&self, job: usize) -> bool {
        let row = &self.jobs[job];
        let empty = row.array.as_ref().is_some_and(|array| array.remaining.is_empty());
        row.doing == super::world::Doing::Waits && !empty
    }

    fn runnable(&self, job: usize, _: How) -> Vec<No> {
        if self.is_runnable(job) { Vec::new() } else { vec![No::not_runnable()] }
    }

    /// Checks against all nodes; if the totals fail too, returns their reason, for good (rule 6.4.2).
    fn quick_check(&self, job: usize, how: How) -> Vec<No> {
        let row = &self.jobs[job];
        if !how.quick || row.reservation.is_some() {
            return Vec::new();
        }
        let own = self.pools.all_of_queue.get(&row.queue);
        let set = &self.sets[own.copied().unwrap_or(self.pools.all)];
        let ask = super::world::Ask { arrangement: row.ask.arrangement, ..(**row.wish()).clone() };
        let mut now = set.lacks(self, &ask, row.wide(), NOW);
        if now.is_empty() {
            return now;
        }
        if let Some(in_all) = set.lacks(self, &ask, row.wide(), IN_ALL).into_iter().next() {
            if !how.all {
                return vec![in_all.never()];
            }
            now.push(in_all.never());
        }
        now
    }

    fn limits_step(&self, job: usize, how: How) -> Vec<No> {
        if how.qrun { Vec::new() } else { self.broken_limits(job) }
    }

    fn subjobs(&self, job: usize, _: How) -> Vec<No> {
        let Some(array) = &self.jobs[job].array else { return Vec::new() };
        let reached = array.max_running.is_some_and(|most| array.running >= most);
        let no = || No::new(Code::MaxSubjobs, "Number of concurrent running subjobs limit reached");
        if reached { vec![no()] } else { Vec::new() }
    }

    /// Tests the end of the period (rule 6.4.5); the spill used is that of the other period (quirk D10).
    fn prime_boundary(&self, job: usize, how: How) -> Vec<No> {
        let policy = &self.snap().policy;
        if how.qrun || !policy.backfill_prime.get(self.period) || self.is_exempt(job) {
            return Vec::new();
        }
        let Some(boundary) = self.prime_limit() else { return Vec::new() };
        if self.within_resv(job, self.ends_of(Who::Job(job)).0) <= boundary {
            return Vec::new();
        }
        let text = if self.is_prime() {
            "Job will cross into non-primetime"
        } else {
            "Job will cross into primetime"
        };
        vec![No::new(Code::CrossPrime, text)]
    }

    /// Returns the end of the period plus the spill.
    pub(crate) fn prime_limit(&self) -> Option<i64> {
        let spill = &self.snap().policy.prime_spill;
        let spill = if self.is_prime() { spill.non_prime } else { spill.prime };
        Some(self.period_end? + spill.0)
    }

    /// Returns whether a job is in an anytime queue where those are exempt.
    pub(crate) fn is_exempt(&self, job: usize) -> bool {
        let queue = &self.queues[self.jobs[job].queue];
        self.snap().policy.prime_exempt_anytime_queues && !queue.prime && !queue.non_prime
    }

    fn dedicated_queue(&self, job: usize, how: How) -> Vec<No> {
        if how.qrun {
            return Vec::new();
        }
        self.wrong_dedicated(self.jobs[job].queue).into_iter().collect()
    }

    /// Returns a refusal for a dedicated queue outside its time, or another queue within it.
    pub(crate) fn wrong_dedicated(&self, queue: usize) -> Option<No> {
        let (inside, _) = self.dedicated_slot();
        let wrong = self.queues[queue].dedicated != inside;
        wrong.then(|| No::new(Code::Dedicated, "Dedicated time conflict"))
    }

    fn period_queue(&self, job: usize, how: How) -> Vec<No> {
        if how.qrun {
            return Vec::new();
        }
        self.wrong_period(self.jobs[job].queue).into_iter().collect()
    }

    /// Returns a refusal for a queue outside its prime or non-prime time.
    pub(crate) fn wrong_period(&self, queue: usize) -> Option<No> {
        let row = &self.queues[queue];
        if row.prime && !self.is_prime() {
            return Some(No::new(Code::Prime, "Job will run in primetime only"));
        }
        let wrong = row.non_prime && self.is_prime();
        wrong.then(|| No::new(Code::NonPrime, "Job will run in nonprimetime only"))
    }

    /// Tests the dedicated time boundary (rules 6.4.7, 11.4).
    fn dedicated_boundary(&self, job: usize, _: How) -> Vec<No> {
        let end = self.within_resv(job, self.ends_of(Who::Job(job)).0);
        if self.crosses_dedicated(end) { vec![Self::cross_dedicated()] } else { Vec::new() }
    }

    pub(crate) fn crosses_dedicated(&self, end: i64) -> bool {
        match self.dedicated_slot() {
            (_, None) => false,
            (true, Some((_, to))) => end > to,
            (false, Some((from, _))) => self.now < from && end > from,
        }
    }

    pub(crate) fn cross_dedicated() -> No {
        No::new(Code::CrossDedicated, "Job would cross dedicated time boundary")
    }

    fn queue_resources(&self, job: usize, _: How) -> Vec<No> {
        let queue = self.jobs[job].queue;
        let row = &self.queues[queue];
        let same = |who: Who, _: What| matches!(who, Who::Job(other) if self.jobs[other].queue == queue);
        self.lacking(job, &row.available, &row.assigned, &same, Code::QueueResource, "queue resource")
    }

    fn server_resources(&self, job: usize, _: How) -> Vec<No> {
        if self.jobs[job].reservation.is_some() {
            return Vec::new();
        }
        let available = super::read::amounts(&self.snap().server.available);
        let any = |who: Who, what: What| match who {
            Who::Job(other) => what == What::End || self.jobs[other].reservation.is_none(),
            Who::Resv(_) => true,
        };
        self.lacking(job, &available, &self.server_assigned, &any, Code::ServerResource, "server resource")
    }

    /// Compares what a job requests in total with what a queue or the server has left at its lowest until the
    /// job's end.
    fn lacking(
        &self,
        job: usize,
        available: &Amounts,
        assigned: &Amounts,
        counts: &dyn Fn(Who, What) -> bool,
        code: Code,
        word: &str,
    ) -> Vec<No> {
        let mut lacks = Vec::new();
        for (id, asked) in self.jobs[job].wide().iter().filter(|(id, _)| self.is_on_line(*id)) {
            let Some(total) = available.get(id).copied() else { continue };
            let used = self.most_used(job, assigned.get(id).copied().unwrap_or(0.0), *id, counts);
            let left = (total - used).max(0.0);
            if *asked <= 0.0 || left >= *asked {
                continue;
            }
            let never = total < *asked;
            let name = self.snap().catalogue.name(*id);
            let [r, a, t] =
                [*asked, if never { total } else { left }, total].map(|n| show(&self.given, *id, n));
            let no = No::of(
                code.clone(),
                *id,
                format!("Insufficient amount of {word}: {name} (R: {r} A: {a} T: {t})"),
            );
            lacks.push(if never { no.never() } else { no });
        }
        lacks
    }

    fn most_used(
        &self,
        job: usize,
        now: f64,
        id: qscope_engine::cluster::ResourceId,
        counts: &dyn Fn(Who, What) -> bool,
    ) -> f64 {
        let Some(end) = self.busy_until(self.ends_of(Who::Job(job)).0) else { return now };
        let (mut used, mut most) = (now, now);
        for event in self.coming_later(end) {
            let Some(who) = event.who else { continue };
            let (requested, counted) = match who {
                Who::Job(other) => (&self.jobs[other].requested, counts(who, event.what)),
                Who::Resv(resv) => (&self.resvs[resv].requested, counts(who, event.what)),
            };
            let amount = requested.get(&id).copied().unwrap_or(0.0);
            if counted {
                used += if event.what == What::Start { amount } else { -amount };
                most = most.max(used);
            }
        }
        most
    }

    pub(crate) fn is_on_line(&self, id: qscope_engine::cluster::ResourceId) -> bool {
        let line = self.snap().policy.resources.as_deref().unwrap_or(&[]);
        line.contains(self.snap().catalogue.name(id))
    }
}
