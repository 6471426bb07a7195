//! The layout of a map. It depends only on the map and the area, so that drawing, moving and clicking agree.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::layout::Rect;

use super::{Map, legend_height};
use crate::layout::{cells, cut_rows};
use crate::widgets::text::{clean, width};

/// Number of lines at the start, and at the end, whose labels and notes are measured.
const SAMPLE: usize = 150;
const MAX_LABEL: usize = 24;
const MAX_NOTE: usize = 14;
/// Columns between two lines side by side.
const BETWEEN: u16 = 2;

/// The places of a map's nodes on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Geometry {
    /// The row for what the columns of the labels are, above the lines.
    heading_area: Rect,
    body: Rect,
    legend: Rect,
    label: u16,
    cells: u16,
    note: u16,
    /// Whether labels are values in columns, which is chosen if most names would be cut and no value is.
    in_columns: bool,
    per_cell: usize,
    /// Number of lines side by side.
    columns: usize,
    /// The first row of each line, and the end; empty if lines are side by side.
    starts: Vec<usize>,
    lengths: Vec<usize>,
}

impl Geometry {
    /// Chooses the scale: one node per cell if the map fits on the screen, with short lines side by side; else the
    /// number of nodes per cell is doubled until the map fits, or until each line fits in one row, and the map scrolls.
    pub fn new<M: Map>(map: &M, area: Rect) -> Self {
        let (whole, longest) = Self::with(map, area, false);
        if longest <= whole.label || whole.label == 0 || map.headings().is_empty() {
            return whole;
        }
        let is_cut = |line: &usize| width(&clean(&map.label(*line))) > usize::from(whole.label);
        let (values, longest) = Self::with(map, area, true);
        let cut = (0..map.lines()).filter(is_cut).count();
        if cut * 2 > map.lines() && longest <= values.label { values } else { whole }
    }

    /// The layout with whole labels or with values in columns, and the width of the longest label.
    fn with<M: Map>(map: &M, area: Rect, in_columns: bool) -> (Self, u16) {
        let (heading_area, area) = cut_rows(area, u16::from(in_columns && area.height > 3));
        let legend_height = legend_height(map, area.width).min(area.height / 2);
        let (body, legend) = cut_rows(area, area.height - legend_height);
        let lengths: Vec<usize> = (0..map.lines()).map(|line| map.nodes(line)).collect();
        let (longest, label, note) = margins(map, area.width, in_columns);
        let mut new = Self {
            heading_area,
            body,
            legend,
            label,
            cells: 0,
            note,
            in_columns,
            per_cell: 1,
            columns: 1,
            starts: Vec::new(),
            lengths,
        };
        new.cells = area.width.saturating_sub(new.margin_columns()).max(1);
        new.fit(map.stacks());
        if new.starts.is_empty() && new.label > 0 {
            new.label = new.label.max(new.room_for_label().min(longest));
        }
        new.widen_stacked(longest);
        (new, longest)
    }

    /// The label of a line in the chosen form.
    pub(super) fn label_of<'m, M: Map>(&self, map: &'m M, line: usize) -> Cow<'m, str> {
        label_of(map, line, self.in_columns)
    }

    /// Widens the labels of stacked lines by the columns that no cell needs.
    fn widen_stacked(&mut self, longest: u16) {
        let needed = self.lengths.iter().map(|length| length.div_ceil(self.per_cell)).max().unwrap_or(0);
        let spare = self.cells.saturating_sub(cells(needed));
        if !self.starts.is_empty() && self.label > 0 {
            let more = spare.min(longest.saturating_sub(self.label));
            (self.label, self.cells) = (self.label + more, self.cells - more);
        }
    }

    /// Columns for a label if lines are side by side: what cells and notes leave.
    fn room_for_label(&self) -> u16 {
        let columns = cells(self.columns).max(1);
        let slot = self.body.width.saturating_add(BETWEEN) / columns;
        slot.saturating_sub(BETWEEN + self.cells + self.margin_columns() - self.label)
    }

    fn fit(&mut self, stacks: bool) {
        let longest = self.lengths.iter().copied().max().unwrap_or(0);
        let slot = longest + usize::from(self.margin_columns() + BETWEEN);
        let side_by_side = (usize::from(self.body.width) + usize::from(BETWEEN)) / slot.max(1);
        if side_by_side > 1 && self.lengths.len() > 1 && !stacks {
            // Use no more lines side by side than needed to show all; the room goes to the labels.
            self.columns = side_by_side.min(self.lengths.len().div_ceil(self.height().max(1)));
            self.cells = cells(longest.max(1));
            return;
        }
        while self.rows_needed() > self.height() && longest.div_ceil(self.per_cell) > usize::from(self.cells)
        {
            self.per_cell *= 2;
        }
        let mut row = 0;
        self.starts = Vec::with_capacity(self.lengths.len() + 1);
        self.starts.push(0);
        for length in &self.lengths {
            row += self.rows_of(*length);
            self.starts.push(row);
        }
    }

    fn rows_needed(&self) -> usize {
        self.lengths.iter().map(|length| self.rows_of(*length)).sum()
    }

    fn rows_of(&self, length: usize) -> usize {
        length.div_ceil(self.per_cell).div_ceil(usize::from(self.cells)).max(1)
    }

    /// Columns of label, note and gaps.
    fn margin_columns(&self) -> u16 {
        let gap = |part: u16| if part > 0 { part + 1 } else { 0 };
        gap(self.label) + gap(self.note)
    }

    /// The area of the lines.
    pub fn body(&self) -> Rect {
        self.body
    }

    /// The row for what the columns of the labels are; empty if they have none.
    pub(super) fn heading_rect(&self) -> Rect {
        self.heading_area
    }

    /// The area of the legend.
    pub fn legend(&self) -> Rect {
        self.legend
    }

    /// Number of nodes per cell.
    pub fn per_cell(&self) -> usize {
        self.per_cell
    }

    /// Number of visible rows.
    pub fn height(&self) -> usize {
        usize::from(self.body.height)
    }

    /// Number of rows in total.
    pub fn rows(&self) -> usize {
        match self.starts.last() {
            Some(end) => *end,
            None => self.lengths.len().div_ceil(self.columns),
        }
    }

    /// Number of lines.
    pub fn lines(&self) -> usize {
        self.lengths.len()
    }

    /// Number of nodes of a line.
    pub fn nodes(&self, line: usize) -> usize {
        self.lengths.get(line).copied().unwrap_or(0)
    }

    /// Row and column of a node, in cells.
    pub(super) fn place(&self, line: usize, node: usize) -> (usize, usize) {
        let cell = node / self.per_cell;
        let cells = usize::from(self.cells);
        match self.starts.get(line) {
            Some(start) => (start + cell / cells, cell % cells),
            None => (line / self.columns, line % self.columns * cells + cell),
        }
    }

    /// The node at a place, or the nearest one in that row.
    pub(super) fn node_at(&self, row: usize, column: usize) -> (usize, usize) {
        let cells = usize::from(self.cells);
        let last_line = self.lengths.len().saturating_sub(1);
        let (line, cell) = if self.starts.is_empty() {
            ((row * self.columns + column / cells).min(last_line), column % cells)
        } else {
            let line = self.starts.partition_point(|start| *start <= row).saturating_sub(1).min(last_line);
            let start = self.starts.get(line).copied().unwrap_or(0);
            (line, row.saturating_sub(start) * cells + column)
        };
        (line, (cell * self.per_cell).min(self.nodes(line).saturating_sub(1)))
    }

    /// The lines in a row, each with its first cell in the row and its area.
    pub(super) fn row(&self, row: usize, at: Rect) -> Vec<(usize, usize, Rect)> {
        if row >= self.rows() {
            return Vec::new();
        }
        if self.starts.is_empty() {
            let width = self.margin_columns() + self.cells;
            let lines: Range<usize> = row * self.columns..((row + 1) * self.columns).min(self.lengths.len());
            let xs = (at.x..at.right()).step_by(usize::from(width + BETWEEN));
            return lines
                .zip(xs)
                .map(|(line, x)| (line, 0, Rect { x, width, ..at }.intersection(at)))
                .collect();
        }
        let line = self.starts.partition_point(|start| *start <= row).saturating_sub(1);
        let within = row - self.starts.get(line).copied().unwrap_or(row);
        vec![(line, within * usize::from(self.cells), at)]
    }

    /// The areas of label, cells and note of a line.
    pub(super) fn parts(&self, at: Rect) -> (Rect, Rect, Rect) {
        let x = at.x + if self.label > 0 { self.label + 1 } else { 0 };
        let cells = Rect { x, width: self.cells, ..at };
        let note = Rect { x: cells.right() + 1, width: self.note, ..at };
        (Rect { width: self.label, ..at }.intersection(at), cells.intersection(at), note.intersection(at))
    }

    /// The line and node under a click; `top` is the first visible row.
    pub fn at(&self, top: usize, x: u16, y: u16) -> Option<(usize, usize)> {
        if !self.body.contains((x, y).into()) {
            return None;
        }
        let row = top + usize::from(y - self.body.y);
        let at = Rect { y, height: 1, ..self.body };
        self.row(row, at).into_iter().find_map(|(line, first, slot)| {
            let (_, cells, _) = self.parts(slot);
            let cell = usize::from(x.checked_sub(cells.x).filter(|_| x < cells.right())?);
            let node = (first + cell) * self.per_cell;
            (node < self.nodes(line)).then_some((line, node))
        })
    }
}

/// The widths of the longest label, of labels, and of notes, limited so that the cells keep half of the line.
fn margins<M: Map>(map: &M, total: u16, in_columns: bool) -> (u16, u16, u16) {
    let lines = map.lines();
    let sample = (0..lines.min(SAMPLE)).chain(lines.saturating_sub(SAMPLE)..lines);
    let longest =
        sample.clone().map(|line| width(&clean(&label_of(map, line, in_columns)))).max().unwrap_or(0);
    let note = sample.map(|line| width(&clean(&map.note(line)))).max().unwrap_or(0).min(MAX_NOTE);
    let half = usize::from(total) / 2;
    let label = longest.min(MAX_LABEL).min(half);
    // Notes take no room from cells: they have what these leave, or a part of the half that is not for cells.
    let both = label + note + 2;
    let has_room = both <= half || (0..lines).all(|line| both + map.nodes(line) <= usize::from(total));
    let note = if has_room { note } else { 0 };
    (cells(longest), cells(label), cells(note))
}

fn label_of<M: Map>(map: &M, line: usize, in_columns: bool) -> Cow<'_, str> {
    if in_columns { map.values(line) } else { map.label(line) }
}
