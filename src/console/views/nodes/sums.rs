//! What is right of a group's cells where there is room: the names of its nodes, and how many of their cpus are in use.
//!
//! ```text
//! 2 of 11 free · · · · ▇ █ █   cn[009-019]  █████████████████▍······  129 of 176 ncpus in use
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::groups::{NodeGroup, NodeGroups};
use crate::layout::{cells, cut_columns};
use crate::theme::{Role, Theme};
use crate::widgets::bar::bar;
use crate::widgets::ramp::RampRow;
use crate::widgets::text::{Align, clean, fit, width};
use crate::wording;
use qscope_engine::universe::State;
use qscope_explain::{ResourceUsage, cpus_of};

/// Minimum columns for names.
const LEAST: u16 = 12;

/// Columns for names where there is little room, and maximum columns of a bar.
const NAMES: usize = 30;
const BAR: usize = 40;
/// Maximum columns for names; the table has longer lists.
const MAX_NAMES: usize = 120;

/// Minimum columns of a bar.
const LEAST_BAR: usize = 8;

/// Columns for the numbers after a bar: `129 of 176 ncpus in use`.
const NUMBERS: usize = 30;

/// The names and sums of the groups of a map.
#[derive(Debug, Default)]
pub(super) struct NodeSums {
    /// The sums of the first groups; with very many nodes they are made in slices.
    sums: Vec<GroupSum>,
    /// Whether all groups are summed up; nothing is drawn before, as the widest decides the columns.
    is_whole: bool,
    /// The area they are drawn in.
    area: Rect,
}

#[derive(Debug)]
struct GroupSum {
    names: String,
    cpus: Option<ResourceUsage>,
}

impl NodeSums {
    /// Sums for an area, of no group yet; there are none if the area is too narrow.
    pub(super) fn of(area: Rect) -> Self {
        Self { area, ..Self::default() }
    }

    /// Whether some groups are still to be summed up.
    pub(super) fn is_to_go_on(&self, groups: &NodeGroups) -> bool {
        self.area.width >= LEAST && self.sums.len() < groups.list.len()
    }

    /// Sums up the next groups, until at least `nodes` nodes are done.
    pub(super) fn sum_next_groups(&mut self, groups: &NodeGroups, state: &State, nodes: usize) {
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

    /// Draws the sums beside the first row of each group.
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

/// Maximum columns for names: what a full bar and its numbers leave, or everything if these do not fit.
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
