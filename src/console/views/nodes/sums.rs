//! What stands right of a group's cells where there is room: its nodes by name, and how many of their cpus are in use.
//!
//! ```text
//! 2 of 11 free · · · · ▇ █ █   cn[009-019]  █████████████████▍······  129 of 176 ncpus in use
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::groups::{Groups, NodeGroup};
use crate::layout::{cells, cut_columns};
use crate::theme::{Role, Theme};
use crate::widgets::bar::bar;
use crate::widgets::ramp::RampRow;
use crate::widgets::text::{Align, clean, fit, width};
use crate::wording;
use qscope_engine::universe::State;
use qscope_explain::{Usage, cpus_of};

/// The fewest columns in which names are worth reading.
const LEAST: u16 = 12;

/// The columns of the names where there is room for no more, and the most of a bar.
const NAMES: usize = 30;
const BAR: usize = 40;
/// Longer lists of names are read in the table.
const MAX_NAMES: usize = 120;

/// A shorter bar shows nothing that its numbers do not.
const LEAST_BAR: usize = 8;

/// The columns of the numbers behind a bar: `129 of 176 ncpus in use`.
const NUMBERS: usize = 30;

/// The names and sums of the groups of a map.
#[derive(Debug, Default)]
pub(super) struct NodeSums {
    /// Of the first groups: of very many nodes some are summed up at a time.
    sums: Vec<GroupSum>,
    /// Whether these are all: as wide as the widest, they are drawn together.
    is_whole: bool,
    /// Where they stand.
    area: Rect,
}

#[derive(Debug)]
struct GroupSum {
    names: String,
    cpus: Option<Usage>,
}

impl NodeSums {
    /// Sums for an area, of no group yet; in one that is too narrow for them there are none.
    pub(super) fn of(area: Rect) -> Self {
        Self { area, ..Self::default() }
    }

    /// Whether some of the groups are still to be summed up.
    pub(super) fn is_to_go_on(&self, groups: &Groups) -> bool {
        self.area.width >= LEAST && self.sums.len() < groups.list.len()
    }

    /// Sums up the groups that come next, so many nodes at least where there are as many.
    pub(super) fn go_on(&mut self, groups: &Groups, state: &State, nodes: usize) {
        let mut seen = 0;
        while let Some(group) = groups.list.get(self.sums.len()).filter(|_| self.is_to_go_on(groups))
            && seen < nodes
        {
            seen += group.nodes.len();
            self.sums.push(self.sum(group, state));
        }
        self.is_whole = !self.is_to_go_on(groups);
    }

    fn sum(&self, group: &NodeGroup, state: &State) -> GroupSum {
        let mut nodes = group.nodes.clone();
        nodes.sort_unstable();
        GroupSum {
            names: wording::node_list_within(&state.plan, &nodes, names_room(self.area)),
            cpus: cpus_of(state, &nodes),
        }
    }

    /// Draws them beside the first row of each group.
    pub(super) fn render(&self, rows: &[RampRow], area: Rect, buf: &mut Buffer, theme: &Theme) {
        if self.sums.is_empty() || !self.is_whole {
            return;
        }
        let widest = self.sums.iter().map(|sum| width(&sum.names)).max().unwrap_or(0).min(names_room(area));
        let names = widest.min(usize::from(area.width));
        let left = usize::from(area.width).saturating_sub(names + 2 + NUMBERS).min(BAR);
        let bar_room = if left < LEAST_BAR { 0 } else { left };
        for (row, at) in rows.iter().zip(area.intersection(buf.area).rows()) {
            if let Some(sum) = self.sums.get(row.group).filter(|_| row.first == 0) {
                sum.draw(at, (names, bar_room), buf, theme);
            }
        }
    }
}

/// How many columns the names may take: what a bar of full length and its numbers leave, and all where these have no room.
fn names_room(area: Rect) -> usize {
    let all = usize::from(area.width);
    if all < NAMES + 2 + NUMBERS {
        return all;
    }
    all.saturating_sub(2 + BAR + 2 + NUMBERS).clamp(NAMES, MAX_NAMES)
}

impl GroupSum {
    fn draw(&self, at: Rect, (names, bar_room): (usize, usize), buf: &mut Buffer, theme: &Theme) {
        let text = fit(&clean(&self.names), names, Align::Left, theme.ellipsis());
        buf.set_stringn(at.x, at.y, text, names, theme.style(Role::Text));
        let (_, rest) = cut_columns(at, cells(names + 2));
        let Some(cpus) = self.cpus.as_ref().filter(|_| usize::from(rest.width) >= NUMBERS) else { return };
        let (have, free) = bar(cpus.used, cpus.total, bar_room, theme);
        let (x, _) = buf.set_stringn(rest.x, rest.y, have, bar_room, theme.style(Role::NodeBusy));
        let dim = theme.style(Role::TextDim);
        let gap = if bar_room > 0 { "  " } else { "" };
        let numbers = format!("{free}{gap}{} of {} ncpus in use", cpus.used, cpus.total);
        buf.set_stringn(x, rest.y, numbers, usize::from(rest.right().saturating_sub(x)), dim);
    }
}
