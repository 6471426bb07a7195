//! The main loop (rule 6.3).

use std::collections::BTreeMap;
use std::rc::Rc;

use qscope_engine::cluster::{Arrangement, Name, PlaceSharing, ProvisionPolicy, ResourceId};

use super::check::{Answer, How};
use super::nodes_step::{Path, Placed};
use super::order::Turn;
use super::outcome::{Outcome, Verdict};
use super::reason::{Code, No};
use super::shrink;
use super::top_jobs::Depths;
use super::world::{Allocation, Doing, What, Who, World};

/// A cycle in progress.
pub(crate) struct Cycle {
    pub(crate) world: World,
    turn: Turn,
    depths: Depths,
    /// Classes of jobs that have failed, with the reason.
    failed: BTreeMap<usize, No>,
    attempts: u32,
    considered: usize,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) started: Vec<Name>,
    /// Jobs preempted for one that then found no room.
    in_vain: Vec<usize>,
}

impl Cycle {
    pub(crate) fn new(world: World, ends: bool) -> Self {
        let mut world = world;
        let outcomes = beforehand(&mut world, ends);
        Self {
            turn: Turn::new(&world),
            depths: Depths::new(&world),
            failed: BTreeMap::new(),
            attempts: 0,
            considered: 0,
            outcomes,
            started: Vec::new(),
            in_vain: Vec::new(),
            world,
        }
    }

    pub(crate) fn run(&mut self) {
        let most = self.world.snap().policy.max_job_check.map_or(usize::MAX, |most| most as usize);
        let mut checked = 0;
        while checked < most
            && let Some(job) = self.turn.next(&self.world)
        {
            checked += 1;
            self.consider(job);
        }
    }

    fn consider(&mut self, job: usize) {
        let row = self.count(job);
        let path = self.path_of(job);
        self.outcomes[row].would_use = Some(path);
        let qrun = self.world.qrun == Some(job);
        let failed = self.world.jobs[job].class.and_then(|class| self.failed.get(&class)).cloned();
        let mut answer = match &failed {
            Some(no) => Answer { reasons: vec![no.clone()], ..Answer::default() },
            None => shrink::check(&mut self.world, job, How { path, qrun, quick: true, all: false }),
        };
        self.outcomes[row].note(&answer);
        if answer.placed.is_none() && self.preempts(job, &answer) {
            answer = self.preempt(job, qrun, failed.as_ref()).unwrap_or(answer);
        }
        match answer.placed {
            Some(placed) => self.start(job, placed),
            None => self.refuse(job, path, answer.reasons.into_iter().next().unwrap_or_else(No::no_nodes)),
        }
        self.resume_in_vain();
    }

    /// Resumes at once the jobs preempted for one that then found no room (rule M26).
    fn resume_in_vain(&mut self) {
        for victim in std::mem::take(&mut self.in_vain) {
            let row = self.count(victim);
            let how = How { path: Path::Node, qrun: false, quick: false, all: false };
            let answer = shrink::check(&mut self.world, victim, how);
            self.outcomes[row].note(&answer);
            match answer.placed {
                Some(placed) => self.start(victim, placed),
                None => {
                    let no = answer.reasons.into_iter().next().unwrap_or_else(No::no_nodes);
                    self.refuse(victim, Path::Node, no);
                }
            }
        }
    }

    /// Returns the index of a job's outcome and gives the job its position in the order.
    fn count(&mut self, job: usize) -> usize {
        let row = self.row(job);
        if self.outcomes[row].order.is_none() {
            self.considered += 1;
            self.outcomes[row].order = Some(self.considered);
        }
        row
    }

    /// Returns the index of a job's outcome.
    fn row(&mut self, job: usize) -> usize {
        let name = self.world.jobs[job].name.clone();
        self.outcomes.iter().position(|outcome| outcome.name == name).unwrap_or_else(|| {
            self.outcomes.push(Outcome::new(&name));
            self.outcomes.len() - 1
        })
    }

    /// Returns the path of a job (rule 3.1).
    fn path_of(&self, job: usize) -> Path {
        let (row, given) = (&self.world.jobs[job], &self.world.given);
        let ask = row.wish();
        let refused = given.sorts_per_job
            || given.snap.policy.provision == ProvisionPolicy::Avoid
            || self.world.qrun == Some(job)
            || row.reservation.is_some()
            || !matches!(ask.sharedness, PlaceSharing::Excl | PlaceSharing::Exclhost)
            || ask.arrangement == Arrangement::Pack
            || given.multi_vnode
            || ask.names(ResourceId::host())
            || ask.names(ResourceId::vnode())
            || row.back.is_some()
            || row.planned;
        if refused { Path::Node } else { Path::Bucket }
    }

    // ---- starts

    fn start(&mut self, job: usize, placed: Placed) {
        let target = if self.world.jobs[job].array.is_some() { self.next_subjob(job) } else { job };
        self.shrink(target, job);
        let allocation = self.old_placement(target).unwrap_or_else(|| Rc::new(placed.allocation));
        let resumed = self.world.jobs[target].suspended && self.world.jobs[target].keeps_chunks;
        self.world.jobs[target].planned = false;
        self.world.unplan(Who::Job(target));
        if self.world.fair_share() {
            // The usage grows; whether the job is over its share stays as it was read.
            self.world.charge(target);
        }
        let left = self.world.jobs[target].planned_length(self.world.now);
        self.world.begin(target, &allocation);
        self.world.jobs[target].preempted = None;
        let end = self.world.within_resv(target, self.world.now + left);
        self.world.plan(end, What::End, Some(Who::Job(target)), &allocation);
        self.world.jobs[target].back = None;
        self.release_runone(target);
        self.tell_start(job, target, &allocation, placed.set, resumed);
        self.sort_after_start(target);
    }

    /// Returns the old placement of a suspended job, to which it goes back.
    fn old_placement(&self, job: usize) -> Option<Rc<Allocation>> {
        let row = &self.world.jobs[job];
        (row.suspended && row.keeps_chunks).then(|| row.allocation.clone())
    }

    fn shrink(&mut self, target: usize, job: usize) {
        if let Some(length) = self.world.jobs[job].length.filter(|length| *length != super::world::FIVE_YEARS)
        {
            let row = self.row(job);
            self.outcomes[row].shrunk = Some(length);
            self.world.jobs[target].length = Some(length);
        }
    }

    fn tell_start(
        &mut self,
        job: usize,
        target: usize,
        allocation: &Allocation,
        set: Option<String>,
        resumed: bool,
    ) {
        let text = super::outcome::exec_vnode(&self.world, allocation);
        let from = self.row(job);
        let (order, path, would_use) = {
            let outcome = &self.outcomes[from];
            (outcome.order, outcome.path, outcome.would_use)
        };
        let row = self.row(target);
        let outcome = &mut self.outcomes[row];
        if outcome.verdict != Verdict::Run {
            (outcome.order, outcome.path, outcome.would_use) = (order, path, would_use);
            (outcome.verdict, outcome.exec_vnode) = (Verdict::Run, Some(text));
            outcome.comment = None;
        }
        // The sets of an array are reported with the array.
        self.outcomes[from].verdict = Verdict::Run;
        self.outcomes[from].set = set.or(self.outcomes[from].set.take());
        self.started.push(self.world.jobs[target].name.clone());
        if resumed {
            let name = self.world.jobs[target].name.clone();
            self.world.actions.push(format!("sigjob {name} resume"));
        }
    }

    /// Makes the next index of an array a job of its own.
    fn next_subjob(&mut self, job: usize) -> usize {
        let subjob = self.world.make_subjob(job);
        if let Some(array) = &mut self.world.jobs[job].array {
            array.remaining.remove(0);
            array.begun = true;
        }
        subjob
    }

    /// When one job of a runone dependency starts, the others do not (rule 6.2).
    fn release_runone(&mut self, job: usize) {
        for other in self.world.jobs[job].runone.clone() {
            for row in self.world.jobs.iter_mut().filter(|row| row.name == other) {
                row.done = true;
            }
        }
    }

    fn sort_after_start(&mut self, job: usize) {
        let queue = Some(self.world.jobs[job].queue);
        let soft = self.world.has_soft_limits(None) || self.world.has_soft_limits(queue);
        if soft || self.world.fair_share() {
            self.turn.sort_again(&self.world);
        }
    }

    // ---- preemption

    fn preempts(&self, job: usize, answer: &Answer) -> bool {
        let on = *self.world.snap().policy.preemptive_sched.get(self.world.period);
        let never = answer.reasons.iter().any(|no| no.never);
        on && !never && self.world.is_runnable(job) && !self.world.jobs[job].ask.names(ResourceId::aoe())
    }

    fn preempt(&mut self, job: usize, qrun: bool, failed: Option<&No>) -> Option<Answer> {
        if !self.world.may_preempt(job) {
            return None;
        }
        if self.world.snap().policy.preempt_attempts.is_some_and(|most| self.attempts >= most) {
            return None;
        }
        self.attempts += 1;
        let victims = self.world.victims(job, qrun, failed, &self.turn.sorted_by_queue())?;
        for victim in &victims {
            self.displace(victim.job, victim.method);
        }
        let how = How { path: Path::Node, qrun, quick: false, all: false };
        let answer = self.world.check(job, how);
        self.turn.sort_again(&self.world);
        // The set of such a placement is not reported.
        let answer = Answer { placed: answer.placed.map(|placed| Placed { set: None, ..placed }), ..answer };
        if answer.placed.is_none() {
            self.in_vain = victims.iter().filter(|v| v.method != 'D').map(|victim| victim.job).collect();
            let no = No::new(Code::Internal, "Internal Scheduling Error");
            return Some(Answer { reasons: vec![no], ..answer });
        }
        Some(answer)
    }

    /// Suspends, checkpoints, requeues or deletes a job.
    fn displace(&mut self, job: usize, method: char) {
        let name = self.world.jobs[job].name.clone();
        self.world.actions.push(format!("preempt {name} {}", if method == 'R' { 'Q' } else { method }));
        self.world.send_away(job, method == 'S');
        // A queue that was closed when jobs were read is closed to this job too (rule M20).
        let queue = self.world.jobs[job].queue;
        let (wrong_dedicated, wrong_period) =
            (self.world.wrong_dedicated(queue), self.world.wrong_period(queue));
        let closed = !self.world.queues[queue].started || wrong_dedicated.is_some() || wrong_period.is_some();
        let now = self.world.now;
        // An overdue job lasts until it was expected to end, whatever is asked of it (rule M23).
        let overdue = self.world.jobs[job].overdue_length(now);
        let back = self.world.ask_back(job);
        let row = &mut self.world.jobs[job];
        (row.class, row.done, row.length) = (None, closed, overdue);
        row.preempted = Some(now);
        row.doing = if method == 'D' { Doing::Rests } else { Doing::Waits };
        match method {
            'S' => {
                (row.suspended, row.keeps_chunks, row.back, row.used) =
                    (true, true, Some(Rc::new(back)), row.used_running);
            }
            'C' => {
                (row.suspended, row.keeps_chunks, row.back, row.used) =
                    (false, false, Some(Rc::new(back)), row.used_running);
            }
            _ => {
                row.allocation = Rc::new(Vec::new());
                row.back = None;
            }
        }
        self.turn.add(&self.world, job);
    }

    // ---- refusals

    fn refuse(&mut self, job: usize, path: Path, no: No) {
        if !no.never && self.world.is_runnable(job) && self.world.deserves_place(job, &self.depths) {
            self.make_top_job(job, path);
        }
        self.world.jobs[job].done = true;
        if let Some(class) = self.world.jobs[job].class
            && no.code != Code::MaxSubjobs
        {
            self.failed.entry(class).or_insert_with(|| no.clone());
        }
        let row = self.row(job);
        self.outcomes[row].refuse(&no, self.world.jobs[job].array.as_ref().is_some_and(|array| array.begun));
        if self.world.jobs[job].reservation.is_none() {
            self.stop_others(job);
        }
    }

    fn make_top_job(&mut self, job: usize, path: Path) {
        let found = self.world.calendar(job, path, &mut self.depths);
        if let Some((start, allocation)) = found {
            // A job that kept a part is shown with its whole old placement.
            let shown = match &self.world.jobs[job].released {
                Some(_) => self.world.way_back(job),
                None => super::outcome::merged(&allocation),
            };
            let text = super::outcome::exec_vnode(&self.world, &shown);
            let row = self.row(job);
            self.outcomes[row].estimate = Some((start, text));
            if self.world.fair_share() {
                self.world.charge(job);
                self.turn.sort_again(&self.world);
            }
        }
    }

    /// Refuses the jobs that strict ordering stops after a job that cannot run (rule 6.3).
    fn stop_others(&mut self, job: usize) {
        let (world, queue) = (&self.world, self.world.jobs[job].queue);
        let policy = &world.snap().policy;
        let strict = *policy.strict_ordering.get(world.period);
        let depth_none = world.queues[queue].depth == Some(0);
        let all = strict && !world.backfills();
        let of_queue = *policy.strict_fifo.get(world.period) || (strict && world.backfills() && depth_none);
        let stopped: Vec<usize> = (0..world.jobs.len())
            .filter(|other| !world.jobs[*other].done && world.is_waiting(*other))
            .filter(|other| all || (of_queue && world.jobs[*other].queue == queue))
            .collect();
        for other in stopped {
            self.world.jobs[other].done = true;
            let row = self.row(other);
            self.outcomes[row].verdict =
                if self.outcomes[row].order.is_none() { Verdict::NotConsidered } else { Verdict::NotNow };
            if !self.world.jobs[other].array.as_ref().is_some_and(|array| array.begun) {
                self.outcomes[row].comment = Some(No::strict().comment());
            }
        }
    }
}

impl World {
    /// Makes a job of the next index of an array.
    pub(crate) fn make_subjob(&mut self, job: usize) -> usize {
        let mut row = self.jobs[job].clone();
        let index = row.array.as_ref().and_then(|array| array.remaining.first()).copied().unwrap_or(0);
        row.name = row.name.replacen("[]", &format!("[{index}]"), 1).into();
        (row.array, row.parent, row.planned) = (None, Some(job), false);
        self.jobs.push(row);
        let made = self.jobs.len() - 1;
        self.jobs[made].rank.1 = made;
        made
    }
}

/// Decides what comes before the loop: queues that do not run jobs now, formula values, shares (rules 6.1,
/// 6.2). Where a confirmed reservation ends the cycle, no job is under the threshold yet (rule M32).
fn beforehand(world: &mut World, ends: bool) -> Vec<Outcome> {
    let has_formula = world.evaluate_formula();
    let threshold = world.snap().scheduler.formula_threshold.filter(|_| has_formula && !ends);
    let mut outcomes = Vec::new();
    for job in 0..world.jobs.len() {
        let mut outcome = Outcome::new(&world.jobs[job].name);
        if world.jobs[job].runs() {
            continue;
        }
        if !world.jobs[job].read {
            world.jobs[job].done = true;
            outcomes.push(outcome);
            continue;
        }
        let waits = world.is_waiting(job);
        let qrun = world.qrun == Some(job);
        if let Some(no) =
            refused_at_once(world, job, threshold).filter(|_| !qrun).filter(|no| waits || no.never)
        {
            outcome.comment = Some(no.comment());
            outcome.verdict = if no.never { Verdict::Never } else { Verdict::NotConsidered };
            world.jobs[job].done = true;
        }
        outcomes.push(outcome);
    }
    outcomes
}

fn refused_at_once(world: &World, job: usize, threshold: Option<f64>) -> Option<No> {
    let row = &world.jobs[job];
    let no_shares = world.shares.rows[row.entity].percentage <= 0.0;
    if world.fair_share() && world.snap().policy.fairshare.enforce_no_shares && no_shares {
        return Some(No::new(Code::Beforehand, "Job has zero shares for fairshare").never());
    }
    let queue = &world.queues[row.queue];
    if !queue.started {
        return Some(No::new(Code::Beforehand, "Queue not started."));
    }
    let time = world.wrong_dedicated(row.queue).or_else(|| world.wrong_period(row.queue));
    if time.is_some() {
        return time;
    }
    let under = threshold.is_some_and(|threshold| f64::from(row.formula) <= threshold);
    under.then(|| No::new(Code::Beforehand, "Job is under job_sort_formula threshold value"))
}
