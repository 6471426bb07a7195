//! The lines of the queue: considered jobs in order, those that were not considered, those that run already.

use std::sync::Arc;

use crate::filter::Filter;
use crate::screen::{CycleRow, QueueRows, Widths};
use crate::survey::Reasons;
use crate::task::{Task, Ticket};
use qscope_engine::cycle::Run;

/// The rows of the queue, and how wide their columns are.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    rows: QueueRows,
    /// How wide names are, forecasts among them.
    pub(crate) widths: Widths,
}

impl Queue {
    /// The queue of a snapshot.
    pub(super) fn new(rows: &QueueRows) -> Self {
        Self { rows: rows.clone(), widths: rows.widths }
    }

    /// How many subjobs have no row, since their arrays stand for them.
    pub(super) fn subjobs(&self) -> usize {
        self.rows.subjobs
    }

    /// How many rows of jobs there are.
    pub(super) fn jobs(&self) -> usize {
        self.rows.all.len()
    }

    /// How many rows there are, headings among them.
    pub(super) fn len(&self) -> usize {
        self.rows.all.len() + self.rows.headings
    }

    /// Whether a filter takes too long over all rows for a key that also selects another job.
    pub(super) fn is_large(&self) -> bool {
        self.rows.all.len() > AT_ONCE
    }

    /// All rows, considered ones first.
    pub(super) fn every_row(&self) -> Vec<CycleRow> {
        with_headings(self.rows.all.to_vec())
    }

    /// The rows whose job matches, considered ones first.
    pub(super) fn matching(&self, run: &Run, reasons: &Reasons, filter: &Filter) -> Vec<CycleRow> {
        with_headings(matching(&self.rows.all, (run, reasons), filter, &|| true).unwrap_or_default())
    }

    /// Those among the first rows only.
    pub(super) fn first_matching(&self, run: &Run, reasons: &Reasons, filter: &Filter) -> Vec<CycleRow> {
        let first = self.rows.all.get(..AT_ONCE.min(self.rows.all.len())).unwrap_or_default();
        with_headings(matching(first, (run, reasons), filter, &|| true).unwrap_or_default())
    }

    /// The same as [`Queue::matching`] for a worker.
    pub(super) fn matching_task(
        &self,
        run: Arc<Run>,
        reasons: Arc<Reasons>,
        filter: Filter,
    ) -> (Task, Ticket) {
        let all = self.rows.all.clone();
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
    all: &[CycleRow],
    (run, reasons): (&Run, &Reasons),
    filter: &Filter,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<CycleRow>> {
    if filter.is_empty() {
        return Some(all.to_vec());
    }
    let fits = |row: &CycleRow| row.record_knowing(run, reasons).is_some_and(|record| filter.keeps(&record));
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
fn with_headings(mut rows: Vec<CycleRow>) -> Vec<CycleRow> {
    if let Some(first) = rows.iter().position(|row| matches!(row, CycleRow::Runs(_))) {
        rows.insert(first, CycleRow::RunningGap);
    }
    if let Some(first) = rows.iter().position(|row| matches!(row, CycleRow::Other(_))) {
        rows.insert(first, CycleRow::Gap);
    }
    rows
}
