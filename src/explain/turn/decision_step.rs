//! The cycle's decision about a job, and the turn at which it was made.

use qscope_engine::cluster::{Id, JobId};
use qscope_engine::cycle::{Outcome, Run, StepIx, Verdict};

/// Returns the outcome of a step, or the final outcome of a job.
pub(super) fn outcome_of(run: &Run, job: JobId, own: Option<StepIx>) -> Option<&Outcome> {
    own.map_or_else(|| decided(run, job), |step| Some(&run.steps[step].outcome))
}

/// Returns the step that last considered a job: an array is considered again after each started subjob, and a job
/// started in this cycle after it was preempted. `None` for subjobs that start through their array.
pub(crate) fn last_step(run: &Run, job: JobId) -> Option<StepIx> {
    run.last_step_of(job).filter(|step| run.steps[*step].outcome.job == job)
}

/// Names a step and, if its job has several turns, the turn: `step 4, turn 2 of 3`. Arrays are considered again after
/// each started subjob.
pub fn turn_words(run: &Run, step: StepIx) -> String {
    let number = step.ix() + 1;
    let Some(job) = run.steps.checked(step).map(|step| step.outcome.job) else {
        return format!("step {number}");
    };
    // Most jobs have one turn, and there are many steps.
    if run.step_of(job) == run.last_step_of(job) {
        return format!("step {number}");
    }
    let turns = || run.steps.enumerate().filter(|(_, found)| found.outcome.job == job);
    let here = turns().take_while(|(at, _)| *at <= step).count();
    format!("step {number}, turn {here} of {}", turns().count())
}

/// Returns the final outcome of a job, at its last turn: for an array, that of what is left of it; for a subjob that
/// is started, its start.
pub fn decided(run: &Run, job: JobId) -> Option<&Outcome> {
    let of = run.plan.job(job);
    let parent = of.array.as_ref().and_then(|array| array.parent.as_ref());
    if parent.is_some() && run.step_of(job).is_none() {
        let snap = &run.plan.snap;
        let mut started =
            run.steps.iter().map(|step| &step.outcome).filter(|outcome| outcome.subjob.is_some());
        if let Some(outcome) = started.find(|outcome| *outcome.name(snap) == *of.name) {
            return Some(outcome);
        }
    }
    let last = last_step(run, job).map(|step| &run.steps[step].outcome);
    match last {
        // What is left of an array that strict ordering stopped after some of its subjobs had started.
        Some(last) if last.subjob.is_some() => {
            Some(run.not_considered.iter().find(|outcome| outcome.job == job).unwrap_or(last))
        }
        Some(last) => Some(last),
        None => run.outcome(job),
    }
}

/// Returns the decision as a cycle reports it: of an array, that of its first turn, at which a subjob may start; else
/// the final outcome.
pub fn first_decided(run: &Run, job: JobId) -> Option<&Outcome> {
    let first = run.step_of(job).filter(|_| run.plan.job(job).is_array());
    first.map(|step| &run.steps[step].outcome).or_else(|| decided(run, job))
}

/// Returns the final outcome as shown to the user: like [`decided`], but for a subjob that waits in the dump that of its
/// array, which is considered instead.
pub fn decided_with_array(run: &Run, job: JobId) -> Option<&Outcome> {
    let (own, plan) = (decided(run, job)?, &run.plan);
    let array =
        plan.array_of[job].filter(|_| plan.job(job).is_represented_by_array() && own.placed.is_none());
    let array = array.and_then(|array| decided(run, array));
    Some(array.filter(|outcome| run.verdict(outcome) != Verdict::Run).unwrap_or(own))
}

/// Returns the outcome of a job in another cycle; for an array, that of the first turn, in which its first subjob may
/// start.
pub fn starting(run: &Run, job: JobId) -> Option<&Outcome> {
    if run.plan.job(job).is_array() { run.outcome(job) } else { decided(run, job) }
}
