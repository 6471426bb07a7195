//! The palette: type a few letters of an action, a view, a job, a node, a set or a queue, and do or open it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::action::{Action, Context, TABLE};
use super::app::Input;
use super::keymap::Keymap;
use super::layout::cells;
use super::theme::{Role, Theme};
use super::views::ViewName;
use super::views::object::Object;
use super::widgets::frame;
use super::widgets::prompt::Prompt;
use super::widgets::text::{Align, clean, fit, truncate};
use crate::views::world::World;

/// What an entry does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// An action, as its key would.
    Act(Action),
    /// Goes to an object, or opens a view.
    Go(Object),
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    name: String,
    doc: String,
    keys: String,
    command: Command,
}

/// The palette's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Palette {
    about: Context,
    prompt: Prompt,
    found: Vec<Found>,
    selected: usize,
}

/// So many objects of one kind at most are offered.
const MAX_OBJECTS: usize = 40;
const WIDTH: u16 = 76;
const NAME: usize = 22;
const KEYS: usize = 10;

impl Palette {
    /// A palette with everything that works in a context.
    pub(crate) fn new(about: Context, keymap: &Keymap, world: Option<World<'_>>) -> Self {
        let mut new = Self { about, prompt: Prompt::default(), found: Vec::new(), selected: 0 };
        new.search(keymap, world);
        new
    }

    /// Takes in letters and the keys that edit or move; whether something changed.
    pub(crate) fn take<M>(&mut self, input: &Input<M>, keymap: &Keymap, world: Option<World<'_>>) -> bool {
        let last = self.found.len().saturating_sub(1);
        let to = match input {
            Input::Action(Action::Up) => self.selected.saturating_sub(1),
            Input::Action(Action::Down) => (self.selected + 1).min(last),
            Input::Action(Action::PageUp) => self.selected.saturating_sub(10),
            Input::Action(Action::PageDown) => (self.selected + 10).min(last),
            _ => {
                let before = self.prompt.text().to_owned();
                let changed = self.prompt.take(input);
                if before != self.prompt.text() {
                    self.search(keymap, world);
                }
                return changed;
            }
        };
        std::mem::replace(&mut self.selected, to) != to
    }

    /// What Enter does.
    pub(crate) fn command(&self) -> Option<&Command> {
        self.found.get(self.selected).map(|found| &found.command)
    }

    fn search(&mut self, keymap: &Keymap, world: Option<World<'_>>) {
        let text = self.prompt.text().trim().to_lowercase();
        let mut ranked: Vec<(u8, Found)> = views()
            .chain(actions(keymap, self.about))
            .filter_map(|found| Some((rank(&found, &text)?, found)))
            .collect();
        // The same rank keeps the order: views, then actions as the help has them.
        ranked.sort_by_key(|(rank, _)| *rank);
        let exact = ranked.iter().take_while(|(rank, _)| *rank == 0).count();
        let mut found: Vec<Found> = ranked.into_iter().map(|(_, found)| found).collect();
        if let Some(world) = world.filter(|_| !text.is_empty()) {
            found.splice(exact..exact, objects(world, &text));
        }
        self.found = found;
        self.selected = 0;
    }

    /// Draws the palette over the area.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let height = cells(self.found.len().max(1) + 3);
        let height = height.clamp(4, area.height.saturating_sub(4).max(4));
        let inner = frame::overlay(area, buf, theme, "Actions, views, objects", WIDTH, height);
        let mut rows = inner.rows();
        let Some(first) = rows.next() else { return };
        let typed = Line::from(vec![
            Span::styled(": ", theme.style(Role::Key)),
            Span::styled(clean(self.prompt.text()).into_owned(), theme.style(Role::Text)),
            Span::styled(" ", theme.style(Role::Text).reversed()),
        ]);
        typed.render(first, buf);
        if self.found.is_empty() {
            let rest = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
            let refusal = self.prompt.refusal();
            frame::empty(
                rest,
                buf,
                theme,
                &[refusal.as_deref().unwrap_or("no job, node, set, queue or command of this name")],
            );
            return;
        }
        let page = usize::from(inner.height.saturating_sub(1)).max(1);
        let top = (self.selected + 1).saturating_sub(page);
        for ((at, found), row) in self.found.iter().enumerate().skip(top).zip(rows) {
            found.line(theme, usize::from(row.width)).render(row, buf);
            if at == self.selected {
                buf.set_style(row, theme.style(Role::Cursor));
            }
        }
    }
}

impl Found {
    fn line(&self, theme: &Theme, columns: usize) -> Line<'static> {
        let name = fit(&clean(&self.name), NAME, Align::Left, theme.ellipsis());
        let doc = clean(&self.doc);
        let room = columns.saturating_sub(NAME + KEYS + 3);
        let doc = fit(&truncate(&doc, room, theme.ellipsis()), room, Align::Left, theme.ellipsis());
        let keys = fit(&self.keys, KEYS, Align::Right, theme.ellipsis());
        Line::from(vec![
            Span::styled(format!(" {name} "), theme.style(Role::Text)),
            Span::styled(doc, theme.style(Role::TextDim)),
            Span::styled(format!(" {keys}"), theme.style(Role::Key)),
        ])
    }
}

fn views() -> impl Iterator<Item = Found> {
    ViewName::ALL.iter().map(|view| Found {
        name: view.word().to_owned(),
        doc: view.purpose().to_owned(),
        keys: view.number().map(|number| number.to_string()).unwrap_or_default(),
        command: Command::Go(Object::View(*view)),
    })
}

/// The actions of a context; those that only make sense as keys (moving, typing, views by number) are left out.
fn actions(keymap: &Keymap, about: Context) -> impl Iterator<Item = Found> {
    let sensible = |action: Action| {
        let here = matches!(action, Action::Close | Action::Palette);
        !action.moves() && action.view().is_none() && !here
    };
    TABLE.iter().filter(move |entry| sensible(entry.action)).filter_map(move |entry| {
        let keys: Vec<String> = keymap.keys(entry.action, about).map(|key| key.to_string()).collect();
        (!keys.is_empty()).then(|| Found {
            name: entry.name.to_owned(),
            doc: entry.doc.to_owned(),
            keys: keys.join(" "),
            command: Command::Act(entry.action),
        })
    })
}

/// 0 for a name that begins so, 1 for one that has it within, 2 for letters in order, 3 for the explanation.
fn rank(found: &Found, text: &str) -> Option<u8> {
    let name = found.name.as_str();
    if name.starts_with(text) {
        return Some(0);
    }
    if name.contains(text) {
        return Some(1);
    }
    let mut letters = name.chars();
    if text.chars().all(|letter| letters.any(|c| c == letter)) {
        return Some(2);
    }
    found.doc.to_lowercase().contains(text).then_some(3)
}

/// Objects whose name has the text; `job 12` and `12` both find job 12.
fn objects(world: World<'_>, text: &str) -> Vec<Found> {
    let (kind, name) = match text.split_once(' ') {
        Some((kind, name)) => (Some(kind), name.trim()),
        None => (None, text),
    };
    let is_of_kind = |object: &Object| kind.is_none_or(|kind| object.kind().starts_with(kind));
    let mut found: Vec<Object> = Vec::new();
    let mut add = |make: fn(String) -> Object, names: &mut dyn Iterator<Item = String>| {
        let names = names.filter(|known| known.to_lowercase().contains(name));
        let mut some: Vec<String> = names.take(MAX_OBJECTS * 4).collect();
        some.sort_by_key(String::len);
        found.extend(some.into_iter().take(MAX_OBJECTS).map(make).filter(is_of_kind));
    };
    let snap = world.snapshot();
    let state = world.state();
    let running = world.run().ran_before().map(|job| job.name.to_string());
    add(Object::Job, &mut world.run().outcomes().map(|outcome| outcome.name(snap)).chain(running));
    add(Object::Node, &mut snap.nodes.iter().map(|node| node.name.to_string()));
    add(
        Object::Set,
        &mut state.sets.iter().map(|set| set.shape.name.to_string()).filter(|n| n.contains('=')),
    );
    add(Object::Queue, &mut snap.queues.iter().map(|queue| queue.name.to_string()));
    let entry = |object: Object| Found {
        name: object.name().to_owned(),
        doc: object.kind().to_owned(),
        keys: String::new(),
        command: Command::Go(object),
    };
    found.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let keymap = Keymap::default();
        let mut palette = Palette::new(Context::List, &keymap, None);
        palette.take(&Input::<()>::Paste(text.to_owned()), &keymap, None);
        palette.found.into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn a_few_letters_find_actions_and_views() {
        assert_eq!(names("buck").first().map(String::as_str), Some("buckets"));
        assert_eq!(names("nwa").first().map(String::as_str), Some("next-waiting"));
        assert!(names("clipboard").contains(&"copy".to_owned()));
        assert!(names("zzz").is_empty());
    }

    #[test]
    fn every_view_and_every_command_is_offered() {
        let all = names("");
        for view in ViewName::ALL {
            assert!(all.iter().any(|name| name == view.word()), "{view:?}");
        }
        assert!(all.contains(&"quit".to_owned()) && !all.contains(&"up".to_owned()));
    }
}
