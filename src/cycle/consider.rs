//! Considering one job: the run check in the scheduler's order, then a path (rule 6.4).

use crate::cluster::JobId;
use crate::placement::{Event, Examined, PathChoice, Probe, choose_path, place, quick_check};
use crate::universe::{ClassId, Rejection, SetIx, State};

use super::class::Classes;
use super::limits_check::check_resources;
use super::outcome::{Outcome, Stage, Verdict};

/// Considers a job and says what becomes of it; the state changes only in pools made for the job itself.
pub fn consider(state: &mut State, classes: &Classes, job: JobId, probe: &mut Probe) -> Outcome {
    let plan = state.plan.clone();
    let Ok(request) = &plan.requests[job] else { return Outcome::not_considered(job, None) };
    let choice = choose_path(&plan, job, request, false);
    probe.hear(|| Event::PathChosen(choice));
    if let Err((stage, rejection)) = before_any_path(state, classes, job, probe) {
        return turned_away(job, choice, stage, rejection);
    }
    let attempt = place(state, job, request, choice.path, probe);
    let (placed, rejection) = match attempt.result {
        Ok(placed) => (Some(placed), None),
        Err(rejection) => (None, Some(rejection)),
    };
    Outcome {
        job,
        subjob: None,
        order: None,
        verdict: verdict_of(rejection.as_ref()),
        path: Some(choice.path),
        would_use: Some(choice),
        turned_away_by: None,
        rejection,
        placed,
        tries: attempt.tries,
        examined: attempt.examined,
    }
}

/// Everything that can turn a job away before a path is entered, in order.
fn before_any_path(
    state: &mut State,
    classes: &Classes,
    job: JobId,
    probe: &mut Probe,
) -> Result<(), (Stage, Rejection)> {
    let plan = state.plan.clone();
    let Ok(request) = &plan.requests[job] else { return Ok(()) };
    if let Some((class, rejection)) = failed_class(state, classes, job) {
        let first = state.ledger.first_failed[class].unwrap_or(job);
        let failed_first = plan.job(first).name.clone();
        probe.hear(|| Event::ClassShortcut { failed_first, rejection: rejection.clone() });
        return Err((Stage::Class(first), rejection));
    }
    state.refresh_sets();
    let all = everything(state, job);
    quick_check(&plan, request, &state.sets[all], probe).map_err(|rejection| (Stage::AllNodes, rejection))?;
    check_resources(&plan, job)
}

/// The set of all nodes that a job may use.
fn everything(state: &State, job: JobId) -> SetIx {
    let queue = state.plan.snap.queue_named(&state.plan.job(job).queue);
    queue.and_then(|queue| state.queue_everything[queue]).unwrap_or(state.everything)
}

/// The failure of the job's class, if there is one.
fn failed_class(state: &State, classes: &Classes, job: JobId) -> Option<(ClassId, Rejection)> {
    let class = classes.of[job]?;
    let rejection = state.ledger.failed[class].as_deref()?.clone();
    Some((class, rejection))
}

fn verdict_of(rejection: Option<&Rejection>) -> Verdict {
    match rejection {
        None => Verdict::Run,
        Some(rejection) if rejection.never => Verdict::Never,
        Some(_) => Verdict::NotNow,
    }
}

fn turned_away(job: JobId, choice: PathChoice, stage: Stage, rejection: Rejection) -> Outcome {
    Outcome {
        job,
        subjob: None,
        order: None,
        verdict: verdict_of(Some(&rejection)),
        path: None,
        would_use: Some(choice),
        turned_away_by: Some(stage),
        rejection: Some(rejection),
        placed: None,
        tries: Vec::new(),
        examined: Examined::default(),
    }
}
