//! The cursors in the queue, in the decision and in the map, and the pane that has the focus.

use ratatui::layout::{Position, Rect};

use super::decision_levels::table_area as level_area;
use super::draw_context::DrawContext;
use super::queue::table_area;
use super::state::CycleView;
use super::strip;
use crate::action::Action;
use crate::layout::{Pane, cut_rows, cycle, indented_inner_area, inner_area, scroll};
use crate::screen::{CycleLine, CycleRow};
use crate::views::nodes::groups::NodeGrouping;
use crate::views::table_choices::plain_theme;
use crate::views::{Effect, Object, Update, ViewContext};
use crate::widgets::bitmap::Geometry;
use crate::widgets::table::{Table, height};
use qscope_engine::cluster::{Id, short_id};

/// Minimum width of the pane for the nodes to be indented by a column.
const INDENTED: u16 = 100;

/// Splits the map's pane into a line about the node under the cursor, if there is room, and the map.
pub(super) fn map_parts(pane: Rect) -> (Rect, Rect) {
    // Where there is room the content is indented by a column, as in the panes beside.
    let inner = if pane.width >= INDENTED { indented_inner_area(pane) } else { inner_area(pane) };
    let rows = match (inner.width, inner.height) {
        (_, ..5) => 0,
        // The text about a node needs two rows here, and the map can spare them.
        (..110, 12..) => 2,
        _ => 1,
    };
    cut_rows(inner, rows)
}

impl CycleView {
    /// Gives the keys to the next pane, or to the one before. At rest there is no decision that the side pane is about.
    pub(super) fn turn_focus(&mut self, by: isize, cx: ViewContext<'_>) {
        let rests = self.is_at_rest(cx);
        let all = cycle(cx.size_class).iter().copied();
        let panes: Vec<Pane> = all.filter(|pane| !(rests && *pane == Pane::Side)).collect();
        let here = panes.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let to = here.checked_add_signed(by).unwrap_or(panes.len() - 1) % panes.len().max(1);
        self.focus = panes.get(to).copied().unwrap_or(Pane::List);
    }

    pub(super) fn toggle_map(&mut self, area: Rect, cx: ViewContext<'_>) {
        // Small screens have no place for the map: give it the focus, which shows it.
        if self.panes(area, cx).rect(Pane::Map).is_none() {
            self.focus = Pane::Map;
            return;
        }
        self.grouping = self.grouping.next(cx.plan());
        self.by_resource = match self.grouping {
            NodeGrouping::Resource(id) => Some(cx.snapshot().catalogue.name(id).clone()),
            _ => None,
        };
    }

    /// Moves the cursor of the focused pane up to `times` times.
    pub(super) fn move_times(
        &mut self,
        action: Action,
        times: usize,
        area: Rect,
        cx: ViewContext<'_>,
    ) -> Update {
        let moved = match self.focus {
            Pane::List => return self.move_in_queue(action, times, area, cx),
            Pane::Detail if self.is_at_rest(cx) => {
                (0..times).take_while(|_| self.move_in_pulse(action, area, cx)).count()
            }
            Pane::Detail => (0..times).take_while(|_| self.move_in_story(action, area, cx)).count(),
            Pane::Map if self.is_at_rest(cx) => {
                let pane = self.panes(area, cx).rect(Pane::Map);
                (0..times).take_while(|_| self.move_in_picture(action, pane)).count()
            }
            Pane::Map | Pane::Side => (0..times).take_while(|_| self.move_in_map(action, area, cx)).count(),
        };
        Update::changed_if(moved > 0)
    }

    fn move_in_queue(&mut self, action: Action, times: usize, area: Rect, cx: ViewContext<'_>) -> Update {
        if matches!(action, Action::Left | Action::Right) {
            return Update::unknown();
        }
        let rows = self.table_area(area, cx).map_or(0, height);
        self.move_rows(action, times, rows)
    }

    /// Moves the cursor of a queue with `rows` visible rows.
    pub(super) fn move_rows(&mut self, action: Action, times: usize, rows: usize) -> Update {
        let before = self.table;
        for _ in 0..times {
            let from = self.table.selected;
            if !self.table.move_cursor(action, self.rows.len(), rows) {
                break;
            }
            self.leave_gap(self.table.selected < from, rows);
        }
        if self.table == before {
            return Update::unchanged();
        }
        self.select_at_cursor()
    }

    /// The area of the queue's table.
    pub(super) fn table_area(&self, area: Rect, cx: ViewContext<'_>) -> Option<Rect> {
        let pane = self.panes(area, cx).rect(Pane::List)?;
        Some(table_area(pane, cx.run().steps.len(), area.height))
    }

    /// Moves the cursor off headings and off jobs that left.
    fn leave_gap(&mut self, back: bool, height: usize) {
        let (at, rows) = (self.table.selected, &self.rows);
        let is_live = |at: &usize| rows.get(*at).is_some_and(|line| line.row().is_some());
        if is_live(&at) {
            return;
        }
        let up = || (0..at).rev().find(is_live);
        let down = || (at..rows.len()).find(is_live);
        let to = if back { up().or_else(down) } else { down().or_else(up) };
        if let Some(to) = to {
            self.table.select(to, self.rows.len(), height);
        }
    }

    fn select_at_cursor(&self) -> Update {
        match self.rows.get(self.table.selected).and_then(|line| line.row()) {
            Some(row) => Update::changed().with(Effect::SelectJob(row)),
            None => Update::changed(),
        }
    }

    /// Number of lines of a level that fit on the screen.
    fn level_height(&self, area: Rect, cx: ViewContext<'_>) -> usize {
        let pane = self.panes(area, cx).rect(Pane::Detail).unwrap_or(area);
        let depth = self.descent.as_ref().and_then(|descent| descent.depth());
        depth.map_or(0, |depth| height(level_area(pane, depth, cx)))
    }

    /// Moves to the next or previous line of a level.
    pub(super) fn step_over(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        let height = self.level_height(area, cx);
        match self.move_in_depth(action, height) {
            Some(false) => Update::status("this level ends here; o steps out"),
            _ => Update::changed(),
        }
    }

    fn move_in_story(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> bool {
        let level = self.level_height(area, cx);
        if let Some(moved) = self.move_in_depth(action, level) {
            return moved;
        }
        let pane = self.panes(area, cx).rect(Pane::Detail);
        let height = pane.map_or(0, |pane| usize::from(inner_area(pane).height));
        let lines = self.visible_story().lines().len();
        scroll(&mut self.scroll, action, lines, height)
    }

    pub(super) fn move_in_map(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> bool {
        let geometry = Geometry::new(&self.map, self.map_area(area, cx));
        let moved = self.map_state.move_cursor(action, &geometry);
        self.node_chosen |= moved;
        moved
    }

    /// The area of the map, or the one it would have with the focus.
    fn map_area(&self, area: Rect, cx: ViewContext<'_>) -> Rect {
        map_parts(self.panes(area, cx).rect(Pane::Map).unwrap_or(area)).1
    }

    /// Prepares the nodes over time after the step, where the bitmaps or the map leave room for them.
    pub(super) fn make_after_step(&mut self, area: Rect, cx: ViewContext<'_>) {
        let map = self.map_area(area, cx);
        let place = self.place_after_step(map, cx).or_else(|| self.place_inside(map, cx));
        self.after_step.make_after_step(place, self.bucket_inside(cx), cx);
    }

    /// Goes to the step of the selected job, or to its page if it was not considered; from the map, to the next job
    /// that takes the node.
    pub(super) fn go_to_selected(&self, cx: ViewContext<'_>) -> Update {
        if self.focus == Pane::Map && self.is_at_rest(cx) {
            return self.open_picture(cx);
        }
        if self.focus == Pane::Map {
            return self.go_to_taker(cx);
        }
        match cx.screen.subject {
            Some(row @ CycleRow::Step(step)) if step.ix() + 1 == cx.position() => {
                let name = row.name(cx.run());
                let job = name.as_deref().map_or("the selected job", short_id);
                Update::status(format!("step {} of {job} is the one on the screen", step.ix() + 1))
            }
            Some(CycleRow::Step(step)) => Update::request(Effect::Seek(step.ix() + 1)),
            Some(row) => match row.name(cx.run()) {
                Some(name) => Update::request(Effect::GoToPage(Object::Job(name))),
                None => Update::unchanged(),
            },
            None => Update::status("no job to go to"),
        }
    }

    fn go_to_taker(&self, cx: ViewContext<'_>) -> Update {
        let Some(bit) = self.node() else { return Update::status("no node under the cursor") };
        match cx.next_taker(bit) {
            Some(step) => Update::request(Effect::Seek(step.ix() + 1)),
            None => Update::status(format!("no job of this cycle takes {}", cx.plan().node_name(bit))),
        }
    }

    /// Focuses the clicked pane and selects what is under the mouse.
    pub(super) fn click_pane(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        if let Some(changed) = self.click_way(at, area, cx) {
            return Update::changed_if(changed);
        }
        let panes = self.panes(area, cx);
        let Some((pane, rect)) = panes.at(at.x, at.y).and_then(|pane| Some((pane, panes.rect(pane)?))) else {
            return Update::unchanged();
        };
        let focused = std::mem::replace(&mut self.focus, pane) != pane;
        let selected = match pane {
            Pane::List => match self.step_under(at, rect, area, cx) {
                Some(done) => Update::request(Effect::Seek(done)),
                None => self.click_table(at, table_area(rect, cx.run().steps.len(), area.height), cx),
            },
            Pane::Map if self.is_at_rest(cx) => self.click_picture(at, rect, cx),
            Pane::Detail if self.is_at_rest(cx) => Update::changed_if(self.click_pulse(at, rect, cx)),
            Pane::Map => Update::changed_if(self.click_node(at, area, cx)),
            Pane::Detail => Update::changed_if(self.click_level(rect, at.y, cx)),
            Pane::Side => Update::unchanged(),
        };
        if focused { selected.and_changed() } else { selected }
    }

    /// Seeks to the step on the strip that the mouse is dragged over.
    pub(super) fn scrub(&self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let pane = self.panes(area, cx).rect(Pane::List);
        match pane.and_then(|pane| self.step_under(at, pane, area, cx)) {
            Some(done) if done != cx.position() => Update::request(Effect::Seek(done)),
            _ => Update::unchanged(),
        }
    }

    /// The position after the step at that place of the strip.
    fn step_under(&self, at: Position, pane: Rect, area: Rect, cx: ViewContext<'_>) -> Option<usize> {
        strip::step_under(at, pane, area.height, cx.run().steps.len())
    }

    /// Selects the clicked row; a click on a heading sorts by its column.
    pub(super) fn click_table(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let drawing = DrawContext::new(self, cx.undrawn());
        let columns = Self::shown_columns(drawing, area.width);
        let heading = |line: &CycleLine| matches!(line, CycleLine::Heading(_)).then(|| "".into());
        let table =
            Table { heading: &heading, ..Table::new(&columns, &self.rows, self.table, plain_theme()) };
        let column = table.heading_at(area, at).filter(|title| !title.is_empty());
        drop(columns);
        match column {
            Some(column) => {
                let sort = self.chosen.sort_by_click(column);
                self.sort_by(Some(sort), cx)
            }
            None => self.click_row(area, at.y),
        }
    }

    fn click_row(&mut self, area: Rect, y: u16) -> Update {
        if !self.table.click(self.rows.len(), area, y) {
            return Update::unchanged();
        }
        self.leave_gap(false, height(area));
        self.select_at_cursor()
    }

    fn click_level(&mut self, pane: Rect, y: u16, cx: ViewContext<'_>) -> bool {
        let Some(depth) = self.descent.as_ref().and_then(|descent| descent.depth()) else { return false };
        let area = level_area(pane, depth, cx);
        let row = depth.table.row_at(depth.level.frames.len(), area, y);
        row.is_some_and(|row| self.select_in_depth(row, height(area)))
    }

    fn click_node(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> bool {
        let map = self.map_area(area, cx);
        let geometry = Geometry::new(&self.map, map);
        if self.shows_bits(map, cx) {
            let Some((line, node)) = self.bit_under(at, map) else { return false };
            self.map_state.select(line, node, &geometry);
            self.node_chosen = true;
            return true;
        }
        let hit = self.map_state.click(at, &geometry);
        self.node_chosen |= hit;
        hit
    }
}
