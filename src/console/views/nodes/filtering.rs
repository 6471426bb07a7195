//! Filtering the nodes, and making the map from those that match.

use super::super::list::LARGE;
use super::groups::{NodeGrouping, NodeGroups};
use super::lower_panes::SetMapPane;
use super::sums::NodeSums;
use super::{NodesView, lower_panes};
use crate::task::TaskNews;
use crate::views::{View, ViewContext};
use qscope_engine::cluster::Id;
use qscope_engine::universe::Bit;
use qscope_session::records::NodeRecord;
use ratatui::layout::Rect;
use std::sync::Arc;

/// Nodes summed up at once: about what one key press has time for.
const SUMMED: usize = 20_000;

impl NodesView {
    pub(super) fn make_map(&mut self, cx: ViewContext<'_>) {
        self.kept = (!self.filter.is_empty()).then(Vec::new);
        let most = self.slices.first(cx.plan().nodes.len(), self.filter.is_empty());
        self.keep_nodes(most, cx);
        self.set_map(cx);
    }

    /// Filters up to `most` further nodes.
    pub(super) fn keep_nodes(&mut self, most: usize, cx: ViewContext<'_>) {
        let state = cx.state();
        let Some(kept) = &mut self.kept else { return self.slices.request_next(true) };
        let bits = state.plan.nodes.ids().skip(kept.len()).take(most);
        kept.extend(bits.map(|bit| self.filter.matches(&NodeRecord::of(state, bit))));
        self.slices.request_next(kept.len() >= state.plan.nodes.len());
    }

    /// All nodes in groups, reused where possible.
    fn groups(&mut self, by: NodeGrouping, cx: ViewContext<'_>) -> Arc<NodeGroups> {
        let (stamp, known) = &mut self.grouped;
        let now = cx.step_stamp();
        let before = stamp.replace(now);
        let is_of_same_cycle = before.is_some_and(|before| before.is_of_same_cycle(now));
        if before != Some(now) {
            known.retain(|(by, _)| is_of_same_cycle && !by.depends_on_state());
        }
        if self.hidden_is_stale && !is_of_same_cycle {
            self.ahead.begin(cx.plan());
        }
        if let Some((_, groups)) = known.iter().find(|(known, _)| *known == by) {
            return groups.clone();
        }
        let groups = Arc::new(super::groups::of(cx.state(), by));
        known.push((by, groups.clone()));
        groups
    }

    pub(super) fn set_map(&mut self, cx: ViewContext<'_>) {
        let groups = self.kept_groups(self.grouping, cx);
        self.map.set(groups, cx.state(), cx.step_stamp());
        (self.filled_for, self.filling_for) = (None, None);
    }

    /// Takes groups that a worker made; returns whether the news was for this.
    pub(super) fn on_groups(&mut self, news: &TaskNews) -> bool {
        let Some((by, groups)) = self.ahead.on_news(news) else { return false };
        let known = &mut self.grouped.1;
        if known.iter().all(|(known, _)| *known != by) {
            known.push((by, groups));
        }
        true
    }

    /// The nodes that match the filter, in groups.
    fn kept_groups(&mut self, grouping: NodeGrouping, cx: ViewContext<'_>) -> Arc<NodeGroups> {
        let groups = self.groups(grouping, cx);
        match &self.kept {
            Some(kept) => {
                Arc::new(groups.filtered_by(|bit: Bit| kept.get(bit.ix()).copied().unwrap_or(false)))
            }
            None => groups,
        }
    }

    /// Fills the room that the map leaves in its area, if there is enough.
    pub(super) fn fill_remaining_room(&mut self, area: Rect, cx: ViewContext<'_>) {
        let Some(layout) = self.map.layout().filter(|layout| self.filled_for != Some(*layout)) else {
            return;
        };
        let (beside, below) = self.map.spare(area);
        let is_turn = std::mem::take(&mut self.is_turn_to_fill);
        if self.filling_for.replace(layout) != Some(layout) {
            (self.sums, self.set_map) = (NodeSums::of(beside), SetMapPane::default());
        }
        // With very many nodes the map is drawn first, and the nodes are summed up in slices between key presses, as
        // their names and order take just as long.
        if self.hidden_is_stale && (!is_turn || self.sums.is_to_go_on(self.map.shown())) {
            if is_turn {
                self.sums.sum_next_groups(self.map.shown(), cx.state(), SUMMED);
            }
            return self.filling.ask();
        }
        self.sums.sum_next_groups(self.map.shown(), cx.state(), usize::MAX);
        self.filled_for = Some(layout);
        let Some(shape) = self.map.shape().filter(|_| below.height >= lower_panes::LEAST) else { return };
        let sets = match self.grouping {
            NodeGrouping::Bucket => self.kept_groups(NodeGrouping::Set, cx),
            _ => Arc::default(),
        };
        let by_name = self.kept_groups(NodeGrouping::Name, cx);
        self.set_map = SetMapPane::of(&self.map, shape, &sets, &by_name, (cx.state(), area));
    }

    /// Makes the map and the table; with very many nodes only the visible one.
    pub(super) fn make(&mut self, cx: ViewContext<'_>) {
        self.hidden_is_stale = cx.plan().nodes.len() >= LARGE;
        let is_seen = |table: bool| !self.hidden_is_stale || self.shows_table == table;
        let (map, table) = (is_seen(false), is_seen(true));
        if map {
            self.make_map(cx);
        }
        if table {
            self.table.refresh(cx);
            self.table.filter(&self.filter, cx);
        }
    }
}
