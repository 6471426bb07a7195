//! What the cycle does to jobs that run or are suspended, in words.

use qscope_engine::cluster::{JobId, Snapshot};
use qscope_engine::cycle::Action;
use qscope_engine::universe::PreemptMethod;

/// `job 1 is preempted: suspended` of one action.
pub(super) fn line(snap: &Snapshot, action: Action) -> String {
    let name = |job: JobId| snap.jobs[job].short_name();
    match action {
        Action::Preempt(job, method) => {
            let how = match method {
                PreemptMethod::Suspend => "suspended",
                PreemptMethod::Checkpoint => "checkpointed and requeued",
                PreemptMethod::Requeue => "requeued",
                PreemptMethod::Delete => "deleted",
            };
            format!("job {} is preempted: {how}", name(job))
        }
        Action::Resume(job) => format!("job {} is resumed", name(job)),
        Action::ExtendSoft(job, length) => {
            format!("job {}: its soft walltime has passed, and is extended to {length}", name(job))
        }
    }
}
