//! Considers one job: the run check in the scheduler's order, then a placement path (rule 6.4).

use std::sync::Arc;

use crate::cluster::JobId;
use crate::placement::{PathChoice, Probe, ProbeEvent, choose_path, place, quick_check};
use crate::universe::{ClassId, JobRequest, Quirk, Reason, Rejection, SetIx, State};

use super::limits::{check_limits, check_resources};
use super::refusals::RefusalCache;
use super::shrink::shrink;
use super::time_windows::WindowRefusal;
use super::{Outcome, RefusalStage, Setup, Verdict};

/// Maximum number of subjobs, over all arrays, started in one cycle. The scheduler has no such bound, but an array
/// whose subjobs consume nothing would fill the memory.
const MAX_SUBJOBS: u64 = 25_000;

/// How a job is considered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConsiderationMode {
    /// In the main pass.
    Main,
    /// In a simulation: without the class shortcut and the check against all nodes, on the path chosen in the main
    /// pass.
    Simulated(PathChoice),
}

impl ConsiderationMode {
    /// The mode of every check around preemption.
    pub(super) fn by_nodes() -> Self {
        Self::Simulated(PathChoice::BACK)
    }

    /// The mode for a picked job, or for one that is only resumed on its nodes.
    pub(super) fn of(resumes: bool) -> Self {
        if resumes { Self::by_nodes() } else { Self::Main }
    }
}

/// Considers a job and returns the outcome. The state changes only in pools created for this job.
pub fn consider(
    state: &mut State,
    setup: &Setup,
    job: JobId,
    mode: ConsiderationMode,
    probe: &mut Probe,
) -> Outcome {
    consider_knowing(state, setup, job, mode, probe, None)
}

/// Like [`consider`], but uses and records earlier refusals.
pub(super) fn consider_knowing(
    state: &mut State,
    setup: &Setup,
    job: JobId,
    mode: ConsiderationMode,
    probe: &mut Probe,
    refusals: Option<&mut RefusalCache>,
) -> Outcome {
    if let Some(refusals) = refusals.as_deref()
        && let Some((choice, first, rejection)) = refusals.of_class(state, setup, job)
    {
        return refused(job, choice, RefusalStage::Class(first), rejection);
    }
    let plan = state.plan.clone();
    let Ok(request) = plan.request(job, state.ledger.preempted[job]) else {
        return Outcome::not_considered(job, None);
    };
    let request = &*state.capped(job, request);
    match request.min_walltime.filter(|_| mode == ConsiderationMode::Main) {
        Some(shortest) => shrink(state, setup, (job, request), shortest, &mut |state, request| {
            // Also the shortest length ends with the reservation at the latest (rule 6.9).
            let request = state.capped(job, request);
            consider_request(state, setup, (job, &request), mode, probe, None)
        }),
        None => consider_request(state, setup, (job, request), mode, probe, refusals),
    }
}

/// Considers a job as if it made this request.
fn consider_request(
    state: &mut State,
    setup: &Setup,
    (job, request): (JobId, &JobRequest),
    mode: ConsiderationMode,
    probe: &mut Probe,
    mut refusals: Option<&mut RefusalCache>,
) -> Outcome {
    let choice = match mode {
        ConsiderationMode::Simulated(choice) => choice,
        ConsiderationMode::Main if state.ledger.returns(job) => PathChoice::BACK,
        ConsiderationMode::Main => choose_path(&state.plan, job, request, state.ledger.top_jobs[job]),
    };
    probe.record(|| ProbeEvent::PathChosen(choice));
    if let Some(refusals) = &mut refusals {
        refusals.note_path(state, setup, job, choice);
    }
    if let Err((stage, rejection)) = before_any_path(state, setup, job, request, mode, probe) {
        return refused(job, choice, stage, rejection);
    }
    let attempt = match refusals {
        Some(refusals) => refusals.place(state, job, request, choice.path),
        None => place(state, job, request, choice.path, probe),
    };
    let (placed, rejection) = match attempt.result {
        Ok(placed) => (Some(placed), None),
        Err(rejection) => (None, Some(Arc::new(rejection))),
    };
    Outcome {
        verdict: verdict_of(rejection.as_deref()),
        path: Some(choice.path),
        would_use: Some(choice),
        refused_at: None,
        placed,
        tries: attempt.tries,
        examined: attempt.examined,
        ..Outcome::not_considered(job, rejection)
    }
}

/// The stage at which a job was refused before any path, and the reason.
type EarlyRejection = (RefusalStage, Arc<Rejection>);

/// Runs all checks that can reject a job before a placement path is entered, in order.
pub(super) fn before_any_path(
    state: &mut State,
    setup: &Setup,
    job: JobId,
    request: &JobRequest,
    mode: ConsiderationMode,
    probe: &mut Probe,
) -> Result<(), EarlyRejection> {
    let at = |stage: RefusalStage| move |rejection: Rejection| (stage, Arc::new(rejection));
    let main = mode == ConsiderationMode::Main;
    if main && let Some((first, rejection)) = failed_class(state, setup, job) {
        probe.record(|| ProbeEvent::ClassShortcut {
            failed_first: state.plan.job(first).name.clone(),
            rejection: Rejection::clone(&rejection),
        });
        return Err((RefusalStage::Class(first), rejection));
    }
    if main {
        state.refresh_sets();
    }
    let plan = &*state.plan;
    if main && plan.reservation_of(job).is_none() {
        let all = all_nodes_set(state, job);
        quick_check(state, request, &state.sets[all], probe).map_err(at(RefusalStage::AllNodes))?;
    }
    check_limits(state, job, request).map_err(at(RefusalStage::Limit))?;
    if at_subjob_limit(state, job) {
        return Err(at(RefusalStage::Limit)(Reason::SubjobLimit.not_now()));
    }
    if main && state.ledger.started_in_all >= MAX_SUBJOBS && plan.job(job).is_array() {
        return Err(at(RefusalStage::Limit)(Reason::TooManySubjobs.not_now()));
    }
    if let Some(rejection) = time_refusals(state, setup, job, request).next() {
        return Err(at(RefusalStage::Time)(rejection));
    }
    check_resources(state, job, request).map_err(|(stage, rejection)| at(stage)(rejection))?;
    // In a simulation, sets are summed up and sorted again only for jobs that reach this point (rule M16); sets that
    // tie stay in the order left by the last such job.
    if !main && !state.must_return(job) {
        state.refresh_sets_on_trial();
    }
    Ok(())
}

/// Returns the refusals by prime and dedicated time in the order of the checks (rule 6.4 steps 5 to 7), each computed
/// lazily.
pub(super) fn time_refusals(
    state: &State,
    setup: &Setup,
    job: JobId,
    request: &JobRequest,
) -> impl Iterator<Item = Rejection> {
    let (plan, windows) = (&*state.plan, &setup.windows);
    let (now, length) = (state.now, request.duration);
    let window = setup.window(plan, job);
    // An operator's qrun ignores the prime time of a queue, but not dedicated time (rule 6.11).
    let own = window.filter(|_| plan.snap.qrun != Some(job));
    let spill_swapped = plan.has(Quirk::SpillSwapped);
    let crosses_prime =
        move |window| windows.prime_clear(&plan.snap.policy, spill_swapped, window, now, length).err();
    let is_closed = move |window| windows.queue_open(window, now).err().map(WindowRefusal::Queue);
    let crosses_dedicated = move |_| windows.dedicated_clear(now, length).err();
    let refusals = own.into_iter().filter_map(crosses_prime).chain(own.into_iter().filter_map(is_closed));
    let refusals = refusals.chain(window.into_iter().filter_map(crosses_dedicated));
    refusals.map(|refusal| refusal.reason().not_now())
}

/// Whether an array runs as many subjobs as `max_run_subjobs` allows (rule 6.4 step 4).
pub fn at_subjob_limit(state: &State, job: JobId) -> bool {
    let Some(array) = state.plan.array(job) else { return false };
    let Some(limit) = array.max_run_subjobs else { return false };
    array.is_parent && state.ledger.running_subjobs[job] >= limit
}

/// Returns the set of all nodes that a job may use.
pub(super) fn all_nodes_set(state: &State, job: JobId) -> SetIx {
    let queue = state.plan.queue_of(job);
    queue.and_then(|queue| state.queue_everything[queue]).unwrap_or(state.all_nodes_set)
}

/// Returns the failure of the job's class, if any, and the job that failed first.
pub(super) fn failed_class(state: &State, setup: &Setup, job: JobId) -> Option<(JobId, Arc<Rejection>)> {
    let class = class_of(state, setup, job)?;
    let rejection = state.ledger.failed[class].clone()?;
    Some((state.ledger.first_failed[class].unwrap_or(job), rejection))
}

/// Returns the class of a job; `None` for a job preempted in this cycle, which has left its class.
pub(super) fn class_of(state: &State, setup: &Setup, job: JobId) -> Option<ClassId> {
    setup.classes.by_job[job].filter(|_| state.ledger.preempted[job].is_none())
}

fn verdict_of(rejection: Option<&Rejection>) -> Verdict {
    match rejection {
        None => Verdict::Run,
        Some(rejection) if rejection.is_permanent => Verdict::Never,
        Some(_) => Verdict::NotNow,
    }
}

fn refused(job: JobId, choice: PathChoice, stage: RefusalStage, rejection: Arc<Rejection>) -> Outcome {
    Outcome {
        verdict: verdict_of(Some(&rejection)),
        would_use: Some(choice),
        refused_at: Some(stage),
        ..Outcome::not_considered(job, Some(rejection))
    }
}
