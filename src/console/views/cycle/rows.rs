//! The lines of the queue: considered jobs in order, those that were not considered, those that run already.

use std::sync::Arc;

use crate::filter::Filter;
use crate::layout::cells;
use crate::screen::{Row, is_stood_for, running};
use crate::survey::Reasons;
use crate::task::{Task, Ticket};
use crate::views::list::LARGE;
use crate::widgets::text::{clean, width};
use crate::wording::{start, time_of_day};
use qscope_engine::cluster::Job;
use qscope_engine::cycle::Run;

/// How wide the names of a queue are, within what a column may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Widths {
    /// Places in the order.
    pub(crate) order: u16,
    /// Job ids.
    pub(crate) job: u16,
    pub(crate) user: u16,
    pub(crate) queue: u16,
    /// Planned starts, with their mark.
    pub(crate) start: u16,
    /// Whether a job that waits has a comment of the batch system.
    pub(crate) comments: bool,
}

impl Widths {
    /// Measures all jobs of a cycle once, so that columns do not jump while one scrolls.
    pub(super) fn of(run: &Run) -> Self {
        let mut widths = Self { order: 3, job: 4, user: 4, queue: 5, start: 6, comments: false };
        let wide = |text: &str, most: usize| cells(width(&clean(text)).min(most));
        for outcome in run.outcomes() {
            let job = run.plan.job(outcome.job);
            let index = match (outcome.subjob, job.is_array()) {
                (Some(index), _) => index.to_string().len(),
                // What is left of an array is named as two numbers.
                (None, true) => 3,
                (None, false) => 0,
            };
            widths.job = widths.job.max(cells((wide_name(job) + index).min(12)));
            widths.user = widths.user.max(wide(&job.user, 9));
            widths.queue = widths.queue.max(wide(&job.queue, 9));
            let comment = job.comment.as_deref().unwrap_or_default().trim();
            widths.comments |= outcome.placed.is_none() && !comment.is_empty();
            if let Some(top) = &outcome.estimate {
                widths.start = widths.start.max(1 + wide(&start(&run.plan.snap, top.start), 16));
            }
        }
        for job in run.ran_before() {
            widths.job = widths.job.max(cells(wide_name(job).min(12)));
            widths.user = widths.user.max(wide(&job.user, 9));
            widths.queue = widths.queue.max(wide(&job.queue, 9));
            let started = job.started.map(|at| time_of_day(&run.plan.snap, at));
            widths.start = widths.start.max(wide(&started.unwrap_or_default(), 16));
        }
        widths.order = widths.order.max(wide(&run.steps.len().to_string(), 7));
        widths
    }
}

fn wide_name(job: &Job) -> usize {
    width(&clean(job.short_name()))
}

/// All rows of a cycle, and what is counted once for all of them.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    all: Arc<[Row]>,
    /// How many headings stand between them.
    headings: usize,
    /// How wide names are.
    pub(crate) widths: Widths,
    /// How many subjobs have no row, since their arrays stand for them.
    pub(crate) subjobs: usize,
}

impl Queue {
    /// The queue of a cycle.
    pub(super) fn new(run: &Run) -> Self {
        let others = || (0..run.others.len()).map(Row::Other);
        let screen = others().filter(|row| !is_stood_for(run, *row));
        let mut all: Vec<Row> = run.steps.ids().map(Row::Step).chain(screen).collect();
        let subjobs = run.steps.len() + run.others.len() - all.len();
        let mut runs: Vec<Row> = running(run).collect();
        // Those that end first make room first.
        runs.sort_by_cached_key(|row| {
            row.record(run).and_then(|record| record.ends()).map_or(i64::MAX, |at| at.0)
        });
        all.extend(runs);
        let kinds: [fn(&Row) -> bool; 2] =
            [|row| matches!(row, Row::Runs(_)), |row| matches!(row, Row::Other(_))];
        let headings = kinds.iter().filter(|kind| all.iter().any(kind)).count();
        Self { all: all.into(), headings, widths: Widths::of(run), subjobs }
    }

    /// How many rows there are, headings among them.
    pub(super) fn len(&self) -> usize {
        self.all.len() + self.headings
    }

    /// Whether a filter takes longer over all rows than a key may.
    pub(super) fn is_large(&self) -> bool {
        self.all.len() >= LARGE
    }

    /// The rows whose job matches, considered ones first.
    pub(super) fn matching(&self, run: &Run, reasons: &Reasons, filter: &Filter) -> Vec<Row> {
        with_headings(matching(&self.all, (run, reasons), filter, &|| true).unwrap_or_default())
    }

    /// Those among the first rows only.
    pub(super) fn first_matching(&self, run: &Run, reasons: &Reasons, filter: &Filter) -> Vec<Row> {
        let first = self.all.get(..AT_ONCE.min(self.all.len())).unwrap_or_default();
        with_headings(matching(first, (run, reasons), filter, &|| true).unwrap_or_default())
    }

    /// The same as [`Queue::matching`] for a worker.
    pub(super) fn matching_task(
        &self,
        run: Arc<Run>,
        reasons: Arc<Reasons>,
        filter: Filter,
    ) -> (Task, Ticket) {
        let all = self.all.clone();
        let (task, ticket) = Task::new("filtering the queue", move |progress| {
            matching(&all, (&run, &reasons), &filter, &|| !progress.is_cancelled()).map(with_headings)
        });
        (task.short(), ticket)
    }
}

/// Over so many rows at once.
const AT_ONCE: usize = 4_000;

/// The rows whose job matches; none where they are not wanted any more.
fn matching(
    all: &[Row],
    (run, reasons): (&Run, &Reasons),
    filter: &Filter,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<Row>> {
    if filter.is_empty() {
        return Some(all.to_vec());
    }
    let fits = |row: &Row| row.record_knowing(run, reasons).is_some_and(|record| filter.keeps(&record));
    let mut kept = Vec::new();
    for part in all.chunks(AT_ONCE) {
        if !goes_on() {
            return None;
        }
        kept.extend(part.iter().copied().filter(fits));
    }
    Some(kept)
}

/// A heading before the first row of each kind but the considered ones.
fn with_headings(mut rows: Vec<Row>) -> Vec<Row> {
    if let Some(first) = rows.iter().position(|row| matches!(row, Row::Runs(_))) {
        rows.insert(first, Row::RunningGap);
    }
    if let Some(first) = rows.iter().position(|row| matches!(row, Row::Other(_))) {
        rows.insert(first, Row::Gap);
    }
    rows
}
