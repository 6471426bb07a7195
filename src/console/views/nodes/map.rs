//! The map of the view: groups in cells, as many nodes a cell as fit, and the cursor on a node.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::groups::{Groups, NodeGroup};
use super::labels::unlike;
use crate::action::Action;
use crate::layout::{cells, cut_columns, cut_rows};
use crate::theme::Theme;
use crate::views::world::StepStamp;
use crate::widgets::ramp::{Extent, Group, Place, Ramp, Row, STEPS, Shape, Sign, row_at};
use qscope_engine::cluster::Column;
use qscope_engine::universe::{Bit, NodeUse, State};
use qscope_session::node_facts::{free_shares, is_planned};

/// The map's state.
#[derive(Debug, Default)]
pub(crate) struct Map {
    groups: Rc<Groups>,
    uses: Column<Bit, NodeUse>,
    shares: Column<Bit, f64>,
    planned: Column<Bit, bool>,
    /// The cursor: group, and node in it.
    at: Place,
    /// A number of nodes a cell asked for, as its place among the steps.
    asked: Option<usize>,
    step: usize,
    shape: Option<Shape>,
    /// The state of which the nodes are, and the area and number of nodes a cell that it is laid out for.
    stamp: Option<StepStamp>,
    laid_out: Option<(Rect, Option<usize>)>,
    /// What is drawn: the groups in cells.
    cells: Vec<Group>,
    rows: Vec<Row>,
    offset: usize,
}

impl Map {
    /// Takes the nodes of another state; the cursor stays on its node.
    pub(crate) fn set(&mut self, groups: Rc<Groups>, state: &State, stamp: StepStamp) {
        let under = self.bit();
        self.groups = groups;
        // The same state in other groups: what its nodes do is known.
        if self.stamp.replace(stamp) != Some(stamp) {
            self.uses = state.node_uses();
            self.shares = free_shares(state);
            self.planned = state.plan.nodes.ids().map(|bit| is_planned(state, bit)).collect();
        }
        self.at = (0, 0);
        if let Some(bit) = under {
            self.put_on(bit);
        }
        self.shape = None;
    }

    /// How many rows stand below those that fit into an area.
    pub(crate) fn below(&self, area: Rect) -> usize {
        self.rows.len().saturating_sub(self.offset + usize::from(area.height))
    }

    /// The groups that are shown.
    pub(super) fn shown(&self) -> &Groups {
        &self.groups
    }

    /// The shape it is laid out in.
    pub(super) fn shape(&self) -> Option<Shape> {
        self.shape
    }

    /// What it is laid out for: what stands beside and below it is laid out anew with it.
    pub(super) fn layout(&self) -> Option<(Rect, usize)> {
        self.laid_out.map(|(area, _)| (area, self.step))
    }

    /// The part of its area right of all cells, and that below all rows.
    pub(super) fn spare(&self, area: Rect) -> (Rect, Rect) {
        let (rows, below) = cut_rows(area, cells(self.rows.len()));
        let taken = self.shape.map_or(area.width, |shape| shape.columns(&self.rows));
        (cut_columns(rows, taken.saturating_add(2)).1, below)
    }

    /// The rows on the screen.
    pub(super) fn rows(&self) -> &[Row] {
        self.rows.get(self.offset..).unwrap_or_default()
    }

    /// How many groups it has.
    pub(crate) fn groups(&self) -> usize {
        self.groups.list.len()
    }

    /// What all labels leave out.
    pub(crate) fn common(&self) -> &str {
        &self.groups.common
    }

    /// How many nodes are shown.
    pub(crate) fn nodes(&self) -> usize {
        self.groups.list.iter().map(|group| group.nodes.len()).sum()
    }

    pub(crate) fn nodes_a_cell(&self) -> usize {
        STEPS.get(self.step).copied().unwrap_or(1)
    }

    /// The node under the cursor; of several in a cell the first.
    pub(crate) fn bit(&self) -> Option<Bit> {
        self.groups.list.get(self.at.0)?.nodes.get(self.at.1).copied()
    }

    /// The nodes of the cell under the cursor.
    pub(crate) fn cell(&self) -> &[Bit] {
        let size = self.nodes_a_cell();
        let Some(group) = self.groups.list.get(self.at.0) else { return &[] };
        let first = self.at.1 / size * size;
        group.nodes.get(first..(first + size).min(group.nodes.len())).unwrap_or_default()
    }

    pub(crate) fn use_of(&self, bit: Bit) -> NodeUse {
        self.uses.checked(bit).copied().unwrap_or(NodeUse::Out)
    }

    /// Puts the cursor on a node, in its group where it is there; false when the map does not show it.
    pub(crate) fn put_on(&mut self, bit: Bit) -> bool {
        let within = |group: usize| {
            let nodes = &self.groups.list.get(group)?.nodes;
            nodes.iter().position(|known| *known == bit).map(|at| (group, at))
        };
        let found = within(self.at.0).or_else(|| (0..self.groups.list.len()).find_map(within));
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    /// Puts the cursor on the next node that is meant, going round.
    pub(crate) fn next_match(&mut self, forward: bool, meant: impl Fn(Bit) -> bool) -> bool {
        let all: Vec<Place> = self
            .groups
            .list
            .iter()
            .enumerate()
            .flat_map(|(group, of)| (0..of.nodes.len()).map(move |at| (group, at)))
            .collect();
        let here = all.iter().position(|place| *place == self.at).unwrap_or(0);
        let place = |by: usize| {
            let at = if forward { (here + by) % all.len() } else { (here + all.len() - by) % all.len() };
            all.get(at).copied()
        };
        let bit = |place: &Place| self.groups.list.get(place.0)?.nodes.get(place.1).copied();
        let found = (1..=all.len()).filter_map(place).find(|place| bit(place).is_some_and(&meant));
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    /// Lays the groups out for an area: the fewest nodes a cell that fit, or the number that was asked for.
    pub(crate) fn fit(&mut self, area: Rect) {
        if self.shape.is_some() && self.laid_out == Some((area, self.asked)) {
            return self.scroll(area);
        }
        self.laid_out = Some((area, self.asked));
        let named = self.named(&self.groups);
        let extents = |step: usize| extents_of(&named, &self.groups, STEPS.get(step).copied().unwrap_or(1));
        let fits = |step: &usize| {
            let extents = extents(*step);
            // Where there are more groups than rows, no number of nodes a cell helps.
            let most = usize::from(area.height).max(extents.len());
            Shape::new(&extents, area.width, false).height(&extents) <= most
        };
        let automatic = (0..STEPS.len()).find(fits).unwrap_or(STEPS.len() - 1);
        let step = self.asked.unwrap_or(automatic);
        let extents = extents(step);
        let wide = Shape::new(&extents, area.width, true);
        let spaced = step == 0 && wide.height(&extents) <= usize::from(area.height);
        let shape = if spaced { wide } else { Shape::new(&extents, area.width, false) };
        self.step = step;
        self.rows = shape.rows(&extents);
        self.cells = self.signed(named, &self.groups);
        if shape.cuts_no_label(&extents) {
            for (cells, group) in self.cells.iter_mut().zip(&self.groups.list) {
                cells.label = group.whole.clone().unwrap_or_else(|| std::mem::take(&mut cells.label));
            }
        }
        self.shape = Some(shape);
        self.scroll(area);
    }

    /// Groups of nodes in cells as they are laid out.
    pub(super) fn cells_of(&self, groups: &Groups) -> Vec<Group> {
        self.signed(self.named(groups), groups)
    }

    /// The names and notes of groups, without their cells.
    fn named(&self, groups: &Groups) -> Vec<Group> {
        let labels: Vec<String> = groups.list.iter().map(|group| group.label.clone()).collect();
        let group = |(group, label): (&NodeGroup, String)| {
            let free = group.nodes.iter().filter(|bit| self.use_of(**bit) == NodeUse::Free).count();
            Group { label, note: format!("{free} of {} free", group.nodes.len()), cells: Vec::new() }
        };
        groups.list.iter().zip(unlike(&labels)).map(group).collect()
    }

    /// The same with their cells.
    fn signed(&self, named: Vec<Group>, groups: &Groups) -> Vec<Group> {
        let size = self.nodes_a_cell();
        let signs = |nodes: &[Bit]| nodes.chunks(size).map(|nodes| self.sign(nodes)).collect();
        let with_cells = |(named, group): (Group, &NodeGroup)| Group { cells: signs(&group.nodes), ..named };
        named.into_iter().zip(&groups.list).map(with_cells).collect()
    }

    /// The share of a node that is free, from 0 to 1.
    pub(super) fn free_share(&self, bit: Bit) -> f64 {
        match self.use_of(bit) {
            NodeUse::Free => 1.0,
            NodeUse::Part => self.shares.checked(bit).copied().unwrap_or(0.5).clamp(0.01, 0.94),
            NodeUse::Full | NodeUse::Out => 0.0,
        }
    }

    /// What a cell of these nodes shows: out where one is out, else the mean of the free shares.
    fn sign(&self, nodes: &[Bit]) -> Sign {
        if nodes.iter().any(|bit| self.use_of(*bit) == NodeUse::Out) {
            return Sign::Out;
        }
        let is_free = |bit: &&Bit| self.use_of(**bit) == NodeUse::Free;
        let is_planned = |bit: &Bit| self.planned.checked(*bit).copied().unwrap_or_default();
        let mut free = nodes.iter().filter(is_free).peekable();
        if free.peek().is_some() && free.all(is_planned) {
            return Sign::Planned;
        }
        let mean = nodes.iter().map(|bit| self.free_share(*bit)).sum::<f64>() / nodes.len().max(1) as f64;
        let eighths = (1u8..=8).rev().find(|eighths| mean * 8.0 + 0.5 >= f64::from(*eighths));
        // The full glyph is for cells that are free as a whole.
        let most = if mean < 1.0 { 7 } else { 8 };
        Sign::Free(eighths.unwrap_or(u8::from(mean > 0.0)).min(most))
    }

    /// More or fewer nodes a cell; whether that changed.
    pub(crate) fn zoom(&mut self, more: bool, area: Rect) -> bool {
        let to = if more { self.step + 1 } else { self.step.wrapping_sub(1) };
        if to >= STEPS.len() {
            return false;
        }
        self.asked = Some(to);
        self.fit(area);
        true
    }

    /// One node a cell, around the cursor.
    pub(crate) fn zoom_in(&mut self, area: Rect) {
        self.asked = Some(0);
        self.fit(area);
    }

    /// Moves the cursor; whether it moved.
    pub(crate) fn go(&mut self, action: Action, area: Rect) -> bool {
        let before = self.at;
        let size = self.nodes_a_cell();
        let (group, cell) = (self.at.0, self.at.1 / size);
        let row = self.row_of((group, cell));
        let page = usize::from(area.height).saturating_sub(1).max(1);
        let column = self.rows.get(row).map_or(0, |row| cell - row.first);
        let to = match action {
            Action::Left => Some((group, cell.saturating_sub(1))),
            Action::Right => Some((group, cell + 1)),
            Action::Up => self.in_row(row.saturating_sub(1), column),
            Action::Down => self.in_row(row + 1, column),
            Action::PageUp => self.in_row(row.saturating_sub(page), column),
            Action::PageDown => self.in_row((row + page).min(self.rows.len().saturating_sub(1)), column),
            Action::Home => Some((0, 0)),
            Action::End => self.in_row(self.rows.len().saturating_sub(1), usize::MAX),
            Action::NextLine => Some((group + 1, 0)),
            Action::PreviousLine => Some((group.saturating_sub(1), 0)),
            _ => None,
        };
        if let Some((group, cell)) = to {
            self.put_on_cell((group, cell));
        }
        self.scroll(area);
        self.at != before
    }

    fn put_on_cell(&mut self, (group, cell): Place) {
        let Some(nodes) = self.groups.list.get(group).map(|group| group.nodes.len()) else { return };
        let size = self.nodes_a_cell();
        let last = nodes.saturating_sub(1) / size;
        self.at = (group, cell.min(last) * size);
    }

    fn in_row(&self, row: usize, column: usize) -> Option<Place> {
        let row = self.rows.get(row)?;
        Some((row.group, row.first + column.min(row.cells.saturating_sub(1))))
    }

    fn row_of(&self, (group, cell): Place) -> usize {
        let holds =
            |row: &Row| row.group == group && (row.first..row.first + row.cells.max(1)).contains(&cell);
        self.rows.iter().position(holds).unwrap_or(0)
    }

    fn cursor(&self) -> Place {
        (self.at.0, self.at.1 / self.nodes_a_cell())
    }

    /// Keeps the cursor's row on the screen.
    fn scroll(&mut self, area: Rect) {
        let (row, height) = (self.row_of(self.cursor()), usize::from(area.height).max(1));
        let last = self.rows.len().saturating_sub(height);
        self.offset = self.offset.clamp((row + 1).saturating_sub(height), row).min(last);
    }

    /// Puts the cursor on the cell under a click; whether it moved.
    pub(crate) fn click(&mut self, at: Position, area: Rect) -> bool {
        let row = row_at(&self.rows, self.offset, area, at);
        let place =
            row.zip(self.shape).and_then(|(row, shape)| shape.cell_at(row, area, at.x, Some(self.cursor())));
        let before = self.at;
        if let Some(place) = place {
            self.put_on_cell(place);
        }
        self.at != before
    }

    /// Draws the map.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(shape) = self.shape else { return };
        Ramp { groups: &self.cells, shape, cursor: Some(self.cursor()), theme }.render(
            self.rows(),
            area,
            buf,
        );
    }
}

/// What groups take with so many nodes a cell.
fn extents_of(named: &[Group], groups: &Groups, size: usize) -> Vec<Extent> {
    let cells = groups.list.iter().map(|group| group.nodes.len().div_ceil(size));
    named.iter().zip(cells).map(|(named, cells)| Extent { cells, ..named.extent() }).collect()
}
