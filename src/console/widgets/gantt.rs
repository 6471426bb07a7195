//! Rows over time: what holds each row from when to when.
//!
//! ```text
//!             02:03  ╷02:30  ╷03:00  ╷03:30
//! cn[001-008] ▓50▓     ·  ▏54░░░░░░░░░░░░░▏55░░░
//! cn020       ╱offline╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱
//! ```
//! A bar that continues past the axis ends in an arrow, and so does a row with bars entirely past it; a bar thinner
//! than a cell takes one cell, with its name beside it.

mod axis;
mod joined;

use crate::layout::cells;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

pub(crate) use axis::{Axis, SPANS};

use super::cell_text::{put, put_sign};
use super::text::{clean, fit, truncate, width};
use crate::theme::{Role, Theme};
use crate::widgets::text::Align;
use joined::DrawnBars;
use qscope_engine::cluster::{DedicatedSlot, Epoch};

/// The kind of a bar; where bars overlap, the later one in this order is on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BarKind {
    /// The place where the selected job would fit.
    Fits,
    /// Planned for later.
    Planned,
    Reserved,
    /// Starts now, at the left edge.
    Starting,
    /// Has started before.
    Running,
    /// Out of service, or takes nothing.
    OutOfService,
}

/// A bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GanttBar {
    pub(crate) from: Epoch,
    /// `None` if the end is unknown.
    pub(crate) to: Option<Epoch>,
    pub(crate) fill: BarKind,
    pub(crate) name: String,
    /// Whether the picture is about it: it is then on top of all others, and always named.
    pub(crate) is_subject: bool,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GanttLane {
    /// The label at the left.
    pub(crate) label: String,
    pub(crate) spans: Vec<GanttBar>,
    /// A text shown if the row has no bars.
    pub(crate) note: String,
}

/// The inputs for drawing the rows.
#[derive(Debug)]
pub(crate) struct Gantt<'a> {
    pub(crate) axis: &'a Axis,
    pub(crate) theme: &'a Theme,
    /// Columns for the labels and a gap.
    pub(crate) label: u16,
    /// Moments at which prime time begins or ends, drawn in all rows.
    pub(crate) edges: &'a [Epoch],
    /// Periods of dedicated time, drawn in all rows.
    pub(crate) dedicated: &'a [DedicatedSlot],
}

/// The signs of prime and dedicated time, unicode and ASCII: an edge of prime time, an edge and the inside of dedicated
/// time.
pub(crate) const PRIME: (&str, &str) = ("┊", ":");
pub(crate) const DEDICATED_EDGE: (&str, &str) = ("┇", "~");
pub(crate) const DEDICATED: (&str, &str) = ("┈", "~");

#[derive(Debug, Clone, Copy)]
struct GanttCell {
    sign: char,
    role: Role,
    taken: bool,
    /// The index of the visible bar among those drawn.
    bar: Option<usize>,
    /// The role whose ground fills the bar.
    fill: Option<Role>,
}

impl GanttCell {
    fn style(&self, theme: &Theme) -> Style {
        let style = theme.style(self.role);
        Style { bg: self.fill.map_or(style.bg, |fill| theme.style(fill).bg), ..style }
    }
}

impl BarKind {
    fn sign(self, theme: &Theme) -> char {
        let (unicode, ascii) = match self {
            Self::Running => ("▓", "#"),
            Self::Starting => ("▒", "="),
            Self::Planned => ("░", "-"),
            Self::Reserved => ("▚", "%"),
            Self::OutOfService => ("╱", "/"),
            Self::Fits => ("┄", "."),
        };
        theme.by_set(unicode, ascii).chars().next().unwrap_or(' ')
    }

    /// The role of its name beside the bar: dark enough to be read.
    fn name_beside_role(self) -> Role {
        match self {
            Self::Running => Role::Text,
            other => other.role(),
        }
    }

    /// The role of its name in the bar, and of the ground of all its cells; `None` for those without a fill.
    fn fill_role(self) -> Option<Role> {
        match self {
            Self::Running => Some(Role::BarRunning),
            Self::Starting => Some(Role::BarStarting),
            Self::Planned => Some(Role::BarPlanned),
            Self::Reserved | Self::OutOfService | Self::Fits => None,
        }
    }

    /// The ground of its cells, for its sign in a legend.
    pub(crate) fn background_style(self, theme: &Theme) -> Style {
        Style { bg: self.fill_role().and_then(|fill| theme.style(fill).bg), ..Style::new() }
    }

    fn name_role(self) -> Role {
        self.fill_role().unwrap_or_else(|| self.role())
    }

    /// The role of its cells.
    pub(crate) fn role(self) -> Role {
        match self {
            Self::Running => Role::NodeBusy,
            Self::Starting => Role::VerdictRun,
            Self::Planned | Self::Reserved => Role::NodeLater,
            Self::OutOfService => Role::NodeDown,
            Self::Fits => Role::NodeTaken,
        }
    }
}

impl Gantt<'_> {
    /// Draws the line of times.
    pub(crate) fn draw_times(&self, at: Rect, buf: &mut Buffer) {
        let tick = self.theme.by_set("╷", "|");
        let left = at.x.saturating_add(self.label);
        let mut free = 0;
        for (moment, text) in self.axis.ticks() {
            let Some(column) = self.axis.column(*moment) else { continue };
            let text = if column == 0 { text.clone() } else { format!("{tick}{text}") };
            let last = column + width(&text);
            if column >= free && last <= usize::from(self.axis.width()) {
                let x = left.saturating_add(cells(column));
                put(buf, (x, at.y), &text, width(&text), self.theme.style(Role::TextDim));
                free = last + 1;
            }
        }
    }

    /// Draws one row with its label.
    pub(crate) fn lane(&self, lane: &GanttLane, at: Rect, buf: &mut Buffer, role: Role) {
        let label = usize::from(self.label.saturating_sub(1));
        let text = fit(&clean(&lane.label), label, Align::Left, self.theme.ellipsis());
        put(buf, (at.x, at.y), &text, label, self.theme.style(role));
        let columns = at.x.saturating_add(self.label)..at.right();
        for (x, cell) in columns.zip(self.cells(lane)) {
            let mut letters = [0; 4];
            put_sign(buf, (x, at.y), cell.sign.encode_utf8(&mut letters), cell.style(self.theme));
        }
    }

    fn cells(&self, lane: &GanttLane) -> Vec<GanttCell> {
        let columns = usize::from(self.axis.width());
        let empty = GanttCell { sign: ' ', role: Role::TextDim, taken: false, bar: None, fill: None };
        let mut cells = vec![empty; columns];
        let dot = self.theme.by_set("·", ".").chars().next().unwrap_or('.');
        for column in self.axis.ticks().iter().filter_map(|(at, _)| self.axis.column(*at)) {
            if let Some(cell) = cells.get_mut(column) {
                cell.sign = dot;
            }
        }
        for column in self.edges.iter().filter_map(|at| self.axis.column(*at)) {
            write(&mut cells, column, self.theme.by_set(PRIME.0, PRIME.1), Role::NodeLater);
        }
        self.dedicated.iter().for_each(|slot| self.dedicated_time(*slot, &mut cells));
        let drawn = DrawnBars::of(&lane.spans);
        // Which covered bars are named in what is left of them depends on the columns.
        let named = self.bars(&drawn.bars(|_| false), &mut cells.clone());
        self.bars(&drawn.bars(|bar| named.get(bar).is_some_and(|named| *named)), &mut cells);
        self.draw_edge_arrows(lane, &mut cells);
        if !lane.note.is_empty() && lane.spans.is_empty() {
            write(&mut cells, 1, &clean(&lane.note), Role::TextDim);
            if let Some(first) = cells.first_mut() {
                first.sign = dot;
            }
        }
        cells
    }

    /// Draws the bars, and their names where there is room. Returns for each whether it is named outside of its
    /// beginning, which another bar may cover.
    fn bars(&self, spans: &[GanttBar], cells: &mut [GanttCell]) -> Vec<bool> {
        for (bar, span) in spans.iter().enumerate() {
            self.span(span, bar, cells);
        }
        let names = spans.iter().enumerate().map(|(bar, span)| {
            let is_beside = self.name_beside(span, bar, cells);
            is_beside || self.name_in_rest(span, bar, cells)
        });
        names.collect()
    }

    /// Draws a period of dedicated time.
    fn dedicated_time(&self, slot: DedicatedSlot, cells: &mut [GanttCell]) {
        let first = self.axis.position(slot.from);
        let last = self.axis.position(slot.to);
        let (inside, edge) = (DEDICATED, DEDICATED_EDGE);
        for (column, at) in (0..cells.len()).zip(0i64..) {
            let sign = match at {
                _ if at == first || at == last => edge,
                _ if first < at && at < last => inside,
                _ => continue,
            };
            write(cells, column, self.theme.by_set(sign.0, sign.1), Role::NodeLater);
        }
    }

    /// Draws arrows at the edges if bars are entirely beyond them.
    fn draw_edge_arrows(&self, lane: &GanttLane, cells: &mut [GanttCell]) {
        let after = lane.spans.iter().filter(|span| span.from >= self.axis.end());
        if let Some(span) = after.min_by_key(|span| span.from)
            && cells.last().is_some_and(|last| !last.taken)
        {
            write(cells, cells.len() - 1, self.theme.by_set("→", ">"), span.fill.role());
        }
        let is_before = |span: &&GanttBar| span.to.is_some() && self.axis.position(span.from) < 0;
        let before = lane.spans.iter().filter(is_before).find(|span| self.columns(span).is_none());
        if let Some(span) = before.filter(|_| cells.first().is_some_and(|first| !first.taken)) {
            write(cells, 0, self.theme.by_set("←", "<"), span.fill.role());
        }
    }

    fn columns(&self, span: &GanttBar) -> Option<std::ops::Range<usize>> {
        let all = usize::from(self.axis.width());
        let from = self.axis.position(span.from).max(0);
        let from = usize::try_from(from).ok().filter(|from| *from < all)?;
        let to = span.to.map_or(i64::MAX, |to| self.axis.position(to));
        if to < 0 || (to == 0 && self.axis.position(span.from) < 0) {
            return None;
        }
        let to = usize::try_from(to).unwrap_or(all).clamp(from + 1, all);
        Some(from..to)
    }

    fn span(&self, span: &GanttBar, bar: usize, cells: &mut [GanttCell]) {
        let Some(columns) = self.columns(span) else { return };
        let (theme, role) = (self.theme, span.fill.role());
        let sign = span.fill.sign(theme);
        for cell in cells.get_mut(columns.clone()).into_iter().flatten() {
            *cell = GanttCell { sign, role, taken: true, bar: Some(bar), fill: span.fill.fill_role() };
        }
        let edge = match span.fill {
            BarKind::Planned => Some(theme.by_set("▏", "|")),
            BarKind::Fits => Some(theme.by_set("╎", "<")),
            _ => None,
        };
        let starts = self.axis.position(span.from) >= 0;
        if let Some(edge) = edge.filter(|_| starts && columns.len() > 1) {
            write(cells, columns.start, edge, role);
        }
        let name = clean(&span.name);
        // A name that fills the whole bar would hide its kind.
        if columns.len() > width(&name) {
            write(cells, columns.start + 1, &name, span.fill.name_role());
        }
        let goes_on = span.to.is_none_or(|to| to > self.axis.end());
        if goes_on && columns.end == cells.len() {
            write(cells, columns.end - 1, theme.by_set("→", ">"), span.fill.name_role());
        } else if span.fill == BarKind::Fits && columns.len() > 2 {
            write(cells, columns.end - 1, theme.by_set("╎", ">"), role);
        }
    }

    /// Draws the name of a bar that is too short for it at its right, if that place is free; returns whether it is.
    fn name_beside(&self, span: &GanttBar, bar: usize, cells: &mut [GanttCell]) -> bool {
        let Some(columns) = self.columns(span) else { return false };
        let name = clean(&span.name);
        // Behind the end of another bar the name would be taken for that bar's.
        let is_seen = columns
            .end
            .checked_sub(1)
            .and_then(|last| cells.get(last))
            .is_some_and(|cell| cell.bar == Some(bar));
        if columns.len() > width(&name) || !is_seen {
            return false;
        }
        let room = columns.end..columns.end + width(&name);
        if cells.get(room.clone()).is_some_and(|cells| cells.iter().all(|cell| !cell.taken)) {
            write(cells, columns.end, &name, span.fill.name_beside_role());
            for cell in cells.get_mut(room).into_iter().flatten() {
                cell.taken = true;
            }
            return true;
        }
        let fits = columns.len() == width(&name);
        if fits {
            write(cells, columns.start, &name, span.fill.name_role());
        }
        fits
    }
}

impl Gantt<'_> {
    /// Draws the name of a bar whose beginning is covered by another one in its visible rest, without what is left of the
    /// name from before; returns whether it fits.
    fn name_in_rest(&self, span: &GanttBar, bar: usize, cells: &mut [GanttCell]) -> bool {
        let Some(columns) = self.columns(span) else { return false };
        let (name, start) = (clean(&span.name), columns.start);
        let is_its = |cell: &GanttCell| cell.bar == Some(bar);
        let named = start + 1..start + 1 + width(&name);
        if columns.len() <= width(&name) || cells.get(named).is_some_and(|cells| cells.iter().all(is_its)) {
            return false;
        }
        let all = cells.get(columns).unwrap_or_default();
        let rest = all.iter().rev().take_while(|cell| is_its(cell)).count();
        // Its first cell shows the kind.
        let first = start + all.len() - rest;
        let (sign, role) = (span.fill.sign(self.theme), span.fill.role());
        let edges = [self.theme.by_set("→", ">"), self.theme.by_set("╎", ">")];
        for cell in cells.get_mut(first..first + rest).into_iter().flatten() {
            if !edges.iter().any(|edge| edge.starts_with(cell.sign)) {
                (cell.sign, cell.role) = (sign, role);
            }
        }
        let fits = rest > width(&name);
        if fits {
            write(cells, first + 1, &name, span.fill.name_role());
        }
        fits
    }
}

fn write(cells: &mut [GanttCell], from: usize, text: &str, role: Role) {
    let room = cells.len().saturating_sub(from);
    for (cell, sign) in cells.iter_mut().skip(from).zip(truncate(text, room, "").chars()) {
        (cell.sign, cell.role) = (sign, role);
    }
}

#[cfg(test)]
mod tests;
