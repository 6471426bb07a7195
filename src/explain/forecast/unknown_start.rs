//! Starts that no dump shows, so that running the cycle forward cannot find them either.

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;

use crate::cause::{depends_on_unknown_job, partition_elsewhere, state_cause};

/// States why the start of a job is not known, whatever the cycle does: another scheduler decides, or neither its start
/// time nor the job that it depends on is in a dump. `None` if the dumps show what it waits for.
pub fn unknown_start(run: &Run, job: JobId) -> Option<String> {
    let cause = state_cause(run, job)?;
    match cause.kind {
        "partition" => {
            let partition = partition_elsewhere(run, job)?;
            Some(format!("not known to this model: the scheduler of partition {partition} decides"))
        }
        "waiting" if run.plan.job(job).execution_time.is_none() => {
            Some("not before its start time, which no dump shows".to_owned())
        }
        "dependency" if depends_on_unknown_job(run, job) => Some(after_dependency(&cause.notes)),
        _ => None,
    }
}

/// States that a job starts only after its dependency, with what is known of the jobs named.
pub(super) fn after_dependency(notes: &[String]) -> String {
    let first = std::iter::once("not before its dependency is met");
    first.chain(notes.iter().map(String::as_str)).collect::<Vec<_>>().join(" · ")
}
