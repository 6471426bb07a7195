//! Causes in the state of the job and its queue: holds, dependencies, start times, closed queues.

mod held;

use crate::running::preempted_for;
use crate::{Cause, Tier, words};
use qscope_engine::cluster::{
    Epoch, Job, JobId, JobState, Name, QueueKind, SettingLocation, Substate, short_id,
};
use qscope_engine::cycle::fairshare::entity_of;
use qscope_engine::cycle::time_windows::{QueueClosure, dedicated_line};
use qscope_engine::cycle::{Eligibility, Exclusion, Run};
use qscope_engine::universe::{NEGATIVE, TOO_MANY_PARTS};

pub(crate) use held::depends_on_unknown_job;
use held::held_cause;

/// Returns all causes in the state of a job and its queue.
pub(super) fn causes(run: &Run, job: JobId) -> Vec<Cause> {
    let mut found = Vec::new();
    found.extend(state_of(run, job));
    found.extend(request_of(run, job));
    found.extend(queue_of(run, job));
    found.extend(ineligible(run, job, &found));
    found
}

/// Returns the cause in the job state: held, waiting, suspended by a user, in transit.
fn state_of(run: &Run, id: JobId) -> Option<Cause> {
    let snap = &run.plan.snap;
    let job = run.plan.job(id);
    let name = job.short_name();
    let does = |kind, predicate| Some(Cause::of_job(Tier::NotEligible, kind, name, predicate));
    let is = |kind, what| Some(Cause::of_job_that_is(Tier::NotEligible, kind, name, what));
    if job.is_subjob() && !matches!(job.state, JobState::Suspended) {
        let array = job.array.as_ref().and_then(|array| array.parent.clone()).unwrap_or_default();
        let cause = is("subjob", format!("a subjob: its array {array} is considered instead"));
        return cause.map(|cause| cause.with_objects([array.to_string()]));
    }
    match job.state {
        JobState::Queued | JobState::Begun => None,
        JobState::Suspended if job.substate == Substate::SCHED_SUSPENDED => None,
        JobState::Suspended | JobState::UserSuspended => {
            does("suspended", "was suspended by a user: needs to be resumed".to_owned())
        }
        JobState::Held => Some(held_cause(run, job)),
        JobState::Waiting => {
            let when = job.execution_time.map(|at| words::moment(snap, at));
            let when = when.unwrap_or_else(|| "a time that no dump shows".to_owned());
            does("waiting", format!("may not start before {when}"))
        }
        JobState::Transit => is("transit", "on its way to another queue".to_owned()),
        JobState::Running => preempted(run, id),
        other => is("state", format!("in state {}: it does not wait to run", other.letter())),
    }
}

/// Returns the cause of a running job that this cycle preempts for another.
fn preempted(run: &Run, id: JobId) -> Option<Cause> {
    let snap = &run.plan.snap;
    let (by, method) = preempted_for(run, id)?;
    let how = method.word();
    let by_name = snap.jobs[by].short_name();
    let predicate = format!("runs until this cycle, in which it is {how} to make room for {by_name}");
    let cause = Cause::of_job(Tier::Order, "preempted", snap.jobs[id].short_name(), predicate)
        .with_short_sentence(format!("{how} for {by_name}"));
    Some(cause.with_objects([snap.jobs[by].name.to_string()]))
}

/// Returns the cause of an unusable request: the scheduler ignores the job in every cycle.
fn request_of(run: &Run, id: JobId) -> Option<Cause> {
    let plan = &run.plan;
    let text = plan.requests[id].as_ref().err()?;
    let job = plan.job(id);
    let name = job.short_name();
    // The select is read before the place.
    let is_of_place = job.select.is_some() && job.place.is_none();
    let select = job.select.iter().filter(|_| !is_of_place);
    let unknown: Vec<String> = select
        .flat_map(|select| select.chunks.iter())
        .flat_map(|chunk| &chunk.requests)
        .filter(|request| {
            plan.snap
                .catalogue
                .id(&request.resource)
                .is_none_or(|id| !plan.enforced.is_enforced(&plan.snap.catalogue, id))
        })
        .map(|request| request.resource.to_string())
        .collect();
    let what = match (unknown.is_empty(), &job.select) {
        _ if *text == NEGATIVE => "a chunk of it requests a negative amount".to_owned(),
        _ if *text == TOO_MANY_PARTS => "equal chunks can be written with a count".to_owned(),
        _ if is_of_place => "its place cannot be read (expected words such as scatter:excl)".to_owned(),
        (_, None) => "its select cannot be read (names of resources are written in small letters)".to_owned(),
        (false, _) => {
            format!("the scheduler does not know or does not use {}", words::first_names(&unknown, 4))
        }
        _ => "a value in it is not of its resource's kind".to_owned(),
    };
    let why = format!("\"{text}\"; {what}");
    let cause = Cause::new(Tier::Never, "invalid", format!("{name} can never run as it is: {why}"));
    Some(Cause { beside: Some(why), ..cause }.with_objects(unknown))
}

/// Returns the cause in the queue: unknown, routing only, served by another scheduler, stopped.
fn queue_of(run: &Run, id: JobId) -> Option<Cause> {
    let snap = &run.plan.snap;
    let job = run.plan.job(id);
    let name = job.short_name();
    let is = |tier, kind, what| {
        Some(Cause::of_job_that_is(tier, kind, name, what).with_objects([job.queue.to_string()]))
    };
    let Some(queue) = snap.queue_named(&job.queue) else {
        let what = format!("in queue {}, which is in no dump", job.queue);
        return is(Tier::NotEligible, "queue-unknown", what);
    };
    let queue = &snap.queues[queue];
    let queue_name = &queue.name;
    if queue.kind == QueueKind::Route {
        let tier = if queue.started { Tier::NotEligible } else { Tier::Stopped };
        let what = match queue.started {
            true => format!(
                "in {queue_name}, a routing queue: not considered until an execution queue accepts it"
            ),
            false => format!(
                "in {queue_name}, a routing queue that is stopped (started=False): it routes nothing until it is started"
            ),
        };
        let note = "a destination may be disabled or full (max_queued), or refuse an array that is larger than what it accepts";
        return is(tier, "routing", what).map(|cause| cause.note(note.to_owned()));
    }
    if let Some(partition) = partition_elsewhere(run, id) {
        let what = format!("in queue {queue_name} of partition {partition}, which another scheduler serves");
        return is(Tier::NotEligible, "partition", what);
    }
    if queue.started {
        return None;
    }
    if let Some(resv) =
        snap.reservations.iter().find(|r| r.queue.as_ref() == Some(queue_name) && !r.is_running())
    {
        let when = resv.start.map_or("its time".to_owned(), |at| words::moment(snap, at));
        let what =
            format!("in reservation {}, whose queue {queue_name} opens at {when}", short_id(&resv.name));
        return is(Tier::Stopped, "reservation-ahead", what)
            .map(|cause| cause.with_objects([resv.name.to_string()]));
    }
    let enabled =
        if queue.enabled { "it still accepts jobs" } else { "it accepts no jobs either (enabled=False)" };
    let sentence = format!(
        "queue {queue_name} is stopped (started=False): none of its jobs runs until it is started; {enabled}"
    );
    Some(Cause::new(Tier::Stopped, "queue-stopped", sentence).with_objects([job.queue.to_string()]))
}

/// Returns the partition of a job's queue, if another scheduler serves it.
pub(crate) fn partition_elsewhere(run: &Run, job: JobId) -> Option<&Name> {
    let snap = &run.plan.snap;
    let queue = &snap.queues[snap.queue_named(&run.plan.job(job).queue)?];
    let partition = queue.partition.as_ref().filter(|_| queue.kind == QueueKind::Execution)?;
    (!snap.scheduler.partitions.contains(partition)).then_some(partition)
}

/// Returns what the cycle found when it read the jobs, if no other cause covers it: shares, thresholds, time windows,
/// runone dependencies, a cycle that ended.
fn ineligible(run: &Run, id: JobId, found: &[Cause]) -> Option<Cause> {
    let Eligibility::Excluded(excluded) = run.eligibility[id] else { return None };
    let why = excluded.words(&run.plan, id);
    let job = run.plan.job(id);
    let name = job.short_name();
    match excluded {
        Exclusion::NoShares => Some(no_shares(run, job)),
        Exclusion::UnderThreshold { value } => {
            let what = format!("held back by job_sort_formula_threshold: {why}");
            let threshold = run.plan.snap.scheduler.formula_threshold.unwrap_or_default();
            let cause = Cause::of_job_that_is(Tier::NotEligible, "under-threshold", name, what)
                .with_short_sentence(format!("formula value {value}, threshold {threshold}"));
            Some(cause.with_objects(["job_sort_formula_threshold".to_owned()]))
        }
        Exclusion::Window { closed, is_dedicated } => Some(time_window(run, job, &why, closed, is_dedicated)),
        Exclusion::QueueStopped | Exclusion::UnusableRequest { is_written: true } => None,
        _ if !found.is_empty() => None,
        _ => {
            let confirmed = match excluded {
                Exclusion::CycleEnded(reservation) => {
                    vec![run.plan.snap.reservations[reservation].name.to_string()]
                }
                _ => Vec::new(),
            };
            let what = format!("not considered: {why}");
            let cause = Cause::of_job_that_is(Tier::NotConsidered, "not-considered", name, what);
            // The name of the reason states the rest.
            Some(Cause { beside: Some(why), ..cause }.with_objects(confirmed))
        }
    }
}

fn no_shares(run: &Run, job: &Job) -> Cause {
    let entity = entity_of(job, &run.plan.snap.policy.fairshare.entity);
    let entity = entity.map(|entity| entity.to_string()).unwrap_or_default();
    let name = job.short_name();
    let sentence = format!("0 shares: {entity} has none in the fair share tree, so {name} never runs");
    let note = "until it gets shares in resource_group".to_owned();
    Cause::new(Tier::Never, "no-shares", sentence).with_objects([entity]).number("shares", 0).note(note)
}

fn time_window(run: &Run, job: &Job, why: &str, closed: QueueClosure, is_dedicated: bool) -> Cause {
    let snap = &run.plan.snap;
    let (opens, lines, option) = made_by(run, closed, is_dedicated);
    let next = match opens {
        Some(at) => format!("that changes at {}", words::moment(snap, at)),
        None if is_dedicated => "no dedicated time is to come".to_owned(),
        None => "no such time is to come".to_owned(),
    };
    let predicate = format!("waits for its time of day: {why}; {next}");
    Cause::of_job(Tier::Calendar, "time-window", job.short_name(), predicate)
        .with_objects([job.queue.to_string()])
        .made_at(lines)
        .set_by([option.to_owned()])
}

/// Returns when a queue closed by prime or dedicated time opens, `None` if never; the lines of the period that closes it or
/// that it waits for; and the option that ties the queue to it.
fn made_by(
    run: &Run,
    closed: QueueClosure,
    is_dedicated: bool,
) -> (Option<Epoch>, Vec<SettingLocation>, &'static str) {
    let (windows, snap) = (&run.setup.windows, &run.plan.snap);
    let of_day = |option| (windows.prime.next_change(snap.now), windows.period_lines(snap, snap.now), option);
    match closed {
        QueueClosure::DedicatedConflict => {
            let dedicated = &windows.dedicated;
            let slot =
                if is_dedicated { dedicated.next_after(snap.now) } else { dedicated.slot_at(snap.now) };
            let opens = slot.map(|slot| if is_dedicated { slot.from } else { slot.to });
            let line = slot.and_then(|slot| dedicated_line(snap, slot));
            (opens, line.into_iter().collect(), "dedicated_prefix")
        }
        QueueClosure::PrimeOnly => of_day("primetime_prefix"),
        QueueClosure::NonPrimeOnly => of_day("nonprimetime_prefix"),
    }
}
