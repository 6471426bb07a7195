//! The columns of the queue: considered jobs, those that were not considered, those that run already.

mod why;

use super::draw::Drawing;
use crate::screen::{CycleRow, LeftJob, RowRecord, Widths};
use crate::theme::Role;
use crate::views::reason_values::{reason_parts, unsigned};
use crate::views::records::{key, on_request, sign_cell};
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};
use crate::wording;
use qscope_engine::cluster::{JobId, Seconds, short_id};
use qscope_engine::cycle::{Outcome, Run};
use qscope_engine::placement::Path;
use qscope_session::query::Record;
use qscope_session::records::{JobRecord, job_fields};
use why::Numbers;

/// What the cells of a row are made of.
#[derive(Clone, Copy)]
struct CycleCells<'a>(Drawing<'a>);

/// Below this width the reason has fewer columns.
const NARROW: u16 = 72;
/// From this width on numbers have a bar, and PBS's comment a column.
const WIDE: u16 = 160;

/// What a job asks has so many columns at most up to that width, and more beyond.
const ASKS: u16 = 24;
const VERY_WIDE: u16 = 200;

/// The column of why a job waits, or where it runs or starts.
pub(super) const WHY: &str = "why, or where";

/// The fields that have a column of their own; every other field is a column on request.
const USUAL: [&str; 10] =
    ["order", "job", "user", "queue", "select", "walltime", "path", "verdict", "start", "reason"];

/// The columns, as wide as what stands in them; job, verdict and reason stay to the last.
pub(super) fn columns(drawing: Drawing<'_>, room: u16) -> Vec<TableColumn<'_, CycleRow>> {
    let (cells, Widths { order, job, user, queue, start, comments }) =
        (CycleCells(drawing), drawing.view.queue.widths);
    let run = drawing.screen().run();
    let numbers = Numbers::of(drawing, room);
    let any_likely = !drawing.screen().analysis.survey.likely().is_empty();
    let by = move |field: &'static str| move |row: &CycleRow| key(cells.record(*row).fact(field));
    let mut columns = vec![
        TableColumn::words("", Width::Fixed(1), 100, move |row| cells.mark(*row)),
        TableColumn::numbers("#", order, 70, move |row| cells.order(*row)),
        TableColumn::words("job", Width::Fixed(job), 100, move |row| cells.name(*row)),
        TableColumn::words(
            "user",
            Width::Fixed(user),
            80,
            cells.or_left(|left| &left.user, |job| Cell::new(&*run.plan.job(job).user)),
        ),
        TableColumn::words(
            "queue",
            Width::Fixed(queue),
            30,
            cells.or_left(|left| &left.queue, |job| Cell::new(&*run.plan.job(job).queue)),
        ),
        TableColumn::words(
            "asks",
            Width::Between(12, asks_most(room)),
            50,
            cells.of(move |_, job| cells.asks(job)),
        ),
        TableColumn::words("place", Width::Between(8, 14), 20, cells.of(move |_, job| cells.place(job))),
        TableColumn::numbers("walltime", 8, 40, cells.of(move |_, job| cells.walltime(job)))
            .valued_by(by("walltime")),
        TableColumn::words("path", Width::Fixed(8), 60, move |row| cells.path(*row)),
        cells.verdicts(if any_likely { 8 } else { 7 }),
        TableColumn::words("start", Width::Fixed(start), 90, move |row| cells.start(*row))
            .valued_by(move |row| cells.start_key(*row)),
        TableColumn::words(
            WHY,
            Width::Fill(match room {
                NARROW.. => 40,
                // A reason with its numbers, where mark, job and verdict leave it the room.
                _ => room.saturating_sub(job + 14).clamp(16, 34),
            }),
            98,
            move |row| cells.why(*row, numbers),
        )
        .sorted_by(move |row| cells.why_key(*row, numbers))
        .in_parts(reason_parts(WHY, drawing.world, |row: &CycleRow| Some(*row))),
    ];
    if room >= WIDE && comments > 0 {
        let comment = cells.of(move |row, job| cells.comment(row, job));
        columns.push(TableColumn::words(
            "PBS comment",
            Width::Between(20.min(comments), comments),
            10,
            comment,
        ));
    }
    let fields = job_fields(&drawing.world.snapshot().catalogue);
    columns.extend(on_request(&fields, &USUAL, move |row: &CycleRow| cells.record(*row)));
    columns
}

/// So many columns what a job asks has at most: more than usual where its reason has room for a sentence all the same.
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

    /// The cell of a row with a job; a heading has none.
    fn of(self, cell: impl Fn(CycleRow, JobId) -> Cell<'a>) -> impl Fn(&CycleRow) -> Cell<'a> {
        let run = self.run();
        move |row| row.job(run).map_or(Cell::new(""), |job| cell(*row, job))
    }

    /// The same, with what was kept of a job that left.
    fn or_left(
        self,
        kept: impl Fn(&'a LeftJob) -> &'a str,
        cell: impl Fn(JobId) -> Cell<'a>,
    ) -> impl Fn(&CycleRow) -> Cell<'a> {
        move |row| match (self.left(*row), row.job(self.run())) {
            (Some(left), _) => Cell::of(Role::TextDim, kept(left)),
            (None, job) => job.map_or(Cell::new(""), &cell),
        }
    }

    /// The job of a row that left.
    fn left(self, row: CycleRow) -> Option<&'a LeftJob> {
        match row {
            CycleRow::Left(_, at) => self.0.view.queue.left.get(at),
            _ => None,
        }
    }

    /// The fields of a row; those of the first job for a heading, whose cells are never made.
    fn record(self, row: CycleRow) -> RowRecord<'a> {
        if let Some(left) = self.left(row) {
            return RowRecord::Left(left);
        }
        RowRecord::Job(row.record(self.run()).unwrap_or_else(|| JobRecord::running(self.run(), JobId(0))))
    }

    fn mark(self, row: CycleRow) -> Cell<'a> {
        let sign = self.0.screen().sign_of(row);
        sign.map_or(Cell::new(""), |sign| sign_cell(sign, self.0.theme))
    }

    fn order(self, row: CycleRow) -> Cell<'a> {
        let order = self.outcome(row).and_then(|outcome| outcome.order);
        Cell::of(Role::TextDim, order.map(|order| order.to_string()).unwrap_or_default())
    }

    fn path(self, row: CycleRow) -> Cell<'a> {
        match self.outcome(row).map(Outcome::entered) {
            Some(Some(path @ Path::Bucket)) => Cell::signed(Role::PathBucket, path.word()),
            Some(Some(path @ Path::Node)) => Cell::signed(Role::PathNode, path.word()),
            Some(None) => self.nothing(),
            None => Cell::new(""),
        }
    }

    /// The column of verdicts, so wide.
    fn verdicts(self, width: u16) -> TableColumn<'a, CycleRow> {
        TableColumn::words("verdict", Width::Fixed(width), 99, move |row| self.verdict(*row))
            .valued(move |row| unsigned(&self.verdict(*row)).into())
    }

    fn verdict(self, row: CycleRow) -> Cell<'a> {
        match self.outcome(row).map(|outcome| self.run().verdict(outcome)) {
            Some(verdict) => {
                let likely = row.job(self.run()).is_some_and(|job| self.0.world.is_likely(job));
                let text = wording::verdict_or_likely(verdict, likely);
                Cell::signed(wording::verdict_role(verdict), text)
            }
            None if !row.is_live() => Cell::of(Role::TextDim, "left"),
            None => {
                Cell::of(Role::TextDim, self.0.theme.by_set("■ runs", "# runs")).led_by(Role::NodeBusy, 1)
            }
        }
    }

    /// Whether it starts in this cycle, and the server does not refuse that.
    fn starts(self, outcome: &Outcome) -> bool {
        outcome.placed.is_some() && !self.run().is_refused(outcome)
    }

    fn nothing(self) -> Cell<'a> {
        Cell::of(Role::TextDim, self.0.theme.by_set("—", "-"))
    }

    /// The select with its counts as multiplication.
    fn asks(self, job: JobId) -> Cell<'a> {
        let Some(select) = &self.run().plan.job(job).select else { return self.nothing() };
        let times = self.0.theme.by_set("×", "x");
        Cell::new(wording::asks(select, times))
    }

    fn place(self, job: JobId) -> Cell<'a> {
        match &self.run().plan.requests[job] {
            Ok(request) => Cell::of(Role::TextDim, request.place.to_string()),
            Err(_) => self.nothing(),
        }
    }

    fn walltime(self, job: JobId) -> Cell<'a> {
        match &self.run().plan.requests[job] {
            Ok(request) if request.duration >= Seconds::UNLIMITED => Cell::of(Role::TextDim, "none"),
            Ok(request) => Cell::of(Role::TextDim, wording::duration(request.duration)),
            Err(_) => self.nothing(),
        }
    }

    /// Now, when the calendar plans it, when the cycle run forward starts it, or not known; of a job that runs, when
    /// it started.
    fn start(self, row: CycleRow) -> Cell<'a> {
        let snap = &self.0.screen().generation.snapshot;
        if !row.is_live() {
            return Cell::new("");
        }
        let Some(outcome) = self.outcome(row) else {
            let started = row.job(self.run()).and_then(|job| snap.jobs[job].started);
            return started.map_or_else(|| self.nothing(), |at| Cell::new(wording::time_of_day(snap, at)));
        };
        let guess = self.0.screen().start_of(outcome.job);
        match (&outcome.estimate, guess) {
            _ if self.starts(outcome) => Cell::new("now"),
            (Some(top), _) => {
                let mark = self.0.theme.by_set("◆", "@");
                Cell::of(Role::NodeLater, wording::start(mark, snap, top.start))
            }
            (None, Some(at)) => Cell::of(Role::TextDim, wording::start("~", snap, at)),
            (None, None) => self.nothing(),
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

    /// What the scheduler wrote about the job.
    fn comment(self, row: CycleRow, job: JobId) -> Cell<'a> {
        let waits = self.outcome(row).is_some_and(|outcome| outcome.placed.is_none());
        let comment = self.run().plan.job(job).comment.as_deref().map(str::trim);
        match comment.filter(|text| !text.is_empty() && waits) {
            Some(text) => Cell::of(Role::TextDim, text),
            None => Cell::new(""),
        }
    }

    /// The job's id without the server part.
    fn name(self, row: CycleRow) -> Cell<'a> {
        if let Some(left) = self.left(row) {
            return Cell::of(Role::TextDim, left.short_name());
        }
        let snap = &self.0.screen().generation.snapshot;
        match self.outcome(row) {
            None => row.job(self.run()).map_or(Cell::new(""), |job| Cell::new(snap.jobs[job].short_name())),
            Some(outcome) if outcome.subjob.is_some() => Cell::new(short_id(&outcome.name(snap)).to_owned()),
            Some(outcome) if outcome.placed.is_none() && snap.jobs[outcome.job].is_array() => {
                Cell::new(wording::waiting_name(self.run(), outcome.job))
            }
            Some(outcome) => Cell::new(snap.jobs[outcome.job].short_name()),
        }
    }
}
