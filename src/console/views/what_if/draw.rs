//! Draws the settings, the two sides, and the changes.

use super::super::list::ListHead;
use super::WhatIfView;
use crate::layout::cut_rows;
use crate::wording;
use ratatui::layout::Rect;

impl WhatIfView {
    pub(super) fn title(&self) -> String {
        match self.texts().len() {
            0 => "What if".to_owned(),
            n => format!("WHAT IF: {}, not the live cycle", wording::count(n, "setting")),
        }
    }

    /// The pane about the two sides; `None` if nothing is set or saved.
    pub(super) fn head_pane(&self) -> Option<ListHead> {
        let base = self.base.as_ref().filter(|_| !self.settings.is_empty() || !self.saved.all.is_empty())?;
        let snap = &base.snapshot;
        let texts = self.texts();
        let right = if texts.is_empty() { "the same: nothing is set".to_owned() } else { texts.join(", ") };
        Some(ListHead {
            title: "Left and right".to_owned(),
            note: "= adds a setting · v steps through the right side".to_owned(),
            lines: vec![
                ("left", format!("snapshot {}, settings as read", wording::clock(snap, snap.now))),
                ("right", right),
            ],
        })
    }

    /// The area of the list.
    pub(super) fn pane_of_list(&self, area: Rect) -> Rect {
        cut_rows(area, ListHead::rows(self.head_pane().as_ref(), area.height)).1
    }

    pub(super) fn note(&self) -> String {
        match self.pending.is_waiting() {
            true => "running".to_owned(),
            false if self.settings.is_empty() => String::new(),
            false => self.list.position(),
        }
    }
}
