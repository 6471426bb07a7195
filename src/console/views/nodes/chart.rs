//! The free share of every node in name order, below the map.
//!
//! ```text
//! free share of ncpus, 1 node in 5 columns, in name order
//!                          ▄▄▄▄ ████ ████      ████
//!                          ████ ████ ████  !!  ████
//! 001  002  003  004  005  006  007  008  009  010
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::groups::NodeGroups;
use super::map::NodeGroupMap;
use crate::layout::{cells, cut_rows};
use crate::theme::Role;
use crate::views::ViewContext;
use crate::widgets::area::area;
use crate::widgets::text::{clean, width};
use crate::wording;
use qscope_engine::universe::{Bit, NodeUse};

/// Minimum and maximum rows, with heading and axis.
const ROWS: (u16, u16) = (6, 12);

/// Maximum columns of a node, with the space after it.
const COLUMN: usize = 5;

/// The nodes of the map in name order.
#[derive(Debug, Default)]
pub(super) struct Chart {
    by_name: Vec<Bit>,
}

impl Chart {
    pub(super) fn of(by_name: &NodeGroups) -> Self {
        Self { by_name: by_name.list.iter().flat_map(|group| &group.nodes).copied().collect() }
    }

    /// Maximum number of rows it fills.
    pub(super) fn wanted(&self) -> u16 {
        if self.by_name.is_empty() { 0 } else { ROWS.1 }
    }

    /// Its place at the top of an area; empty if the area is too low.
    pub(super) fn place(area: Rect) -> Rect {
        let (chart, _) = cut_rows(area, ROWS.1);
        if chart.height < ROWS.0 { Rect::ZERO } else { chart }
    }

    pub(super) fn render(&self, map: &NodeGroupMap, place: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        if place.is_empty() || self.by_name.is_empty() {
            return;
        }
        let scale = ChartScale::of(self.by_name.len(), usize::from(place.width));
        let (_, place) = cut_rows(place, 1);
        let (heading, rest) = cut_rows(place, 1);
        let (bars, axis) = cut_rows(rest, rest.height.saturating_sub(1));
        let dim = theme.style(Role::TextDim);
        let title = format!("free share of ncpus, {}, in name order", scale.words());
        buf.set_stringn(heading.x, heading.y, title, usize::from(heading.width), dim);
        let groups: Vec<&[Bit]> = self.by_name.chunks(scale.nodes).collect();
        let values: Vec<u64> = groups.iter().map(|nodes| share(map, nodes)).collect();
        let rows = area(&values, WHOLE, usize::from(bars.height), theme);
        let rows: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
        let under = map.bit();
        for (column, nodes) in groups.iter().enumerate() {
            let x = place.x.saturating_add(cells(column * scale.columns));
            let is_out = nodes.iter().all(|bit| map.use_of(*bit) == NodeUse::Out);
            let is_under = under.is_some_and(|bit| nodes.contains(&bit));
            let role = match (is_out, is_under) {
                (true, _) => Role::NodeDown,
                (_, true) => Role::NodeTaken,
                _ => Role::NodeFree,
            };
            for (row, at) in rows.iter().zip(bars.rows()) {
                let sign = row.get(column).copied().unwrap_or(' ');
                let sign = if is_out && at.y + 1 == bars.bottom() { '!' } else { sign };
                let text = sign.to_string().repeat(scale.column_width());
                buf.set_stringn(x, at.y, text, scale.column_width(), theme.style(role));
            }
        }
        self.axis(axis, scale, buf, cx);
    }

    /// Draws as many names under the columns as there is room for.
    fn axis(&self, place: Rect, scale: ChartScale, buf: &mut Buffer, cx: ViewContext<'_>) {
        let mut free = place.x;
        for (column, nodes) in self.by_name.chunks(scale.nodes).enumerate() {
            let Some(first) = nodes.first() else { continue };
            let name = clean(cx.plan().node_name(*first)).into_owned();
            let x = place.x.saturating_add(cells(column * scale.columns));
            // After the first whole name only the numbers, which are what differs.
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            let text = if scale.columns >= COLUMN && width(digits) < COLUMN { digits } else { &name };
            if x >= free && x.saturating_add(cells(width(text))) <= place.right() {
                buf.set_stringn(x, place.y, text, width(text), cx.theme.style(Role::TextDim));
                free = x.saturating_add(cells(width(text) + 1));
            }
        }
    }

    /// The node under a click, if it is on the chart.
    pub(super) fn node_at(&self, at: Position, place: Rect) -> Option<Bit> {
        let scale = ChartScale::of(self.by_name.len(), usize::from(place.width));
        let column = usize::from(at.x.checked_sub(place.x)?) / scale.columns;
        self.by_name.get(column * scale.nodes).copied()
    }
}

/// The free share of a node that is entirely free.
const WHOLE: u64 = 1000;

/// The mean free share of some nodes, in thousandths.
fn share(map: &NodeGroupMap, nodes: &[Bit]) -> u64 {
    let sum: f64 = nodes.iter().map(|bit| map.free_share(*bit)).sum();
    (sum / nodes.len().max(1) as f64 * WHOLE as f64).round() as u64
}

/// Columns per node, or nodes per column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ChartScale {
    nodes: usize,
    columns: usize,
}

impl ChartScale {
    fn of(nodes: usize, room: usize) -> Self {
        match room / nodes.max(1) {
            0 => Self { nodes: nodes.div_ceil(room.max(1)).max(1), columns: 1 },
            columns => Self { nodes: 1, columns: columns.min(COLUMN) },
        }
    }

    /// The columns drawn for a node: wide ones are followed by a space.
    fn column_width(self) -> usize {
        if self.columns >= 3 { self.columns - 1 } else { self.columns }
    }

    fn words(self) -> String {
        match self.nodes {
            1 => format!("{} a node", wording::count(self.columns, "column")),
            several => format!("{} a column", wording::count(several, "node")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_takes_the_columns_there_are() {
        assert_eq!(ChartScale::of(32, 198), ChartScale { nodes: 1, columns: 5 });
        assert_eq!(ChartScale::of(100, 198), ChartScale { nodes: 1, columns: 1 });
        assert_eq!(ChartScale::of(2000, 198), ChartScale { nodes: 11, columns: 1 });
        assert_eq!(ChartScale { nodes: 1, columns: 3 }.words(), "3 columns a node");
        assert_eq!(ChartScale { nodes: 1, columns: 1 }.words(), "1 column a node");
        assert_eq!(ChartScale::of(0, 0), ChartScale { nodes: 1, columns: 1 });
    }
}
