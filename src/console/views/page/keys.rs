//! Which pane of a page has the keys, and the link of the line under its cursor.

use ratatui::layout::Rect;

use super::{PageRow, PageView};
use crate::views::Object;
use crate::views::list::FilteredList;

impl PageView {
    /// Whether a pane has the focus; `None` where the page has no cursor.
    pub(super) fn focus(&self, attributes: bool) -> Option<bool> {
        (!self.follows_cursor || self.has_keys).then_some(self.on_attributes == attributes)
    }

    /// Whether keys go to the page, beside a list.
    pub(in crate::views) fn has_keys(&self) -> bool {
        self.has_keys
    }

    /// Gives the keys to the page, or takes them away.
    pub(in crate::views) fn give_keys(&mut self, has_keys: bool) {
        self.has_keys = has_keys;
        self.on_attributes = false;
    }

    /// Moves the keys from one of its panes to the next, in or out; returns whether the page has them afterwards.
    pub(in crate::views) fn move_focus(&mut self, forward: bool, place: Rect) -> bool {
        let has_attributes = self.parts(place).1.height > 0;
        (self.has_keys, self.on_attributes) = match (self.has_keys, self.on_attributes) {
            (false, _) => (true, !forward && has_attributes),
            (true, false) => (forward && has_attributes, forward && has_attributes),
            (true, true) => (!forward, false),
        };
        self.has_keys
    }

    /// Whether the keys are in its last pane.
    pub(in crate::views) fn is_in_last_pane(&self, place: Rect) -> bool {
        self.on_attributes || self.parts(place).1.height == 0
    }

    pub(super) fn listing(&mut self) -> &mut FilteredList<PageRow> {
        if self.on_attributes { &mut self.attributes } else { &mut self.facts }
    }

    pub(super) fn focused_list(&self) -> &FilteredList<PageRow> {
        if self.on_attributes { &self.attributes } else { &self.facts }
    }

    /// Number of links of the line under the cursor.
    pub(super) fn links(&self) -> usize {
        self.focused_list().selected().map_or(0, |row| row.links.len())
    }

    /// The selected link of the line under the cursor.
    pub(in crate::views) fn chosen_link(&self) -> Option<Object> {
        let row = self.focused_list().selected()?;
        row.links.get(self.link).or(row.links.first()).map(|link| link.object.clone())
    }
}
