//! The rows of the queue in order, and the widths of its names, computed once per snapshot.

use std::sync::Arc;

use super::rows::QueueSection;
use super::{CycleRow, DepartedJob, is_shown_by_array, running};
use crate::layout::cells;
use crate::widgets::text::{clean, width};
use crate::wording::{start, time_of_day};
use qscope_engine::cluster::{Job, JobId};
use qscope_engine::cycle::Run;

/// Maximum columns of an id.
const MAX_JOB: usize = 12;

/// Maximum columns of a PBS comment.
const MAX_COMMENT: usize = 48;

/// The widths of the names in a queue, limited to the maxima of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct QueueWidths {
    /// Positions in the order.
    pub(crate) order: u16,
    /// Job ids.
    pub(crate) job: u16,
    pub(crate) user: u16,
    pub(crate) queue: u16,
    /// Planned starts, with their mark.
    pub(crate) start: u16,
    /// PBS comments on waiting jobs; 0 if there are none.
    pub(crate) comments: u16,
}

impl QueueWidths {
    /// Measures all jobs of a cycle, so that columns do not jump while scrolling.
    fn of(run: &Run) -> Self {
        let mut widths = Self { order: 3, job: 4, user: 4, queue: 5, start: 6, comments: 0 };
        let wide = |text: &str, most: usize| cells(width(&clean(text)).min(most));
        for outcome in run.outcomes() {
            let job = run.plan.job(outcome.job);
            let index = match (outcome.subjob, job.is_array()) {
                (Some(index), _) => index.to_string().len(),
                (None, true) => wide_subjobs(job),
                (None, false) => 0,
            };
            widths.job = widths.job.max(cells((wide_name(job) + index).min(MAX_JOB)));
            widths.user = widths.user.max(wide(&job.user, 9));
            widths.queue = widths.queue.max(wide(&job.queue, 9));
            let comment = job.comment.as_deref().unwrap_or_default().trim();
            if outcome.placed.is_none() {
                widths.comments = widths.comments.max(wide(comment, MAX_COMMENT));
            }
            if let Some(top) = &outcome.estimate {
                widths.start = widths.start.max(wide(&start("~", &run.plan.snap, top.start), 17));
            }
        }
        for job in run.continuing_jobs() {
            widths.job = widths.job.max(cells(wide_name(job).min(MAX_JOB)));
            widths.user = widths.user.max(wide(&job.user, 9));
            widths.queue = widths.queue.max(wide(&job.queue, 9));
            let started = job.started.map(|at| time_of_day(&run.plan.snap, at));
            widths.start = widths.start.max(wide(&started.unwrap_or_default(), 16));
        }
        widths.order = widths.order.max(wide(&run.steps.len().to_string(), 7));
        widths
    }
}

impl QueueWidths {
    /// The same with room for the names of jobs that left.
    pub(crate) fn with(self, left: &[DepartedJob]) -> Self {
        let wide = |text: &str, most: usize| cells(width(&clean(text)).min(most));
        left.iter().fold(self, |widths, job| Self {
            job: widths.job.max(wide(job.short_name(), MAX_JOB)),
            user: widths.user.max(wide(&job.user, 9)),
            queue: widths.queue.max(wide(&job.queue, 9)),
            ..widths
        })
    }
}

fn wide_name(job: &Job) -> usize {
    width(&clean(job.short_name()))
}

/// The columns of the remaining subjobs of an array: two numbers, or the maximum if there are gaps.
fn wide_subjobs(job: &Job) -> usize {
    let remaining = job.array.as_ref().map_or(&[][..], |array| &array.remaining);
    match (remaining.first(), remaining.last()) {
        (Some(first), Some(last)) if last.saturating_sub(*first) as usize + 1 == remaining.len() => {
            format!("{first}-{last}").len()
        }
        (Some(_), Some(_)) => MAX_JOB,
        _ => 0,
    }
}

/// All rows of a cycle, considered ones first, and what is counted for all of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueueRows {
    pub(crate) all: Arc<[CycleRow]>,
    /// Widths of the names, in columns.
    pub(crate) widths: QueueWidths,
    /// Number of subjobs without a row of their own, represented by their arrays.
    pub(crate) subjobs: usize,
}

impl QueueRows {
    /// The rows of a cycle.
    pub(super) fn of(run: &Run) -> Self {
        let all = rows_in_order(run);
        let running = all.iter().filter(|row| row.section() == QueueSection::Running).count();
        let subjobs = run.steps.len() + run.not_considered.len() + running - all.len();
        Self { all: all.into(), widths: QueueWidths::of(run), subjobs }
    }

    /// The jobs that ran before the cycle, in the order they end.
    pub(crate) fn running(&self) -> impl Iterator<Item = JobId> {
        self.all.iter().filter_map(|row| if let CycleRow::Running(job) = row { Some(*job) } else { None })
    }
}

pub(super) fn rows_in_order(run: &Run) -> Vec<CycleRow> {
    let others = (0..run.not_considered.len())
        .map(CycleRow::NotConsidered)
        .filter(|row| !is_shown_by_array(run, *row));
    let mut all: Vec<CycleRow> = run.steps.ids().map(CycleRow::Step).chain(others).collect();
    let mut runs: Vec<CycleRow> = running(run).collect();
    // Jobs that end first come first.
    runs.sort_by_cached_key(|row| {
        row.record(run).and_then(|record| record.ends()).map_or(i64::MAX, |at| at.0)
    });
    all.extend(runs);
    all
}
