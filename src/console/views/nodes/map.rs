//! The map: groups in cells with as many nodes per cell as needed to fit, and the cursor on a node.

mod cursor;
mod signs;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::groups::NodeGroups;
use crate::layout::{cells, cut_columns, cut_rows};
use crate::theme::Theme;
use crate::views::StepStamp;
use crate::widgets::legend::{self, LegendParts};
use crate::widgets::ramp::{self, GroupExtent, Ramp, RampGroup, RampIndex, RampRow, RampShape, STEPS};
use qscope_engine::cluster::Column;
use qscope_engine::universe::{Bit, NodeUse, State};
use qscope_session::node_facts::{free_shares, is_planned};

use signs::extents_of;
pub(crate) use signs::sign_of;
pub(in crate::views) use signs::sign_of_one;

/// A note without its words: `3/8` for `3 of 8 free`.
fn shortened(note: &str) -> String {
    let (numbers, _) = note.rsplit_once(' ').unwrap_or((note, ""));
    numbers.replace(" of ", "/")
}

/// Minimum columns for the part common to all labels in the legend.
const LEAST_COMMON: usize = 20;

/// The map's state.
#[derive(Debug, Default)]
pub(crate) struct NodeGroupMap {
    groups: Arc<NodeGroups>,
    uses: Column<Bit, NodeUse>,
    shares: Column<Bit, f64>,
    planned: Column<Bit, bool>,
    /// The cursor: group, and node in it.
    at: RampIndex,
    /// The requested number of nodes per cell, as an index into [`STEPS`].
    asked: Option<usize>,
    step: usize,
    shape: Option<RampShape>,
    /// Whether labels are values in columns, which is chosen where most names would be cut and no value is.
    in_columns: bool,
    /// Whether notes are short, because the columns saved make room for fewer nodes per cell.
    has_short_notes: bool,
    /// The state that the nodes were read from, and the area and requested step of the layout.
    stamp: Option<StepStamp>,
    laid_out: Option<(Rect, Option<usize>)>,
    /// The groups in cells, as drawn.
    cells: Vec<RampGroup>,
    rows: Vec<RampRow>,
    offset: usize,
}

impl NodeGroupMap {
    /// Sets the nodes of another state; the cursor stays on its node.
    pub(crate) fn set(&mut self, groups: Arc<NodeGroups>, state: &State, stamp: StepStamp) {
        let under = self.bit();
        self.groups = groups;
        // The same state in other groups keeps what is known about its nodes.
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

    /// Number of rows below those that fit into an area.
    pub(crate) fn rows_below(&self, area: Rect) -> usize {
        self.rows.len().saturating_sub(self.offset + usize::from(area.height))
    }

    /// The groups shown.
    pub(super) fn shown(&self) -> &NodeGroups {
        &self.groups
    }

    /// The shape of the layout.
    pub(super) fn shape(&self) -> Option<RampShape> {
        self.shape
    }

    /// The layout's area and step; what is beside and below the map is redone when they change.
    pub(super) fn layout(&self) -> Option<(Rect, usize)> {
        self.laid_out.map(|(area, _)| (area, self.step))
    }

    /// The part of its area right of all cells, and the part below all rows.
    pub(super) fn spare(&self, area: Rect) -> (Rect, Rect) {
        let (rows, below) = cut_rows(area, cells(self.rows.len()));
        let taken = self.shape.map_or(area.width, |shape| shape.columns(&self.rows));
        (cut_columns(rows, taken.saturating_add(2)).1, below)
    }

    /// The visible rows.
    pub(super) fn rows(&self) -> &[RampRow] {
        self.rows.get(self.offset..).unwrap_or_default()
    }

    /// Number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.groups.list.len()
    }

    /// The part common to all labels, which these leave out.
    pub(crate) fn common(&self) -> &str {
        &self.groups.common
    }

    /// The headings of the label columns, the part common to all labels, and the meaning of the signs; the common part
    /// comes last where there is not room for all.
    pub(super) fn legend(&self, columns: usize, theme: &Theme) -> LegendParts {
        let heads =
            if self.in_columns { format!("columns: {}", self.groups.headings) } else { String::new() };
        let all = if self.common().is_empty() { String::new() } else { format!("all: {}", self.common()) };
        let (heads, all) = (legend::words(heads), legend::words(all));
        let signs = |beside: &LegendParts| {
            let taken = match legend::columns(beside) {
                0 => 0,
                taken => taken + 3,
            };
            ramp::legend(&self.cells, columns.saturating_sub(taken), theme)
        };
        let about = legend::side_by_side([heads.clone(), all.clone()]);
        let line = legend::side_by_side([about.clone(), signs(&about)]);
        if legend::columns(&line) <= columns {
            return line;
        }
        let short = legend::side_by_side([heads.clone(), signs(&heads)]);
        // A few letters of the common part are no help.
        match columns.saturating_sub(legend::columns(&short)) < LEAST_COMMON {
            true => short,
            false => legend::side_by_side([short, all]),
        }
    }

    /// Number of nodes shown.
    pub(crate) fn nodes(&self) -> usize {
        self.groups.list.iter().map(|group| group.nodes.len()).sum()
    }

    pub(crate) fn nodes_a_cell(&self) -> usize {
        STEPS.get(self.step).copied().unwrap_or(1)
    }

    /// The node under the cursor; the first one if the cell has several.
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

    /// Puts the cursor on a node, preferably in the current group; false if the map does not show it.
    pub(crate) fn put_on(&mut self, bit: Bit) -> bool {
        let within = |group: usize| {
            let nodes = &self.groups.list.get(group)?.nodes;
            nodes.iter().position(|known| *known == bit).map(|at| (group, at))
        };
        let found = within(self.at.0).or_else(|| (0..self.groups.list.len()).find_map(within));
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    /// Puts the cursor on the next node that `meant` accepts, going round; false if there is none.
    pub(crate) fn next_match(&mut self, forward: bool, meant: impl Fn(Bit) -> bool) -> bool {
        let all: Vec<RampIndex> = self
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
        let bit = |place: &RampIndex| self.groups.list.get(place.0)?.nodes.get(place.1).copied();
        let found = (1..=all.len()).filter_map(place).find(|place| bit(place).is_some_and(&meant));
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    /// Lays the groups out for an area, with the requested number of nodes per cell or the fewest that fit.
    pub(crate) fn fit(&mut self, area: Rect) {
        if self.shape.is_some() && self.laid_out == Some((area, self.asked)) {
            return self.scroll(area);
        }
        self.laid_out = Some((area, self.asked));
        let mut named = self.named(&self.groups);
        let (mut step, mut shape) = self.shaped(&named, area);
        self.in_columns = false;
        let is_cut = shape.cut_labels(&self.extents(&named, step)) * 2 > named.len();
        if is_cut && !self.groups.headings.is_empty() {
            let mut values = named.clone();
            let pairs = values.iter_mut().zip(&self.groups.list);
            pairs.for_each(|(values, group)| values.label.clone_from(&group.values));
            let (smaller, shaped) = self.shaped(&values, area);
            if shaped.cut_labels(&self.extents(&values, smaller)) == 0 {
                (named, step, shape, self.in_columns) = (values, smaller, shaped, true);
            }
        }
        self.has_short_notes = false;
        if step > 0 {
            let mut short = named.clone();
            short.iter_mut().for_each(|group| group.note = shortened(&group.note));
            let (smaller, shaped) = self.shaped(&short, area);
            if smaller < step {
                (named, step, shape, self.has_short_notes) = (short, smaller, shaped, true);
            }
        }
        self.step = step;
        self.rows = shape.rows(&self.extents(&named, step));
        self.cells = self.signed(named, &self.groups);
        self.shape = Some(shape);
        self.scroll(area);
    }

    /// The words for the numbers of short notes; empty if the notes have words.
    pub(super) fn note_words(&self) -> &'static str {
        match (self.has_short_notes, self.groups.filtered) {
            (false, _) => "",
            (true, true) => "shown/all",
            (true, false) => "free/all",
        }
    }

    /// The extents of the groups with the number of nodes per cell at `step`.
    fn extents(&self, named: &[RampGroup], step: usize) -> Vec<GroupExtent> {
        extents_of(named, &self.groups, STEPS.get(step).copied().unwrap_or(1))
    }

    /// The index of the number of nodes per cell, and the shape for an area.
    fn shaped(&self, named: &[RampGroup], area: Rect) -> (usize, RampShape) {
        let fits = |step: &usize| {
            let extents = self.extents(named, *step);
            // If there are more groups than rows, more nodes per cell do not help.
            let most = usize::from(area.height).max(extents.len());
            RampShape::new(&extents, area.width, false).height(&extents) <= most
        };
        let automatic = (0..STEPS.len()).find(fits).unwrap_or(STEPS.len() - 1);
        let step = self.asked.unwrap_or(automatic);
        let extents = self.extents(named, step);
        let wide = RampShape::new(&extents, area.width, true);
        let spaced = step == 0 && wide.height(&extents) <= usize::from(area.height);
        (step, if spaced { wide } else { RampShape::new(&extents, area.width, false) })
    }

    /// Puts more or fewer nodes in a cell; returns whether that was possible.
    pub(crate) fn zoom(&mut self, more: bool, area: Rect) -> bool {
        let to = if more { self.step + 1 } else { self.step.wrapping_sub(1) };
        if to >= STEPS.len() {
            return false;
        }
        self.asked = Some(to);
        self.fit(area);
        true
    }

    /// Zooms in to one node per cell, around the cursor.
    pub(crate) fn zoom_in(&mut self, area: Rect) {
        self.asked = Some(0);
        self.fit(area);
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
