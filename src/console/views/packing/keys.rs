//! The keys of the packing view, on a cluster as well as on files.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::study::{LADDER, PackingView, Panel};
use super::{draw, farm_map};
use crate::action::Action;
use crate::task::TaskNews;
use crate::theme::Theme;
use crate::views::{Effect, FileView, Update, View, ViewContext};
use crate::wording::count;
use qscope_exits::{ClipboardText, Lines};

impl FileView for PackingView {
    fn has(&self, action: Action) -> bool {
        use Action as A;
        let shells =
            matches!(action, A::Quit | A::Suspend | A::Redraw | A::NextTheme | A::Close | A::Help | A::Copy);
        let panes = matches!(action, A::NextPane | A::PreviousPane | A::Select) || action.moves();
        shells || panes || action.is_of_a_view()
    }

    fn facts(&self) -> Vec<(String, u8)> {
        let title = (self.title(), 90);
        let Some(case) = &self.case else { return vec![title, ("reading".to_owned(), 80)] };
        let farm = &case.workload;
        let mut facts = vec![
            title,
            (format!("{}, {}", count(farm.nodes.len(), "node"), count(farm.total_slots(), "slot")), 80),
            (count(farm.whole_jobs(), "job"), 70),
        ];
        if case.broken > 0 {
            facts.push((format!("records not read: {}", case.broken), 60));
        }
        if let Some(seed) = case.seed {
            facts.push((format!("seed {seed}"), 20));
        }
        facts
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.open_if_due().into_iter().collect()
    }

    fn act(&mut self, action: Action, area: Rect) -> Update {
        let columns = u64::from(draw::chart_columns(area).max(1));
        let column = i64::try_from(self.window.seconds().div_ceil(columns).max(1)).unwrap_or(i64::MAX);
        let before = self.cursor;
        match action {
            Action::NextPane => self.panel = self.panel.turned(1),
            Action::PreviousPane => self.panel = self.panel.turned(Panel::ALL.len() - 1),
            Action::Left | Action::Right | Action::Up | Action::Down if self.panel == Panel::Farm => {
                return self.move_in_farm(action, area);
            }
            Action::Select if self.panel == Panel::Farm => self.zoomed = !self.zoomed,
            Action::Left => self.cursor = self.cursor.saturating_sub(column),
            Action::Right => self.cursor = self.cursor.saturating_add(column),
            Action::PageUp => self.cursor = self.cursor.saturating_sub(column.saturating_mul(10)),
            Action::PageDown => self.cursor = self.cursor.saturating_add(column.saturating_mul(10)),
            Action::Home | Action::FirstStep => self.cursor = self.window.from,
            Action::End | Action::LastStep => self.cursor = self.window.to.saturating_sub(1),
            Action::Up => self.class = self.class.saturating_sub(1),
            Action::Down => {
                let last = self.case.as_ref().map_or(0, |case| case.packing.len().saturating_sub(1));
                self.class = (self.class + 1).min(last);
            }
            Action::NextEvent | Action::StepForward => self.cursor = self.event_after(self.cursor),
            Action::PreviousEvent | Action::StepBack => self.cursor = self.event_before(self.cursor),
            Action::NextMoment => return self.next_moment(),
            Action::LongerTtl => return self.slide(LADDER.iter().find(|ttl| **ttl > self.ttl)),
            Action::ShorterTtl => return self.slide(LADDER.iter().rev().find(|ttl| **ttl < self.ttl)),
            Action::WindowLeft => self.shift(-1),
            Action::WindowRight => self.shift(1),
            Action::WindowIn => self.zoom(true),
            Action::WindowOut => self.zoom(false),
            Action::NextCriterion => return self.next_criterion(),
            Action::NextClass => return self.next_class(),
            _ => return Update::unknown(),
        }
        let whole = self.full_window();
        self.cursor = self.cursor.clamp(whole.from, whole.to.saturating_sub(1).max(whole.from));
        if self.cursor != before || self.grids.as_ref().is_none_or(|grids| grids.t != self.cursor) {
            self.make_grids();
        }
        Update::changed()
    }

    /// A click into a chart moves the cursor there, one into the farm selects a node.
    fn click(&mut self, at: Position, area: Rect) -> Update {
        let farm = draw::farm_area(area);
        if (self.panel == Panel::Farm || draw::is_wide(area)) && farm.contains(at) {
            let found =
                self.case.as_ref().and_then(|case| farm_map::node_at(case, self.node, self.zoomed, at, farm));
            self.panel = Panel::Farm;
            self.node = found.unwrap_or(self.node);
            return Update::changed();
        }
        let Some(part) = draw::part_of_chart(at, area, self.panel) else { return Update::unchanged() };
        let offset = self.window.seconds() as f64 * part;
        self.cursor = self.window.from.saturating_add(offset as i64);
        self.make_grids();
        Update::changed()
    }

    fn on_news(&mut self, news: &TaskNews) -> Update {
        self.take_news(news)
    }

    fn copy(&self) -> Option<(&'static str, ClipboardText)> {
        Some(("figures", draw::figures(self).iter().collect()))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        draw::draw(self, area, buf, theme);
    }
}

impl PackingView {
    /// Moves to the node beside, above or below.
    fn move_in_farm(&mut self, action: Action, area: Rect) -> Update {
        let Some(case) = &self.case else { return Update::unchanged() };
        let moved = farm_map::moved(case, self.node, self.zoomed, action, draw::farm_area(area));
        Update::changed_if(std::mem::replace(&mut self.node, moved) != moved)
    }
}

impl View for PackingView {
    fn refresh(&mut self, cx: ViewContext<'_>) {
        self.take_snapshot(&cx.generation().snapshot, cx.keeps_pace);
    }

    /// Enter only has an effect on the map of nodes.
    fn inactive_actions(&self, _: ViewContext<'_>) -> &'static [Action] {
        // Step keys move through the events too.
        match self.panel {
            Panel::Farm => &[Action::StepForward, Action::StepBack, Action::AskWhy],
            _ => &[Action::StepForward, Action::StepBack, Action::AskWhy, Action::Select],
        }
    }

    fn due(&self, cx: ViewContext<'_>) -> Option<Instant> {
        self.pacer.due(cx.keeps_pace)
    }

    fn requests(&mut self) -> Vec<Effect> {
        FileView::requests(self)
    }

    fn is_last_pane(&self, forward: bool, _: Rect, _: ViewContext<'_>) -> bool {
        let last = if forward { Panel::ALL.last() } else { Panel::ALL.first() };
        last == Some(&self.panel)
    }

    fn has_more_panes(&self) -> bool {
        true
    }

    fn act(&mut self, action: Action, area: Rect, _: ViewContext<'_>) -> Update {
        FileView::act(self, action, area)
    }

    fn policy(&self) -> Option<Result<Lines, String>> {
        Some(self.policy_file())
    }

    fn click(&mut self, at: Position, area: Rect, _: ViewContext<'_>) -> Update {
        FileView::click(self, at, area)
    }

    fn on_news(&mut self, news: &TaskNews, _: ViewContext<'_>) -> Update {
        FileView::on_news(self, news)
    }

    fn copy(&self, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        FileView::copy(self)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        FileView::render(self, area, buf, cx.theme);
    }
}
