//! The lines of the queue: considered jobs in order, a gap, the jobs that were not considered.

use qscope_engine::cluster::JobState;
use qscope_engine::cycle::{Outcome, Run, StepIx};

/// A line of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Row {
    /// A job that was considered.
    Step(StepIx),
    /// Between those and the others.
    Gap,
    /// A job that was not considered.
    Other(usize),
}

impl Row {
    /// What became of the row's job.
    pub fn outcome(self, run: &Run) -> Option<&Outcome> {
        match self {
            Self::Step(step) => run.steps.checked(step).map(|step| &step.outcome),
            Self::Gap => None,
            Self::Other(at) => run.others.get(at),
        }
    }

    /// The row of the job of that name.
    pub fn named(run: &Run, name: &str) -> Option<Self> {
        let all = run.steps.ids().map(Self::Step).chain((0..run.others.len()).map(Self::Other));
        all.into_iter().find(|row| row.outcome(run).is_some_and(|o| o.name(&run.plan.snap) == name))
    }

    /// The first row of a cycle.
    pub(crate) fn first(run: &Run) -> Option<Self> {
        let mut others = (0..run.others.len()).map(Self::Other);
        let step = run.steps.ids().next().map(Self::Step);
        step.or_else(|| others.find(|row| !is_stood_for(run, *row)))
    }
}

/// Whether the row's job is a subjob for which its array is considered: hundreds of them would hide the rest.
pub(crate) fn is_stood_for(run: &Run, row: Row) -> bool {
    row.outcome(run).is_some_and(|outcome| {
        let job = run.plan.job(outcome.job);
        job.is_subjob() && matches!(job.state, JobState::Queued | JobState::Begun)
    })
}
