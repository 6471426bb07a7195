//! The help: the keys that work here, made from the action table, and searchable.

mod words;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::action::{Action, Context, Group, TABLE};
use super::app::Input;
use super::keymap::Keymap;
use super::layout::{cells, scroll};
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
    top: usize,
}

const WIDTH: u16 = 76;
const KEYS: usize = 12;

impl Help {
    /// Help about a context.
    pub(crate) fn about(about: Context) -> Self {
        Self { about, query: Prompt::default(), typing: false, top: 0 }
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
            Input::Action(action) => {
                let lines = self.lines(keymap).len();
                let page = usize::from(height(lines, area).saturating_sub(AROUND));
                return scroll(&mut self.top, *action, lines, page);
            }
            _ => return false,
        }
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
            self.top = 0;
        }
        changed
    }

    /// The entries that match, under their headings.
    fn lines(&self, keymap: &Keymap) -> Vec<Entry> {
        let query = self.query.text().to_lowercase();
        let mut lines = Vec::new();
        for group in Group::ALL {
            let entries = TABLE.iter().filter(|entry| entry.group == group);
            let shown: Vec<Entry> = entries
                .filter_map(|entry| {
                    let keys: Vec<String> =
                        keymap.keys(entry.action, self.about).map(|key| key.to_string()).collect();
                    let keys = keys.join(" ");
                    let hay = format!("{keys} {} {}", entry.name, entry.doc).to_lowercase();
                    let works = !keys.is_empty() && hay.contains(&query);
                    works.then_some(Entry::Key { keys, doc: entry.doc })
                })
                .collect();
            if !shown.is_empty() {
                lines.push(Entry::Heading(group.title()));
                lines.extend(shown);
            }
            if group == Group::Trial {
                lines.extend(words(self.about, &query));
            }
        }
        lines
    }

    /// Draws the help over the area.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme, keymap: &Keymap) {
        let title = format!("Keys in the {} · read-only", self.about.name());
        let lines = self.lines(keymap);
        let inner = frame::overlay(area, buf, theme, &title, WIDTH, height(lines.len(), area));
        let mut rows = inner.rows();
        if let Some(first) = rows.next() {
            self.search_line(keymap, theme).render(first, buf);
        }
        let top = self.top.min(lines.len().saturating_sub(usize::from(inner.height.saturating_sub(1))));
        for (line, at) in lines.iter().skip(top).zip(rows) {
            line.draw(theme).render(at, buf);
        }
    }

    fn search_line(&self, keymap: &Keymap, theme: &Theme) -> Line<'static> {
        let key = keymap.keys(Action::Filter, Context::Overlay).next().map(|key| key.to_string());
        let mut line =
            Line::from(Span::styled(format!("{} ", key.unwrap_or_default()), theme.style(Role::Key)));
        let text = match (self.typing, self.query.text()) {
            (false, "") => Span::styled("search", theme.style(Role::TextDim)),
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
fn words(about: Context, query: &str) -> Vec<Entry> {
    let matching =
        |(word, doc): &&(&'static str, &'static str)| format!("{word} {doc}").to_lowercase().contains(query);
    let known = words::of(about).iter().filter(matching);
    let mut lines: Vec<Entry> = known.map(|(word, doc)| Entry::Word { word, doc }).collect();
    if !lines.is_empty() {
        lines.insert(0, Entry::Heading("Words"));
    }
    lines
}

/// The box's lines and the search line.
const AROUND: u16 = 3;

/// How high the box is: as high as it must be, and a margin above and below where there is one to spare.
fn height(lines: usize, area: Rect) -> u16 {
    let wanted = cells(lines).saturating_add(AROUND);
    wanted.min(area.height.saturating_sub(2)).max(6).min(area.height)
}

enum Entry {
    Heading(&'static str),
    Key { keys: String, doc: &'static str },
    Word { word: &'static str, doc: &'static str },
}

impl Entry {
    fn draw(&self, theme: &Theme) -> Line<'static> {
        match self {
            Self::Heading(title) => Line::from(Span::styled(*title, theme.style(Role::Heading))),
            Self::Key { keys, doc } => entry_line(keys, doc, theme),
            Self::Word { word, doc } => entry_line(word, doc, theme),
        }
    }
}

fn entry_line(what: &str, doc: &'static str, theme: &Theme) -> Line<'static> {
    let what = fit(what, KEYS, Align::Left, theme.ellipsis());
    Line::from(vec![
        Span::styled(format!("  {what} "), theme.style(Role::Key)),
        Span::styled(doc, theme.style(Role::Text)),
    ])
}

#[cfg(test)]
mod tests;
