//! The answer to "why is my job still queued?".

use std::sync::Arc;

use qscope_engine::cluster::{Id, JobId, JobState};
use qscope_engine::cycle::{
    Consideration, Debugger, DecidingRule, DoubleBooking, Outcome, QuirkOccurrence, Run, StepIx,
};
use qscope_engine::universe::Bit;
use rustc_hash::FxHashSet;

use super::alert::scheduling_off;
use super::decision::{DecisionLine, DecisionTraceRef, Subject, all_decision_lines};
use super::double_booking::DoubleBookingWords;
use super::turn::{decided, last_step};
use super::undone_starts::LastUndoneStart;
use super::{
    Assumption, Cause, ChunkOffer, Comment, Tier, causes, equal_specs, is_likely, judge, offers, rests_on,
    running, words,
};

/// The explanation of a decision.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The outcome of the job; `None` if it is already running.
    pub outcome: Option<Outcome>,
    /// The rule that decided: the one by which it does not start, or the one that chose its path.
    pub rule: Option<DecidingRule>,
    /// All causes that keep it waiting, deepest first; empty for jobs that start or run.
    pub causes: Vec<Cause>,
    /// The cause in one line.
    pub headline: String,
    /// The decision from its first check to its nodes; empty if the job was not considered.
    pub decision: Vec<DecisionLine>,
    /// What each bucket offered in the set searched last.
    pub chunks: Vec<ChunkOffer>,
    /// The scheduler's own comment in the dump, with an assessment.
    pub comment: Option<Comment>,
    /// Notes on circumstances such as scheduling being off, and on simplifications of the job's request.
    pub banners: Vec<String>,
    /// The unseen facts that the verdict rests on.
    pub rests_on: Vec<Assumption>,
}

impl Explanation {
    /// Returns the tier of the deepest cause; `None` for jobs that start or run.
    pub fn tier(&self) -> Option<Tier> {
        self.causes.first().map(|cause| cause.tier)
    }

    /// Returns the tiers of the other causes, each once.
    pub fn also(&self) -> Vec<Tier> {
        let mut others: Vec<Tier> = self.causes.iter().skip(1).map(|cause| cause.tier).collect();
        others.dedup();
        others.retain(|tier| Some(*tier) != self.tier());
        others
    }

    /// Whether the headline is the sentence of the deepest cause; otherwise it states where the job starts or runs.
    pub fn is_headline_of_cause(&self) -> bool {
        !self.causes.is_empty()
    }

    /// Returns a title as it holds for the verdict: a job can never run for certain only if that rests on no unseen
    /// fact.
    pub fn as_certain(&self, title: String) -> String {
        match is_likely(&self.rests_on) {
            true => title.replacen("can never run", "can likely never run", 1),
            false => title,
        }
    }

    /// Returns the objects of the deepest cause, by their batch system names.
    pub fn objects(&self) -> &[String] {
        self.causes.first().map_or(&[], |cause| &cause.objects)
    }
}

/// Explains the outcome of a job.
pub fn why(run: &Arc<Run>, job: JobId) -> Explanation {
    let plan = &run.plan;
    let found = considered(&mut Debugger::new(run.clone()), job);
    let decision = found.as_ref().map(|found| decision_lines_of(run, job, found)).unwrap_or_default();
    let (outcome, chunks) = match found {
        Some(scene) => {
            let mut chunks = offers(plan, &scene.events);
            chunks.truncate(equal_specs::MAX_PARTS);
            (Some(decided(run, job).cloned().unwrap_or(scene.outcome)), chunks)
        }
        None => (decided(run, job).cloned(), Vec::new()),
    };
    let causes = causes(run, job);
    let text = plan.job(job).comment.as_deref();
    let comment = text.map(|text| judge(plan, text, outcome.as_ref(), &causes));
    Explanation {
        headline: headline(run, job, outcome.as_ref(), &causes),
        decision,
        chunks,
        comment,
        banners: banners(run, job),
        rests_on: rests_on(run, job),
        rule: outcome.as_ref().and_then(|outcome| run.deciding_rule(outcome)),
        causes,
        outcome,
    }
}

/// Considers the job again with a recording probe, as of its turn.
pub(super) fn considered(debugger: &mut Debugger, job: JobId) -> Option<Consideration> {
    let step = last_step(debugger.run(), job)?;
    considered_at(debugger, step)
}

/// Considers the job of a step again.
pub(super) fn considered_at(debugger: &mut Debugger, step: StepIx) -> Option<Consideration> {
    debugger.seek(step.ix());
    debugger.consideration_next()
}

/// Returns the decision from its first check to its nodes.
pub(super) fn decision_lines_of(run: &Run, job: JobId, found: &Consideration) -> Vec<DecisionLine> {
    decision_lines_to(run, decided(run, job).unwrap_or(&found.outcome), found)
}

/// Like [`decision_lines_of`], for a given outcome.
pub(super) fn decision_lines_to(
    run: &Run,
    outcome: &Outcome,
    consideration: &Consideration,
) -> Vec<DecisionLine> {
    let Consideration { events, state, .. } = consideration;
    all_decision_lines(DecisionTraceRef {
        run,
        subject: Subject::Job(outcome),
        events,
        state,
        rehearsal: None,
    })
}

/// Returns the cause in one line.
pub(super) fn headline(run: &Run, job: JobId, outcome: Option<&Outcome>, causes: &[Cause]) -> String {
    let name = run.plan.job(job).short_name();
    if let Some(cause) = causes.first() {
        return cause.sentence.clone();
    }
    if run.plan.job(job).is_all_started() {
        return format!("all subjobs of {name} have been started{}", running::subjobs(run, job));
    }
    let Some(outcome) = outcome else { return unexamined_text(run, job) };
    words::start_on_nodes(outcome)
        .map_or_else(|| format!("{name} waits"), |on| format!("{name} starts in this cycle {on}"))
}

/// Describes a job that no cycle examines: since when and until when it runs, if it does.
fn unexamined_text(run: &Run, id: JobId) -> String {
    let (snap, job) = (&run.plan.snap, run.plan.job(id));
    let name = job.short_name();
    if matches!(job.state, JobState::Finished | JobState::Expired) {
        return format!("{name} has ended");
    }
    if job.state != JobState::Running {
        return format!("{name} is not waiting: its state is {}", job.state.letter());
    }
    let since = job.started.map_or(String::new(), |at| format!(" since {}", words::since_text(snap, at)));
    let until = running::end_text(run, id);
    format!("{name} is running{since}{until}")
}

/// Returns notes on what keeps all jobs from starting, and on special circumstances of the job.
fn banners(run: &Run, job: JobId) -> Vec<String> {
    let snap = &run.plan.snap;
    let mut banners: Vec<String> =
        run.plan.request(job, None).ok().and_then(equal_specs::note).into_iter().collect();
    // It makes no difference to a job that has its nodes, or that has ended.
    let starts_later = !run.runs_before(job) && !run.plan.job(job).state.is_over();
    banners.extend(scheduling_off(snap).filter(|_| starts_later));
    banners.extend(suspended(run, job));
    banners.extend(double_booking_sentences(run, job));
    banners.extend(overrun_sentences(run, job));
    banners.extend(LastUndoneStart::of(run, job).map(|taken| taken.words()));
    banners
}

/// States which nodes of this job another job also gets in this cycle, if the server starts both.
fn double_booking_sentences(run: &Run, job: JobId) -> Vec<String> {
    let all = || run.double_bookings().iter().filter(|booking| !booking.refused);
    let is_own = |booking: &DoubleBooking| booking.first == Some(job) || booking.second_job == job;
    // A node may be given to more than two jobs.
    let shares_node = |one: &DoubleBooking, other: &DoubleBooking| {
        one.first == other.first && one.nodes.iter().any(|bit| other.nodes.contains(bit))
    };
    let is_about =
        |one: &&DoubleBooking| is_own(one) || all().any(|own| is_own(own) && shares_node(one, own));
    let doubled = all().filter(is_about);
    let words = |booking: &DoubleBooking| {
        let given = DoubleBookingWords::new(run, booking);
        given.sentence() + given.server_reaction()
    };
    doubled.map(words).collect()
}

/// States what starts in this cycle on the nodes of a top job beyond its planned start (quirk B4).
fn overrun_sentences(run: &Run, job: JobId) -> Vec<String> {
    let mut turns = run.steps.iter().filter(|step| step.outcome.job == job);
    let Some(top) = turns.find_map(|step| step.outcome.estimate.as_ref()) else { return Vec::new() };
    let planned: FxHashSet<Bit> = top.allocation.nodes().into_iter().collect();
    let mut sentences: Vec<String> = Vec::new();
    for overrun in overruns(run, job) {
        let starts = run.steps.iter().filter(|step| step.outcome.job == overrun.job);
        let placed = starts.filter_map(|step| step.outcome.placed.as_ref());
        let mut nodes: Vec<Bit> = placed.flat_map(|placed| placed.allocation.nodes()).collect();
        nodes.retain(|bit| planned.contains(bit));
        let sentence = format!(
            "planned for {}, but {}, considered after it, starts now on {} and ends later than that (quirk {}: {})",
            words::clock(&run.plan.snap, top.start),
            run.plan.job(overrun.job).short_name(),
            words::node_list_within(&run.plan, &nodes, MAX_NODES),
            overrun.quirk.name(),
            overrun.quirk.sentence(),
        );
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences
}

/// Returns what this cycle starts on the nodes of a top job beyond its planned start (quirk B4).
pub(super) fn overruns(run: &Run, job: JobId) -> impl Iterator<Item = &QuirkOccurrence> {
    run.witnesses.iter().filter(move |witness| witness.delayed == Some(job))
}

/// Maximum width of a list of nodes, in columns.
const MAX_NODES: usize = 40;

/// States that a suspended job returns only to its previous nodes.
fn suspended(run: &Run, id: JobId) -> Option<String> {
    let job = run.plan.job(id);
    let nodes = match job.state {
        JobState::Suspended => job.exec_vnode.as_ref()?,
        _ => return None,
    };
    let names: Vec<String> = nodes.chunks.iter().flatten().map(|part| part.vnode.to_string()).collect();
    let on = words::folded_within(names.iter().map(String::as_str), 60);
    Some(format!("it is suspended, and resumes only where it was: {on}"))
}
