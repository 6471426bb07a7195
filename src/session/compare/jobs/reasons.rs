//! Finds jobs that wait on both sides with the same comment but for a different cause. The comment shows the first
//! condition that the scheduler met; the queue shows what keeps a job waiting, with its numbers.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use qscope_engine::cluster::{JobId, Name};
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::{Survey, WaitReason};

use super::side::{JobSide, One};
use super::{JobChange, JobChangeKind};

/// Maximum number of waiting jobs that are analysed; with more, a cause represents a whole class.
const MAX_WAITING: usize = 300;

/// Causes by job, as far as analysed.
type Reasons = FxHashMap<JobId, Arc<WaitReason>>;

/// Returns the jobs with a different cause, except those that changed otherwise.
pub(in crate::compare) fn other_reasons(
    before: &Arc<Run>,
    after: &Arc<Run>,
    changed: &FxHashSet<Name>,
) -> Vec<JobChange> {
    let (Some(old), Some(new)) = (reasons(before), reasons(after)) else { return Vec::new() };
    let (before, after) = (JobSide::new(before), JobSide::new(after));
    let of = |one: &One<'_>| {
        let name = &one.job.name;
        let was = before.named(name).filter(|_| !changed.contains(name))?;
        change((was, old.get(&was.id())?), (one, new.get(&one.id())?))
    };
    after.jobs.iter().filter_map(of).collect()
}

/// Returns the causes of all waiting jobs; `None` if there are too many.
fn reasons(run: &Arc<Run>) -> Option<Reasons> {
    let waiting = run.outcomes().filter(|outcome| run.verdict(outcome) != Verdict::Run).count();
    if waiting > MAX_WAITING {
        return None;
    }
    let mut survey = Survey::new(run.clone());
    survey.go_on(&mut || true);
    Some(survey.reasons())
}

fn change((was, old): (&One<'_>, &WaitReason), (one, new): (&One<'_>, &WaitReason)) -> Option<JobChange> {
    let numbers = |reason: &WaitReason| reason.measure.as_ref().map(|measure| measure.text.clone());
    let kind = match (old.name == new.name, numbers(old) == numbers(new)) {
        (false, _) => JobChangeKind::Reason,
        (true, false) => JobChangeKind::Numbers,
        (true, true) => return None,
    };
    let stand = |one: &One<'_>, reason: &WaitReason| {
        let mut stand = one.stand();
        stand.reason = Some(reason.headline());
        Some(stand)
    };
    Some(JobChange {
        job: one.job.name.clone(),
        kind,
        before: stand(was, old),
        after: stand(one, new),
        altered: Vec::new(),
        since: None,
    })
}
