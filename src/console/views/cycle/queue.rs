//! The queue, in the order in which the scheduler considers it.
//!
//! ```text
//!      # job      user   verdict  start   why, or where
//! ▸    1 54       alice  ◷ wait   ◆02:43  fragmented            ███▏·······5 of 16 whole nodes
//!      2 57       carol  ◷ wait   —       ≈ insufficient ncpus  not analysed yet
//! ◆    5 58       alice  ✓ run    now     cn[018-019]           the step that was made last
//!   not considered 2
//!        65       bob    – skip   —       held                  it is held (by its owner)
//!   running 4
//!        50       alice  ■ runs   02:03   ends 02:13            cn[001-008]
//! −      49       bob    left             gone since the snapshot last shown
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::CycleView;
use super::draw_context::DrawContext;
use crate::layout::{Pane, inner_area};
use crate::screen::{ConsideredCounts, CycleLine, QueueSection};
use crate::widgets::frame;
use crate::widgets::table::Table;
use crate::wording;

/// Number of job rows in each section; every section but the first has a heading.
#[derive(Default)]
struct SectionCounts {
    considered: usize,
    others: usize,
    running: usize,
}

impl SectionCounts {
    /// Counts the whole table.
    fn of(view: &CycleView) -> Self {
        Self::among(view, view.rows.len())
    }

    /// Counts the first `first` rows. There may be a hundred thousand, so only the ends of sections are searched for.
    fn among(view: &CycleView, first: usize) -> Self {
        let rows = view.rows.get(..first).unwrap_or(&view.rows);
        let end = |section| rows.partition_point(|row| row.section() <= section);
        let left = |end: usize| view.departed_rows.partition_point(|at| *at < end);
        let (considered, others, all) =
            (end(QueueSection::Considered), end(QueueSection::NotConsidered), rows.len());
        let between = |from: usize, to: usize| to - from - (left(to) - left(from));
        let below_heading = |from: usize, to: usize| between(from, to).saturating_sub(1);
        Self {
            considered: between(0, considered),
            others: below_heading(considered, others),
            running: below_heading(others, all),
        }
    }

    fn all(&self) -> usize {
        self.considered + self.others + self.running
    }
}

/// The text of a heading: what is below it, and what has no row.
fn heading(view: &CycleView, line: CycleLine) -> Option<String> {
    let CycleLine::Heading(section) = line else { return None };
    Some(match section {
        QueueSection::Considered => return None,
        QueueSection::NotConsidered => {
            let mut text = format!("not considered {}", SectionCounts::of(view).others);
            if view.queue.subjobs > 0 {
                let subjobs = wording::count(view.queue.subjobs, "subjob");
                text.push_str(&format!(", and {subjobs} of arrays above"));
            }
            text
        }
        QueueSection::Running => format!("running {}", SectionCounts::of(view).running),
    })
}

/// The area of the table in its pane, without the rows of the strip.
pub(super) fn table_area(pane: Rect, steps: usize, height: u16) -> Rect {
    let inner = inner_area(pane);
    let strip = super::strip::rows(steps, height).saturating_sub(1);
    let strip = if strip > 0 && pane.height >= 4 { 2 } else { 0 };
    Rect { height: inner.height.saturating_sub(strip), ..inner }
}

/// The title, with what the mark of likely verdicts means if a row has it.
fn title(drawing: DrawContext<'_>, columns: u16) -> String {
    let mut title = counted_title(drawing, columns);
    if !drawing.screen().analysis.survey.likely().is_empty() {
        title.push_str(" · ?: could turn");
        if columns >= WIDE_TITLE {
            title.push_str(" with a fact that no file shows");
        }
    }
    title
}

/// Minimum number of columns for a title with counts.
const WIDE_TITLE: u16 = 100;

/// The title with its counts.
fn counted_title(drawing: DrawContext<'_>, columns: u16) -> String {
    let summary = drawing.screen().summary();
    let steps = summary.verdicts.len();
    let order = match &drawing.view.chosen.sort {
        Some(sort) => {
            format!("by {}", sort.criteria().map(|one| one.column.as_str()).collect::<Vec<_>>().join(", "))
        }
        None => "in the order considered".to_owned(),
    };
    if columns < WIDE_TITLE || steps == 0 {
        return format!("Queue {order}");
    }
    match drawing.cx.position() {
        // The counts cover all waiting jobs, including held and stopped ones, as the title of the reasons does.
        0 => {
            let ConsideredCounts { start, wait, .. } = summary.in_all();
            let has_subjobs = drawing.screen().run().outcomes().any(|outcome| outcome.subjob.is_some());
            // Each subjob that starts is a decision of its own.
            let all = match has_subjobs {
                true => format!("{} jobs and subjobs", start + wait),
                false => wording::count(start + wait, "job"),
            };
            format!("Queue, {order} · {all} · {start} start · {wait} wait")
        }
        done => {
            let ConsideredCounts { start, wait, .. } = summary.so_far(done);
            format!("Queue, {order} · {start} started, {wait} wait, {} to come", steps - done)
        }
    }
}

/// Draws the queue; `height` is that of the whole view.
pub(super) fn draw(drawing: DrawContext<'_>, area: Rect, height: u16, buf: &mut Buffer) {
    let DrawContext { view, theme, .. } = drawing;
    let focused = drawing.has_focus(Pane::List);
    let (done, steps) = (drawing.cx.position(), drawing.screen().summary().verdicts.len());
    let position = match done {
        0 => format!("{} {}", theme.by_set("▸", ">"), position_among_jobs(drawing)),
        _ => format!("{} {done}/{steps}", theme.by_set("◆", "@")),
    };
    let note = match view.filter.text() {
        "" => position,
        text if view.filtering.is_waiting() => {
            format!("/{text}  filtering, {} so far", wording::count(view.rows.len(), "row"))
        }
        text => format!("/{text}  {} of {}", SectionCounts::of(view).all(), view.queue.jobs()),
    };
    frame::pane(area, buf, theme, &title(drawing, area.width), &with_sort(drawing, note), focused);
    super::strip::draw(drawing, area, height, buf);
    rows(drawing, table_area(area, steps, height), buf);
}

/// Draws the queue in a pane of its own, without the strip.
pub(super) fn draw_alone(drawing: DrawContext<'_>, area: Rect, buf: &mut Buffer) {
    let theme = drawing.theme;
    let focused = drawing.has_focus(Pane::List);
    let title = match focused {
        true => "Queue, in the order considered · j k explain the next job here",
        false => "Queue, in the order considered · Tab, then j k explain the next job here",
    };
    let position = format!("{} {}", theme.by_set("▸", ">"), position_among_jobs(drawing));
    frame::pane(area, buf, theme, title, &with_sort(drawing, position), focused);
    rows(drawing, inner_area(area), buf);
}

/// The position of the cursor among the jobs, not counting headings and jobs that left.
fn position_among_jobs(drawing: DrawContext<'_>) -> String {
    let view = drawing.view;
    let before = SectionCounts::among(view, view.table.selected + 1);
    format!("{}/{}", before.all(), SectionCounts::of(view).all())
}

/// The note of the pane, with the column that the rows are sorted by.
fn with_sort(drawing: DrawContext<'_>, note: String) -> String {
    let view = drawing.view;
    let is_awaited = view.chosen.sort.is_some() && view.places.are_awaited();
    let note = if is_awaited { "sorting ...".to_owned() } else { note };
    note + &view.chosen.sort_note(drawing.theme)
}

/// Draws the rows and headings.
fn rows(drawing: DrawContext<'_>, inner: Rect, buf: &mut Buffer) {
    let DrawContext { view, theme, .. } = drawing;
    let focused = drawing.has_focus(Pane::List);
    if view.rows.is_empty() {
        let why = if view.filtering.is_waiting() {
            ["filtering ...", ""]
        } else {
            why_empty(view.filter.text(), drawing)
        };
        frame::empty(inner, buf, theme, &why);
        return;
    }
    let columns = CycleView::shown_columns(drawing, inner.width);
    let heading = |line: &CycleLine| heading(view, *line).map(Into::into);
    let sort = view.chosen.sort.as_ref();
    Table { heading: &heading, focused, sort, ..Table::new(&columns, &view.rows, view.table, theme) }
        .render(inner, buf);
}

fn why_empty(filter: &str, context: DrawContext<'_>) -> [&'static str; 2] {
    if filter.is_empty() {
        let none = wording::no_waiting_jobs(context.cx.snapshot(), "No queued or held jobs.");
        [none, "2 shows the nodes; r reads the files again."]
    } else {
        ["No match.", "Esc clears, / edits the filter."]
    }
}
