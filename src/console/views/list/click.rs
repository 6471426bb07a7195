//! Clicks on the table, on its headings, and on what stands around it.

use ratatui::layout::{Position, Rect};

use super::ListView;
use super::model::ListModel;
use crate::layout::inner_area;
use crate::views::{Update, ViewContext};

impl<M: ListModel> ListView<M> {
    /// Selects what is at a place; on a heading it sorts by its column.
    pub(super) fn click_part(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let had_keys = self.lower.has_keys();
        if let Some(update) = self.lower.click(at, self.lower_places(area, cx), cx) {
            return update;
        }
        let (area, _) = self.cut_foot(area);
        let pane = self.pane_of_table(area, cx);
        if !self.split_area(area, cx).0.contains(at) {
            return Update::changed_if(had_keys);
        }
        let cx = cx.undrawn();
        let columns = self.columns(cx, inner_area(pane).width);
        let heading = self.list.table(&columns, cx.theme).heading_at(inner_area(pane), at);
        drop(columns);
        let update = match heading {
            Some(column) => {
                let sort = self.chosen.sort_by_click(column);
                self.sort_by(Some(sort), cx)
            }
            None => self.list.click(at, pane),
        };
        if had_keys { update.and_changed() } else { update }
    }

    /// Whether the headings are at a place.
    pub(super) fn has_headings_at(&self, at: Position, area: Rect, cx: ViewContext<'_>) -> bool {
        let (area, _) = self.cut_foot(area);
        self.split_area(area, cx).0.contains(at) && at.y == inner_area(self.pane_of_table(area, cx)).y
    }
}
