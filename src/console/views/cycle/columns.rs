//! The columns of the queue: considered jobs, jobs that were not considered, running jobs.

mod why;

use super::draw_context::DrawContext;
use crate::screen::{CycleLine, CycleRow, DepartedJob, QueueWidths, RowSign};
use crate::theme::Role;
use crate::views::line_record::LineRecord;
use crate::views::reason_values::{reason_parts, unsigned};
use crate::views::records::{key, on_request, sign_cell, verdict_cell};
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};
use crate::wording;
use qscope_engine::cluster::{Job, JobId, Name, Seconds};
use qscope_engine::cycle::{Outcome, Run};
use qscope_engine::placement::PlacementPath;
use qscope_session::query::QueryRecord;
use qscope_session::records::job_fields;
use why::NumbersLayout;

/// Makes the cells of a row.
#[derive(Clone, Copy)]
struct CycleCells<'a>(DrawContext<'a>);

/// Below this width the column of reasons is narrower.
const NARROW: u16 = 72;
/// Minimum width for bars before numbers, and for a column with PBS's comment.
const WIDE: u16 = 160;

/// Maximum columns for the select up to a width of `VERY_WIDE`; beyond that it grows.
const ASKS: u16 = 24;
const VERY_WIDE: u16 = 200;

/// The column of why a job waits, or where it runs or starts.
pub(super) const WHY: &str = "why, or where";

/// The fields with a column of their own; every other field has a column on request.
const USUAL: [&str; 10] =
    ["order", "job", "user", "queue", "select", "walltime", "path", "verdict", "start", "reason"];

/// The columns, as wide as their content; job, verdict and reason are dropped last.
pub(super) fn columns(context: DrawContext<'_>, room: u16) -> Vec<TableColumn<'_, CycleLine>> {
    let (cells, QueueWidths { order, job, user, queue, start, comments }) =
        (CycleCells(context), context.view.queue.widths);
    let numbers = NumbersLayout::of(context, room);
    let any_likely = !context.screen().analysis.survey.likely().is_empty();
    let by = move |field: &'static str| move |line: &CycleLine| key(cells.record(*line).fact(field));
    let mut columns = vec![
        TableColumn::words("", Width::Fixed(1), 100, move |line| cells.mark(*line)),
        TableColumn::numbers("#", order, 70, cells.of(move |row| cells.order(row))),
        TableColumn::words(
            "job",
            Width::Fixed(job),
            100,
            cells.or_left(DepartedJob::short_name, move |row| cells.name(row)),
        ),
        cells.named("user", user, 80, |left| &left.user, |job| &job.user),
        cells.named("queue", queue, 30, |left| &left.queue, |job| &job.queue),
        TableColumn::words(
            "asks",
            Width::Between(12, asks_most(room)),
            50,
            cells.of(cells.of_job(move |job| cells.asks(job))),
        ),
        TableColumn::words(
            "place",
            Width::Between(8, 14),
            20,
            cells.of(cells.of_job(move |job| cells.place(job))),
        ),
        TableColumn::numbers("walltime", 8, 40, cells.of(cells.of_job(move |job| cells.walltime(job))))
            .valued_by(by("walltime")),
        TableColumn::words("path", Width::Fixed(8), 60, cells.of(move |row| cells.path(row))),
        cells.verdicts(if any_likely { 8 } else { 7 }),
        TableColumn::words("start", Width::Fixed(start), 90, cells.of(move |row| cells.start(row)))
            .valued_by(move |line| line.row().map_or(SortKey::Nothing, |row| cells.start_key(row))),
        TableColumn::words(
            WHY,
            Width::Fill(match room {
                NARROW.. => 40,
                // Wide enough for a reason with its numbers, as far as the other columns leave that room.
                _ => room.saturating_sub(job + 14).clamp(16, 34),
            }),
            98,
            cells.or_left(|left| left.words(), move |row| cells.reason_cell(row, numbers)),
        )
        .sorted_by(move |line: &CycleLine| {
            line.row().map_or(SortKey::Nothing, |row| cells.reason_sort_key(row, numbers))
        })
        .in_parts(reason_parts(WHY, context.cx, |line: &CycleLine| line.row())),
    ];
    if room >= WIDE && comments > 0 {
        let comment = cells.of(move |row| cells.comment(row));
        columns.push(TableColumn::words(
            "PBS comment",
            Width::Between(20.min(comments), comments),
            10,
            comment,
        ));
    }
    let fields = job_fields(&context.cx.snapshot().catalogue);
    columns.extend(on_request(&fields, &USUAL, move |line: &CycleLine| cells.record(*line)));
    columns
}

/// Maximum columns for the select: more than `ASKS` where the reason still has room for a sentence.
fn asks_most(room: u16) -> u16 {
    ASKS.saturating_add(room.saturating_sub(VERY_WIDE).saturating_mul(2))
}

impl<'a> CycleCells<'a> {
    fn run(self) -> &'a Run {
        self.0.screen().run()
    }

    fn outcome(self, row: CycleRow) -> Option<&'a Outcome> {
        row.outcome(self.run())
    }

    /// The cell of a job of the snapshot; other lines have none.
    fn of(self, cell: impl Fn(CycleRow) -> Cell<'a>) -> impl Fn(&CycleLine) -> Cell<'a> {
        move |line| line.row().map_or(Cell::new(""), &cell)
    }

    /// The cell of a row, of its job alone.
    fn of_job(self, cell: impl Fn(JobId) -> Cell<'a>) -> impl Fn(CycleRow) -> Cell<'a> {
        let run = self.run();
        move |row| row.job(run).map_or(Cell::new(""), &cell)
    }

    /// The same, with the kept text for a job that left.
    fn or_left(
        self,
        kept: impl Fn(&'a DepartedJob) -> &'a str,
        cell: impl Fn(CycleRow) -> Cell<'a>,
    ) -> impl Fn(&CycleLine) -> Cell<'a> {
        move |line| match self.departed(*line) {
            Some(left) => Cell::of(Role::TextDim, kept(left)),
            None => line.row().map_or(Cell::new(""), &cell),
        }
    }

    /// A column of names, so wide and of that rank.
    fn named(
        self,
        title: &'static str,
        width: u16,
        rank: u8,
        kept: fn(&DepartedJob) -> &Name,
        of: fn(&Job) -> &Name,
    ) -> TableColumn<'a, CycleLine> {
        let plan = &self.run().plan;
        let cell = self.of_job(move |job| Cell::new(&**of(plan.job(job))));
        TableColumn::words(title, Width::Fixed(width), rank, self.or_left(move |left| kept(left), cell))
    }

    /// The job of a line that left.
    fn departed(self, line: CycleLine) -> Option<&'a DepartedJob> {
        match line {
            CycleLine::Departed(_, at) => self.0.view.queue.left.get(at),
            _ => None,
        }
    }

    /// The fields of a line.
    fn record(self, line: CycleLine) -> LineRecord<'a> {
        match self.departed(line) {
            Some(left) => LineRecord::of_departed(left, self.0.cx),
            None => LineRecord::of(line.row(), self.0.cx),
        }
    }

    fn mark(self, line: CycleLine) -> Cell<'a> {
        let sign = match line {
            CycleLine::Heading(_) => None,
            CycleLine::Job(row) => self.0.screen().sign_of(row),
            CycleLine::Departed(..) => Some(RowSign::Departed),
        };
        sign.map_or(Cell::new(""), |sign| sign_cell(sign, self.0.theme))
    }

    fn order(self, row: CycleRow) -> Cell<'a> {
        let order = self.outcome(row).and_then(|outcome| outcome.order);
        Cell::of(Role::TextDim, order.map(|order| order.to_string()).unwrap_or_default())
    }

    fn path(self, row: CycleRow) -> Cell<'a> {
        match self.outcome(row).map(Outcome::entered) {
            Some(Some(path @ PlacementPath::Bucket)) => Cell::signed(Role::PathBucket, path.word()),
            Some(Some(path @ PlacementPath::Node)) => Cell::signed(Role::PathNode, path.word()),
            Some(None) => self.empty_cell(),
            None => Cell::new(""),
        }
    }

    /// The column of verdicts, `width` columns wide.
    fn verdicts(self, width: u16) -> TableColumn<'a, CycleLine> {
        let DrawContext { cx, theme, .. } = self.0;
        let cell = self.or_left(|_| "left", move |row| verdict_cell(row, cx, theme));
        let value = self.or_left(|_| "left", move |row| verdict_cell(row, cx, theme));
        TableColumn::words("verdict", Width::Fixed(width), 99, cell)
            .valued(move |line| unsigned(&value(line)).into())
    }

    /// Whether the job starts at this turn and the server does not refuse it; a later turn may undo the start.
    fn starts(self, outcome: &Outcome) -> bool {
        outcome.placed.is_some() && !self.run().is_refused(outcome)
    }

    fn empty_cell(self) -> Cell<'a> {
        Cell::of(Role::TextDim, self.0.theme.by_set("—", "-"))
    }

    /// The select with its counts as multiplication.
    fn asks(self, job: JobId) -> Cell<'a> {
        let Some(select) = &self.run().plan.job(job).select else { return self.empty_cell() };
        let times = self.0.theme.by_set("×", "x");
        Cell::new(wording::select_words(select, times))
    }

    fn place(self, job: JobId) -> Cell<'a> {
        match &self.run().plan.requests[job] {
            Ok(request) => Cell::of(Role::TextDim, request.place.to_string()),
            Err(_) => self.empty_cell(),
        }
    }

    fn walltime(self, job: JobId) -> Cell<'a> {
        match &self.run().plan.requests[job] {
            Ok(request) if request.duration >= Seconds::UNLIMITED => Cell::of(Role::TextDim, "none"),
            Ok(request) => Cell::of(Role::TextDim, wording::duration(request.duration)),
            Err(_) => self.empty_cell(),
        }
    }

    /// When the job starts: now, as planned in the calendar, as forecast by running the cycle forward, or unknown; for
    /// a running job, when it started.
    fn start(self, row: CycleRow) -> Cell<'a> {
        let snap = &self.0.screen().generation.snapshot;
        let Some(outcome) = self.outcome(row) else {
            let started = row.job(self.run()).and_then(|job| snap.jobs[job].started);
            return started.map_or_else(|| self.empty_cell(), |at| Cell::new(wording::time_of_day(snap, at)));
        };
        let guess = self.0.screen().start_of(outcome.job);
        match (&outcome.estimate, guess) {
            _ if self.starts(outcome) => Cell::new("now"),
            (Some(top), _) => {
                let mark = self.0.theme.by_set("◆", "@");
                Cell::of(Role::NodeLater, wording::start(mark, snap, top.start))
            }
            (None, Some(at)) => Cell::of(Role::TextDim, wording::start("~", snap, at)),
            (None, None) => self.empty_cell(),
        }
    }

    fn start_key(self, row: CycleRow) -> SortKey {
        let snap = &self.0.screen().generation.snapshot;
        let at = match self.outcome(row) {
            None => row.job(self.run()).and_then(|job| snap.jobs[job].started),
            Some(outcome) if self.starts(outcome) => Some(snap.now),
            Some(outcome) => {
                let planned = outcome.estimate.as_ref().map(|top| top.start);
                planned.or_else(|| self.0.screen().start_of(outcome.job))
            }
        };
        SortKey::number(at.map(|at| at.0 as f64))
    }

    /// The scheduler's comment on a waiting job.
    fn comment(self, row: CycleRow) -> Cell<'a> {
        let waiting = self.outcome(row).filter(|outcome| outcome.placed.is_none());
        let comment = waiting.and_then(|outcome| self.run().plan.job(outcome.job).comment.as_deref());
        match comment.map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => Cell::of(Role::TextDim, text),
            None => Cell::new(""),
        }
    }

    fn name(self, row: CycleRow) -> Cell<'a> {
        Cell::new(row.short_name(self.run()).unwrap_or_default())
    }
}
