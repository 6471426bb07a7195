//! The answer to "why is my job still queued?".

use std::sync::Arc;

use qscope_engine::cluster::{Id, JobId, JobState};
use qscope_engine::cycle::{Consideration, Debugger, DoubleBooking, Outcome, Run, StepIx};

use super::alert::scheduling_off;
use super::decision::{DecisionLine, Sight, Subject, all_decision_lines};
use super::double_booking::GivenTwice;
use super::taken_back::TakenBack;
use super::turn::{decided, last_step};
use super::{
    Assumption, Cause, ChunkOffer, Comment, Tier, causes, judge, kinds, offers, rests_on, running, words,
};

/// A decision, explained.
#[derive(Clone, Debug)]
pub struct Why {
    /// What became of the job; none if it runs already.
    pub outcome: Option<Outcome>,
    /// Every cause that keeps it waiting, the deepest first; none for jobs that start or run.
    pub causes: Vec<Cause>,
    /// The cause in one line.
    pub headline: String,
    /// The decision from its first check to its nodes; empty where the job was not considered.
    pub decision: Vec<DecisionLine>,
    /// What each bucket offered in the set that was searched last.
    pub chunks: Vec<ChunkOffer>,
    /// The scheduler's own comment in the dump, judged.
    pub comment: Option<Comment>,
    /// What holds for every job: that scheduling is off, for example; and what of the job itself is folded.
    pub banners: Vec<String>,
    /// What the verdict rests on that was not seen.
    pub rests_on: Vec<Assumption>,
}

impl Why {
    /// The kind of the deepest cause; none for jobs that start or run.
    pub fn tier(&self) -> Option<Tier> {
        self.causes.first().map(|cause| cause.tier)
    }

    /// The kinds of the other causes, each once.
    pub fn also(&self) -> Vec<Tier> {
        let mut others: Vec<Tier> = self.causes.iter().skip(1).map(|cause| cause.tier).collect();
        others.dedup();
        others.retain(|tier| Some(*tier) != self.tier());
        others
    }

    /// Whether the headline is the sentence of the deepest cause; else it states where the job starts or runs.
    pub fn is_headline_of_cause(&self) -> bool {
        !self.causes.is_empty()
    }

    /// What the deepest cause is about, by its name in the batch system.
    pub fn objects(&self) -> &[String] {
        self.causes.first().map_or(&[], |cause| &cause.objects)
    }
}

/// Explains what became of a job.
pub fn why(run: &Arc<Run>, job: JobId) -> Why {
    let plan = &run.plan;
    let found = considered(&mut Debugger::new(run.clone()), job);
    let decision = found.as_ref().map(|found| decision_lines_of(run, job, found)).unwrap_or_default();
    let (outcome, chunks) = match found {
        Some(scene) => {
            let mut chunks = offers(plan, &scene.events);
            chunks.truncate(kinds::MAX_PARTS);
            (Some(decided(run, job).cloned().unwrap_or(scene.outcome)), chunks)
        }
        None => (decided(run, job).cloned(), Vec::new()),
    };
    let causes = causes(run, job);
    let text = plan.job(job).comment.as_deref();
    let comment = text.map(|text| judge(plan, text, outcome.as_ref(), &causes));
    Why {
        headline: headline(run, job, outcome.as_ref(), &causes),
        decision,
        chunks,
        comment,
        banners: banners(run, job),
        rests_on: rests_on(run, job),
        causes,
        outcome,
    }
}

/// The job considered again with a recording probe, as it was at its turn.
pub(super) fn considered(debugger: &mut Debugger, job: JobId) -> Option<Consideration> {
    let step = last_step(debugger.run(), job)?;
    considered_at(debugger, step)
}

/// The same as it was at a step.
pub(super) fn considered_at(debugger: &mut Debugger, step: StepIx) -> Option<Consideration> {
    debugger.seek(step.ix());
    debugger.consideration_next()
}

/// The decision from its first check to its nodes.
pub(super) fn decision_lines_of(run: &Run, job: JobId, found: &Consideration) -> Vec<DecisionLine> {
    decision_lines_to(run, decided(run, job).unwrap_or(&found.outcome), found)
}

/// The same, which led to this outcome.
pub(super) fn decision_lines_to(run: &Run, outcome: &Outcome, found: &Consideration) -> Vec<DecisionLine> {
    let Consideration { events, state, .. } = found;
    all_decision_lines(Sight { run, subject: Subject::Job(outcome), events, state, rehearsal: None })
}

/// The cause in one line.
pub(super) fn headline(run: &Run, job: JobId, outcome: Option<&Outcome>, causes: &[Cause]) -> String {
    let name = run.plan.job(job).short_name();
    if let Some(cause) = causes.first() {
        return cause.sentence.clone();
    }
    if run.plan.job(job).is_all_started() {
        return format!("all subjobs of {name} have been started{}", running::subjobs(run, job));
    }
    let Some(outcome) = outcome else { return standing(run, job) };
    let path = outcome.entered().map_or("", |path| path.word());
    let after = if outcome.by_preemption { ", after a preemption" } else { "" };
    match &outcome.placed {
        Some(placed) => {
            let nodes = words::count(placed.allocation.nodes().len(), "node");
            let taken = TakenBack::of(run, job).filter(TakenBack::is_for_good);
            let again = taken.map_or(String::new(), |taken| format!(", and is then {}", taken.end_words()));
            format!("{name} starts in this cycle on {nodes} ({path} path{after}){again}")
        }
        None => format!("{name} waits"),
    }
}

/// A job that no cycle examines: since when and where it runs, if it does.
fn standing(run: &Run, id: JobId) -> String {
    let (snap, job) = (&run.plan.snap, run.plan.job(id));
    let name = job.short_name();
    if job.state != JobState::Running {
        return format!("{name} is not waiting: its state is {}", job.state.letter());
    }
    let since = job.started.map_or(String::new(), |at| format!(" since {}", words::moment(snap, at)));
    let until = running::until(run, id);
    format!("{name} is running{since}{until}")
}

/// What keeps all jobs from starting.
fn banners(run: &Run, job: JobId) -> Vec<String> {
    let snap = &run.plan.snap;
    let mut banners: Vec<String> =
        run.plan.request(job, None).ok().and_then(kinds::note).into_iter().collect();
    banners.extend(scheduling_off(snap));
    banners.extend(suspended(run, job));
    banners.extend(given_twice(run, job));
    banners.extend(TakenBack::of(run, job).map(|taken| taken.words()));
    banners
}

/// Which of the nodes that a job gets in this cycle another job gets too, where the server starts both.
fn given_twice(run: &Run, job: JobId) -> Vec<String> {
    let is_about = |booking: &&DoubleBooking| booking.first == Some(job) || booking.again == job;
    let doubled = run.double_bookings().iter().filter(|booking| !booking.refused).filter(is_about);
    let words = |booking: &DoubleBooking| {
        let given = GivenTwice::new(run, booking);
        given.sentence() + given.then()
    };
    doubled.map(words).collect()
}

/// That a suspended job goes back to the nodes that it had, and to no others.
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
