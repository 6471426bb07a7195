//! What holds the queue up, at rest: how full the cluster is, the reasons with their jobs and core-hours, and on small
//! screens the free nodes over time.
//!
//! ```text
//! │ insufficient ncpus  ████████████████  2 jobs   180.0 c-h│
//! │ fragmented          ██████████▎       1 job    128.0 c-h│
//! │ free nodes ▂▂▄▄▇▇▆▆██ 5 after this cycle, 16 at 02:28 │
//! ```

mod reason_lines;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::CycleView;
use super::draw_context::DrawContext;
use super::free_nodes::free;
use super::pulse_target::PulseTarget;
use crate::action::Action;
use crate::layout::{Pane, SizeClass, indented_inner_area};
use crate::theme::{Role, Theme};
use crate::views::calendar::events::{self, EventLine};
use crate::views::{Effect, Object, Update, ViewContext, ViewName};
use crate::widgets::bar::bar;
use crate::widgets::frame;
use crate::widgets::table::TableState;
use crate::widgets::text::{Align, clean, fit, in_set, width};
use crate::wording;
use qscope_engine::universe::NodeCounts;
use qscope_explain::ResourceUsage;
use reason_lines::reasons;

/// Rows before the events: a blank one, and the heading.
const EVENTS_BEGIN: usize = 2;
/// Minimum rows for events; with fewer they are only in the calendar.
const LEAST_EVENTS: usize = 3;
/// Maximum rows of the free nodes over time.
const MAX_FREE: usize = 5;
/// Columns for the labels of the bars about the cluster.
const LABEL: usize = 7;

/// Draws the pane.
pub(super) fn draw(drawing: DrawContext<'_>, area: Rect, buf: &mut Buffer) {
    let DrawContext { view, theme, .. } = drawing;
    let known = view.reasons.known();
    let jobs = wording::count(known.waiting, "job");
    let verb = if known.waiting == 1 { "waits" } else { "wait" };
    let is_known = known.is_done || known.progress.1 > 0;
    let title = |unit: &str| match is_known {
        true if known.is_done && known.waiting == 0 => wording::none_waits(drawing.cx.snapshot()).to_owned(),
        true => format!("Why {jobs} {verb} · {} {unit}", hours(known.core_hours)),
        false => "Why jobs wait".to_owned(),
    };
    let stopped = view.reasons.stopped().map(wording::stopped_at);
    let stopped = known.stopped_at.map(wording::limited_to).or(stopped);
    let or_short = |long: String, short: String| {
        if frame::fit_side_by_side(area, &title("c-h"), &long) { long } else { short }
    };
    let note = match (known.progress, stopped) {
        (_, Some(stopped)) => or_short(stopped, "r continues".to_owned()),
        (progress, _) if !known.is_done && progress.1 > 0 => {
            let under_way = wording::analysed_so_far(progress);
            or_short(format!("{under_way} · {}", wording::ESC_STOPS), under_way)
        }
        _ => ViewName::Board.number().map_or_else(|| "R: Board".to_owned(), |key| format!("{key}: Board")),
    };
    let note = drawing.screen().analysed_at().unwrap_or(note);
    let long = title("core-hours");
    let title = if frame::fit_side_by_side(area, &long, &note) { long } else { title("c-h") };
    let focused = drawing.has_focus(Pane::Detail);
    frame::pane(area, buf, theme, &title, &note, focused);
    let chosen = view.pulse_target().filter(|_| focused);
    let mut marked = false;
    for ((line, target), at) in lines(drawing, area).into_iter().zip(indented_inner_area(area).rows()) {
        line.render(at, buf);
        if chosen.is_some() && target == chosen {
            let row = Rect { x: at.x.saturating_sub(1), width: at.width + 1, ..at }.intersection(buf.area);
            // The cursor sign is drawn before the first of its lines.
            if !marked && !row.is_empty() {
                buf.set_stringn(row.x, row.y, theme.glyph(Role::Cursor), 1, theme.style(Role::Text));
                marked = true;
            }
            buf.set_style(row, theme.style(Role::Cursor));
        }
    }
}

/// A line, and what it leads to.
type PulseLine = (Line<'static>, Option<PulseTarget>);

/// The lines of the pane.
fn lines(drawing: DrawContext<'_>, area: Rect) -> Vec<PulseLine> {
    let DrawContext { view, theme, cx } = drawing;
    let known = view.reasons.known();
    let is_known = known.is_done || known.progress.1 > 0;
    let inner = indented_inner_area(area);
    let columns = usize::from(inner.width);
    let to = |view: ViewName| move |line: Line<'static>| (line, Some(PulseTarget::View(view)));
    let mut lines: Vec<PulseLine> = Vec::new();
    let stacked = cx.size_class <= SizeClass::Stacked;
    if !stacked {
        lines.push(to(ViewName::Nodes)(nodes(drawing.screen().node_counts(), columns, theme)));
        let used = view.usage.iter().take(2).map(|one| usage(one, drawing, columns));
        lines.extend(used.map(to(ViewName::Nodes)));
        lines.push((Line::default(), None));
    }
    let below = usize::from(stacked);
    let room = usize::from(inner.height).saturating_sub(lines.len() + below);
    lines.extend(reasons(known, room, columns, drawing));
    if known.tally.is_empty() {
        let text = if !is_known {
            "analysing the queue ..."
        } else if !view.rows.iter().any(|line| line.row().is_some()) {
            wording::no_waiting_jobs(cx.snapshot(), "No queued or held jobs.")
        } else {
            wording::no_waiting_jobs(cx.snapshot(), "No waiting jobs.")
        };
        lines.push((Line::styled(text, theme.style(Role::TextDim)), None));
    }
    if !stacked {
        let room = usize::from(inner.height).saturating_sub(lines.len());
        let mut events = next_events(&view.events, room, columns, theme).into_iter();
        lines.extend(events.next().map(|blank| (blank, None)));
        lines.extend(events.map(to(ViewName::Calendar)));
    }
    if stacked {
        // Rows that the reasons leave make the picture higher, once all reasons are known.
        let left = usize::from(inner.height).saturating_sub(lines.len() + 1);
        let rows = if known.is_done { left.clamp(1, MAX_FREE) } else { 1 };
        lines.resize(usize::from(inner.height).saturating_sub(rows), (Line::default(), None));
        let free = free(&view.timeline.schedule, drawing, (columns, rows));
        lines.extend(free.map(to(ViewName::Calendar)));
    }
    lines
}

impl CycleView {
    /// What the cursor of the pane is on; the first reason until the cursor was moved.
    pub(super) fn pulse_target(&self) -> Option<PulseTarget> {
        let known = self.reasons.known().tally.len();
        match self.pulse_target {
            Some(PulseTarget::Reason(at)) => {
                known.checked_sub(1).map(|last| PulseTarget::Reason(at.min(last)))
            }
            None => (known > 0).then_some(PulseTarget::Reason(0)),
            view => view,
        }
    }

    /// Moves the cursor of the pane to the next target; returns whether it moved.
    pub(super) fn move_in_pulse(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> bool {
        let Some(pane) = self.panes(area, cx).rect(Pane::Detail) else { return false };
        let lines = lines(DrawContext::new(self, cx.undrawn()), pane);
        let shown = lines.into_iter().take(usize::from(indented_inner_area(pane).height));
        let mut stops: Vec<PulseTarget> = shown.filter_map(|(_, target)| target).collect();
        stops.dedup();
        let here = self.pulse_target().and_then(|here| stops.iter().position(|stop| *stop == here));
        let mut table = TableState { selected: here.unwrap_or(0), offset: 0 };
        let moved = table.move_cursor(action, stops.len(), stops.len());
        if moved {
            self.pulse_target = stops.get(table.selected).copied();
        }
        moved
    }

    /// Puts the cursor on the clicked line; returns whether it moved.
    pub(super) fn click_pulse(&mut self, at: Position, pane: Rect, cx: ViewContext<'_>) -> bool {
        let lines = lines(DrawContext::new(self, cx.undrawn()), pane);
        let row = at.y.checked_sub(indented_inner_area(pane).y).map(usize::from);
        let Some(target) = row.and_then(|row| lines.get(row)?.1) else { return false };
        let before = self.pulse_target();
        self.pulse_target = Some(target);
        before != self.pulse_target()
    }

    /// Filters the queue to the jobs of the selected reason, or opens the view that the line sums up.
    pub(super) fn open_pulse(&self) -> Update {
        match self.pulse_target() {
            Some(PulseTarget::Reason(at)) => match self.reasons.known().tally.get(at) {
                Some(one) => {
                    let text = format!("reason=\"{}\"", one.name.replace('"', ""));
                    Update::changed().with(Effect::SetFilter(text))
                }
                None => Update::unchanged(),
            },
            Some(PulseTarget::View(view)) => Update::request(Effect::GoTo(Object::View(view))),
            None => Update::status("no reason to open"),
        }
    }

    /// The first job of the selected reason.
    pub(super) fn job_of_reason(&self, cx: ViewContext<'_>) -> Option<Object> {
        let Some(PulseTarget::Reason(at)) = self.pulse_target() else { return None };
        let job = self.reasons.known().tally.get(at)?.jobs.first()?;
        Some(Object::of_job(*job, cx.snapshot()))
    }
}

/// Formats hours: with one decimal, without from a thousand on, in millions from there on.
pub(crate) fn hours(hours: f64) -> String {
    // The last binary digits of a sum depend on the order of its terms.
    let hours = (hours * 1e6).round() / 1e6;
    match hours {
        1e6.. => format!("{:.1}M", hours / 1e6),
        1e3.. => format!("{hours:.0}"),
        // Adding 0.0 turns the -0.0 of an empty sum into 0.0.
        _ => format!("{:.1}", hours + 0.0),
    }
}

/// A bar of the nodes by use.
fn nodes(counts: NodeCounts, columns: usize, theme: &Theme) -> Line<'static> {
    let NodeCounts { all, free, part, full, out } = counts;
    let words = format!(" {full} full {part} part {free} free {out} out");
    let room = columns.saturating_sub(LABEL + width(&words));
    let parts = [
        (full, Role::NodeBusy, theme.by_set("▓", "#")),
        (part, Role::NodeFree, theme.by_set("▄", "=")),
        (free, Role::NodeFree, theme.by_set("█", "*")),
        (out, Role::NodeDown, "!"),
    ];
    let mut spans = vec![Span::styled(format!("{:<LABEL$}", "nodes"), theme.style(Role::TextDim))];
    let (mut used, mut sum) = (0, 0);
    for (at, (count, role, sign)) in parts.into_iter().enumerate() {
        sum += count;
        // Ends of parts are rounded, so that all parts together fill the bar.
        let end = (sum * room + all / 2).checked_div(all).unwrap_or(0);
        let cells = if count > 0 { end.saturating_sub(used).max(1) } else { 0 };
        // Each following part keeps at least one cell.
        let kept = parts.iter().skip(at + 1).filter(|(count, ..)| *count > 0).count();
        let cells = cells.min(room.saturating_sub(used + kept));
        used += cells;
        spans.push(Span::styled(sign.repeat(cells), theme.style(role)));
    }
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
    spans.push(Span::styled(words, theme.style(Role::TextDim)));
    Line::from(spans)
}

/// A bar of how much of a consumable is in use.
fn usage(one: &ResourceUsage, context: DrawContext<'_>, columns: usize) -> Line<'static> {
    let (theme, catalogue) = (context.theme, &context.screen().generation.snapshot.catalogue);
    let kind = catalogue.kind(one.resource);
    let words = format!(" {} in use", wording::part_of(kind, one.used, one.total));
    let room = columns.saturating_sub(LABEL + width(&words));
    let name = fit(&clean(catalogue.name(one.resource)), LABEL - 1, Align::Left, theme.ellipsis());
    let (have, rest) = bar(one.used, one.total, room, theme);
    Line::from(vec![
        Span::styled(format!("{name} "), theme.style(Role::TextDim)),
        Span::styled(have, theme.style(Role::NodeBusy)),
        Span::styled(format!("{rest}{words}"), theme.style(Role::TextDim)),
    ])
}

/// What ends and starts next, where the reasons leave rows for it.
fn next_events(events: &[EventLine], room: usize, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let rows = room.saturating_sub(EVENTS_BEGIN);
    if events.is_empty() || rows < events.len().min(LEAST_EVENTS) {
        return Vec::new();
    }
    let listed = events::listed(events, rows, columns, theme);
    let listed =
        listed.into_iter().map(|text| in_set(&clean(&text), theme.theme_options().glyphs).into_owned());
    let head = Line::styled("ends and starts next", theme.style(Role::TextDim));
    let lines = listed.map(|text| Line::styled(text, theme.style(Role::Text)));
    [Line::default(), head].into_iter().chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_have_as_many_digits_as_are_read() {
        let nothing: f64 = [].iter().sum();
        let shown = [nothing, 0.04, 128.84, 1920.0, 2_300_000.0].map(hours);
        assert_eq!(shown, ["0.0", "0.0", "128.8", "1920", "2.3M"]);
        assert_eq!(hours(1_965.499_999_999_9), hours(1_965.5));
    }
}
