//! One snapshot on the screen: the position in its cycle and the selected job, which all views share.

mod analysis;
mod changed_reasons;
mod changed_rows;
mod departed_jobs;
mod first_waiting;
mod known_names;
mod marks;
mod name_index;
mod prepared_snapshot;
mod queue_rows;
mod row_marks;
mod rows;
mod serial;
mod start_forecasts;
mod summary;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use qscope_engine::cluster::{Epoch, Id, JobId};
use qscope_engine::cycle::{Debugger, Outcome, Run, StepIx};
use qscope_engine::placement::ProbeEvent;
use qscope_engine::universe::NodeCounts;
use qscope_explain::Schedule;
use qscope_session::Generation;

use analysis::AnalysedJobMap;
pub(crate) use analysis::Analysis;
use changed_reasons::PreviousReasons;
use changed_rows::changed_rows;
pub(crate) use departed_jobs::{DepartedJob, RowRecord, with_left};
pub(crate) use known_names::KnownNames;
pub(crate) use marks::{BEFORE, CycleMarks, take_over};
pub(crate) use name_index::NameIndex;
use prepared_snapshot::AgreementSummary;
pub use prepared_snapshot::PreparedSnapshot;
pub(crate) use prepared_snapshot::SnapshotPreparer;
pub(crate) use queue_rows::{QueueRows, QueueWidths};
pub(crate) use row_marks::{ChangedIds, ChangedRows, RowMarks, RowSign};
pub use rows::{CycleLine, CycleRow, QueueSection};
pub(crate) use rows::{is_shown_by_array, running};
pub(crate) use serial::Serial;
pub(crate) use start_forecasts::StartForecasts;
pub(crate) use summary::{ConsideredCounts, Summary};

/// Maximum number of vnodes for which the events of a step are computed before the picture is drawn. With more, this
/// would delay a key press, so the picture comes first and the events a moment later.
const EXAMINED_AT_ONCE: usize = 30_000;
/// Maximum number of rows on either side of a job that left that are tried for its place.
const MAX_NEIGHBOURS: usize = 20;
/// The same for a step that starts its job, which does not look at nodes after those it takes.
const STARTED_AT_ONCE: usize = 120_000;

/// A snapshot on the screen.
#[derive(Debug)]
pub struct Screen {
    /// The snapshot and its cycle.
    pub generation: Arc<Generation>,
    /// The cycle, at the current position.
    pub debugger: Debugger,
    /// The state before the step of the selected job, like another frame of a call stack.
    pub subject_state: Debugger,
    /// The selected job; a filter may hide it.
    pub subject: Option<CycleRow>,
    /// The events of its step; empty for a job that is not considered, and until they are computed.
    pub(crate) events: Vec<ProbeEvent>,
    /// Whether the events are still to be computed, after a picture without them.
    to_examine: bool,
    /// What is computed once per snapshot.
    pub(crate) ready: PreparedSnapshot,
    /// The identity of the snapshot among all that were shown.
    pub(crate) serial: Serial,
    /// The analysis by workers of this snapshot, or of an earlier one.
    pub(crate) analysis: Rc<Analysis>,
    then: AnalysedJobMap,
    /// The counts of nodes at the position they were last made for: counting every node takes too long for each frame.
    nodes: Cell<Option<(usize, NodeCounts)>>,
    /// The marks of rows that changed.
    pub(crate) row_marks: RowMarks,
    /// The reasons that rows showed before this snapshot, or before its analysis.
    reasons_before: Option<PreviousReasons>,
}

impl Screen {
    /// What holds every node over time, after the cycle.
    pub(crate) fn schedule(&self) -> Arc<Schedule> {
        self.ready.schedule().clone()
    }

    /// Number of problems of the cluster, the data and the model, as in the view of problems.
    pub(crate) fn problem_count(&self) -> usize {
        self.ready.problem_count()
    }

    /// The counts for the header and the strip.
    pub(crate) fn summary(&self) -> &Summary {
        self.ready.summary()
    }

    /// A snapshot at rest, with the first job selected.
    pub fn new(ready: PreparedSnapshot) -> Self {
        let first = CycleRow::first(&ready.generation.run);
        Self::selecting(ready, first)
    }

    fn selecting(ready: PreparedSnapshot, row: Option<CycleRow>) -> Self {
        let generation = ready.generation.clone();
        let [debugger, subject_state] = ready.starts();
        let mut screen = Self {
            subject_state,
            debugger,
            ready,
            serial: Serial::next(),
            analysis: Analysis::new(generation.clone()),
            then: AnalysedJobMap::new(),
            nodes: Cell::new(None),
            subject: None,
            events: Vec::new(),
            to_examine: false,
            row_marks: RowMarks::default(),
            reasons_before: None,
            generation,
        };
        if let Some(row) = row {
            screen.select(row);
        }
        screen
    }

    /// Replaces the snapshot on the screen, keeping the selected job. Jobs that differ from `base` are marked, unless
    /// the dumps of the new snapshot are inconsistent; between live snapshots marks stay for a while.
    pub fn after(prepared: PreparedSnapshot, before: &Self, base: Option<&Generation>, now: Epoch) -> Self {
        let run = &prepared.generation.run;
        let same = before.subject_name().and_then(|name| CycleRow::named(run, &name));
        let row = same.or_else(|| before.neighbour_in(run)).or_else(|| CycleRow::first(run));
        let mut screen = Self::selecting(prepared, row);
        // A broken file was restored: the analysis of this snapshot still holds.
        if Arc::ptr_eq(&screen.generation, &before.generation) {
            screen.keep(before.analysis.clone());
        }
        if let Some(base) = base {
            let came = screen.ready.changed(base);
            let is_next = screen.generation.number > before.generation.number;
            let is_live = screen.generation.what_if.is_none() && before.generation.what_if.is_none();
            let none = RowMarks::default();
            let stay = if is_next && is_live { &before.row_marks } else { &none };
            screen.row_marks = RowMarks::after(stay, screen.run(), &came, now);
            let is_tried = screen.generation.what_if.is_some() && before.generation.what_if.is_none();
            if screen.generation.late_dump.is_none() && (is_next && is_live || is_tried) {
                screen.reasons_before = before.shown_reasons();
            }
        }
        screen
    }

    /// The row of a new cycle that takes the place of the selected job, which left: that of the next job below it here
    /// that stayed, else above it. Only a few are looked for, as a queue may change as a whole.
    fn neighbour_in(&self, run: &Run) -> Option<CycleRow> {
        let rows = &self.ready.queue().all;
        let at = rows.iter().position(|row| Some(*row) == self.subject)?;
        let (above, below) = rows.split_at(at);
        let near = below.iter().skip(1).take(MAX_NEIGHBOURS).chain(above.iter().rev().take(MAX_NEIGHBOURS));
        near.filter_map(|row| row.name(self.run())).find_map(|name| CycleRow::named(run, &name))
    }

    /// The parts that take long to drop, to be dropped on another thread.
    pub(crate) fn into_deferred_drop(self) -> impl Send + 'static {
        ([self.debugger, self.subject_state], self.ready, self.generation)
    }

    /// Jobs whose rows are marked as changed.
    pub fn changed(&self) -> &FxHashSet<JobId> {
        self.row_marks.changed()
    }

    /// The cycle.
    pub fn run(&self) -> &Run {
        &self.generation.run
    }

    /// The counts of nodes at the position.
    pub(crate) fn node_counts(&self) -> NodeCounts {
        let at = self.debugger.position();
        if let Some((_, counts)) = self.nodes.get().filter(|(position, _)| *position == at) {
            return counts;
        }
        let counts = match at {
            0 => self.ready.nodes(),
            _ => self.debugger.state().node_counts(),
        };
        self.nodes.set(Some((at, counts)));
        counts
    }

    /// How far the model agrees with the live scheduler, if that was compared.
    pub(crate) fn agreed(&self) -> Option<&AgreementSummary> {
        self.ready.agreed()
    }

    /// The outcome of the selected job.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.subject.and_then(|row| row.outcome(self.run()))
    }

    /// The full id of the selected job.
    pub fn subject_name(&self) -> Option<String> {
        self.subject.and_then(|row| row.name(self.run()))
    }

    /// Selects a job, and moves its state to just before its step.
    pub(crate) fn select(&mut self, row: CycleRow) {
        if self.subject == Some(row) {
            self.follow_position();
            return;
        }
        let is_of_this_cycle = row.name(self.run()).is_some();
        debug_assert!(is_of_this_cycle, "{row:?} is of another cycle");
        if !is_of_this_cycle {
            return;
        }
        self.subject = Some(row);
        self.events.clear();
        self.to_examine = false;
        match row {
            CycleRow::Step(step) => {
                self.subject_state.seek(step.ix());
                self.to_examine = true;
                let starts = self.run().steps[step].outcome.placed.is_some();
                let most = if starts { STARTED_AT_ONCE } else { EXAMINED_AT_ONCE };
                if self.run().plan.nodes.len() <= most {
                    self.examine();
                }
            }
            _ => self.subject_state.seek(self.debugger.position()),
        }
    }

    /// Computes the events of the selected job's step, if that is still to be done.
    pub(crate) fn examine(&mut self) {
        if std::mem::take(&mut self.to_examine) {
            self.events = self.subject_state.explain_next().map(|found| found.events).unwrap_or_default();
        }
    }

    /// Whether the events of the selected job's step are still to be computed.
    pub(crate) fn is_to_examine(&self) -> bool {
        self.to_examine
    }

    /// Moves the state of a selected job without a step, because it is not considered or runs already, to the position.
    pub(crate) fn follow_position(&mut self) {
        if let Some(CycleRow::NotConsidered(_) | CycleRow::Running(_)) = self.subject
            && self.subject_state.position() != self.debugger.position()
        {
            self.subject_state.seek(self.debugger.position());
        }
    }

    /// Moves the cycle to the position where `done` jobs have been considered, and selects the last of them.
    pub(crate) fn go_to(&mut self, done: usize) {
        self.debugger.seek(done);
        let row = match done.checked_sub(1) {
            Some(last) => Some(CycleRow::Step(StepIx::at(last))),
            None => self.run().steps.ids().next().map(CycleRow::Step),
        };
        if let Some(row) = row {
            self.select(row);
        }
    }
}
