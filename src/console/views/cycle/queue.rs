//! The queue, in the order in which the scheduler considers it.
//!
//! ```text
//!      # job      user   verdict  start   why, or where
//! ▸    1 54       alice  ◷ wait   ◆02:43  fragmented            ███▏·······5 of 16 whole nodes
//!      2 57       carol  ◷ wait   —       ≈ insufficient ncpus  not analysed yet
//! ◆    5 58       alice  ✓ run    now     cn[018-019]           the step that was made last
//!   not considered 2
//!        65       bob    – skip   —       held                  it is held (by its owner)
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Cycle;
use super::draw::Drawing;
use super::rows::Widths;
use crate::layout::{Pane, inside};
use crate::screen::Row;
use crate::theme::Role;
use crate::views::ViewName;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Table, Width};
use crate::wording::{self, reason};
use qscope_engine::cluster::{Id, Seconds, short_id};
use qscope_engine::cycle::{Outcome, Run};
use qscope_engine::placement::Path;

/// What the cells of a row are made of.
#[derive(Clone, Copy)]
struct Cells<'a>(Drawing<'a>);

/// A reason and its numbers take so many columns.
const REASON: usize = 22;
/// A bar before the numbers takes so many.
const BAR: usize = 11;
/// From this width on numbers have a bar, and PBS's comment a column.
const WIDE: u16 = 160;

/// The columns, as wide as what stands in them; job, verdict and reason stay to the last.
fn columns(drawing: Drawing<'_>, room: u16) -> Vec<Column<'_, Row>> {
    let (cells, Widths { order, job, user, queue, start }) = (Cells(drawing), drawing.view.queue.widths);
    let run = drawing.screen().run();
    let bar = if room >= WIDE { BAR } else { 0 };
    let dim = |text: String| Cell::of(Role::TextDim, text);
    let mut columns = vec![
        Column::words("", Width::Fixed(1), 100, cells.of(move |row, outcome| cells.mark(row, outcome))),
        Column::numbers(
            "#",
            order,
            70,
            cells.of(move |_, outcome| dim(outcome.order.map(|order| order.to_string()).unwrap_or_default())),
        ),
        Column::words("job", Width::Fixed(job), 100, cells.of(move |_, outcome| cells.name(outcome))),
        Column::words(
            "user",
            Width::Fixed(user),
            80,
            cells.of(|_, outcome| Cell::new(&*run.plan.job(outcome.job).user)),
        ),
        Column::words(
            "queue",
            Width::Fixed(queue),
            30,
            cells.of(|_, outcome| Cell::new(&*run.plan.job(outcome.job).queue)),
        ),
        Column::words("asks", Width::Between(12, 24), 50, cells.of(move |_, outcome| cells.asks(outcome))),
        Column::words("place", Width::Between(8, 14), 20, cells.of(move |_, outcome| cells.place(outcome))),
        Column::numbers("walltime", 8, 40, cells.of(move |_, outcome| cells.walltime(outcome))),
        Column::words("path", Width::Fixed(8), 60, cells.of(move |_, outcome| cells.path(outcome))),
        Column::words(
            "verdict",
            Width::Fixed(7),
            99,
            cells.of(|_, outcome| {
                let verdict = run.verdict(outcome);
                Cell::signed(wording::verdict_role(verdict), wording::verdict(verdict))
            }),
        ),
        Column::words("start", Width::Fixed(start), 90, cells.of(move |_, outcome| cells.start(outcome))),
        Column::words(
            "why, or where",
            Width::Fill(40),
            98,
            cells.of(move |_, outcome| cells.why(outcome, bar)),
        ),
    ];
    if room >= WIDE {
        columns.push(Column::words(
            "PBS comment",
            Width::Fill(20),
            10,
            cells.of(move |_, outcome| cells.comment(outcome)),
        ));
    }
    columns
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
        match outcome.entered() {
            Some(path @ Path::Bucket) => Cell::signed(Role::PathBucket, path.word()),
            Some(path @ Path::Node) => Cell::signed(Role::PathNode, path.word()),
            None => self.nothing(),
        }
    }

    fn nothing(&self) -> Cell<'static> {
        Cell::of(Role::TextDim, self.0.theme.by_set("—", "-"))
    }

    /// The select with its counts as multiplication.
    fn asks(&self, outcome: &Outcome) -> Cell<'a> {
        let job = self.0.screen().run().plan.job(outcome.job);
        let Some(select) = &job.select else { return self.nothing() };
        let times = self.0.theme.by_set("×", "x");
        Cell::new(wording::asks(select, times))
    }

    fn place(&self, outcome: &Outcome) -> Cell<'a> {
        match &self.0.screen().run().plan.requests[outcome.job] {
            Ok(request) => Cell::of(Role::TextDim, request.place.to_string()),
            Err(_) => self.nothing(),
        }
    }

    fn walltime(&self, outcome: &Outcome) -> Cell<'static> {
        match &self.0.screen().run().plan.requests[outcome.job] {
            Ok(request) if request.duration >= Seconds::UNLIMITED => Cell::of(Role::TextDim, "none"),
            Ok(request) => Cell::of(Role::TextDim, wording::duration(request.duration)),
            Err(_) => self.nothing(),
        }
    }

    /// Now, when the calendar plans it, when the cycle run forward starts it, or not known.
    fn start(&self, outcome: &Outcome) -> Cell<'static> {
        match &outcome.estimate {
            _ if outcome.placed.is_some() => Cell::new("now"),
            Some(top) => {
                let at = wording::time_of_day(&self.0.screen().generation.snapshot, top.start);
                Cell::of(Role::NodeLater, format!("{}{at}", self.0.theme.by_set("◆", "@")))
            }
            None => match self.0.view.starts.of(outcome.job) {
                Some(at) => {
                    let at = wording::time_of_day(&self.0.screen().generation.snapshot, at);
                    Cell::of(Role::TextDim, format!("~{at}"))
                }
                None => self.nothing(),
            },
        }
    }

    /// The nodes it starts on, or the reason and the numbers compared.
    fn why(&self, outcome: &'a Outcome, bar: usize) -> Cell<'a> {
        let run = self.0.screen().run();
        let theme = self.0.theme;
        let Some(found) = self.0.view.reasons.of(run, outcome).filter(|_| outcome.placed.is_none()) else {
            return Cell::new(reason(run, outcome));
        };
        let guess = if found.analysed { "" } else { theme.by_set("≈ ", "~ ") };
        let name = format!("{guess}{}", found.name);
        let numbers = match &found.measure {
            Some(measure) if bar > 0 => {
                let (have, rest) = crate::widgets::bar::bar(measure.have, measure.want, bar, theme);
                format!("{have}{rest} {}", measure.text)
            }
            Some(measure) => measure.text.clone(),
            None => found.sentence.clone(),
        };
        Cell::new(format!("{name:<REASON$}{numbers}"))
    }

    /// What the scheduler wrote about the job.
    fn comment(&self, outcome: &Outcome) -> Cell<'a> {
        let comment = self.0.screen().run().plan.job(outcome.job).comment.as_deref().map(str::trim);
        match comment.filter(|text| !text.is_empty() && outcome.placed.is_none()) {
            Some(text) => Cell::of(Role::TextDim, text),
            None => Cell::new(""),
        }
    }

    /// The job's id without the server part.
    fn name(&self, outcome: &Outcome) -> Cell<'a> {
        let snap = &self.0.screen().generation.snapshot;
        match outcome.subjob {
            None if outcome.placed.is_none() && snap.jobs[outcome.job].is_array() => {
                Cell::new(left_of_array(self.0.screen().run(), outcome))
            }
            None => Cell::new(snap.jobs[outcome.job].short_name()),
            Some(_) => Cell::new(short_id(&outcome.name(snap)).to_owned()),
        }
    }
}

/// An array by the subjobs that the cycle leaves: `67[2-5]`.
fn left_of_array(run: &Run, outcome: &Outcome) -> String {
    let short = run.plan.job(outcome.job).short_name();
    let left: Vec<String> = qscope_explain::left_of_array(run, outcome.job)
        .iter()
        .map(|index| short.replace("[]", &format!("[{index}]")))
        .collect();
    match left.is_empty() {
        true => short.to_owned(),
        false => wording::folded_within(left.iter().map(String::as_str), 12),
    }
}

/// The text of the gap: what stands below it, and what has no row.
fn heading(view: &Cycle) -> String {
    let below = view.rows.iter().filter(|row| matches!(row, Row::Other(_))).count();
    let mut text = format!("not considered {below}");
    if view.queue.subjobs > 0 {
        text.push_str(&format!(", and {} of arrays above", wording::count(view.queue.subjobs, "subjob")));
    }
    if view.queue.running > 0 {
        let number = ViewName::Calendar.number().map_or(String::new(), |key| format!(" ({key})"));
        text.push_str(&format!(" · running {}{number}", view.queue.running));
    }
    text
}

/// The place of the table in its pane, without the rows of the strip.
pub(super) fn table_area(pane: Rect, steps: usize, height: u16) -> Rect {
    let inner = inside(pane);
    let strip = super::strip::rows(steps, height).saturating_sub(1);
    let strip = if strip > 0 && pane.height >= 4 { 2 } else { 0 };
    Rect { height: inner.height.saturating_sub(strip), ..inner }
}

/// What the title counts.
fn title(drawing: Drawing<'_>, columns: u16) -> String {
    let verdicts = &drawing.screen().summary.verdicts;
    if columns < 100 || verdicts.is_empty() {
        return "Queue in the order considered".to_owned();
    }
    let done = drawing.world.position();
    let seen = if done == 0 { verdicts.as_slice() } else { verdicts.get(..done).unwrap_or_default() };
    let starts = seen.iter().filter(|role| **role == Role::VerdictRun).count();
    let waits = seen.len() - starts;
    match done {
        0 => format!(
            "Queue, in the order considered · {} considered · {starts} start · {waits} wait",
            verdicts.len()
        ),
        _ => format!(
            "Queue, in the order considered · {starts} started, {waits} wait, {} to come",
            verdicts.len() - done
        ),
    }
}

/// Draws the queue; `height` is that of the whole view.
pub(super) fn draw(drawing: Drawing<'_>, area: Rect, height: u16, buf: &mut Buffer) {
    let Drawing { view, theme, .. } = drawing;
    let focused = drawing.has_focus(Pane::List);
    let (done, steps) = (drawing.world.position(), drawing.screen().summary.verdicts.len());
    let position = match done {
        0 => format!("{} {}", theme.by_set("▸", ">"), view.table.position(view.rows.len())),
        _ => format!("{} {done}/{steps}", theme.by_set("◆", "@")),
    };
    let note = match view.filter.text() {
        "" => position,
        text => format!("/{text}  {}", view.table.position(view.rows.len())),
    };
    frame::pane(area, buf, theme, &title(drawing, area.width), &note, focused);
    super::strip::draw(drawing, area, height, buf);
    let inner = table_area(area, steps, height);
    if view.rows.is_empty() {
        frame::empty(inner, buf, theme, &why_empty(view.filter.text()));
        return;
    }
    let columns = columns(drawing, inner.width);
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
