//! The help: the keys that work here, made from the action table, and searchable.

mod words;

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::action::{Action, ActionGroup, Context, TABLE};
use super::app::Input;
use super::key::Key;
use super::keymap::Keymap;
use super::layout::{cells, inside, scroll};
use super::theme::{Role, Theme};
use super::widgets::frame;
use super::widgets::prompt::Prompt;
use super::widgets::text::{Align, fit};

/// The help overlay's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Help {
    /// The context that it explains: the one in which it was called.
    about: Context,
    query: Prompt,
    typing: bool,
    /// The key under the cursor, among those that match.
    at: usize,
    top: usize,
}

/// The columns of the box with one column of lines.
const WIDTH: u16 = 76;
/// From so many columns on lines stand in two columns.
const TWO_COLUMNS: u16 = 100;
/// The columns of the keys before a text.
const KEYS: usize = 12;

impl Help {
    /// Help about a context.
    pub(crate) fn about(about: Context) -> Self {
        Self { about, query: Prompt::default(), typing: false, at: 0, top: 0 }
    }

    /// Where the keyboard goes while the help is on top.
    pub(crate) fn context(&self) -> Context {
        if self.typing { Context::Prompt } else { Context::Overlay }
    }

    /// Takes in an input while the help is on top of a screen of that area; whether something changed. The owner handles
    /// [`Action::Close`], except while something is typed: then the first one only ends that.
    pub(crate) fn take<M>(&mut self, input: &Input<M>, keymap: &Keymap, area: Rect) -> bool {
        if self.typing {
            return self.type_in(input);
        }
        match input {
            Input::Action(Action::Filter) => self.typing = true,
            Input::Action(action) => return self.go(*action, keymap, area),
            _ => return false,
        }
        true
    }

    /// Moves the cursor over the keys, and keeps its line on the screen.
    fn go(&mut self, action: Action, keymap: &Keymap, area: Rect) -> bool {
        let columns = HelpColumns::of(area);
        let lines = self.lines(keymap, columns);
        let keys: Vec<usize> =
            lines.iter().enumerate().filter(|(_, line)| line.action().is_some()).map(|(at, _)| at).collect();
        let page = Layout::of(lines.len(), columns, area).page();
        let before = (self.at, self.top);
        let moved = scroll(&mut self.at, action, keys.len() + page.saturating_sub(1), page);
        self.keep_on_screen(keys.get(self.at).copied().unwrap_or(0), page);
        moved || before != (self.at, self.top)
    }

    /// Puts the cursor on the line of an action, if it is listed; whether that changed something.
    pub(crate) fn point_at(&mut self, action: Action, keymap: &Keymap, area: Rect) -> bool {
        let columns = HelpColumns::of(area);
        let lines = self.lines(keymap, columns);
        let mut keys = lines.iter().enumerate().filter_map(|(line, entry)| Some((line, entry.action()?)));
        let Some((at, line)) =
            keys.by_ref().enumerate().find_map(|(at, (line, known))| (known == action).then_some((at, line)))
        else {
            return false;
        };
        let before = (self.at, self.top);
        self.at = at;
        self.keep_on_screen(line, Layout::of(lines.len(), columns, area).page());
        before != (self.at, self.top)
    }

    fn keep_on_screen(&mut self, line: usize, page: usize) {
        // The heading above the first key of a group stays with it.
        let first = if self.at == 0 { 0 } else { line.saturating_sub(1) };
        self.top = self.top.min(first).max((line + 1).saturating_sub(page));
    }

    /// Whether it lists an action.
    pub(crate) fn lists(&self, action: Action, keymap: &Keymap) -> bool {
        !self.typing && keymap.keys(action, self.about).next().is_some()
    }

    /// The action that it lists for a key.
    pub(crate) fn action_of(&self, key: Key, keymap: &Keymap) -> Option<Action> {
        keymap.action(self.about, key).filter(|_| !self.typing)
    }

    /// The action under the cursor, to be run.
    pub(crate) fn selected(&self, keymap: &Keymap) -> Option<Action> {
        self.lines(keymap, HelpColumns::of(Rect::ZERO)).iter().filter_map(HelpEntry::action).nth(self.at)
    }

    /// Where the box stands on the area.
    pub(crate) fn place(&self, area: Rect, keymap: &Keymap) -> Rect {
        let columns = HelpColumns::of(area);
        let layout = Layout::of(self.lines(keymap, columns).len(), columns, area);
        frame::overlay_place(area, layout.width, layout.height)
    }

    /// Puts the cursor on the key at a place; false where there is none.
    pub(crate) fn pick(&mut self, at: Position, area: Rect, keymap: &Keymap) -> bool {
        let columns = HelpColumns::of(area);
        let lines = self.lines(keymap, columns);
        let layout = Layout::of(lines.len(), columns, area);
        let inner = inside(frame::overlay_place(area, layout.width, layout.height));
        let rows = usize::from(inner.height.saturating_sub(1));
        let Some(row) = frame::row_below_first(inner, at) else { return false };
        let across = usize::from((at.x - inner.x) / (inner.width / columns.count).max(1));
        let top = self.top.min(lines.len().saturating_sub(layout.page()));
        let line = top + across * rows + row;
        let mut keys = lines.iter().enumerate().filter(|(_, line)| line.action().is_some());
        let Some(nth) = keys.position(|(at, _)| at == line) else { return false };
        (self.at, self.typing) = (nth, false);
        true
    }

    /// Whether the next [`Action::Close`] is the help's own.
    pub(crate) fn holds_close(&self) -> bool {
        self.typing
    }

    fn type_in<M>(&mut self, input: &Input<M>) -> bool {
        if let Input::Action(Action::Accept | Action::Close) = input {
            self.typing = false;
            return true;
        }
        let changed = self.query.take(input);
        if changed {
            (self.at, self.top) = (0, 0);
        }
        changed
    }

    /// The entries that match, under their headings; a text that is longer than its column goes on in further lines.
    fn lines(&self, keymap: &Keymap, columns: HelpColumns) -> Vec<HelpEntry> {
        let query = self.query.text().to_lowercase();
        let mut lines = Vec::new();
        for group in ActionGroup::ALL.iter().copied() {
            let entries = TABLE.iter().filter(|entry| entry.group == group);
            let shown: Vec<HelpEntry> = entries
                .filter_map(|entry| {
                    let keys: Vec<String> =
                        keymap.keys(entry.action, self.about).map(|key| key.to_string()).collect();
                    let keys = keys.join(" ");
                    let hay = format!("{keys} {} {}", entry.name, entry.doc).to_lowercase();
                    let works = !keys.is_empty() && hay.contains(&query);
                    works.then(|| columns.entry(&keys, entry.doc, Some(entry.action)))
                })
                .flatten()
                .collect();
            if !shown.is_empty() {
                lines.push(HelpEntry::Heading(group.title()));
                lines.extend(shown);
            }
            if group == ActionGroup::Trial {
                lines.extend(words(self.about, &query, columns));
            }
        }
        lines
    }

    /// Draws the help over the area: in two columns where these have room beside each other.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme, keymap: &Keymap) {
        let title = format!("Keys in the {} · qscope only reads", self.about.name());
        let columns = HelpColumns::of(area);
        let lines = self.lines(keymap, columns);
        let layout = Layout::of(lines.len(), columns, area);
        let inner = frame::overlay(area, buf, theme, &title, layout.width, layout.height);
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

/// What the words of a view mean, as far as they match.
fn words(about: Context, query: &str, columns: HelpColumns) -> Vec<HelpEntry> {
    let matching =
        |(word, doc): &&(&'static str, &'static str)| format!("{word} {doc}").to_lowercase().contains(query);
    let known = words::of(about).iter().filter(matching);
    let mut lines: Vec<HelpEntry> = known.flat_map(|(word, doc)| columns.entry(word, doc, None)).collect();
    if !lines.is_empty() {
        lines.insert(0, HelpEntry::Heading("Words"));
    }
    lines
}

/// The box's lines and the search line.
const AROUND: u16 = 3;

/// How the lines stand: in how many columns of which width.
#[derive(Clone, Copy)]
struct HelpColumns {
    count: u16,
    width: u16,
}

impl HelpColumns {
    fn of(area: Rect) -> Self {
        let count = if area.width >= TWO_COLUMNS { 2 } else { 1 };
        let width = box_width(count, area).saturating_sub(2) / count;
        Self { count, width }
    }

    /// The lines of keys or a word: as many as their text needs, or they do themselves.
    fn entry(self, what: &str, doc: &str, action: Option<Action>) -> Vec<HelpEntry> {
        // A blank on either side of the keys, and one before the next column.
        let room = usize::from(self.width).saturating_sub(KEYS + 4).max(1);
        let (what, doc) = (textwrap::wrap(what, KEYS), textwrap::wrap(doc, room));
        let part = |parts: &[Cow<'_, str>], nth: usize| parts.get(nth).map(|part| part.clone().into_owned());
        let line = |nth: usize| HelpEntry::Line {
            what: part(&what, nth).unwrap_or_default(),
            doc: part(&doc, nth).unwrap_or_default(),
            action: action.filter(|_| nth == 0),
        };
        (0..what.len().max(doc.len())).map(line).collect()
    }
}

fn box_width(columns: u16, area: Rect) -> u16 {
    (WIDTH * columns).min(area.width.saturating_sub(2)).max(WIDTH)
}

/// How large the box is.
struct Layout {
    columns: HelpColumns,
    width: u16,
    height: u16,
}

impl Layout {
    /// The layout of so many lines: as high as these must be, and a margin above and below where there is one to spare.
    fn of(lines: usize, columns: HelpColumns, area: Rect) -> Self {
        let wanted = cells(lines.div_ceil(usize::from(columns.count))).saturating_add(AROUND);
        let height = wanted.min(area.height.saturating_sub(2)).max(6).min(area.height);
        Self { columns, width: box_width(columns.count, area), height }
    }

    /// How many lines are seen at once.
    fn page(&self) -> usize {
        usize::from(self.height.saturating_sub(AROUND)) * usize::from(self.columns.count)
    }
}

/// A line of the help.
enum HelpEntry {
    Heading(&'static str),
    /// A key or a word and what it is for; where it has no action, it may go on with the line above.
    Line {
        what: String,
        doc: String,
        action: Option<Action>,
    },
}

impl HelpEntry {
    /// What its key does; none for headings, words, and lines that go on.
    fn action(&self) -> Option<Action> {
        match self {
            Self::Line { action, .. } => *action,
            Self::Heading(_) => None,
        }
    }

    fn draw(&self, theme: &Theme) -> Line<'_> {
        match self {
            Self::Heading(title) => Line::from(Span::styled(*title, theme.style(Role::Heading))),
            Self::Line { what, doc, .. } => {
                let what = fit(what, KEYS, Align::Left, theme.ellipsis());
                Line::from(vec![
                    Span::styled(format!("  {what} "), theme.style(Role::Key)),
                    Span::styled(doc.as_str(), theme.style(Role::Text)),
                ])
            }
        }
    }
}

#[cfg(test)]
mod tests;
