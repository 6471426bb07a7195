//! What the cycle does to jobs that run or are suspended, in words.

use qscope_engine::cluster::{JobId, Snapshot};
use qscope_engine::cycle::ServerAction;
use qscope_engine::universe::PreemptMethod;

/// `job 1 is preempted: suspended` of one action.
pub(super) fn line(snap: &Snapshot, action: ServerAction) -> String {
    let name = |job: JobId| snap.jobs[job].short_name();
    match action {
        ServerAction::Preempt(job, method) => {
            let how = match method {
                PreemptMethod::Checkpoint => "checkpointed and requeued",
                method => method.word(),
            };
            format!("job {} is preempted: {how}", name(job))
        }
        ServerAction::Resume(job) => format!("job {} is resumed", name(job)),
        ServerAction::ExtendSoft(job, length) => {
            format!("job {}: its soft walltime has passed, and is extended to {length}", name(job))
        }
    }
}
