//! The lines of the queue: considered jobs in order, a gap, the jobs that were not considered.

use crate::filter::Filter;
use crate::widgets::text::{clean, width};
use crate::wording;
use qscope_engine::cluster::JobState;
use qscope_engine::cycle::{Eligibility, Outcome, Run, Stage, StepIx};
use qscope_session::records::JobRecord;

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
    #[must_use]
    pub fn outcome(self, run: &Run) -> Option<&Outcome> {
        match self {
            Self::Step(step) => run.steps.checked(step).map(|step| &step.outcome),
            Self::Gap => None,
            Self::Other(at) => run.others.get(at),
        }
    }

    /// The row of the job of that name.
    #[must_use]
    pub fn named(run: &Run, name: &str) -> Option<Self> {
        let all = run.steps.ids().map(Self::Step).chain((0..run.others.len()).map(Self::Other));
        all.into_iter().find(|row| row.outcome(run).is_some_and(|o| o.name(&run.plan.snap) == name))
    }
}

/// How wide the names of a queue are, within what a column may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Places in the order.
    pub order: u16,
    /// Job ids.
    pub job: u16,
    /// Users.
    pub user: u16,
    /// Queues.
    pub queue: u16,
}

impl Widths {
    /// Measures all jobs of a cycle once, so that columns do not jump while one scrolls.
    pub(super) fn of(run: &Run) -> Self {
        let mut widths = Self { order: 3, job: 4, user: 4, queue: 5 };
        let wide = |text: &str, most: usize| u16::try_from(width(&clean(text)).min(most)).unwrap_or(u16::MAX);
        for outcome in run.outcomes() {
            let job = run.plan.job(outcome.job);
            widths.job = widths.job.max(wide(job.short_name(), 12));
            widths.user = widths.user.max(wide(&job.user, 9));
            widths.queue = widths.queue.max(wide(&job.queue, 9));
        }
        widths.order = widths.order.max(wide(&run.steps.len().to_string(), 7));
        widths
    }
}

/// All rows of a cycle, and what is worth knowing of them without looking at them all again.
#[derive(Debug)]
pub struct Queue {
    all: Vec<Row>,
    /// How wide names are.
    pub widths: Widths,
    /// How many subjobs have no row, since their arrays stand for them.
    pub subjobs: usize,
    /// How many jobs have no row, since they ran before the cycle.
    pub running: usize,
}

impl Queue {
    /// The queue of a cycle.
    pub(super) fn new(run: &Run) -> Self {
        let others = || (0..run.others.len()).map(Row::Other);
        let shown = others().filter(|row| !is_stood_for(run, *row));
        let all: Vec<Row> = run.steps.ids().map(Row::Step).chain(shown).collect();
        let subjobs = run.steps.len() + run.others.len() - all.len();
        Self { all, widths: Widths::of(run), subjobs, running: run.ran_before().count() }
    }

    /// The rows whose job matches, considered ones first.
    pub(super) fn matching(&self, run: &Run, filter: &Filter) -> Vec<Row> {
        let fits = |row: &Row| {
            filter.is_empty() || row.outcome(run).is_some_and(|o| filter.keeps(&JobRecord::of(run, o)))
        };
        let mut rows: Vec<Row> = self.all.iter().copied().filter(fits).collect();
        if let Some(first) = rows.iter().position(|row| matches!(row, Row::Other(_))) {
            rows.insert(first, Row::Gap);
        }
        rows
    }
}

/// Whether the row's job is a subjob for which its array is considered: hundreds of them would hide the rest.
fn is_stood_for(run: &Run, row: Row) -> bool {
    row.outcome(run).is_some_and(|outcome| {
        let job = run.plan.job(outcome.job);
        job.is_subjob() && matches!(job.state, JobState::Queued | JobState::Begun)
    })
}

/// Why it does not run, or where it does, in as few words as tell it.
#[must_use]
pub(crate) fn reason(run: &Run, outcome: &Outcome) -> String {
    if let Some(placed) = &outcome.placed {
        let set = placed.set.as_ref().map(|set| format!(" ({set})")).unwrap_or_default();
        let mut nodes = placed.allocation.nodes();
        nodes.sort_unstable();
        return format!("{}{set}", wording::node_list(&run.plan, &nodes));
    }
    let why = outcome.rejection.as_ref().map(|r| wording::short_reason(&run.plan.snap.catalogue, r));
    if let Eligibility::Out(_, words) = &run.standing[outcome.job] {
        return words.clone();
    }
    if let (Some(estimate), Some(why)) = (&outcome.estimate, &why) {
        return format!("starts {}; {why}", wording::clock(&run.plan.snap, estimate.start));
    }
    match (outcome.refused_at, why) {
        (Some(Stage::Class(first)), Some(why)) => format!("as {}: {why}", run.plan.job(first).short_name()),
        (Some(Stage::AllNodes), Some(why)) => format!("all nodes: {why}"),
        (_, why) => why.unwrap_or_default(),
    }
}
