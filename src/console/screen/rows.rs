//! The rows of the queue: considered jobs in order, jobs that were not considered, running jobs; the last two below
//! headings, and among them jobs that left.

use crate::survey::WaitReasons;
use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{Outcome, Run, StepIx};
use qscope_explain::waiting_name;
use qscope_session::records::JobRecord;

/// A section of the queue; the sections follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueSection {
    /// Jobs in the order considered.
    Considered,
    /// Jobs that were not considered.
    NotConsidered,
    /// Jobs that ran before the cycle.
    Running,
}

impl QueueSection {
    pub(super) const ALL: [Self; 3] = [Self::Considered, Self::NotConsidered, Self::Running];
}

/// A row of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CycleRow {
    /// A job that was considered.
    Step(StepIx),
    /// A job that was not considered.
    NotConsidered(usize),
    /// A job that ran before the cycle.
    Running(JobId),
}

/// A line of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CycleLine {
    /// The heading over a part.
    Heading(QueueSection),
    /// A job of the snapshot. On other lines the cursor never stays: what a key does there would be about no job, or about
    /// one that is not there any more.
    Job(CycleRow),
    /// A job that left since the previous snapshot, in its old section; the index is that in the screen's list of such
    /// jobs.
    Departed(QueueSection, usize),
}

impl CycleLine {
    /// The row of its job, where that is in the snapshot.
    pub fn row(self) -> Option<CycleRow> {
        match self {
            Self::Job(row) => Some(row),
            Self::Heading(_) | Self::Departed(..) => None,
        }
    }

    /// The section of the row.
    pub fn section(self) -> QueueSection {
        match self {
            Self::Job(row) => row.section(),
            Self::Heading(section) | Self::Departed(section, _) => section,
        }
    }
}

impl CycleRow {
    /// The outcome of the row's job; a job that ran before has none.
    pub fn outcome(self, run: &Run) -> Option<&Outcome> {
        match self {
            Self::Step(step) => run.steps.checked(step).map(|step| &step.outcome),
            Self::NotConsidered(at) => run.not_considered.get(at),
            Self::Running(_) => None,
        }
    }

    /// Whether it is a heading.
    pub fn section(self) -> QueueSection {
        match self {
            Self::Step(_) => QueueSection::Considered,
            Self::NotConsidered(_) => QueueSection::NotConsidered,
            Self::Running(_) => QueueSection::Running,
        }
    }

    /// The row's job.
    pub fn job(self, run: &Run) -> Option<JobId> {
        match self {
            Self::Running(job) => Some(job),
            _ => self.outcome(run).map(|outcome| outcome.job),
        }
    }

    /// The full id of the row's job or subjob.
    pub fn name(self, run: &Run) -> Option<String> {
        match self {
            Self::Running(job) => Some(run.plan.snap.jobs.checked(job)?.name.to_string()),
            _ => self.outcome(run).map(|outcome| outcome.name(&run.plan.snap)),
        }
    }

    /// The short id that tables show; of an array that waits, with the subjobs that are left.
    pub(crate) fn short_name(self, run: &Run) -> Option<String> {
        let waits = |outcome: &&Outcome| outcome.subjob.is_none() && outcome.placed.is_none();
        match self.outcome(run).filter(waits).filter(|outcome| run.plan.job(outcome.job).is_array()) {
            Some(outcome) => Some(waiting_name(run, outcome.job)),
            None => Some(short_id(&self.name(run)?).to_owned()),
        }
    }

    /// The record of the row's job for filter and table.
    pub(crate) fn record(self, run: &Run) -> Option<JobRecord<'_>> {
        match self {
            Self::Running(job) => Some(JobRecord::running(run, job)),
            _ => self.outcome(run).map(|outcome| JobRecord::of(run, outcome)),
        }
    }

    /// The same with the analysed reason.
    pub(crate) fn record_knowing<'a>(self, run: &'a Run, reasons: &'a WaitReasons) -> Option<JobRecord<'a>> {
        let known = self.outcome(run).and_then(|outcome| reasons.get(&outcome.job));
        Some(self.record(run)?.with_reason(known.map(|reason| &**reason)))
    }

    /// The row of the job with that full id.
    pub fn named(run: &Run, name: &str) -> Option<Self> {
        let considered = run.steps.ids().map(Self::Step);
        let all =
            considered.chain((0..run.not_considered.len()).map(Self::NotConsidered)).chain(running(run));
        let named = all.into_iter().find(|row| match row {
            Self::Running(job) => run.plan.snap.jobs.checked(*job).is_some_and(|job| *job.name == *name),
            _ => row.outcome(run).is_some_and(|outcome| outcome.name_in(&run.plan.snap) == name),
        });
        // If nothing of an array waits, only its subjobs have rows: the first one represents it.
        let is_of_it = |row: &Self| {
            let outcome = row.outcome(run);
            outcome
                .is_some_and(|outcome| outcome.subjob.is_some() && *run.plan.job(outcome.job).name == *name)
        };
        named.or_else(|| run.steps.ids().map(Self::Step).find(is_of_it))
    }

    /// The first row of a cycle.
    pub(crate) fn first(run: &Run) -> Option<Self> {
        let mut others = (0..run.not_considered.len()).map(Self::NotConsidered);
        let step = run.steps.ids().next().map(Self::Step);
        step.or_else(|| others.find(|row| !is_shown_by_array(run, *row))).or_else(|| running(run).next())
    }
}

/// The jobs that ran before the cycle, in dump order.
pub(crate) fn running(run: &Run) -> impl Iterator<Item = CycleRow> {
    let jobs = run.plan.snap.jobs.enumerate().map(|(job, _)| job);
    jobs.filter(|job| run.runs_before(*job)).map(CycleRow::Running)
}

/// Whether the row's job is a subjob represented by its array: hundreds of them would hide the rest.
pub(crate) fn is_shown_by_array(run: &Run, row: CycleRow) -> bool {
    row.outcome(run).is_some_and(|outcome| run.plan.job(outcome.job).is_represented_by_array())
}
