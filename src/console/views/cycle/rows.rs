//! The rows of the queue: considered jobs in order, jobs that were not considered, running jobs; among them jobs that
//! left since the previous snapshot.

use std::sync::Arc;

use crate::filter::Filter;
use crate::screen::{
    CycleLine, CycleRow, DepartedJob, QueueRows, QueueSection, QueueWidths, RowRecord, with_left,
};
use crate::survey::WaitReasons;
use crate::task::Computation;
use qscope_engine::cycle::Run;

/// The rows of the queue, and the widths of their columns.
#[derive(Debug, Default)]
pub(crate) struct CycleQueue {
    lines: Arc<[CycleLine]>,
    /// How many subjobs have no row, since their arrays stand for them.
    pub(super) subjobs: usize,
    /// The jobs that left.
    pub(super) left: Arc<[DepartedJob]>,
    /// The widths of the columns, with room for forecasts.
    pub(crate) widths: QueueWidths,
}

impl CycleQueue {
    /// The queue of a snapshot, with the rows of jobs that left.
    pub(super) fn new(rows: &QueueRows, left: &Arc<[DepartedJob]>, run: &Run) -> Self {
        let name_of = |row: &CycleRow| row.job(run).map(|job| &run.plan.job(job).name);
        let lines = with_left(&rows.all, left, name_of).into();
        Self { lines, subjobs: rows.subjobs, left: left.clone(), widths: rows.widths.with(left) }
    }

    /// Number of job rows, without jobs that left.
    pub(super) fn jobs(&self) -> usize {
        self.lines.len() - self.left.len()
    }

    /// Number of rows with headings.
    pub(super) fn len(&self) -> usize {
        let is_there = |part: &&QueueSection| first_of(**part, &self.lines).is_some();
        self.lines.len() + HEADED.iter().filter(is_there).count()
    }

    /// Whether filtering all rows is too slow to do at once on a key press.
    pub(super) fn is_large(&self) -> bool {
        self.lines.len() > AT_ONCE
    }

    /// All lines, considered jobs first.
    pub(super) fn every_line(&self) -> Vec<CycleLine> {
        with_headings(self.lines.to_vec())
    }

    /// The rows whose job matches, considered ones first, below their headings.
    pub(super) fn matching(&self, run: &Run, reasons: &WaitReasons, filter: &Filter) -> Vec<CycleLine> {
        self.matching_among(&self.lines, run, reasons, filter)
    }

    /// Those among the first lines only.
    pub(super) fn first_matching(&self, run: &Run, reasons: &WaitReasons, filter: &Filter) -> Vec<CycleLine> {
        let first = self.lines.get(..AT_ONCE).unwrap_or(&self.lines);
        self.matching_among(first, run, reasons, filter)
    }

    fn matching_among(
        &self,
        lines: &[CycleLine],
        run: &Run,
        reasons: &WaitReasons,
        filter: &Filter,
    ) -> Vec<CycleLine> {
        let facts = FilterContext { run, reasons, left: &self.left };
        matching(lines, facts, filter, &|| true).unwrap_or_default()
    }

    /// The same as [`CycleQueue::matching`] for a worker.
    pub(super) fn matching_task(
        &self,
        run: Arc<Run>,
        reasons: Arc<WaitReasons>,
        filter: Filter,
    ) -> Computation<Vec<CycleLine>> {
        let (lines, left) = (self.lines.clone(), self.left.clone());
        let rows = Computation::new("filtering the queue", move |progress| {
            let facts = FilterContext { run: &run, reasons: &reasons, left: &left };
            matching(&lines, facts, &filter, &|| !progress.is_cancelled())
        });
        rows.into_short_task()
    }
}

/// Number of rows filtered at once, and between checks for cancellation.
const AT_ONCE: usize = 4_000;

/// The data that rows are filtered by.
#[derive(Clone, Copy)]
struct FilterContext<'a> {
    run: &'a Run,
    reasons: &'a WaitReasons,
    left: &'a [DepartedJob],
}

impl<'a> FilterContext<'a> {
    fn of(self, line: CycleLine) -> Option<RowRecord<'a>> {
        match line {
            CycleLine::Heading(_) => None,
            CycleLine::Job(row) => row.record_knowing(self.run, self.reasons).map(RowRecord::Job),
            CycleLine::Departed(_, at) => self.left.get(at).map(RowRecord::Departed),
        }
    }
}

/// The rows whose job matches; `None` if cancelled.
fn matching(
    lines: &[CycleLine],
    facts: FilterContext<'_>,
    filter: &Filter,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<CycleLine>> {
    let fits = |line: &CycleLine| facts.of(*line).is_some_and(|record| filter.matches(&record));
    let mut kept = Vec::new();
    for part in lines.chunks(AT_ONCE) {
        if !goes_on() {
            return None;
        }
        kept.extend(part.iter().copied().filter(fits));
    }
    Some(with_headings(kept))
}

/// The parts below a heading, the last first.
const HEADED: [QueueSection; 2] = [QueueSection::Running, QueueSection::NotConsidered];

/// The place of the first line of a part, where it has any.
fn first_of(part: QueueSection, lines: &[CycleLine]) -> Option<usize> {
    let at = lines.partition_point(|line| line.section() < part);
    lines.get(at).is_some_and(|line| line.section() == part).then_some(at)
}

/// A heading before the first line of each part but the considered ones.
fn with_headings(mut lines: Vec<CycleLine>) -> Vec<CycleLine> {
    for part in HEADED {
        if let Some(first) = first_of(part, &lines) {
            lines.insert(first, CycleLine::Heading(part));
        }
    }
    lines
}
