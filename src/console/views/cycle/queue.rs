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

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::draw::Drawing;
use super::rows::Widths;
use crate::layout::Pane;
use crate::screen::Row;
use crate::screen::Screen;
use crate::theme::Role;
use crate::views::ViewName;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Rows, Table, Width};
use crate::widgets::text::Align;
use crate::wording::{self, reason};
use qscope_engine::cluster::{Id, short_id};
use qscope_engine::cycle::Outcome;
use qscope_engine::placement::Path;

const fn column(title: &'static str, width: Width, align: Align, keep: u8) -> Column {
    Column { title, width, align, keep }
}

/// The columns, as wide as what stands in them; the reason stays to the last but for job, path and verdict.
fn columns(widths: Widths) -> [Column; 8] {
    [
        column("", Width::Fixed(1), Align::Left, 90),
        column("#", Width::Fixed(widths.order), Align::Right, 40),
        column("job", Width::Fixed(widths.job), Align::Left, 100),
        column("user", Width::Fixed(widths.user), Align::Left, 30),
        column("queue", Width::Fixed(widths.queue), Align::Left, 20),
        column("path", Width::Fixed(8), Align::Left, 80),
        column("verdict", Width::Fixed(9), Align::Left, 95),
        column("why, or where", Width::Fill(20), Align::Left, 70),
    ]
}

/// The rows of the table.
#[derive(Debug)]
pub(super) struct QueueRows<'a> {
    drawing: Drawing<'a>,
}

impl QueueRows<'_> {
    fn mark(&self, row: Row, outcome: &Outcome) -> Cell<'static> {
        let done = self.drawing.world.position();
        let role = match row {
            Row::Step(step) if step.ix() + 1 == done => Role::StepHere,
            _ if self.drawing.screen().changed.contains(&outcome.job) => Role::Changed,
            Row::Step(step) if step.ix() < done => Role::StepDone,
            _ => return Cell::new(""),
        };
        Cell::signed(role, "")
    }

    fn path(&self, outcome: &Outcome) -> Cell<'static> {
        match (outcome.path, outcome.would_use) {
            (Some(path @ Path::Bucket), _) => Cell::signed(Role::PathBucket, path.word()),
            (Some(path @ Path::Node), _) => Cell::signed(Role::PathNode, path.word()),
            (None, Some(choice)) => Cell::of(
                Role::TextDim,
                format!("{} {}", self.drawing.theme.by_set("–", "-"), choice.path.word()),
            ),
            (None, None) => Cell::of(Role::TextDim, self.drawing.theme.by_set("–", "-")),
        }
    }

    fn of_job(&self, row: Row, outcome: &Outcome, column: usize) -> Cell<'_> {
        let run = self.drawing.screen().run();
        let job = run.plan.job(outcome.job);
        match column {
            0 => self.mark(row, outcome),
            1 => Cell::of(Role::TextDim, outcome.order.map(|order| order.to_string()).unwrap_or_default()),
            2 => Cell::new(short_name(outcome, self.drawing.screen())),
            3 => Cell::new(&*job.user),
            4 => Cell::new(&*job.queue),
            5 => self.path(outcome),
            6 => Cell::signed(wording::verdict_role(outcome.verdict), wording::verdict(outcome.verdict)),
            _ => Cell::new(reason(run, outcome)),
        }
    }
}

/// The job's id without the server part.
fn short_name<'a>(outcome: &Outcome, screen: &'a Screen) -> Cow<'a, str> {
    let snap = &screen.generation.snapshot;
    match outcome.subjob {
        None => snap.jobs[outcome.job].short_name().into(),
        Some(_) => short_id(&outcome.name(snap)).to_owned().into(),
    }
}

impl Rows for QueueRows<'_> {
    fn len(&self) -> usize {
        self.drawing.view.rows.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(row) = self.drawing.view.rows.get(row).copied() else { return Cell::new("") };
        match row.outcome(self.drawing.screen().run()) {
            Some(outcome) => self.of_job(row, outcome, column),
            None => Cell::new(""),
        }
    }

    fn heading(&self, row: usize) -> Option<Cow<'_, str>> {
        if self.drawing.view.rows.get(row) != Some(&Row::Gap) {
            return None;
        }
        let mut text = format!("not considered: {}", self.drawing.view.rows.len() - row - 1);
        let subjobs = self.drawing.view.queue.subjobs;
        if subjobs > 0 {
            text.push_str(&format!(", and {} of arrays above", wording::count(subjobs, "subjob")));
        }
        let running = self.drawing.view.queue.running;
        if running > 0 {
            let number = ViewName::Calendar.number().map_or(String::new(), |key| format!(" ({key})"));
            text.push_str(&format!("; running already: {running}, in the calendar{number}"));
        }
        Some(text.into())
    }
}

/// Draws the queue.
pub(super) fn draw(drawing: Drawing<'_>, area: Rect, buf: &mut Buffer) {
    let Drawing { view, theme, .. } = drawing;
    let rows = QueueRows { drawing };
    let focused = drawing.has_focus(Pane::List);
    let note = match view.filter.text() {
        "" => view.table.position(rows.len()),
        text => format!("/{text}  {}", view.table.position(rows.len())),
    };
    let inner = frame::pane(area, buf, theme, "Queue, in the order considered", &note, focused);
    super::bar::draw(drawing, area, buf);
    if rows.is_empty() {
        frame::empty(inner, buf, theme, &why_empty(view.filter.text()));
        return;
    }
    let columns = columns(view.queue.widths);
    Table { columns: &columns, rows: &rows, state: view.table, theme, focused }.render(inner, buf);
}

fn why_empty(filter: &str) -> [&'static str; 2] {
    if filter.is_empty() {
        ["No queued or held jobs.", "b shows the nodes; r reads the files again."]
    } else {
        ["No match.", "Esc clears, / edits the filter."]
    }
}
