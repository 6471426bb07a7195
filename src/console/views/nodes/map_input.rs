//! Keys and clicks on the map.

use super::NodesView;
use super::groups::NodeGrouping;
use crate::action::Action;
use crate::views::{Effect, Object, Update, ViewContext};
use ratatui::layout::{Position, Rect};

impl NodesView {
    /// Handles a click on a cell of the map, or on what is below its rows.
    pub(super) fn click_map(&mut self, at: Position, area: Rect) -> Update {
        let place = self.map_area(area);
        if self.map.click(at, place) {
            return Update::changed();
        }
        let bit = self.set_map.node_at(at, self.map.spare(place).1);
        Update::changed_if(bit.is_some_and(|bit| self.map.put_on(bit)))
    }

    /// Groups the map by a criterion; stores the name of a resource, which stays valid in the next snapshot.
    fn group_map(&mut self, grouping: NodeGrouping, cx: ViewContext<'_>) {
        self.grouping = grouping;
        self.resource = Some(grouping.word(&cx.snapshot().catalogue).into());
        self.make_map(cx);
    }

    pub(super) fn on_map(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        let place = self.map_room(area);
        match action {
            Action::ToggleMap => {
                self.group_map(self.grouping.next(cx.plan()), cx);
                // Skip the grouping by placement sets if there are none.
                if matches!(self.grouping, NodeGrouping::Set) && self.map.groups() == 0 {
                    self.group_map(self.grouping.next(cx.plan()), cx);
                }
                Update::changed()
            }
            Action::More | Action::Less => {
                let changed = self.map.zoom(action == Action::More, place);
                if changed {
                    Update::changed()
                } else {
                    Update::status("no other number of nodes a cell fits")
                }
            }
            Action::Select if self.map.nodes_a_cell() > 1 => {
                self.map.zoom_in(place);
                Update::changed()
            }
            Action::Select => match self.bit(cx) {
                Some(bit) => {
                    Update::request(Effect::GoToPage(Object::Node(cx.plan().node_name(bit).to_string())))
                }
                None => Update::status("no node under the cursor"),
            },
            _ if action.moves() || matches!(action, Action::NextLine | Action::PreviousLine) => {
                Update::changed_if(self.map.move_cursor(action, place))
            }
            _ => Update::unknown(),
        }
    }
}
