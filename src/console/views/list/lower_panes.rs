//! The keys in what is below or beside a list or a map: a text with names in it, and a page. Tab moves the keys between
//! them; the object named under the cursor is opened and explained like that of a row.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::SidePage;
use crate::action::Action;
use crate::story::StoryLink;
use crate::task::TaskNews;
use crate::theme::{Role, Theme};
use crate::views::names::opens_words;
use crate::views::{Effect, Object, Update, View, ViewContext};
use crate::widgets::frame;
use crate::widgets::table::TableState;

/// The places of the text and of the page, where shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LowerAreas {
    pub(crate) words: Option<Rect>,
    pub(crate) page: Option<Rect>,
}

/// What is below or beside a list.
#[derive(Debug, Default)]
pub(crate) struct LowerPanes {
    /// The names in the text, with their places.
    names: Vec<StoryLink>,
    at: usize,
    on_words: bool,
    /// The page.
    pub(crate) side_page: SidePage,
}

impl LowerPanes {
    /// Sets the names in the text; the cursor stays on the same object.
    pub(crate) fn set_names(&mut self, names: Vec<StoryLink>) {
        let before = self.name_at().filter(|_| self.on_words).map(|name| name.object.clone());
        self.names = names;
        let same = |before| self.names.iter().position(|name| name.object == before);
        self.at = before.and_then(same).unwrap_or(0);
        self.on_words &= !self.names.is_empty();
    }

    /// Whether there is anything that keys can go to.
    pub(crate) fn can_have_keys(&self) -> bool {
        !self.names.is_empty() || self.side_page.is_shown()
    }

    /// Whether keys go to the text or the page.
    pub(crate) fn has_keys(&self) -> bool {
        self.on_words || self.side_page.has_keys()
    }

    /// Whether keys go to the text.
    pub(crate) fn has_text_focus(&self) -> bool {
        self.on_words
    }

    /// Whether the keys are at the last pane in that direction.
    pub(crate) fn is_end(&self, forward: bool, page: Option<Rect>) -> bool {
        match self.has_keys() {
            _ if !self.can_have_keys() => true,
            has_keys if !forward => !has_keys,
            // Of the list the words come next, or the page.
            false => false,
            true if self.on_words => !self.side_page.is_shown() || page.is_none(),
            true => page.is_none_or(|page| self.side_page.is_in_last_pane(page)),
        }
    }

    /// Returns the keys to the list.
    pub(crate) fn release(&mut self) {
        self.on_words = false;
        self.side_page.give_keys(false);
    }

    fn name_at(&self) -> Option<&StoryLink> {
        self.names.get(self.at)
    }

    /// The object named under the cursor.
    pub(crate) fn named(&self) -> Option<Object> {
        match self.on_words {
            true => self.name_at().map(|name| name.object.clone()),
            false => self.side_page.named(),
        }
    }

    /// The object named under the cursor, if it can be explained.
    pub(crate) fn explained(&self) -> Option<Object> {
        self.named().filter(Object::has_why)
    }

    /// Handles an action while the keys are here, or one that moves them; `None` if the action is for the list.
    pub(crate) fn act(&mut self, action: Action, places: LowerAreas, cx: ViewContext<'_>) -> Option<Update> {
        match action {
            Action::NextPane | Action::PreviousPane => {
                Some(self.move_focus(action == Action::NextPane, places.page))
            }
            _ if self.on_words => self.act_in_text(action),
            Action::Select => self.act_in_page(action, places, cx),
            _ if action.moves() => self.act_in_page(action, places, cx),
            _ => None,
        }
    }

    fn act_in_page(&mut self, action: Action, places: LowerAreas, cx: ViewContext<'_>) -> Option<Update> {
        let place = places.page.filter(|_| self.side_page.has_keys())?;
        Some(self.side_page.page().act(action, place, cx))
    }

    /// Moves the keys from the list to the text, into the page, and back.
    fn move_focus(&mut self, forward: bool, page: Option<Rect>) -> Update {
        if !self.can_have_keys() {
            return Update::status("no other pane here");
        }
        let has_words = !self.names.is_empty();
        let from_list = !self.has_keys();
        let was_on_words = std::mem::take(&mut self.on_words);
        if from_list && forward && has_words {
            self.on_words = true;
        } else if was_on_words && !forward {
            self.release();
        } else {
            let into = page.is_some_and(|page| self.side_page.move_focus(forward, page));
            self.on_words = !into && !forward && !was_on_words && has_words;
        }
        Update::changed()
    }

    fn act_in_text(&mut self, action: Action) -> Option<Update> {
        match action {
            Action::Select => Some(match self.named() {
                Some(object) if object.has_page() => Update::request(Effect::GoToPage(object)),
                Some(object) => Update::request(Effect::GoTo(object)),
                None => Update::unchanged(),
            }),
            Action::Left | Action::Right => {
                let to = if action == Action::Right { Some(self.at + 1) } else { self.at.checked_sub(1) };
                let row = |at: Option<usize>| Some(self.names.get(at?)?.at.y);
                let moved = row(to).is_some() && row(to) == row(Some(self.at));
                self.at = to.filter(|_| moved).unwrap_or(self.at);
                Some(Update::changed_if(moved))
            }
            _ if action.moves() => Some(Update::changed_if(self.move_to_row(action))),
            _ => None,
        }
    }

    /// Moves to the first name of another row.
    fn move_to_row(&mut self, action: Action) -> bool {
        let mut rows: Vec<u16> = self.names.iter().map(|name| name.at.y).collect();
        rows.dedup();
        let here = self.name_at().map(|name| name.at.y);
        let here = rows.iter().position(|row| Some(*row) == here).unwrap_or(0);
        let mut table = TableState { selected: here, offset: 0 };
        let moved = table.move_cursor(action, rows.len(), rows.len());
        let to = rows.get(table.selected).copied();
        let first = self.names.iter().position(|name| Some(name.at.y) == to);
        self.at = first.filter(|_| moved).unwrap_or(self.at);
        moved
    }

    /// Handles a click: in the text or the page it moves the keys there; elsewhere it returns them and gives `None`.
    pub(crate) fn click(&mut self, at: Position, places: LowerAreas, cx: ViewContext<'_>) -> Option<Update> {
        let had_keys = self.has_keys();
        let on = |place: Option<Rect>| place.filter(|place| place.contains(at));
        if on(places.words).is_some() && !self.names.is_empty() {
            self.side_page.give_keys(false);
            self.on_words = true;
            let under = self.names.iter().position(|name| name.at.contains(at));
            let beside = || self.names.iter().position(|name| name.at.y == at.y);
            self.at = under.or_else(beside).unwrap_or(self.at);
            return Some(Update::changed());
        }
        if let Some(place) = on(places.page).filter(|_| self.side_page.is_shown()) {
            self.on_words = false;
            self.side_page.give_keys(true);
            return Some(self.side_page.page().click(at, place, cx).and_changed());
        }
        self.release();
        // Other clicks below or beside the list have no target.
        on(places.words).or(on(places.page)).map(|_| Update::changed_if(had_keys))
    }

    /// Scrolls the page if it has the keys and the mouse is over it.
    pub(crate) fn wheel(
        &mut self,
        action: Action,
        at: Position,
        places: LowerAreas,
        cx: ViewContext<'_>,
    ) -> Option<Update> {
        let place = places.page.filter(|place| place.contains(at) && self.side_page.has_keys())?;
        Some(self.side_page.page().wheel(action, at, place, cx))
    }

    /// Passes news to the page.
    pub(crate) fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        self.side_page.on_news(news, cx)
    }

    /// Draws the cursor over the text of a pane.
    pub(crate) fn draw_cursor(&self, pane: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(chosen) = self.name_at().filter(|_| self.on_words) else { return };
        let row = Rect { y: chosen.at.y, height: 1, x: pane.x + 1, width: pane.width.saturating_sub(2) };
        let row = row.intersection(buf.area);
        if row.is_empty() {
            return;
        }
        buf.set_stringn(row.x, row.y, theme.glyph(Role::Cursor), 1, theme.style(Role::Text));
        buf.set_style(row, theme.style(Role::Cursor));
        buf.set_style(chosen.at.intersection(buf.area), Modifier::UNDERLINED | Modifier::BOLD);
        let in_row = |names: &[StoryLink]| names.iter().filter(|name| name.at.y == chosen.at.y).count();
        let before = in_row(self.names.get(..self.at).unwrap_or_default());
        let border = Rect { y: pane.bottom().saturating_sub(1), height: 1, ..pane };
        if let Some(words) = opens_words(Some(&chosen.object), (before, in_row(&self.names)), true) {
            frame::at_left_of_border(&words, border, buf, theme);
        }
    }
}
