//! How the names, notes and cells of a ramp map share the columns.

use ratatui::layout::Rect;

use super::RampIndex;
use crate::layout::cells;

/// The sizes of a group: columns of its name and note, and number of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupExtent {
    pub(crate) label: usize,
    pub(crate) note: usize,
    pub(crate) cells: usize,
}

/// A row of a group's cells; a group has as many rows as its cells need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RampRow {
    pub(crate) group: usize,
    /// The index of the first cell of the row.
    pub(crate) first: usize,
    pub(crate) cells: usize,
}

/// The widths of the parts of a row, and its number of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RampShape {
    pub(super) label: u16,
    pub(super) note: u16,
    /// Whether there is a space between cells.
    pub(super) spaced: bool,
    cells: usize,
}

/// Minimum useful columns right of the cells.
const BESIDE: u16 = 16;

impl RampShape {
    /// The shape for groups in `columns` columns; labels get two fifths, and more if the longest row of cells leaves
    /// it.
    pub(crate) fn new(groups: &[GroupExtent], columns: u16, spaced: bool) -> Self {
        let widest = |part: fn(&GroupExtent) -> usize| {
            u16::try_from(groups.iter().map(part).max().unwrap_or(0)).unwrap_or(columns)
        };
        let note = widest(|group| group.note).min(columns / 4);
        let most = groups.iter().map(|group| group.cells).max().unwrap_or(0);
        let cells = u16::try_from(if spaced { most * 2 } else { most }).unwrap_or(columns);
        let left = columns.saturating_sub(note + 4).saturating_sub(cells);
        // A label that takes more than half of the columns leaves room for names beside the cells; their sums are
        // dropped in favour of a whole label.
        let half = columns / 2;
        let left = if left >= half + BESIDE { left - BESIDE } else { left };
        let whole = widest(|group| group.label);
        let shape = |label: u16| {
            // Room for a space and the cursor before the cells, and for the cursor after them.
            let room = usize::from(columns.saturating_sub(label + note + 4));
            Self { label, note, spaced, cells: (if spaced { room / 2 } else { room }).max(1) }
        };
        let cut = shape(whole.min(left.max(columns / 5 * 2)));
        // A longer label is shown in full if that does not cost a row.
        let longer = shape(whole.min(half).max(cut.label));
        if longer.height(groups) > cut.height(groups) { cut } else { longer }
    }

    /// Number of labels that do not fit as a whole.
    pub(crate) fn cut_labels(self, groups: &[GroupExtent]) -> usize {
        groups.iter().filter(|group| group.label > usize::from(self.label)).count()
    }

    /// Widens the notes to those of some groups, as far as labels leave columns unused.
    pub(crate) fn with_notes_of(self, groups: &[GroupExtent]) -> Self {
        let widest = |part: fn(&GroupExtent) -> usize| cells(groups.iter().map(part).max().unwrap_or(0));
        let spare = self.label.saturating_sub(widest(|group| group.label));
        let more = widest(|group| group.note).saturating_sub(self.note).min(spare);
        Self { note: self.note + more, label: self.label - more, ..self }
    }

    /// Columns of the longest row, including the cursor.
    pub(crate) fn columns(self, rows: &[RampRow]) -> u16 {
        let longest = rows.iter().map(|row| row.cells).max().unwrap_or(0);
        let wide = if self.spaced { longest * 2 } else { longest + 2 };
        (self.label + self.note + 2).saturating_add(cells(wide))
    }

    /// Number of rows of a group with `cells` cells.
    pub(crate) fn rows_of(self, cells: usize) -> usize {
        cells.max(1).div_ceil(self.cells)
    }

    /// Number of rows of all groups.
    pub(crate) fn height(self, groups: &[GroupExtent]) -> usize {
        groups.iter().map(|group| self.rows_of(group.cells)).sum()
    }

    pub(crate) fn rows(&self, groups: &[GroupExtent]) -> Vec<RampRow> {
        let mut rows = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let all = group.cells;
            for first in (0..all.max(1)).step_by(self.cells) {
                rows.push(RampRow { group: at, first, cells: self.cells.min(all.saturating_sub(first)) });
            }
        }
        rows
    }

    /// The first column of the cells.
    pub(super) fn start(&self, area: Rect) -> u16 {
        area.x.saturating_add(self.label + self.note + 2)
    }

    /// The cell at a column of a row; the cursor's brackets count as its cell.
    pub(crate) fn cell_at(
        &self,
        row: RampRow,
        area: Rect,
        x: u16,
        cursor: Option<RampIndex>,
    ) -> Option<RampIndex> {
        let column = usize::from(x.checked_sub(self.start(area))?);
        let before = cursor.filter(|(group, cell)| *group == row.group && *cell >= row.first);
        let at = match before.map(|(_, cell)| cell - row.first) {
            _ if self.spaced => column / 2,
            // The cursor's brackets are before and after its cell.
            Some(here) if column > here + 2 => column - 2,
            Some(here) if column > here => here,
            _ => column,
        };
        (at < row.cells).then_some((row.group, row.first + at))
    }
}
