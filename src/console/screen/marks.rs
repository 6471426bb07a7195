//! Marked places in the cycle, by letter.

use std::collections::BTreeMap;

use super::{CycleRow, Screen};
use qscope_engine::cluster::Id;
use qscope_engine::cycle::Run;

/// A marked place in the cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CycleMark {
    /// The position; `None` in a cycle that does not consider the job.
    pub(crate) position: Option<usize>,
    /// The full id of the job considered last, which is valid in other snapshots too.
    job: Option<String>,
    /// The selected job.
    pub(crate) subject: Option<String>,
}

/// Marks by letter.
pub(crate) type CycleMarks = BTreeMap<char, CycleMark>;

/// The mark of the place before the last jump.
pub(crate) const BEFORE: char = '\'';

impl Screen {
    pub(crate) fn mark(&self) -> CycleMark {
        let last = self.debugger.last_step();
        let job = last.map(|step| step.outcome.name(&self.generation.snapshot));
        CycleMark { position: Some(self.debugger.position()), job, subject: self.subject_name() }
    }
}

/// Maps marks to another cycle: each is after the same job, wherever that is now.
pub(crate) fn take_over(marks: &mut CycleMarks, run: &Run) {
    for mark in marks.values_mut() {
        mark.position = match mark.job.as_ref().map(|job| CycleRow::named(run, job)) {
            None => Some(0),
            Some(Some(CycleRow::Step(step))) => Some(step.ix() + 1),
            Some(_) => None,
        };
    }
}
