//! Names of what a cycle leaves of an array: `67[2-5]`.

use rustc_hash::FxHashSet;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;

use crate::words::folded_within;

/// Maximum width in columns of the remaining subjobs of an array, in a table and in a list.
const IN_TABLE: usize = 12;
const IN_LIST: usize = 24;

/// Returns the indices of the subjobs that a cycle does not start, in order.
pub fn left_of_array(run: &Run, job: JobId) -> Vec<u32> {
    left_of_array_after(run, job, usize::MAX)
}

/// Like [`left_of_array`], after the first `steps` steps.
fn left_of_array_after(run: &Run, job: JobId, steps: usize) -> Vec<u32> {
    let Some(array) = &run.plan.job(job).array else { return Vec::new() };
    if subjobs_started(run, job) == 0 {
        return array.remaining.clone();
    }
    let started: FxHashSet<u32> = started_of_array(run, job, steps).collect();
    array.remaining.iter().copied().filter(|index| !started.contains(index)).collect()
}

/// Returns the indices of the subjobs of an array that the first `steps` steps start.
fn started_of_array(run: &Run, job: JobId, steps: usize) -> impl Iterator<Item = u32> {
    let of_job = run.steps.iter().take(steps).map(|step| &step.outcome);
    of_job.filter(move |outcome| outcome.job == job && run.is_start(outcome)).filter_map(|one| one.subjob)
}

/// Returns how many subjobs of an array the cycle starts, without those that the server refuses.
pub(super) fn subjobs_started(run: &Run, job: JobId) -> usize {
    run.end_at_server().ledger.started.checked(job).map_or(0, |started| *started as usize)
}

/// Names a waiting job by its short id, an array by the subjobs that the cycle leaves.
pub fn waiting_name(run: &Run, job: JobId) -> String {
    named(run, job, &left_of_array(run, job), IN_TABLE)
}

/// Like [`waiting_name`], after the first `steps` steps and with the width for lists.
pub fn waiting_name_after(run: &Run, job: JobId, steps: usize) -> String {
    named(run, job, &left_of_array_after(run, job, steps), IN_LIST)
}

/// Names a job started within the first `steps` steps, an array by its subjobs started so far, with the width for
/// lists.
pub fn started_name_after(run: &Run, job: JobId, steps: usize) -> String {
    named(run, job, &started_of_array(run, job, steps).collect::<Vec<_>>(), IN_LIST)
}

/// Names subjobs of an array by their indices; any other job, or an array without such subjobs, by its short id.
fn named(run: &Run, job: JobId, indices: &[u32], columns: usize) -> String {
    if !run.plan.job(job).is_array() {
        return run.plan.job(job).short_name().to_owned();
    }
    let short = run.plan.job(job).short_name();
    let names: Vec<String> = indices.iter().map(|index| short.replace("[]", &format!("[{index}]"))).collect();
    match names.is_empty() {
        true => short.to_owned(),
        false => folded_within(names.iter().map(String::as_str), columns),
    }
}

/// Names the job with a full id as [`waiting_name`] does; an id without a job by its short form.
pub fn waiting_name_of(run: &Run, id: &str) -> String {
    let job = run.plan.snap.job_named(id);
    job.map_or_else(|| qscope_engine::cluster::short_id(id).to_owned(), |job| waiting_name(run, job))
}
