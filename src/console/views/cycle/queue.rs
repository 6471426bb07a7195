//! The queue, in the order in which the scheduler considers it.
//!
//! ```text
//!      #  job    user   path      verdict    reason or nodes
//!  │   1  12     ann    ▦ bucket  ✓ run      n[1-4]
//!  ◆   2  15     bob    ▪ node    ◷ not now  nodes lack ncpus       the step that was made last
//! ▸    3  17     ann    – bucket  ✗ never    all nodes: …           no path entered; the one it would use
//!   not considered: 1
//!         19     cara   –         · skipped  it is held (by its user)
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Cycle;
use super::draw::Drawing;
use super::rows::Widths;
use crate::layout::Pane;
use crate::screen::Row;
use crate::theme::Role;
use crate::views::ViewName;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Table, Width};
use crate::wording::{self, reason};
use qscope_engine::cluster::{Id, short_id};
use qscope_engine::cycle::Outcome;
use qscope_engine::placement::Path;

/// What the cells of a row are made of.
#[derive(Clone, Copy)]
struct Cells<'a>(Drawing<'a>);

/// The columns, as wide as what stands in them; the reason stays to the last but for job, path and verdict.
fn columns(drawing: Drawing<'_>) -> [Column<'_, Row>; 8] {
    let (cells, Widths { order, job, user, queue }) = (Cells(drawing), drawing.view.queue.widths);
    let run = drawing.screen().run();
    [
        Column::words("", Width::Fixed(1), 90, cells.of(move |row, outcome| cells.mark(row, outcome))),
        Column::numbers(
            "#",
            order,
            40,
            cells.of(|_, outcome| {
                Cell::of(Role::TextDim, outcome.order.map(|order| order.to_string()).unwrap_or_default())
            }),
        ),
        Column::words("job", Width::Fixed(job), 100, cells.of(move |_, outcome| cells.name(outcome))),
        Column::words(
            "user",
            Width::Fixed(user),
            30,
            cells.of(|_, outcome| Cell::new(&*run.plan.job(outcome.job).user)),
        ),
        Column::words(
            "queue",
            Width::Fixed(queue),
            20,
            cells.of(|_, outcome| Cell::new(&*run.plan.job(outcome.job).queue)),
        ),
        Column::words("path", Width::Fixed(8), 80, cells.of(move |_, outcome| cells.path(outcome))),
        Column::words(
            "verdict",
            Width::Fixed(9),
            95,
            cells.of(|_, outcome| {
                let verdict = run.verdict(outcome);
                Cell::signed(wording::verdict_role(verdict), wording::verdict(verdict))
            }),
        ),
        Column::words(
            "why, or where",
            Width::Fill(20),
            70,
            cells.of(|_, outcome| Cell::new(reason(run, outcome))),
        ),
    ]
}

impl<'a> Cells<'a> {
    /// The cell of a row with a job; the gap has none.
    fn of(self, cell: impl Fn(Row, &'a Outcome) -> Cell<'a>) -> impl Fn(&'a Row) -> Cell<'a> {
        let run = self.0.screen().run();
        move |row| row.outcome(run).map_or(Cell::new(""), |outcome| cell(*row, outcome))
    }

    fn mark(&self, row: Row, outcome: &Outcome) -> Cell<'static> {
        let done = self.0.world.position();
        let role = match row {
            Row::Step(step) if step.ix() + 1 == done => Role::StepHere,
            _ if self.0.screen().changed.contains(&outcome.job) => Role::Changed,
            Row::Step(step) if step.ix() < done => Role::StepDone,
            _ => return Cell::new(""),
        };
        Cell::signed(role, "")
    }

    fn path(&self, outcome: &Outcome) -> Cell<'static> {
        match (outcome.entered(), outcome.would_use) {
            (Some(path @ Path::Bucket), _) => Cell::signed(Role::PathBucket, path.word()),
            (Some(path @ Path::Node), _) => Cell::signed(Role::PathNode, path.word()),
            (None, Some(choice)) => {
                Cell::of(Role::TextDim, format!("{} {}", self.0.theme.by_set("–", "-"), choice.path.word()))
            }
            (None, None) => Cell::of(Role::TextDim, self.0.theme.by_set("–", "-")),
        }
    }

    /// The job's id without the server part.
    fn name(&self, outcome: &Outcome) -> Cell<'a> {
        let snap = &self.0.screen().generation.snapshot;
        match outcome.subjob {
            None => Cell::new(snap.jobs[outcome.job].short_name()),
            Some(_) => Cell::new(short_id(&outcome.name(snap)).to_owned()),
        }
    }
}

/// The text of the gap: what stands below it, and what has no row.
fn heading(view: &Cycle) -> String {
    let below = view.rows.iter().filter(|row| matches!(row, Row::Other(_))).count();
    let mut text = format!("not considered: {below}");
    if view.queue.subjobs > 0 {
        text.push_str(&format!(", and {} of arrays above", wording::count(view.queue.subjobs, "subjob")));
    }
    if view.queue.running > 0 {
        let number = ViewName::Calendar.number().map_or(String::new(), |key| format!(" ({key})"));
        text.push_str(&format!("; running already: {}, in the calendar{number}", view.queue.running));
    }
    text
}

/// Draws the queue.
pub(super) fn draw(drawing: Drawing<'_>, area: Rect, buf: &mut Buffer) {
    let Drawing { view, theme, .. } = drawing;
    let focused = drawing.has_focus(Pane::List);
    let position = view.table.position(view.rows.len());
    let note = match view.filter.text() {
        "" => position,
        text => format!("/{text}  {position}"),
    };
    let inner = frame::pane(area, buf, theme, "Queue, in the order considered", &note, focused);
    super::bar::draw(drawing, area, buf);
    if view.rows.is_empty() {
        frame::empty(inner, buf, theme, &why_empty(view.filter.text()));
        return;
    }
    let columns = columns(drawing);
    let heading = |row: &Row| (*row == Row::Gap).then(|| heading(view).into());
    Table { heading: &heading, focused, ..Table::new(&columns, &view.rows, view.table, theme) }
        .render(inner, buf);
}

fn why_empty(filter: &str) -> [&'static str; 2] {
    if filter.is_empty() {
        ["No queued or held jobs.", "b shows the nodes; r reads the files again."]
    } else {
        ["No match.", "Esc clears, / edits the filter."]
    }
}
