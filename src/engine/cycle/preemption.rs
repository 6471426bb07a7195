//! Preemption: running jobs of lower levels make room for a job that could not start (rule 6.10).
//!
//! Everything is tried in the state itself and undone through its journal; only the jobs that are needed in
//! the end are preempted in earnest.

use std::collections::VecDeque;

use crate::cluster::{Amount, JobId, ResourceId, Seconds};
use crate::placement::{Path, PathChoice, PathRule, Probe, SetsAgain, place, why_not};
use crate::universe::{Against, JobRequest, NodeSet, PreemptMethod, Reason, Rejection, RunningJob, State};

use super::agenda::Agenda;
use super::candidates::{Targets, always_helps, candidates, has_useful_node, helps, own_list};
use super::consider::{Mode, at_subjob_limit, before_any_path, check_time, consider, everything};
use super::limits::{check_resources, limits_hit};
use super::outcome::{Outcome, Verdict};
use super::preempt_order::PreemptOrder;
use super::rehearsal::{Fate, Recording, considered, reconsider};
use super::setup::Setup;
use super::top_jobs::occupant_of;

/// A job to be preempted, and how.
#[derive(Clone, Debug)]
pub(super) struct Victim {
    /// The job.
    pub running: RunningJob,
    /// How.
    pub method: PreemptMethod,
}

/// The jobs that have to go for one that could not start, in the order in which the server receives them: none,
/// when the node path has room after all. None when preemption is no way. Counts the attempt, if one is made.
pub(super) fn find_victims(
    state: &mut State,
    setup: &Setup,
    agenda: &Agenda,
    attempts: &mut u32,
    outcome: &Outcome,
    recording: Recording<'_>,
) -> Option<Vec<Victim>> {
    let plan = state.plan.clone();
    let policy = &plan.snap.policy;
    if outcome.verdict != Verdict::NotNow || !*policy.preemptive_sched.get(plan.period) {
        return None;
    }
    let own = agenda.priority_in(state, outcome.job);
    // In most clusters no job is below another; that is known without examining what runs.
    if agenda.nobody_is_below(own) {
        return None;
    }
    if !state.running().any(|(_, job, _)| agenda.priority_in(state, job) < own) {
        return None;
    }
    if policy.preempt_attempts.is_some_and(|limit| *attempts >= limit) {
        return None;
    }
    *attempts += 1;
    let request = plan.request(outcome.job, state.ledger.returns(outcome.job)).ok()?;
    let trial = state.begin_trial();
    let mut search = Search { setup, agenda, job: outcome.job, request, own, recording };
    let victims = search.run(state);
    state.end_trial(trial);
    victims
}

/// Preempts jobs in earnest and places the job by the node path, whatever path it took before.
pub(super) fn preempt(
    state: &mut State,
    setup: &Setup,
    agenda: &mut Agenda,
    victims: &[Victim],
    outcome: &mut Outcome,
    recording: Recording<'_>,
) {
    for victim in victims {
        state.preempt(&victim.running, victim.method);
    }
    let jobs: Vec<JobId> = victims.iter().map(|victim| victim.running.job).collect();
    agenda.after_preemption(state, &jobs);
    outcome.victims = victims.iter().map(|victim| (victim.running.job, victim.method)).collect();
    let job = outcome.job;
    // No trial any more: the next job needs the sums of all nodes.
    state.refresh_sets();
    let again =
        reconsider(recording, state, job, |state, probe| consider(state, setup, job, by_nodes(), probe));
    if again.placed.is_some() {
        outcome.verdict = Verdict::Run;
        outcome.placed = again.placed;
        outcome.shrunk_to = full_length(state, outcome.job);
        outcome.by_preemption = true;
        outcome.rejection = None;
        outcome.refused_at = None;
    }
}

/// The length of a shrink-to-fit job that others make room for: nothing is shrunk then.
fn full_length(state: &State, job: JobId) -> Option<Seconds> {
    let request = state.plan.request(job, state.ledger.returns(job)).ok()?;
    request.shortest.map(|_| request.duration).filter(|length| *length != Seconds::UNLIMITED)
}

/// The mode of every check around preemption.
fn by_nodes() -> Mode {
    Mode::Simulated(PathChoice { path: Path::Node, rule: PathRule::PreviousPlacement })
}

/// One search for victims.
struct Search<'a> {
    setup: &'a Setup,
    agenda: &'a Agenda,
    job: JobId,
    request: &'a JobRequest,
    own: i64,
    recording: Recording<'a>,
}

impl Search<'_> {
    /// Preempts in simulation until the job runs, then returns those that were not needed.
    fn run(&mut self, state: &mut State) -> Option<Vec<Victim>> {
        let targets = Targets::of(state, self.job);
        let reasons = self.reasons(state);
        if targets == Targets::Nobody || reasons.iter().any(is_hopeless) {
            return None;
        }
        let limited = reasons.first().filter(|r| matches!(r.reason, Reason::Limit(_))).cloned();
        let order = PreemptOrder::read(&state.plan.snap.scheduler.preempt_order);
        let mut taken: Vec<Victim> = Vec::new();
        let mut left: VecDeque<RunningJob> = candidates(state, self.agenda, self.job, &targets).into();
        left.retain(|candidate| has_useful_node(state, self.job, self.request, candidate));
        let again = SetsAgain::new(state, self.job, self.request).filter(|_| self.recording.is_none());
        // None when it is only known that there is no room yet. Until sets were summed up once any of them may change.
        let mut reasons = Some(reasons);
        let mut summed_up = false;
        // Every time from the first: what did not help with one reason may help with the next.
        while let Some(at) = self.next(state, &left, &mut reasons) {
            let Some(candidate) = left.remove(at) else { continue };
            let Some(method) = order.method(state, candidate.job) else { continue };
            let trial = state.begin_trial();
            let before = self.priorities(state);
            state.preempt(&candidate, method);
            if self.escalates(state, &before) {
                state.end_trial(trial);
                if let Some(recording) = &mut self.recording {
                    recording.tried_without(candidate.job, method, Fate::Escalates, None);
                }
                continue;
            }
            let has_no_room = |again| summed_up && self.has_no_room(state, again, &candidate);
            if again.as_ref().is_some_and(has_no_room) {
                taken.push(Victim { running: candidate, method });
                reasons = None;
                continue;
            }
            summed_up = true;
            let outcome = self.consider(state);
            if let Some(recording) = &mut self.recording {
                recording.tried_without(candidate.job, method, Fate::InVain, outcome.rejection.clone());
            }
            taken.push(Victim { running: candidate, method });
            match outcome {
                Outcome { placed: Some(placed), .. } => {
                    self.start(state, &placed.allocation);
                    if self.drops(state) {
                        return None;
                    }
                    let needed = self.needed(state, taken, limited.as_ref(), &placed.allocation);
                    if let Some(recording) = &mut self.recording {
                        let jobs: Vec<JobId> = needed.iter().map(|victim| victim.running.job).collect();
                        recording.needs(&jobs);
                    }
                    return Some(needed);
                }
                Outcome { rejection, .. } => reasons = Some(rejection.into_iter().collect()),
            }
        }
        None
    }

    /// Which candidate is taken next. Why there is no room yet is found out where that decides between them.
    fn next(
        &mut self,
        state: &mut State,
        left: &VecDeque<RunningJob>,
        reasons: &mut Option<Vec<Rejection>>,
    ) -> Option<usize> {
        if reasons.is_none() {
            let at = left.iter().position(|candidate| self.is_below(state, candidate))?;
            if left.get(at).is_some_and(|next| always_helps(state, self.request, next.job)) {
                return Some(at);
            }
        }
        let reasons = reasons.get_or_insert_with(|| self.consider(state).rejection.into_iter().collect());
        left.iter().position(|candidate| self.may_take(state, candidate, reasons))
    }

    /// Considers the job as things are in the simulation.
    fn consider(&mut self, state: &mut State) -> Outcome {
        let (setup, job) = (self.setup, self.job);
        considered(self.recording.as_deref_mut(), state, job, |state, probe| {
            consider(state, setup, job, by_nodes(), probe)
        })
    }

    /// Whether the job certainly finds no room, once this one is gone that comes after others: whatever the reason.
    fn has_no_room(&self, state: &mut State, again: &SetsAgain<'_>, gone: &RunningJob) -> bool {
        let mut probe = Probe::off();
        before_any_path(state, self.setup, self.job, self.request, by_nodes(), &mut probe).is_ok()
            && !again.is_held(state, &gone.allocation)
    }

    /// Every reason that keeps the job from running, not just the first; nodes by the node path.
    fn reasons(&mut self, state: &mut State) -> Vec<Rejection> {
        let (job, request) = (self.job, self.request);
        let mut reasons = limits_hit(state, job, request);
        if at_subjob_limit(state, job) {
            reasons.push(Reason::SubjobLimit.not_now());
        }
        reasons.extend(check_time(state, self.setup, job, request).err());
        reasons.extend(check_resources(state, job, request).err().map(|(_, rejection)| rejection));
        state.refresh_sets();
        let tried = reconsider(self.recording.as_deref_mut(), state, job, |state, probe| {
            place(state, job, request, Path::Node, probe).result
        });
        if let Err(rejection) = tried {
            let shortages = self.shortages(state);
            let is_uninformative = matches!(rejection.reason, Reason::NoNodeResources | Reason::NoFreeNodes);
            if shortages.is_empty() || !is_uninformative || is_hopeless(&rejection) {
                reasons.push(rejection);
            }
            reasons.extend(shortages);
        }
        reasons
    }

    /// What is lacking: the first thing that all nodes together have too little of, and what the nodes lack
    /// that may be examined, each resource once.
    fn shortages(&self, state: &State) -> Vec<Rejection> {
        let all = &state.sets[everything(state, self.job)];
        let short = |(resource, requested): &(ResourceId, Amount)| {
            all.check_amount(&state.plan, *resource, *requested, Against::Now).err().map(Reason::erased)
        };
        let mut lacking: Vec<Reason> = self.request.totals.iter().find_map(short).into_iter().collect();
        let mut open = state.floor.open.clone();
        open.intersect(own_list(state, self.job));
        for spec in self.request.specs.iter() {
            for bit in open.iter() {
                if let Some(reason) = why_not(state, spec.shape, bit).map(Reason::erased)
                    && !lacking.contains(&reason)
                {
                    lacking.push(reason);
                }
            }
        }
        lacking.into_iter().map(Reason::not_now).collect()
    }

    fn is_below(&self, state: &State, candidate: &RunningJob) -> bool {
        self.agenda.priority_in(state, candidate.job) < self.own
    }

    fn may_take(&self, state: &State, candidate: &RunningJob, reasons: &[Rejection]) -> bool {
        self.is_below(state, candidate)
            && (reasons.is_empty()
                || reasons.iter().any(|why| helps(state, self.job, candidate.job, &why.reason)))
    }

    /// How high running jobs stand, as far as that may change.
    fn priorities(&self, state: &State) -> Vec<(JobId, i64)> {
        if !self.agenda.priorities_move() {
            return Vec::new();
        }
        state.running().map(|(_, job, _)| (job, self.agenda.priority_in(state, job))).collect()
    }

    /// Whether the last preemption lifted some running job, or the preempted one itself, above this job.
    fn escalates(&self, state: &State, before: &[(JobId, i64)]) -> bool {
        before.iter().any(|(job, was)| {
            let now = self.agenda.priority_in(state, *job);
            now > *was && now > self.own
        })
    }

    /// Whether the job, once started, would fall to a lower level, and could be preempted itself.
    fn drops(&self, state: &State) -> bool {
        self.agenda.priority_in(state, self.job) < self.own
    }

    fn start(&self, state: &mut State, allocation: &std::sync::Arc<crate::universe::Allocation>) {
        let occupant = occupant_of(state, self.job);
        state.start(occupant, self.request.place.sharedness, allocation, state.now + self.request.duration);
    }

    /// Puts back those that still fit next to the job, from the last taken to the first; the rest is needed.
    fn needed(
        &mut self,
        state: &mut State,
        taken: Vec<Victim>,
        limited: Option<&Rejection>,
        allocation: &crate::universe::Allocation,
    ) -> Vec<Victim> {
        let mut needed = Vec::new();
        let nodes = NodeSet::of(state.plan.nodes.len(), allocation.pieces.iter().map(|piece| piece.bit));
        for victim in taken.into_iter().rev() {
            let apart = !victim.running.allocation.pieces.iter().any(|piece| nodes.contains(piece.bit))
                && limited.is_none_or(|why| !helps(state, self.job, victim.running.job, &why.reason));
            if apart || self.still_fits(state, &victim) {
                state.put_back(&victim.running, victim.method);
            } else {
                needed.push(victim);
            }
        }
        needed
    }

    /// Whether a victim would run on its own nodes right away.
    fn still_fits(&mut self, state: &mut State, victim: &Victim) -> bool {
        let trial = state.begin_trial();
        state.mark_preempted(victim.running.job, PreemptMethod::Suspend);
        let (setup, job) = (self.setup, victim.running.job);
        let outcome = reconsider(self.recording.as_deref_mut(), state, job, |state, probe| {
            consider(state, setup, job, by_nodes(), probe)
        });
        state.end_trial(trial);
        outcome.placed.is_some()
    }
}

/// Reasons that no preemption can do away with.
fn is_hopeless(rejection: &Rejection) -> bool {
    rejection.never
        || matches!(
            rejection.reason,
            Reason::SubjobLimit
                | Reason::QueueNotStarted
                | Reason::DedicatedTime
                | Reason::CrossDedicated
                | Reason::PrimeOnly
                | Reason::NonPrimeOnly
                | Reason::CrossPrime { .. }
                | Reason::CantSpan
                | Reason::TooManyChunks
                | Reason::TooManySubjobs
        )
}
