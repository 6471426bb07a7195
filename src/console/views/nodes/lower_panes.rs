//! What fills the rows that the map leaves: the placement sets in the same kind of cells, and below them the chart.
//!
//! ```text
//! by placement set
//! switch=sw1                 0 of 8 free  · · · · · · · ·
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::chart::Chart;
use super::groups::NodeGroups;
use super::map::NodeGroupMap;
use super::sums::NodeSums;
use crate::layout::{cells, cut_columns, cut_rows};
use crate::theme::Role;
use crate::views::ViewContext;
use crate::widgets::ramp::{Ramp, RampGroup, RampIndex, RampRow, RampShape, row_at};
use qscope_engine::universe::{Bit, State};

/// Minimum rows for anything to be shown.
pub(super) const LEAST: u16 = 4;

/// The placement sets, as the map groups them, and the chart.
#[derive(Debug, Default)]
pub(super) struct SetMapPane {
    sets: NodeGroups,
    /// What is right of their cells.
    sums: NodeSums,
    /// The sets in cells, and their rows.
    cells: Vec<RampGroup>,
    rows: Vec<RampRow>,
    /// Number of rows of sets without room, which are counted but not made.
    left_out: usize,
    shape: Option<RampShape>,
    chart: Chart,
}

/// The areas of the parts.
struct SetMapAreas {
    sets: Rect,
    chart: Rect,
}

impl SetMapPane {
    /// Lays out the placement sets in the cells of a map, and the nodes in name order for the chart.
    pub(super) fn of(
        map: &NodeGroupMap,
        shape: RampShape,
        sets: &NodeGroups,
        by_name: &NodeGroups,
        (state, area): (&State, Rect),
    ) -> Self {
        let (_, below) = map.spare(area);
        let room = usize::from(below.height);
        let cells_of = |nodes: usize| nodes.div_ceil(map.nodes_a_cell());
        let beyond = sets.list.iter().skip(room);
        let left_out = beyond.map(|group| shape.rows_of(cells_of(group.nodes.len()))).sum();
        let shown = sets.list.iter().take(room).cloned().collect();
        let sets = NodeGroups { list: shown, ..NodeGroups::default() };
        let cells = map.cells_of(&sets);
        let extents: Vec<_> = cells.iter().map(RampGroup::extent).collect();
        let shape = shape.with_notes_of(&extents);
        let rows = shape.rows(&extents);
        let columns = shape.columns(&rows).max(shape.columns(map.rows()));
        let (_, beside) = cut_columns(Rect { width: area.width, ..below }, columns.saturating_add(2));
        let mut sums = NodeSums::of(beside);
        sums.sum_next_groups(&sets, state, usize::MAX);
        Self { sets, sums, cells, rows, left_out, shape: Some(shape), chart: Chart::of(by_name) }
    }

    /// Maximum number of rows it fills.
    pub(super) fn wanted(&self) -> u16 {
        let sets = self.rows.len() + self.left_out;
        let sets = if sets == 0 { 0 } else { cells(sets).saturating_add(2) };
        sets.saturating_add(self.chart.wanted())
    }

    /// The sets get the rows they need; the chart gets the rest.
    fn parts(&self, area: Rect) -> SetMapAreas {
        let wanted = if self.rows.is_empty() { 0 } else { cells(self.rows.len()).saturating_add(2) };
        let (sets, rest) = match wanted <= area.height {
            true => cut_rows(area, wanted),
            false => cut_rows(area, area.height),
        };
        SetMapAreas { sets, chart: Chart::place(rest) }
    }

    pub(super) fn render(&self, map: &NodeGroupMap, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let parts = self.parts(area);
        if let Some(shape) = self.shape.filter(|_| parts.sets.height >= 3) {
            let (heading, rows) = set_rows(parts.sets);
            let dim = theme.style(Role::TextDim);
            let cut = (self.rows.len() + self.left_out).saturating_sub(usize::from(rows.height));
            let more = if cut > 0 { format!("{}{cut} more rows: b", theme.dot()) } else { String::new() };
            let text = format!("by placement set{more}");
            buf.set_stringn(heading.x, heading.y, text, usize::from(heading.width), dim);
            Ramp { groups: &self.cells, shape, cursor: None, theme }.render(&self.rows, rows, buf);
            let columns = shape.columns(&self.rows).max(shape.columns(map.rows()));
            let (_, beside) = cut_columns(rows, columns.saturating_add(2));
            self.sums.render(&self.rows, beside, buf, theme);
        }
        self.chart.render(map, parts.chart, buf, cx);
    }

    /// The node under a click.
    pub(super) fn node_at(&self, at: Position, area: Rect) -> Option<Bit> {
        let parts = self.parts(area);
        if parts.chart.contains(at) {
            return self.chart.node_at(at, parts.chart);
        }
        let (_, rows) = set_rows(parts.sets);
        let row = row_at(&self.rows, 0, rows, at)?;
        let (group, cell): RampIndex = self.shape?.cell_at(row, rows, at.x, None)?;
        let nodes = &self.sets.list.get(group)?.nodes;
        let size = nodes.len().div_ceil(self.cells.get(group)?.cells.len().max(1)).max(1);
        nodes.get(cell * size).copied()
    }
}

/// The heading of the sets below a blank row, and their rows.
fn set_rows(area: Rect) -> (Rect, Rect) {
    let (_, area) = cut_rows(area, 1);
    cut_rows(area, 1)
}
