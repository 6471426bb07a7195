//! Why a job is not considered in a cycle (rule 6.2).

use crate::cluster::{Job, JobId, ResvId};
use crate::universe::{Plan, Reason, Rejection};

use super::time_windows::QueueClosure;

/// Why a job is not considered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Exclusion {
    /// An array whose subjobs have all been started.
    AllSubjobsStarted,
    /// A subjob: its array is considered instead.
    Subjob,
    /// Suspended by a user, not by the scheduler.
    SuspendedByUser,
    /// Its owner, an operator or the system holds it.
    Held,
    /// Its execution time has not come yet.
    ExecutionTime,
    /// In transit to another queue.
    InTransit,
    /// In another state in which jobs are not considered.
    OtherState,
    /// Its request is unusable; [`Plan::requests`] has the text.
    UnusableRequest {
        /// Whether the scheduler writes the text into the job's comment.
        is_written: bool,
    },
    /// Its queue is not in the dump.
    QueueUnknown,
    /// Its queue is a routing queue.
    RoutingQueue,
    /// Another scheduler serves its queue.
    OtherScheduler,
    /// Its queue is not started.
    QueueStopped,
    /// Prime or dedicated time closes its queue.
    Window {
        /// Why it is closed.
        closed: QueueClosure,
        /// Whether the queue is a dedicated-time queue.
        is_dedicated: bool,
    },
    /// Its fair share entity has no shares.
    NoShares,
    /// Its formula value is not above the threshold.
    UnderThreshold {
        /// The value in single precision, as the scheduler keeps it.
        value: f32,
    },
    /// An operator started another job alone (qrun).
    BehindQrun,
    /// The cycle ended because this reservation was confirmed.
    CycleEnded(ResvId),
    /// Another job of its runone dependency started.
    RivalStarted,
    /// The cycle had considered as many jobs as `max_job_check` allows.
    CheckLimit,
    /// The cycle was stopped because this job was started and preempted again and again.
    NoEnd(JobId),
}

impl Exclusion {
    /// Whether it is the state of the job, or its queue.
    pub fn is_state_or_queue(self) -> bool {
        match self {
            Self::AllSubjobsStarted
            | Self::Subjob
            | Self::SuspendedByUser
            | Self::Held
            | Self::ExecutionTime
            | Self::InTransit
            | Self::OtherState
            | Self::QueueUnknown
            | Self::RoutingQueue
            | Self::OtherScheduler
            | Self::QueueStopped
            | Self::Window { .. } => true,
            Self::UnusableRequest { .. }
            | Self::NoShares
            | Self::UnderThreshold { .. }
            | Self::BehindQrun
            | Self::CycleEnded(_)
            | Self::RivalStarted
            | Self::CheckLimit
            | Self::NoEnd(_) => false,
        }
    }

    /// Returns the reason that the scheduler writes for the job, if it writes one.
    pub fn rejection(self, plan: &Plan, job: JobId) -> Option<Rejection> {
        let reason = match self {
            Self::UnusableRequest { is_written: true } => {
                Reason::Invalid((*plan.requests[job].as_ref().err()?).into())
            }
            Self::QueueStopped => Reason::QueueNotStarted,
            Self::Window { closed, .. } => closed.reason(),
            Self::NoShares => return Some(Reason::NoShares.never()),
            Self::UnderThreshold { .. } => Reason::UnderThreshold,
            _ => return None,
        };
        Some(reason.not_now())
    }

    /// Describes the reason in words.
    pub fn words(self, plan: &Plan, id: JobId) -> String {
        let job = plan.job(id);
        let queue = &job.queue;
        match self {
            Self::AllSubjobsStarted => "all its subjobs have been started".to_owned(),
            Self::Subjob => "its array is considered instead".to_owned(),
            Self::SuspendedByUser => "it was suspended by a user".to_owned(),
            Self::Held => held_words(job),
            Self::ExecutionTime => "it waits for its execution time".to_owned(),
            Self::InTransit => "it is on its way to another queue".to_owned(),
            Self::OtherState => format!("its state is {}", job.state.letter()),
            Self::UnusableRequest { is_written } => unusable_words(plan, id, is_written),
            Self::QueueUnknown => format!("its queue {queue} is unknown"),
            Self::RoutingQueue => format!("{queue} is a routing queue"),
            Self::OtherScheduler => format!("queue {queue} belongs to another scheduler"),
            Self::QueueStopped => format!("queue {queue} is stopped"),
            Self::Window { closed, is_dedicated } => window_words(closed, is_dedicated, queue),
            Self::NoShares => "its fair share entity has no shares".to_owned(),
            Self::UnderThreshold { value } => {
                let threshold = plan.snap.scheduler.formula_threshold.unwrap_or_default();
                format!("its formula value {value} is not above the threshold {threshold}")
            }
            Self::BehindQrun => match plan.snap.qrun {
                Some(qrun) => format!("an operator started {} alone (qrun)", plan.job(qrun).name),
                None => "an operator started another job alone (qrun)".to_owned(),
            },
            Self::CycleEnded(resv) => {
                format!("the cycle ended: reservation {} was confirmed", plan.snap.reservations[resv].name)
            }
            Self::RivalStarted => "another job of its runone dependency started".to_owned(),
            Self::CheckLimit => {
                let most = plan.snap.policy.max_job_check.unwrap_or_default();
                format!("the cycle ended: max_job_check admits {most} considerations of jobs")
            }
            Self::NoEnd(again) => {
                let again = plan.job(again).short_name();
                format!("the cycle has no end: {again} starts and is preempted again and again")
            }
        }
    }
}

fn unusable_words(plan: &Plan, id: JobId, is_written: bool) -> String {
    let text = plan.requests[id].as_ref().err().copied().unwrap_or_default();
    if is_written { text.to_owned() } else { format!("the scheduler ignores it this cycle: {text}") }
}

fn window_words(closed: QueueClosure, is_dedicated: bool, queue: &str) -> String {
    match closed {
        QueueClosure::PrimeOnly => format!("queue {queue} runs in prime time only"),
        QueueClosure::NonPrimeOnly => format!("queue {queue} runs outside prime time only"),
        QueueClosure::DedicatedConflict if is_dedicated => {
            format!("queue {queue} runs in dedicated time only")
        }
        QueueClosure::DedicatedConflict => format!("it is dedicated time, and queue {queue} is not for it"),
    }
}

/// Describes a hold; that of the system with the dependency it may stand for.
fn held_words(job: &Job) -> String {
    let by = hold_text(&job.holds);
    match job.depend.as_deref().filter(|_| job.holds.contains('s')) {
        Some(depend) => format!("it is held ({by}; depend={})", depend.trim()),
        None => format!("it is held ({by})"),
    }
}

/// Describes hold letters in words.
fn hold_text(letters: &str) -> String {
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
