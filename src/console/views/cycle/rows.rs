//! The rows of the queue: considered jobs in order, jobs that were not considered, running jobs; among them jobs that
//! left since the previous snapshot.

use std::sync::Arc;

use crate::filter::Filter;
use crate::screen::{CycleRow, LeftJob, QueueRows, QueueSection, RowRecord, Widths, headings, with_left};
use crate::survey::Reasons;
use crate::task::{Task, Ticket};
use qscope_engine::cycle::Run;

/// The rows of the queue, and the widths of their columns.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    rows: QueueRows,
    /// The jobs that left.
    pub(super) left: Arc<[LeftJob]>,
    /// The widths of the columns, with room for forecasts.
    pub(crate) widths: Widths,
}

impl Queue {
    /// The queue of a snapshot, with the rows of jobs that left.
    pub(super) fn new(rows: &QueueRows, left: &Arc<[LeftJob]>, run: &Run) -> Self {
        let mut rows = rows.clone();
        if !left.is_empty() {
            let name_of = |row: &CycleRow| row.job(run).map(|job| &run.plan.job(job).name);
            rows.all = with_left(&rows.all, left, name_of).into();
            rows.headings = headings(&rows.all);
            rows.widths = rows.widths.with(left);
        }
        Self { widths: rows.widths, rows, left: left.clone() }
    }

    /// Number of subjobs without a row of their own, represented by their arrays.
    pub(super) fn subjobs(&self) -> usize {
        self.rows.subjobs
    }

    /// Number of job rows, without jobs that left.
    pub(super) fn jobs(&self) -> usize {
        self.rows.all.len() - self.left.len()
    }

    /// Number of rows with headings.
    pub(super) fn len(&self) -> usize {
        self.rows.all.len() + self.rows.headings
    }

    /// Whether filtering all rows is too slow to do at once on a key press.
    pub(super) fn is_large(&self) -> bool {
        self.rows.all.len() > AT_ONCE
    }

    /// All rows, considered ones first.
    pub(super) fn every_row(&self) -> Vec<CycleRow> {
        with_headings(self.rows.all.to_vec())
    }

    /// The rows whose job matches, considered ones first.
    pub(super) fn matching(&self, run: &Run, reasons: &Reasons, filter: &Filter) -> Vec<CycleRow> {
        let facts = Facts { run, reasons, left: &self.left };
        with_headings(matching(&self.rows.all, facts, filter, &|| true).unwrap_or_default())
    }

    /// The matching rows among the first [`AT_ONCE`] rows.
    pub(super) fn first_matching(&self, run: &Run, reasons: &Reasons, filter: &Filter) -> Vec<CycleRow> {
        let first = self.rows.all.get(..AT_ONCE.min(self.rows.all.len())).unwrap_or_default();
        let facts = Facts { run, reasons, left: &self.left };
        with_headings(matching(first, facts, filter, &|| true).unwrap_or_default())
    }

    /// The same as [`Queue::matching`] for a worker.
    pub(super) fn matching_task(
        &self,
        run: Arc<Run>,
        reasons: Arc<Reasons>,
        filter: Filter,
    ) -> (Task, Ticket) {
        let (all, left) = (self.rows.all.clone(), self.left.clone());
        let (task, ticket) = Task::new("filtering the queue", move |progress| {
            let facts = Facts { run: &run, reasons: &reasons, left: &left };
            matching(&all, facts, &filter, &|| !progress.is_cancelled()).map(with_headings)
        });
        (task.short(), ticket)
    }
}

/// Number of rows filtered at once, and between checks for cancellation.
const AT_ONCE: usize = 4_000;

/// The data that rows are filtered by.
#[derive(Clone, Copy)]
struct Facts<'a> {
    run: &'a Run,
    reasons: &'a Reasons,
    left: &'a [LeftJob],
}

impl<'a> Facts<'a> {
    fn of(self, row: CycleRow) -> Option<RowRecord<'a>> {
        match row {
            CycleRow::Left(_, at) => self.left.get(at).map(RowRecord::Left),
            _ => row.record_knowing(self.run, self.reasons).map(RowRecord::Job),
        }
    }
}

/// The rows whose job matches; `None` if cancelled.
fn matching(
    all: &[CycleRow],
    facts: Facts<'_>,
    filter: &Filter,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<CycleRow>> {
    if filter.is_empty() {
        return Some(all.to_vec());
    }
    let fits = |row: &CycleRow| facts.of(*row).is_some_and(|record| filter.keeps(&record));
    let mut kept = Vec::new();
    for part in all.chunks(AT_ONCE) {
        if !goes_on() {
            return None;
        }
        kept.extend(part.iter().copied().filter(fits));
    }
    Some(kept)
}

/// Inserts a heading before the first row of each section but the first.
fn with_headings(mut rows: Vec<CycleRow>) -> Vec<CycleRow> {
    let kinds = [(QueueSection::Running, CycleRow::RunningGap), (QueueSection::Others, CycleRow::Gap)];
    for (section, heading) in kinds {
        if let Some(first) = rows.iter().position(|row| row.section() == section) {
            rows.insert(first, heading);
        }
    }
    rows
}
