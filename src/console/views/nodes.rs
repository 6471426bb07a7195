//! The nodes at the position: a map by bucket, set, host or name, or a table; and the selected node in full (console.md
//! 3, Nodes).
//!
//! ```text
//! ┏ Nodes by bucket after step 4 · 1 node a cell ━━━━━━━━━━━ t table · b group · + - cells ┓
//! ┃ ncpus=16 priority=10            0 of 8  free  · · · · · · · ·                          ┃
//! ┃ ncpus=32 ngpus=4 priority=-50   3 of 8  free [!]· · · · █ █ █                          ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ Node cn025 ──────────────────────────────────────────────────── Enter: page · a: why ┐
//! │ problem  cn025 kept by job 40, not in the job dump; …                                │
//! └──────────────────────────────────────────────────────────────────────────────────────┘
//! ```

mod about;
mod chart;
mod draw;
mod filtering;
pub(crate) mod groups;
mod layout;
mod lower_panes;
mod map;
mod map_input;
mod pending_groups;
mod sums;
mod table;
mod use_words;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::list::{IN_LOWER, ListView, LowerPanes, PendingSlice, position_title};
use super::records::{ValueCount, node_values};
use super::table_choices::{TableChoices, TableShape};
use crate::action::Action;
use crate::filter::Filter;
use crate::task::TaskNews;
use crate::views::{Effect, Grid, Object, StepStamp, Update, View, ViewContext};
use qscope_engine::cluster::Name;
use qscope_engine::universe::Bit;
use qscope_session::query::QueryFields;
use qscope_session::records::{NodeRecord, node_fields};

use groups::{NodeGrouping, NodeGroups};
use lower_panes::SetMapPane;
use map::NodeGroupMap;
pub(crate) use map::sign_of;
pub(super) use map::sign_of_one;
use pending_groups::PendingGroups;
use sums::NodeSums;
pub(crate) use use_words::use_words;
pub(super) use use_words::{role_of, use_and_state, word_of};

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct NodesView {
    grouping: NodeGrouping,
    /// The name of the resource in `grouping`, if it is one: its id is not valid in the next snapshot.
    resource: Option<Name>,
    map: NodeGroupMap,
    /// What is right of the map's cells and below its rows, and the layout of the map it was made for.
    sums: NodeSums,
    set_map: SetMapPane,
    filled_for: Option<(Rect, usize)>,
    /// The layout of the map it is being made for.
    filling_for: Option<(Rect, usize)>,
    filling: PendingSlice,
    is_turn_to_fill: bool,
    /// What is below the map about the selected node: its page where there is room.
    lower: LowerPanes,
    table: ListView<table::NodeTable>,
    shows_table: bool,
    filter: Filter,
    /// For each node filtered so far, whether it matches; `None` without a filter.
    kept: Option<Vec<bool>>,
    slices: PendingSlice,
    /// The step that the view was last made for.
    made_of: Option<StepStamp>,
    /// The groups at the step by criterion: cycling through the criteria reuses them.
    grouped: (Option<StepStamp>, Vec<(NodeGrouping, Arc<NodeGroups>)>),
    /// Further groups, made by a worker.
    ahead: PendingGroups,
    /// Whether the hidden one of map and table must be made before it is shown: with very many nodes only the visible
    /// one is.
    hidden_is_stale: bool,
}

impl NodesView {
    /// The node under the cursor.
    fn bit(&self, cx: ViewContext<'_>) -> Option<Bit> {
        match self.shows_table {
            true => cx.plan().bit_named.get(self.table.object_at_cursor(cx)?.name()).copied(),
            false => self.map.bit(),
        }
    }

    fn title(&self, cx: ViewContext<'_>) -> String {
        let cell = self.map.nodes_a_cell();
        let cell = if cell == 1 { "1 node a cell".to_owned() } else { format!("{cell} nodes a cell") };
        let by = self.grouping.word(&cx.snapshot().catalogue);
        let notes = match self.map.note_words() {
            "" => String::new(),
            words => format!(" · {words}"),
        };
        format!("Nodes by {by} {} · {cell}{notes}", position_title(cx.position()))
    }
}

/// Actions without effect on a map without nodes.
const NO_NODE: &[Action] = &[
    Action::Select,
    Action::AskWhy,
    Action::More,
    Action::Less,
    Action::Sort,
    Action::SortReverse,
    Action::Columns,
];

impl View for NodesView {
    /// A map cannot be sorted, and a table cannot be zoomed.
    fn inactive_actions(&self, _: ViewContext<'_>) -> &'static [Action] {
        match self.shows_table {
            true => &[Action::More, Action::Less],
            false if self.map.nodes() == 0 => NO_NODE,
            false => &[Action::Sort, Action::SortReverse, Action::Columns],
        }
    }

    fn refresh(&mut self, cx: ViewContext<'_>) {
        let by = self.grouping;
        if let NodeGrouping::Resource(_) = self.grouping {
            let catalogue = &cx.snapshot().catalogue;
            let known = self.resource.as_ref().and_then(|name| NodeGrouping::named(name, catalogue));
            self.grouping = known.unwrap_or_default();
        }
        // Only steps change nodes; selecting a job does not.
        let made_of = Some(cx.step_stamp());
        if std::mem::replace(&mut self.made_of, made_of) != made_of || self.grouping != by {
            self.make(cx);
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        let mut all = self.table.requests();
        all.extend(self.slices.request());
        all.extend(self.filling.request());
        all.extend(self.ahead.request());
        all.extend(self.lower.side_page.requests());
        all
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        if self.filling.is_next(news) {
            self.is_turn_to_fill = true;
            return Update::changed();
        }
        if self.on_groups(news) {
            return self.ahead.request().map_or_else(Update::unchanged, Update::request);
        }
        if !self.slices.is_next(news) {
            let page = self.lower.on_news(news, cx);
            return if page.changed { page } else { self.table.on_news(news, cx) };
        }
        self.keep_nodes(PendingSlice::NEXT, cx);
        // Laying out the map takes longer than a slice, so it waits until all nodes are filtered.
        if !self.slices.are_coming() {
            self.set_map(cx);
        }
        Update::changed()
    }

    fn prepare(&mut self, area: Rect, cx: ViewContext<'_>) {
        if !(self.shows_table && self.hidden_is_stale) {
            let place = self.map_room(area);
            self.map.fit(place);
            if !self.shows_table {
                self.fill_remaining_room(place, cx);
                self.follow_cursor(area, cx);
            }
        }
        if self.shows_table {
            self.table.prepare(area, cx);
        }
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        match action {
            Action::Toggle => {
                let bit = self.bit(cx);
                self.shows_table = !self.shows_table;
                if self.hidden_is_stale {
                    self.make(cx);
                }
                if let Some(bit) = bit {
                    self.show(&Object::Node(cx.plan().node_name(bit).to_string()), cx);
                }
                Update::changed()
            }
            _ if self.shows_table => self.table.act(action, area, cx),
            _ => {
                let below = self.lower.act(action, self.lower_places(area), cx);
                below.unwrap_or_else(|| self.on_map(action, area, cx))
            }
        }
    }

    fn fields(&self, cx: ViewContext<'_>) -> QueryFields {
        node_fields(&cx.snapshot().catalogue).by_clock_of(cx.snapshot())
    }

    fn values(&self, field: &str, cx: ViewContext<'_>) -> Vec<ValueCount> {
        node_values(cx.state(), field)
    }

    fn filter(&mut self, filter: &Filter, cx: ViewContext<'_>) {
        self.filter = filter.clone();
        match self.hidden_is_stale {
            true if self.shows_table => self.table.filter(filter, cx),
            true => self.make_map(cx),
            false => self.make(cx),
        }
    }

    fn find(&mut self, filter: &Filter, forward: bool, cx: ViewContext<'_>) -> Option<bool> {
        match self.shows_table {
            true => self.table.find(filter, forward, cx),
            false => {
                let state = cx.state();
                Some(self.map.next_match(forward, |bit| filter.matches(&NodeRecord::of(state, bit))))
            }
        }
    }

    fn quick_filters(&self) -> &'static [super::QuickFilter] {
        self.table.quick_filters()
    }

    fn group_by(&mut self, by: &str, cx: ViewContext<'_>) -> bool {
        if self.shows_table && self.table.group_by(by, cx) {
            return true;
        }
        let Some(by) = NodeGrouping::named(by, &cx.snapshot().catalogue) else { return false };
        (self.grouping, self.shows_table) = (by, false);
        self.resource = Some(by.word(&cx.snapshot().catalogue).into());
        self.make(cx);
        true
    }

    fn table(&self, cx: ViewContext<'_>) -> Option<TableShape> {
        self.table.table(cx)
    }

    fn set_table(&mut self, choices: &TableChoices, cx: ViewContext<'_>) {
        self.table.set_table(choices, cx);
    }

    fn grid(&self, cx: ViewContext<'_>) -> Option<Grid> {
        let is_made = self.shows_table || !self.hidden_is_stale;
        is_made.then(|| self.table.grid(cx)).flatten()
    }

    fn show(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        let Object::Node(name) = object else { return false };
        let Some(bit) = cx.plan().bit_named.get(&**name).copied() else { return false };
        let in_map = self.map.put_on(bit);
        let in_table = self.table.show(object, cx);
        if self.shows_table { in_table } else { in_map }
    }

    fn object_at_cursor(&self, cx: ViewContext<'_>) -> Option<Object> {
        self.bit(cx).map(|bit| Object::Node(cx.plan().node_name(bit).to_string()))
    }

    fn object_to_explain(&self, cx: ViewContext<'_>) -> Option<Object> {
        match self.shows_table {
            true => self.table.object_to_explain(cx),
            false => self.lower.explained().or_else(|| self.object_at_cursor(cx)),
        }
    }

    fn words(&self, cx: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        match self.shows_table {
            true => self.table.words(cx),
            false if self.lower.has_keys() => IN_LOWER,
            false if self.map.cell().len() > 1 => &[(Action::Select, "zoom in")],
            false => &[],
        }
    }

    fn reset_focus(&mut self) {
        self.lower.release();
        self.table.reset_focus();
    }

    fn is_last_pane(&self, forward: bool, area: Rect, cx: ViewContext<'_>) -> bool {
        match self.shows_table {
            true => self.table.is_last_pane(forward, area, cx),
            false => self.lower.is_end(forward, self.lower_places(area).page),
        }
    }

    fn has_more_panes(&self) -> bool {
        if self.shows_table { self.table.has_more_panes() } else { self.lower.can_have_keys() }
    }

    fn wheel(&mut self, action: Action, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        if self.shows_table {
            return self.table.wheel(action, at, area, cx);
        }
        let update = self.lower.wheel(action, at, self.lower_places(area), cx);
        update.unwrap_or_else(|| self.act(action, area, cx))
    }

    fn click(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        if self.shows_table {
            return self.table.click(at, area, cx);
        }
        let had_keys = self.lower.has_keys();
        if let Some(update) = self.lower.click(at, self.lower_places(area), cx) {
            return update;
        }
        let update = self.click_map(at, area);
        if had_keys { update.and_changed() } else { update }
    }

    fn is_heading(&self, at: Position, area: Rect, cx: ViewContext<'_>) -> bool {
        self.shows_table && self.table.is_heading(at, area, cx)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        self.draw_all(area, buf, cx);
    }
}
