//! The map of the selected job's decision, and the node under its cursor.

use super::CycleView;
use crate::node_map::NodeMap;
use crate::theme::Role;
use crate::views::ViewContext;
use crate::views::nodes::groups::NodeGrouping;
use qscope_engine::universe::{Bit, Plan};

impl CycleView {
    /// Marks the map to be rebuilt.
    pub(in crate::views::cycle) fn forget_map(&mut self) {
        self.map_grouping = None;
    }

    /// Rebuilds the map if needed; the cursor stays on its node.
    pub(in crate::views::cycle) fn make_map(&mut self, cx: ViewContext<'_>) {
        // Resources have other ids in another snapshot.
        if let Some(name) = &self.by_resource {
            self.grouping = NodeGrouping::named(name, &cx.snapshot().catalogue).unwrap_or_default();
        }
        if self.map_grouping == Some(self.grouping) {
            return;
        }
        let node = self.node_before.take().or_else(|| self.node_name(cx.plan()));
        let marks = match (&self.descent, &self.paths) {
            (_, Some(paths)) => &paths.marks(),
            (Some(descent), None) => &descent.marks(),
            (None, None) => &self.marks,
        };
        let state = if self.paths.is_some() { cx.found() } else { self.state(cx) };
        self.map = NodeMap::new(state, self.grouping, marks);
        self.map_grouping = Some(self.grouping);
        let inside = self.node_inside().map(|bit| cx.plan().node_name(bit).to_string());
        let given = if self.node_chosen { None } else { self.first_taken(cx.plan()) };
        if let Some(node) = inside.or(given).or(node) {
            self.put_cursor_on(&node, cx.plan());
        }
    }

    /// The first node that the decision took.
    pub(in crate::views::cycle) fn first_taken(&self, plan: &Plan) -> Option<String> {
        let mut nodes = self.map.lines.iter().flat_map(|line| &line.nodes);
        let (bit, _) = nodes.find(|(_, role)| *role == Role::NodeTaken)?;
        Some(plan.node_name(*bit).to_string())
    }

    /// The node under the map's cursor.
    pub(in crate::views::cycle) fn node(&self) -> Option<Bit> {
        self.map.node(self.map_state.line, self.map_state.node)
    }

    pub(in crate::views::cycle) fn node_name(&self, plan: &Plan) -> Option<String> {
        self.node().map(|bit| plan.node_name(bit).to_string())
    }

    pub(in crate::views::cycle) fn put_cursor_on(&mut self, name: &str, plan: &Plan) -> bool {
        let Some(bit) = plan.bit_named.get(name).copied() else { return false };
        let found = self.map.find(bit, self.map_state.line);
        if let Some((line, node)) = found {
            (self.map_state.line, self.map_state.node) = (line, node);
        }
        found.is_some()
    }
}
