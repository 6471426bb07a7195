//! Which jobs a cycle considers (rule 6.2).

use crate::cluster::{Job, JobId, JobState, Period, QueueKind, Substate};
use crate::universe::{NEGATIVE, Plan, Reason, Rejection, TOO_MANY_PARTS};

use super::setup::Setup;
use super::time_windows::WindowRefusal;

/// How a job stands at the start of the cycle.
#[derive(Clone, PartialEq, Debug)]
pub enum Eligibility {
    /// It runs, or is about to end: it only counts.
    Running,
    Considered,
    /// It is not; with the reason that the scheduler writes, if it writes one, and ours in words.
    Out(Option<Rejection>, String),
}

pub(crate) fn standing(plan: &Plan, setup: &Setup, id: JobId) -> Eligibility {
    let job = plan.job(id);
    if matches!(job.state, JobState::Running | JobState::Exiting) {
        return Eligibility::Running;
    }
    if let Some(why) = not_runnable(job) {
        return Eligibility::Out(None, why);
    }
    if let Err(text @ (NEGATIVE | TOO_MANY_PARTS)) = &plan.requests[id] {
        return Eligibility::Out(Some(Reason::Invalid((*text).into()).not_now()), (*text).to_owned());
    }
    if let Err(text) = &plan.requests[id] {
        return Eligibility::Out(None, format!("the scheduler ignores it this cycle: {text}"));
    }
    if let Some((reason, why)) = queue_closed(plan, id) {
        return Eligibility::Out(reason.map(Reason::not_now), why);
    }
    if plan.snap.qrun != Some(id)
        && let Some((reason, why)) = window_closed(plan, setup, id)
    {
        return Eligibility::Out(Some(reason.not_now()), why);
    }
    Eligibility::Considered
}

/// Whether the queue of a job runs jobs in this cycle. One that did not when jobs were read stays closed to its own jobs
/// that were preempted (rule M20).
pub(crate) fn is_queue_open(plan: &Plan, setup: &Setup, id: JobId) -> bool {
    queue_closed(plan, id).is_none() && window_closed(plan, setup, id).is_none()
}

/// Why the time of day keeps the queue of a job out (rule 6.2; dedicated time, then prime time).
fn window_closed(plan: &Plan, setup: &Setup, id: JobId) -> Option<(Reason, String)> {
    let window = setup.window(plan, id)?;
    let queue = &plan.job(id).queue;
    let refusal = setup.windows.queue_open(window, plan.snap.now).err()?;
    let why = match refusal {
        WindowRefusal::PrimeOnly => format!("queue {queue} runs in prime time only"),
        WindowRefusal::NonPrimeOnly => format!("queue {queue} runs outside prime time only"),
        _ if window.dedicated => format!("queue {queue} runs in dedicated time only"),
        _ => format!("it is dedicated time, and queue {queue} is not for it"),
    };
    Some((reason_of(refusal), why))
}

/// The scheduler's reason for a refusal by time.
pub(super) fn reason_of(refusal: WindowRefusal) -> Reason {
    match refusal {
        WindowRefusal::DedicatedConflict => Reason::DedicatedTime,
        WindowRefusal::PrimeOnly => Reason::PrimeOnly,
        WindowRefusal::NonPrimeOnly => Reason::NonPrimeOnly,
        WindowRefusal::CrossesDedicated(_) => Reason::CrossDedicated,
        WindowRefusal::CrossesPrime { into, .. } => Reason::CrossPrime { into_prime: into == Period::Prime },
    }
}

/// Why the state of a job keeps it out, in words.
fn not_runnable(job: &Job) -> Option<String> {
    let array = job.array.as_ref();
    if array.is_some_and(|array| array.is_parent && array.remaining.is_empty()) {
        return Some("all its subjobs have been started".to_owned());
    }
    if job.is_subjob() && job.state != JobState::Suspended {
        return Some("its array is considered instead".to_owned());
    }
    match job.state {
        JobState::Queued => None,
        JobState::Begun if job.is_array() => None,
        JobState::Suspended if job.substate == Substate::SCHED_SUSPENDED => None,
        JobState::Suspended | JobState::UserSuspended => Some("it was suspended by a user".to_owned()),
        JobState::Held => Some(format!("it is held ({})", hold_words(&job.holds))),
        JobState::Waiting => Some("it waits for its execution time".to_owned()),
        JobState::Transit => Some("it is on its way to another queue".to_owned()),
        other => Some(format!("its state is {}", other.letter())),
    }
}

/// Hold letters in words.
fn hold_words(letters: &str) -> String {
    let words: Vec<&str> = letters
        .chars()
        .filter_map(|letter| match letter {
            'u' => Some("by its user"),
            'o' => Some("by an operator"),
            's' => Some("by the system"),
            'p' => Some("by a bad password"),
            _ => None,
        })
        .collect();
    if words.is_empty() { "by an unknown user".to_owned() } else { words.join(", ") }
}

/// Why the queue of a job keeps it out.
fn queue_closed(plan: &Plan, id: JobId) -> Option<(Option<Reason>, String)> {
    let snap = &plan.snap;
    let Some(queue) = plan.queue_of(id) else {
        return Some((None, format!("its queue {} is unknown", plan.job(id).queue)));
    };
    let queue = &snap.queues[queue];
    if queue.kind == QueueKind::Route {
        return Some((None, format!("{} is a routing queue", queue.name)));
    }
    let partitions = &snap.scheduler.partitions;
    let is_others = match &queue.partition {
        Some(partition) => !partitions.contains(partition),
        // The default scheduler's; a reservation brings its own partition.
        None => !partitions.is_empty() && plan.reservation_of(id).is_none(),
    };
    if is_others {
        return Some((None, format!("queue {} belongs to another scheduler", queue.name)));
    }
    if !queue.started && plan.snap.qrun != Some(id) {
        return Some((Some(Reason::QueueNotStarted), format!("queue {} is stopped", queue.name)));
    }
    None
}
