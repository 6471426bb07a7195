//! The analysed causes of the waiting jobs of two cycles. The scheduler's comment has the first condition that it met;
//! the queue shows what keeps a job, with its numbers, and a difference has the same words.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::{Survey, WaitReason};

use crate::agreement::Class;

/// If more jobs wait, they are not analysed one by one, and a cause is that of a whole class.
const MAX_WAITING: usize = 300;

/// Causes by job.
pub(super) type Reasons = FxHashMap<JobId, Arc<WaitReason>>;

/// The causes of all waiting jobs of both sides.
#[derive(Debug, Default)]
pub(in crate::compare) struct BothReasons {
    pub(super) before: Reasons,
    pub(super) after: Reasons,
}

impl BothReasons {
    /// Analyses the waiting jobs of two cycles; `None` if they are very many.
    pub(in crate::compare) fn of(before: &Arc<Run>, after: &Arc<Run>) -> Option<Self> {
        Some(Self { before: reasons(before)?, after: reasons(after)? })
    }
}

fn reasons(run: &Arc<Run>) -> Option<Reasons> {
    let waiting = run.outcomes().filter(|outcome| run.verdict(outcome) != Verdict::Run).count();
    if waiting > MAX_WAITING {
        return None;
    }
    let mut survey = Survey::new(run.clone());
    survey.go_on(&mut || true);
    Some(survey.reasons())
}

/// Compares two causes of a job by their names and numbers.
pub(super) fn class(before: &WaitReason, after: &WaitReason) -> Class {
    let numbers = |reason: &WaitReason| reason.measure.as_ref().map(|measure| measure.text.clone());
    match (before.name == after.name, numbers(before) == numbers(after)) {
        (false, _) => Class::Different,
        (true, false) => Class::OtherNumbers,
        (true, true) => Class::Equal,
    }
}
