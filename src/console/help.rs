//! The help: the keys that work in a context, generated from the action table and searchable.

mod lines;
mod pairs;
mod words;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::action::{Action, ActionEntry, ActionGroup, Context, TABLE};
use super::app::AppInput;
use super::key::Key;
use super::keymap::Keymap;
use super::layout::{cells, inner_area, scroll};
use super::theme::{Role, Theme};
use super::widgets::frame;
use super::widgets::prompt::Prompt;
use lines::{HelpColumns, HelpEntry, HelpLayout};

/// The state of the help overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Help {
    /// The context it explains: the one in which it was called.
    context: Context,
    query: Prompt,
    typing: bool,
    /// Index of the line under the cursor among the matching lines with keys, and whether its second key is meant.
    at: usize,
    on_second: bool,
    top: usize,
}

impl Help {
    pub(crate) fn new(context: Context) -> Self {
        Self { context, query: Prompt::default(), typing: false, at: 0, on_second: false, top: 0 }
    }

    /// The context of the keyboard while the help is on top.
    pub(crate) fn context(&self) -> Context {
        if self.typing { Context::Prompt } else { Context::Overlay }
    }

    /// Handles an input while the help is on top of a screen of that area; returns whether something changed. The owner
    /// handles [`Action::Close`], except while the user types: then the first one only ends the search.
    pub(crate) fn take<M>(&mut self, input: &AppInput<M>, keymap: &Keymap, area: Rect) -> bool {
        if self.typing {
            return self.type_in(input);
        }
        match input {
            AppInput::Action(Action::Filter) => self.typing = true,
            AppInput::Action(action) => return self.move_cursor(*action, keymap, area),
            _ => return false,
        }
        true
    }

    /// Moves the cursor over the keys and scrolls to its line.
    fn move_cursor(&mut self, action: Action, keymap: &Keymap, area: Rect) -> bool {
        let columns = HelpColumns::of(area);
        let lines = self.lines(keymap, columns);
        let stops = stops(&lines);
        let page = HelpLayout::of(lines.len(), columns, area).page();
        let before = (self.at, self.top, std::mem::take(&mut self.on_second));
        let moved = scroll(&mut self.at, action, stops.len() + page.saturating_sub(1), page);
        self.keep_on_screen(stops.get(self.at).copied().unwrap_or(0), page);
        moved || before != (self.at, self.top, false)
    }

    /// Puts the cursor on the line of an action, if it is listed; returns whether that changed something.
    pub(crate) fn point_at(&mut self, action: Action, keymap: &Keymap, area: Rect) -> bool {
        let columns = HelpColumns::of(area);
        let lines = self.lines(keymap, columns);
        let keys = lines.iter().enumerate().filter(|(_, entry)| entry.action().is_some());
        let mut meant = keys.enumerate().filter(|(_, (_, entry))| entry.has(action));
        let Some((at, (line, entry))) = meant.next() else { return false };
        let before = (self.at, self.top, self.on_second);
        (self.at, self.on_second) = (at, entry.action() != Some(action));
        self.keep_on_screen(line, HelpLayout::of(lines.len(), columns, area).page());
        before != (self.at, self.top, self.on_second)
    }

    fn keep_on_screen(&mut self, line: usize, page: usize) {
        // The heading above the first key of a group stays visible with it.
        let first = if self.at == 0 { 0 } else { line.saturating_sub(1) };
        self.top = self.top.min(first).max((line + 1).saturating_sub(page));
    }

    pub(crate) fn lists(&self, action: Action, keymap: &Keymap) -> bool {
        !self.typing && keymap.keys(action, self.context).next().is_some()
    }

    pub(crate) fn action_of(&self, key: Key, keymap: &Keymap) -> Option<Action> {
        keymap.action(self.context, key).filter(|_| !self.typing)
    }

    /// Returns the action under the cursor.
    pub(crate) fn selected(&self, keymap: &Keymap) -> Option<Action> {
        let lines = self.lines(keymap, HelpColumns::of(Rect::ZERO));
        let line = lines.iter().filter(|line| line.action().is_some()).nth(self.at)?;
        line.second().filter(|_| self.on_second).or_else(|| line.action())
    }

    pub(crate) fn place(&self, area: Rect, keymap: &Keymap) -> Rect {
        let columns = HelpColumns::of(area);
        let layout = HelpLayout::of(self.lines(keymap, columns).len(), columns, area);
        frame::overlay_place(area, layout.width, layout.height)
    }

    /// Puts the cursor on the line at a position; returns whether there is one.
    pub(crate) fn pick(&mut self, at: Position, area: Rect, keymap: &Keymap) -> bool {
        let columns = HelpColumns::of(area);
        let lines = self.lines(keymap, columns);
        let layout = HelpLayout::of(lines.len(), columns, area);
        let inner = inner_area(frame::overlay_place(area, layout.width, layout.height));
        let rows = usize::from(inner.height.saturating_sub(1));
        let Some(row) = frame::row_below_first(inner, at) else { return false };
        let across = usize::from((at.x - inner.x) / (inner.width / columns.count).max(1));
        let top = self.top.min(lines.len().saturating_sub(layout.page()));
        let line = top + across * rows + row;
        let mut keys = lines.iter().enumerate().filter(|(_, line)| line.action().is_some());
        let Some(nth) = keys.position(|(at, _)| at == line) else { return false };
        (self.at, self.on_second, self.typing) = (nth, false, false);
        true
    }

    /// Whether the help itself handles the next [`Action::Close`].
    pub(crate) fn handles_close(&self) -> bool {
        self.typing
    }

    fn type_in<M>(&mut self, input: &AppInput<M>) -> bool {
        if let AppInput::Action(Action::Accept | Action::Close) = input {
            self.typing = false;
            return true;
        }
        let changed = self.query.take(input);
        if changed {
            (self.at, self.on_second, self.top) = (0, false, 0);
        }
        changed
    }

    /// The matching entries under their headings; texts longer than their column are continued in further lines.
    fn lines(&self, keymap: &Keymap, columns: HelpColumns) -> Vec<HelpEntry> {
        let query = self.query.text().to_lowercase();
        let mut lines = Vec::new();
        for group in ActionGroup::ALL.iter().copied() {
            let entries = TABLE.iter().filter(|entry| entry.group == group);
            let shown = entries.filter_map(|entry| self.entry(entry, &query, keymap, columns));
            let shown: Vec<HelpEntry> = shown.flatten().collect();
            if !shown.is_empty() {
                lines.push(HelpEntry::Heading(group.title()));
                lines.extend(shown);
            }
        }
        lines.extend(words(self.context, &query, columns));
        lines
    }

    /// Returns the lines of an action that works here and matches. A pair is listed at the place of its first action.
    fn entry(
        &self,
        entry: &ActionEntry,
        query: &str,
        keymap: &Keymap,
        columns: HelpColumns,
    ) -> Option<Vec<HelpEntry>> {
        let keys = |action: Action| keymap.keys(action, self.context).map(|key| key.to_string());
        let both = pairs::of(entry.action)
            .filter(|(one, other, _)| [*one, *other].iter().all(|action| keys(*action).next().is_some()));
        if both.is_some_and(|(first, ..)| *first != entry.action) {
            return None;
        }
        let second = both.map(|(_, second, _)| *second);
        let all: Vec<Action> = [entry.action].into_iter().chain(second).collect();
        let shown: Vec<String> = all.iter().flat_map(|action| keys(*action)).collect();
        let shown = shown.join(" ");
        let doc = both.map_or(entry.doc, |(.., doc)| doc);
        let named = all.iter().map(|action| format!("{} {}", action.entry().name, action.entry().doc));
        let hay = format!("{shown} {doc} {}", named.collect::<Vec<_>>().join(" ")).to_lowercase();
        let works = !shown.is_empty() && hay.contains(query);
        works.then(|| columns.entry(&shown, doc, &all))
    }

    /// Draws the help over the area, in two columns where they fit side by side.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme, keymap: &Keymap) {
        let title = format!("Help · {} · qscope only reads", self.context.title());
        let columns = HelpColumns::of(area);
        let lines = self.lines(keymap, columns);
        let layout = HelpLayout::of(lines.len(), columns, area);
        let inner = frame::overlay(area, buf, theme, &title, layout.width, layout.height);
        if inner.is_empty() {
            return;
        }
        let mut rows = inner.rows();
        if let Some(first) = rows.next() {
            self.search_line(keymap, theme).render(first, buf);
        }
        let keys = lines.iter().enumerate().filter(|(_, line)| line.action().is_some());
        let here = keys.map(|(at, _)| at).nth(self.at).filter(|_| !self.typing);
        let places: Vec<Rect> = rows.collect();
        if let Some(place) = places.first().filter(|_| lines.is_empty()) {
            frame::empty(*place, buf, theme, &["No match. Esc ends the search, then closes."]);
        }
        let top = self.top.min(lines.len().saturating_sub(layout.page()));
        let below = lines.len().saturating_sub(top + layout.page());
        frame::more_below_inside(below, inner, buf, theme);
        let width = inner.width / columns.count;
        for (nth, (at, line)) in lines.iter().enumerate().skip(top).take(layout.page()).enumerate() {
            let (across, row) = (nth / places.len().max(1), nth % places.len().max(1));
            let Some(place) = places.get(row) else { continue };
            let x = place.x.saturating_add(cells(across).saturating_mul(width));
            let place = Rect { x, width, ..*place };
            line.draw(theme).render(place, buf);
            if here == Some(at) {
                buf.set_style(place, theme.style(Role::Cursor));
            }
        }
    }

    fn search_line(&self, keymap: &Keymap, theme: &Theme) -> Line<'static> {
        let key = keymap.keys(Action::Filter, Context::Overlay).next().map(|key| key.to_string());
        let mut line =
            Line::from(Span::styled(format!("{} ", key.unwrap_or_default()), theme.style(Role::Key)));
        let text = match (self.typing, self.query.text()) {
            (false, "") => Span::styled("search; any other key goes to its line", theme.style(Role::TextDim)),
            (_, text) => Span::styled(text.to_owned(), theme.style(Role::Text)),
        };
        line.push_span(text);
        if self.typing {
            line.push_span(Span::styled(" ", theme.style(Role::Text).reversed()));
        }
        line
    }
}

/// The lines the cursor visits: those with keys, then the words below them, so that these can be scrolled to.
fn stops(lines: &[HelpEntry]) -> Vec<usize> {
    let keys = || lines.iter().enumerate().filter(|(_, line)| line.action().is_some()).map(|(at, _)| at);
    let behind = keys().next_back().map_or(0, |last| last + 1);
    keys().chain(behind..lines.len()).collect()
}

/// Returns the explanations of a view's words that match.
fn words(about: Context, query: &str, columns: HelpColumns) -> Vec<HelpEntry> {
    let matching =
        |(word, doc): &&(&'static str, &'static str)| format!("{word} {doc}").to_lowercase().contains(query);
    let known = words::of(about).iter().filter(matching);
    let mut lines: Vec<HelpEntry> = known.flat_map(|(word, doc)| columns.entry(word, doc, &[])).collect();
    if !lines.is_empty() {
        lines.insert(0, HelpEntry::Heading("Words"));
    }
    lines
}

#[cfg(test)]
mod tests;
