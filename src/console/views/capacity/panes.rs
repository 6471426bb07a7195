//! Layout of the panes, and scrolling.

use super::{CapacityView, Tab};
use crate::action::Action;
use crate::layout::{inner_area, scroll};
use crate::views::table_choices::plain_theme;
use ratatui::layout::{Constraint, Layout, Rect};

impl CapacityView {
    /// The panes of a large screen; empty where one pane with tabs has to do.
    pub(super) fn panes(area: Rect) -> Vec<(Tab, Rect)> {
        if area.width < 150 || area.height < 36 {
            return Vec::new();
        }
        let [left, right] = Layout::horizontal([Constraint::Percentage(46), Constraint::Fill(1)]).areas(area);
        let [need, never, scaler] =
            Layout::vertical([Constraint::Percentage(40), Constraint::Percentage(24), Constraint::Fill(1)])
                .areas(left);
        let [timeline, sweep] = Layout::vertical([Constraint::Fill(1), Constraint::Length(24)]).areas(right);
        vec![
            (Tab::Need, need),
            (Tab::Timeline, timeline),
            (Tab::Never, never),
            (Tab::Sweep, sweep),
            (Tab::Scaler, scaler),
        ]
    }

    /// The area for the lines of the tab in focus.
    pub(super) fn body(&self, area: Rect) -> Rect {
        match Self::panes(area).into_iter().find(|(tab, _)| *tab == self.tab) {
            Some((_, pane)) => inner_area(pane),
            None => below_tabs(inner_area(area)),
        }
    }

    pub(super) fn scroll(&mut self, action: Action, area: Rect) -> bool {
        let body = self.body(area);
        // The number of lines does not depend on the theme.
        let count = match (self.quick.as_deref(), self.tab) {
            (Some(Ok(quick)), Tab::Timeline) => super::timeline::count(quick),
            _ => self.story(self.tab, body.width, plain_theme()).lines().len(),
        };
        scroll(self.tops.entry(self.tab).or_default(), action, count, usize::from(body.height).max(1))
    }
}

pub(super) fn below_tabs(area: Rect) -> Rect {
    Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area }
}
