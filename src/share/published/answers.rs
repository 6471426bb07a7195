//! The answers about all jobs, computed where the cluster is known, so that reading one needs nothing else.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use qscope_engine::cluster::{JobId, NameList, Snapshot, short_id};
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::{
    Assumptions, BriefExplanation, Explainer, ForecastStarts, Tier, all_starts, first_decided, is_likely,
    remedies, words,
};

use crate::parts::by_parts;

/// What is known about one job, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PublishedAnswer {
    /// The full id.
    pub job: String,
    pub user: String,
    pub queue: String,
    /// The letter of its state.
    pub state: char,
    /// What the scheduler decided: `run`, `not_now`, `never` or `not_considered`; null for a job that runs already.
    pub verdict: Option<String>,
    /// The actual outcome, in the same words, like `final_verdict` of `why`; also null in a file that was written
    /// without it.
    #[serde(default)]
    pub final_verdict: Option<String>,
    /// The kind of the deepest cause, as in `why`.
    pub tier: Option<String>,
    /// The exact cause.
    pub cause: Option<String>,
    /// The objects that cause it, by name.
    pub objects: Vec<String>,
    /// The cause in one sentence, as in `why`.
    pub headline: String,
    /// Whether the verdict could change with a fact that was not seen.
    pub likely: bool,
    /// What the scheduler wrote about the job.
    pub comment: Option<String>,
    /// When it starts, in seconds since 1970, if that is known.
    pub start: Option<i64>,
    /// When it starts, in words.
    pub when: Option<String>,
    /// A change that starts it, proven by running the cycle with it.
    pub change: Option<String>,
    /// Of an array, the subjobs that start in this cycle, folded as `67[0-1]`; also null in a file that was written
    /// without it.
    #[serde(default)]
    pub starting: Option<String>,
}

impl PublishedAnswer {
    /// Returns the answer for subjobs of this array, one by its id or several as `67[0-1]`, if all of them start in
    /// this cycle.
    pub fn of_starting(&self, subjobs: &str) -> Option<Self> {
        let subjobs = short_id(subjobs);
        let meant = NameList::of(subjobs)?;
        let starting = NameList::of(self.starting.as_deref()?)?;
        let names = meant.bracketed_names();
        if names.is_empty() || !names.iter().all(|name| starting.has(name)) {
            return None;
        }
        let array = short_id(&self.job);
        let verb = if names.len() == 1 { "starts" } else { "start" };
        let run = Some(Verdict::Run.word().to_owned());
        Some(Self {
            job: self.job.replacen(array, subjobs, 1),
            user: self.user.clone(),
            queue: self.queue.clone(),
            state: self.state,
            verdict: run.clone(),
            final_verdict: run,
            headline: format!("{subjobs} of the array {array} {verb} in this cycle"),
            ..Self::default()
        })
    }
}

/// How much is computed for a file that is written repeatedly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PublishedEffort {
    /// Maximum number of cycles run forward.
    pub cycles: u32,
    /// Maximum number of changes tried, over all jobs.
    pub trials: u32,
}

impl PublishedEffort {
    /// Returns the effort for a cluster: the larger the cluster, the less; always the same for the same cluster.
    pub fn of(snap: &Snapshot) -> Self {
        Self {
            cycles: (400_000 / snap.size()).clamp(10, 2000),
            trials: (400_000 / snap.size()).clamp(10, 4000),
        }
    }
}

/// Returns the answers about all jobs, in the order of the dump. `stop` is polled; once it returns true, the result
/// is `None`.
pub fn answers(
    run: &Arc<Run>,
    effort: PublishedEffort,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<PublishedAnswer>> {
    let starts = all_starts(run, &mut |progress| progress.up_to(effort.cycles));
    let jobs = jobs_in_order(run);
    let parts: Option<Vec<_>> =
        by_parts(&jobs, |part| part_of(run, part, &starts, stop)).into_iter().collect();
    let mut made: Vec<(JobId, PublishedAnswer)> = parts?.into_iter().flatten().collect();
    let mut trials = effort.trials;
    for (id, answer) in made.iter_mut().filter(|(_, answer)| answer.tier.is_some()) {
        if stop() {
            return None;
        }
        answer.change = change(run, *id, &mut trials);
    }
    made.sort_by_key(|(id, _)| *id);
    Some(made.into_iter().map(|(_, answer)| answer).collect())
}

/// Returns the answers about some jobs, without changes; `None` if stopped.
fn part_of(
    run: &Arc<Run>,
    jobs: &[JobId],
    starts: &ForecastStarts,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<(JobId, PublishedAnswer)>> {
    let (mut inquiry, mut assumptions) = (Explainer::new(run), Assumptions::new(run));
    let mut made = Vec::with_capacity(jobs.len());
    for id in jobs.iter().copied() {
        if stop() {
            return None;
        }
        let brief = inquiry.brief(id);
        let never = brief.causes.iter().any(|cause| cause.tier == Tier::Never);
        let likely = !never && is_likely(assumptions.of(run, id));
        let mut answer = answer(run, id, &brief, likely);
        (answer.start, answer.when) = start_and_text(run, id, &brief, starts);
        made.push((id, answer));
    }
    Some(made)
}

/// Returns all jobs that have not ended: those considered in the order considered, so that each is one step from the
/// last.
fn jobs_in_order(run: &Run) -> Vec<JobId> {
    let snap = &run.plan.snap;
    let mut jobs: Vec<JobId> =
        snap.jobs.enumerate().filter(|(_, job)| !job.state.is_over()).map(|(id, _)| id).collect();
    jobs.sort_by_key(|id| run.step_of(*id).map_or(u32::MAX, |step| step.0));
    jobs
}

fn answer(run: &Run, id: JobId, brief: &BriefExplanation, likely: bool) -> PublishedAnswer {
    let job = run.plan.job(id);
    let cause = brief.causes.first();
    PublishedAnswer {
        job: job.name.to_string(),
        user: job.user.to_string(),
        queue: job.queue.to_string(),
        state: job.state.letter(),
        verdict: first_decided(run, id).map(|outcome| outcome.verdict.word().to_owned()),
        final_verdict: brief.outcome.as_ref().map(|outcome| run.verdict(outcome).word().to_owned()),
        tier: cause.map(|cause| cause.tier.word().to_owned()),
        cause: cause.map(|cause| cause.kind.to_owned()),
        objects: cause.map(|cause| cause.objects.iter().take(8).cloned().collect()).unwrap_or_default(),
        headline: brief.headline.clone(),
        likely,
        comment: brief.comment.as_ref().map(|comment| comment.text.clone()),
        starting: starting_subjobs(run, id),
        ..PublishedAnswer::default()
    }
}

/// Returns the subjobs of an array that the cycle starts, folded.
fn starting_subjobs(run: &Run, array: JobId) -> Option<String> {
    let snap = &run.plan.snap;
    if !snap.jobs[array].is_array() {
        return None;
    }
    let outcomes = run.steps.iter().map(|step| &step.outcome);
    let starts = outcomes.filter(|outcome| outcome.job == array && run.is_start(outcome));
    let names: Vec<String> = starts
        .filter(|outcome| outcome.subjob.is_some())
        .map(|outcome| short_id(&outcome.name(snap)).to_owned())
        .collect();
    (!names.is_empty()).then(|| words::compact(names.iter().map(String::as_str)))
}

/// Returns when a job starts. There is nothing for jobs that run, and no text for those that start now: their
/// headline is enough.
fn start_and_text(
    run: &Arc<Run>,
    id: JobId,
    brief: &BriefExplanation,
    starts: &ForecastStarts,
) -> (Option<i64>, Option<String>) {
    let snap = &run.plan.snap;
    let Some(outcome) = &brief.outcome else { return (None, None) };
    if run.verdict(outcome) == Verdict::Run {
        return (Some(snap.now.0), None);
    }
    let mut turns = run.steps.iter().filter(|step| step.outcome.job == id);
    if let Some(top) = turns.find_map(|step| step.outcome.estimate.as_ref()) {
        let text = format!("starts at {} by the scheduler's calendar", words::clock(snap, top.start));
        return (Some(top.start.0), Some(text));
    }
    if let Some(at) = starts.at.get(&id) {
        let text = format!("starts at {} if walltimes hold", words::clock(snap, *at));
        return (Some(at.0), Some(text));
    }
    let text = if starts.is_all {
        "does not start by itself, whatever ends".to_owned()
    } else {
        format!("does not start before {}", words::clock(snap, starts.until))
    };
    (None, Some(text))
}

/// Returns a change that starts a job, with its costs for other jobs. One that its owner can make is preferred to one of
/// the site's, then one without costs, then the smallest.
fn change(run: &Arc<Run>, id: JobId, trials: &mut u32) -> Option<String> {
    if *trials == 0 {
        return None;
    }
    let found = remedies(run, id, &mut |event| {
        if matches!(event, qscope_explain::RemedySearchEvent::Tried(_)) {
            *trials = trials.saturating_sub(1);
        }
        if *trials == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let best = found.iter().min_by_key(|remedy| (!remedy.is_own, !remedy.is_harmless, remedy.size))?;
    let who = if best.is_own { "" } else { "an operator can " };
    let effect = if best.start.is_none() { "it starts now" } else { &*best.effect };
    let costs = if best.is_harmless { String::new() } else { format!(", but {}", best.costs) };
    Some(format!("{who}{} ({effect}{costs})", best.change))
}
