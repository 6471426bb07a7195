//! Other jobs with the same request in the same queue, by their fate in the cycle.

use std::collections::BTreeMap;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::{Run, Verdict};
use qscope_engine::universe::JobRequest;

use crate::decided;

/// The fate of a job in the cycle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum JobFate {
    /// It was running before the cycle.
    Running,
    /// It starts in the cycle.
    Starts,
    Waiting,
    Never,
    /// It was not considered.
    Skipped,
}

impl JobFate {
    /// The word used in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "runs",
            Self::Starts => "starts now",
            Self::Waiting => "waits",
            Self::Never => "never",
            Self::Skipped => "skipped",
        }
    }
}

/// Returns the other jobs in the queue with the same select, place and walltime, in the order of the dump. An array
/// counts once, as the waiting job; running subjobs count separately.
pub fn same_request(run: &Run, job: JobId) -> BTreeMap<JobFate, Vec<JobId>> {
    let (plan, mut found) = (&run.plan, BTreeMap::<JobFate, Vec<JobId>>::new());
    let Ok(request) = &plan.requests[job] else { return found };
    let queue = &plan.job(job).queue;
    let parent = |id: JobId| plan.job(id).array.as_ref().and_then(|array| array.parent.as_ref());
    for (other, of) in plan.snap.jobs.enumerate() {
        let is_other = other != job && of.queue == *queue && !of.state.is_over();
        let is_same = || plan.requests[other].as_ref().is_ok_and(|other| is_equal(request, other));
        // An array and its own subjobs have the same request by definition.
        let is_of_it = || parent(other) == Some(&plan.job(job).name) || parent(job) == Some(&of.name);
        if !is_other || of.is_represented_by_array() || !is_same() || is_of_it() {
            continue;
        }
        let fate = match decided(run, other) {
            _ if run.runs_before(other) => JobFate::Running,
            Some(outcome) => match run.verdict(outcome) {
                Verdict::Run => JobFate::Starts,
                Verdict::NotNow => JobFate::Waiting,
                Verdict::Never => JobFate::Never,
                Verdict::NotConsidered => JobFate::Skipped,
            },
            None => continue,
        };
        found.entry(fate).or_default().push(other);
    }
    found
}

/// Whether two jobs request the same chunks, placement and walltime.
fn is_equal(one: &JobRequest, other: &JobRequest) -> bool {
    let chunks = |request: &JobRequest| -> Vec<_> {
        request.specs.iter().map(|spec| (spec.count, spec.shape)).collect()
    };
    let rest = |request: &JobRequest| (request.place.clone(), request.duration, request.hard_duration);
    let same_chunks = || std::sync::Arc::ptr_eq(&one.specs, &other.specs) || chunks(one) == chunks(other);
    rest(one) == rest(other) && same_chunks()
}
