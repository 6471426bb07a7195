//! The command line `:`: a verb and its object, a bare object, a view or an action, with completion (console.md 2.3).
//!
//! ```text
//! ┏ Command ━━━━━━━━━━━━━━━━━━ Tab completes · Enter runs · Alt-Enter why ┓
//! ┃ :why 5▏                                                               ┃
//! ┃▸why 54     ◷ wait  insufficient ncpus 143 of 160 ncpus                ┃
//! ┃ verbs  why job node queue set go step break sort filter theme export  ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

mod draw;
mod entry;
mod jobs;
mod matches;
mod tables;
mod verb;

use super::action::{Action, Context};
use super::app::AppInput;
use super::keymap::Keymap;
use super::layout::moved;
use super::widgets::prompt::Prompt;
use crate::views::{Object, ViewContext};
use entry::PaletteEntry;
use matches::all_found;
use tables::of_filter;
pub(crate) use verb::Verb;

/// The effect of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PaletteCommand {
    /// Runs an action, as its key would.
    RunAction(Action),
    /// Opens a view, or an object in its home view.
    OpenView(Object),
    /// Explains a waiting job, opens anything else.
    Open(Object),
    /// Runs a verb with the text after it.
    Run(Verb, String),
}

/// The title of a column, and whether it is shown.
pub(crate) type PaletteColumn = (String, bool);

/// The state of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Palette {
    context: Context,
    /// The columns of the table on the screen, for the verbs about them.
    columns: Vec<PaletteColumn>,
    /// The filter for which the view has made suggestions.
    offered_for: Option<String>,
    prompt: Prompt,
    found: Vec<PaletteEntry>,
    selected: usize,
    /// Whether the cursor was moved to an entry.
    chosen: bool,
    /// Whether Tab is going through the entries.
    is_cycling: bool,
    /// Why the last line could not be run.
    error: Option<String>,
    /// Lines run before, the last one last. `history_offset` is how far the user went back in them.
    history: Vec<String>,
    history_offset: usize,
}

const WIDTH: u16 = 76;
const MAX_WIDTH: u16 = 120;
const LEAST_NAME: usize = 10;
const KEYS: usize = 10;

impl Palette {
    /// A palette with everything that works in a context, over a table with these columns, that begins with a text.
    pub(crate) fn new(
        (context, columns): (Context, Vec<PaletteColumn>),
        (history, text): (Vec<String>, &str),
        keymap: &Keymap,
        cx: Option<ViewContext<'_>>,
    ) -> Self {
        let mut new = Self {
            context,
            columns,
            offered_for: None,
            prompt: Prompt::with(text),
            found: Vec::new(),
            selected: 0,
            chosen: false,
            is_cycling: false,
            error: None,
            history,
            history_offset: 0,
        };
        new.search(keymap, cx);
        new
    }

    /// Handles letters and the keys that edit or move; returns whether something changed.
    pub(crate) fn take<M>(
        &mut self,
        input: &AppInput<M>,
        keymap: &Keymap,
        cx: Option<ViewContext<'_>>,
    ) -> bool {
        let last = self.found.len().saturating_sub(1);
        let to = match input {
            AppInput::Action(Action::Up)
                if !self.chosen && (self.prompt.text().is_empty() || self.history_offset > 0) =>
            {
                return self.walk_history(true, keymap, cx);
            }
            AppInput::Action(Action::Down) if self.history_offset > 0 => {
                return self.walk_history(false, keymap, cx);
            }
            AppInput::Action(action @ (Action::Up | Action::Down | Action::PageUp | Action::PageDown)) => {
                moved(*action, self.selected, last, 10).unwrap_or(self.selected)
            }
            AppInput::Action(Action::Complete) => return self.complete(keymap, cx),
            _ => {
                let before = self.prompt.text().to_owned();
                let changed = self.prompt.take(input);
                if before != self.prompt.text() {
                    (self.history_offset, self.error) = (0, None);
                    self.search(keymap, cx);
                }
                return changed;
            }
        };
        (self.chosen, self.is_cycling) = (true, false);
        std::mem::replace(&mut self.selected, to) != to
    }

    /// Moves the cursor over the entries, whatever is typed.
    pub(crate) fn wheel(&mut self, down: bool) -> bool {
        let to = if down { self.selected + 1 } else { self.selected.saturating_sub(1) };
        to != self.selected && self.choose(Some(to))
    }

    /// Puts the cursor on an entry; returns whether it exists.
    fn choose(&mut self, at: Option<usize>) -> bool {
        let Some(at) = at.filter(|at| *at < self.found.len()) else { return false };
        (self.selected, self.chosen, self.is_cycling) = (at, true, false);
        true
    }

    /// Goes to the previous or next line of the history.
    fn walk_history(&mut self, older: bool, keymap: &Keymap, cx: Option<ViewContext<'_>>) -> bool {
        let to =
            if older { (self.history_offset + 1).min(self.history.len()) } else { self.history_offset - 1 };
        let line = self.history.len().checked_sub(to).and_then(|at| self.history.get(at));
        let changed = to != self.history_offset;
        self.prompt = Prompt::with(line.map_or("", String::as_str));
        self.history_offset = to;
        self.search(keymap, cx);
        changed
    }

    /// Replaces the line with the entry under the cursor, or with the next one if the last key did the same; typing
    /// goes on.
    fn complete(&mut self, keymap: &Keymap, cx: Option<ViewContext<'_>>) -> bool {
        let at = (self.selected + usize::from(self.is_cycling)) % self.found.len().max(1);
        let Some(found) = self.found.get(at) else { return false };
        let line = found.line.clone();
        let changed = line != self.prompt.text() || self.selected > 0;
        self.prompt = Prompt::with(&line);
        // What can follow is listed next: the objects of a verb, the values of a field.
        if self.found.len() == 1 || line.ends_with(' ') || self.offered_for.is_some() {
            self.search(keymap, cx);
        } else {
            (self.selected, self.chosen, self.is_cycling) = (at, true, true);
        }
        changed
    }

    /// The typed text, trimmed.
    pub(crate) fn text(&self) -> &str {
        self.prompt.text().trim()
    }

    /// Returns what Enter does: the entry under the cursor, or, for verbs whose object is free text, the typed line.
    pub(crate) fn command(&self) -> Option<PaletteCommand> {
        let typed = Verb::parse(self.text());
        match (typed, self.found.get(self.selected)) {
            (Some((verb, object)), found)
                if verb.takes_text() && !self.chosen && (found.is_none() || !verb.needs_object(object)) =>
            {
                Some(PaletteCommand::Run(verb, object.to_owned()))
            }
            (typed, Some(found)) if !self.runs(found) => {
                typed.map(|(verb, object)| PaletteCommand::Run(verb, object.to_owned()))
            }
            (_, Some(found)) => Some(found.command.clone()),
            (Some((verb, object)), None) => Some(PaletteCommand::Run(verb, object.to_owned())),
            (None, None) => None,
        }
    }

    /// Whether Enter runs the entry under the cursor: one that the text only suggests must be chosen first.
    fn runs(&self, entry: &PaletteEntry) -> bool {
        !entry.is_loose || self.chosen || self.text().is_empty()
    }

    /// The name of the object that is asked about: that of the entry under the cursor, or what is typed.
    pub(crate) fn object(&self) -> Option<&str> {
        let found = self.found.get(self.selected).filter(|found| self.runs(found));
        let typed = Verb::parse(self.text()).map_or(self.text(), |(_, object)| object);
        found
            .and_then(|found| found.object.as_ref())
            .map(Object::name)
            .or(Some(typed).filter(|it| !it.is_empty()))
    }

    /// Shows why the line cannot be run; the text stays for editing.
    pub(crate) fn refuse(&mut self, why: String) {
        self.error = Some(why);
    }

    /// Searches again in the current snapshot; the cursor stays on its entry if that is still found.
    pub(crate) fn search_again(&mut self, keymap: &Keymap, cx: Option<ViewContext<'_>>) {
        let (line, chosen) = (self.found.get(self.selected).map(|found| found.line.clone()), self.chosen);
        self.search(keymap, cx);
        let place = self.found.iter().position(|found| Some(&found.line) == line.as_ref());
        if let Some(place) = place {
            (self.selected, self.chosen) = (place, chosen);
        }
    }

    fn search(&mut self, keymap: &Keymap, cx: Option<ViewContext<'_>>) {
        self.found = all_found(self.prompt.text(), self.context, &self.columns, keymap, cx);
        (self.selected, self.chosen, self.is_cycling, self.offered_for) = (0, false, false, None);
    }

    /// The filter being typed, if it has no suggestions yet.
    pub(crate) fn wants_offers(&self) -> Option<&str> {
        let (head, filter) = self.prompt.text().trim_start().split_once(' ')?;
        (head == Verb::Filter.name() && self.offered_for.as_deref() != Some(filter)).then_some(filter)
    }

    /// Takes the view's suggestions for a filter, each with the number of rows that have that value.
    pub(crate) fn offer(&mut self, filter: String, offered: Vec<(String, Option<usize>)>) {
        self.found = of_filter(offered);
        self.offered_for = Some(filter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::AUTO;
    use crate::views::ViewName;

    fn typed(text: &str) -> Palette {
        let keymap = Keymap::default();
        let mut palette = Palette::new(
            (Context::List, vec![("ncpus".to_owned(), true), ("reason, or where".to_owned(), false)]),
            (vec!["go 7".to_owned()], ""),
            &keymap,
            None,
        );
        palette.take(&AppInput::<()>::Paste(text.to_owned()), &keymap, None);
        palette
    }

    fn names(text: &str) -> Vec<String> {
        typed(text).found.into_iter().map(|found| found.name).collect()
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

    #[test]
    fn a_verb_takes_its_object_as_typed_or_from_the_list() {
        let run = |text: &str| typed(text).command();
        assert_eq!(run("sort -ncpus"), Some(PaletteCommand::Run(Verb::Sort, "-ncpus".to_owned())));
        assert_eq!(run("break path=node"), Some(PaletteCommand::Run(Verb::Break, "path=node".to_owned())));
        assert_eq!(run("go 54"), Some(PaletteCommand::Run(Verb::Go, "54".to_owned())));
        assert_eq!(names("theme hi"), ["theme high-contrast"]);
        assert_eq!(run("theme hi"), Some(PaletteCommand::Run(Verb::Theme, "high-contrast".to_owned())));
    }

    /// Console.md 1.5 and 7.2: on the smallest usual screen the effect of an entry is not cut, and further entries are
    /// counted.
    #[test]
    fn entries_are_not_cut_and_more_of_them_are_counted() {
        use crate::theme::{GlyphSet, Theme};
        use ratatui::{buffer::Buffer, layout::Rect};
        let keymap = Keymap::default();
        let theme = Theme::mono(GlyphSet::Unicode);
        let area = Rect::new(0, 0, 80, 24);
        for view in ViewName::ALL.iter().copied() {
            let context = (Context::View(view), Vec::new());
            let mut palette = Palette::new(context, (Vec::new(), ""), &keymap, None);
            let entries = palette.found.len();
            for at in 0..entries {
                let mut buf = Buffer::empty(area);
                palette.render(area, &mut buf, &theme);
                let row = |y| (0..area.width).map(|x| buf[(x, y)].symbol()).collect::<String>();
                let rows: Vec<String> = (0..area.height).map(row).collect();
                let cut = rows.iter().find(|row| row.contains('…'));
                assert_eq!(cut, None, "{view:?}, entry {at}");
                let has_mark = rows.iter().any(|row| row.contains(" PgDn: "));
                assert_eq!(has_mark, at.max(13) + 1 < entries, "{view:?}, entry {at} of {entries}");
                palette.take(&AppInput::<()>::Action(Action::Down), &keymap, None);
            }
        }
    }

    /// Console.md 2.3: Tab completes, Up walks the history, an error keeps the text.
    #[test]
    fn tab_completes_and_up_walks_the_history() {
        let keymap = Keymap::default();
        let mut palette = typed("theme mo");
        assert!(palette.take(&AppInput::<()>::Action(Action::Complete), &keymap, None));
        assert_eq!(palette.text(), "theme mono");
        let mut palette = typed("");
        assert!(palette.take(&AppInput::<()>::Action(Action::Up), &keymap, None));
        assert_eq!(palette.text(), "go 7");
        // After a verb its objects are listed, and the list stays while Tab goes through it.
        let mut palette = typed("theme");
        let after_tab = |palette: &mut Palette| {
            palette.take(&AppInput::<()>::Action(Action::Complete), &keymap, None);
            palette.text().to_owned()
        };
        assert_eq!(after_tab(&mut palette), "theme");
        let all: Vec<String> = palette.found.iter().map(|found| found.line.clone()).collect();
        let walked: Vec<String> = (0..all.len()).map(|_| after_tab(&mut palette)).collect();
        assert_eq!(walked, all);
        assert_eq!(after_tab(&mut palette), all[0]);
        assert_eq!(palette.command(), Some(PaletteCommand::Run(Verb::Theme, AUTO.to_owned())));
        palette.take(&AppInput::<()>::Action(Action::Down), &keymap, None);
        assert_eq!(after_tab(&mut palette), all[1]);
        let mut palette = typed("");
        assert!(palette.take(&AppInput::<()>::Action(Action::Up), &keymap, None));
        palette.refuse("no step 7".to_owned());
        assert_eq!((palette.text(), palette.error.as_deref()), ("go 7", Some("no step 7")));
        assert!(palette.take(&AppInput::<()>::Action(Action::Down), &keymap, None));
        assert_eq!(palette.text(), "");
    }
}
