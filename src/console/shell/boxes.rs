//! The boxes with keys of their own: commands, breakpoints, columns; and the keys for searching and quick filters.

use super::{Overlay, Shell, ShellMessage};
use crate::action::Action;
use crate::app::AppInput;
use crate::breakpoint_box::BreakpointChange;
use crate::breakpoints::Breakpoint;
use crate::column_box::ColumnBox;
use crate::filter::Filter;
use crate::views::{Object, Update, View, ViewContext, ViewName};
use crate::widgets::prompt::Prompt;
use crate::wording;

impl Shell {
    /// Whether the topmost box takes every key.
    pub(super) fn box_takes_keys(&self) -> bool {
        let takes = |top: &Overlay| {
            matches!(top, Overlay::Palette(_) | Overlay::Breakpoints(_) | Overlay::Columns(_))
        };
        self.overlays.last().is_some_and(takes)
    }

    /// Passes a key to the topmost box.
    pub(super) fn in_box(&mut self, input: &AppInput<ShellMessage>) -> Update {
        match self.overlays.last() {
            Some(Overlay::Palette(_)) => self.in_palette(input),
            Some(Overlay::Breakpoints(_)) => Update::changed_if(self.in_breakpoints(input)),
            Some(Overlay::Columns(_)) => Update::changed_if(self.in_columns(input)),
            _ => Update::unchanged(),
        }
    }

    fn in_breakpoints(&mut self, input: &AppInput<ShellMessage>) -> bool {
        let Some(Overlay::Breakpoints(list)) = self.overlays.last_mut() else { return false };
        match list.take(input, &self.breakpoints.list, self.screen.as_ref()) {
            BreakpointChange::Unchanged(changed) => return changed,
            BreakpointChange::Close => {
                self.overlays.pop();
                return true;
            }
            BreakpointChange::Put(at, text) => {
                self.breakpoints.put(at, Breakpoint::new(&text, true));
            }
            BreakpointChange::Toggle(at) => {
                if let Some(one) = self.breakpoints.list.get_mut(at) {
                    one.is_enabled = !one.is_enabled;
                }
            }
            BreakpointChange::Delete(at) => {
                if at < self.breakpoints.list.len() {
                    self.breakpoints.list.remove(at);
                }
            }
        }
        self.find_breakpoints();
        true
    }

    fn find_breakpoints(&mut self) {
        if let Some(screen) = &self.screen {
            self.breakpoints.find(screen);
        }
    }

    /// Adds a breakpoint and counts the steps that meet it.
    pub(super) fn add_breakpoint(&mut self, text: &str) -> Result<(), String> {
        let (at, is_new) = self.breakpoints.put(None, Breakpoint::new(text, true));
        self.find_breakpoints();
        let steps = self.breakpoints.list.get(at).map(|one| one.steps.as_ref().map(Vec::len));
        match steps {
            Some(Ok(steps)) => {
                let set = if is_new { "breakpoint set" } else { "breakpoint already set" };
                self.set_status(format!(
                    "{set}; {} {} it, c continues",
                    wording::count(steps, "step"),
                    if steps == 1 { "meets" } else { "meet" }
                ));
                Ok(())
            }
            Some(Err(error)) => {
                let what = error.what.clone();
                if is_new {
                    self.breakpoints.list.remove(at);
                }
                Err(what)
            }
            None => Ok(()),
        }
    }

    /// Opens the box of columns of the table on the screen.
    pub(super) fn choose_columns(&mut self) {
        let table = |view: &mut dyn View, cx: ViewContext<'_>| Some((view.table(cx)?, view.fields(cx)));
        match self.with_view(table).flatten() {
            Some((shape, fields)) => self.overlays.push(Overlay::Columns(ColumnBox::new(shape, &fields))),
            None => self.set_status("no table here whose columns could be chosen"),
        }
    }

    fn in_columns(&mut self, input: &AppInput<ShellMessage>) -> bool {
        let AppInput::Action(action) = input else { return false };
        if *action == Action::Close {
            return self.overlays.pop().is_some();
        }
        let rows = usize::from(self.area.height);
        let Some(Overlay::Columns(columns)) = self.overlays.last_mut() else { return false };
        let (changed, chosen) = columns.take(*action, rows);
        if let Some(chosen) = chosen {
            self.with_view(|view, cx| view.set_table(&chosen, cx));
            self.remember_table(&chosen);
        }
        changed
    }

    pub(super) fn has_quick_filters(&self) -> bool {
        // Called for every frame: the saved filters are only checked against the fields if there are any.
        let has_own = self.open_view().is_some_and(|view| !view.quick_filters().is_empty());
        has_own || (!self.saved_filters().is_empty() && !self.quick_filters().is_empty())
    }

    /// The view's own filters, then those saved by name whose fields the view has.
    fn quick_filters(&self) -> Vec<(String, String)> {
        let (Some(view), Some(cx)) = (self.open_view(), self.cx()) else { return Vec::new() };
        let own = view.quick_filters().iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let fields = view.fields(cx);
        let fits = |(_, text): &(String, String)| Filter::parse(text, &fields).is_ok();
        let kept = self.saved_filters().into_iter().filter(fits);
        let mut filters: Vec<(String, String)> = Vec::new();
        for (name, text) in own.chain(kept) {
            // A filter is identified by its text: one saved twice has both names.
            match filters.iter_mut().find(|(_, known)| *known == text) {
                Some((names, _)) => *names = format!("{names}, {name}"),
                None => filters.push((name, text)),
            }
        }
        filters
    }

    /// Applies the next quick filter, and none after the last.
    pub(super) fn quick_filter(&mut self) {
        let filters = self.quick_filters();
        if filters.is_empty() {
            return self.set_status("no quick filters here; filter save NAME keeps one");
        }
        let here = filters.iter().position(|(_, text)| *text == self.prompt().text());
        let next = here.map_or(0, |at| at + 1);
        let (name, text) = filters.get(next).cloned().unwrap_or(("all".to_owned(), String::new()));
        *self.prompt_mut() = Prompt::with(&text);
        self.refilter();
        self.set_status(format!("{name} · P: next filter"));
    }

    /// Remembers the applied filter for the keys that find matches.
    pub(super) fn remember_search(&mut self) {
        let text = self.prompt().text().to_owned();
        let Some(cx) = self.cx() else { return };
        let fields = self.open_view().map(|view| view.fields(cx)).unwrap_or_default();
        if let Ok(search) = Filter::parse(&text, &fields)
            && !search.is_empty()
        {
            self.search = search;
        }
    }

    /// Goes to the next or previous match of the last filter.
    pub(super) fn find(&mut self, forward: bool) {
        if self.search.is_empty() {
            return self.set_status("nothing was searched yet; / filters");
        }
        let search = self.search.clone();
        match self.with_view(|view, cx| view.find(&search, forward, cx)).flatten() {
            Some(true) => {}
            Some(false) => self.set_status(format!("no match of {}", search.text())),
            None => self.set_status("nothing can be searched here"),
        }
    }

    /// Opens the what-if and the line for a setting (console.md 2.4: from every view).
    pub(super) fn what_if(&mut self) -> Update {
        let offered = self.with_view(|view, cx| view.settings_here(cx)).unwrap_or_default();
        if let Some((first, more)) = offered.split_first() {
            let update = self.begin_setting(first);
            if !more.is_empty() {
                self.set_status(format!("then = {}", more.join(", = ")));
            }
            return update;
        }
        self.add_setting()
    }

    fn add_setting(&mut self) -> Update {
        self.go_to_object(&Object::View(ViewName::WhatIf));
        self.act_in_view(Action::WhatIf).and_changed()
    }

    /// Begins a setting of the what-if with a text.
    pub(super) fn begin_setting(&mut self, text: &str) -> Update {
        let update = self.add_setting();
        if self.takes_line() {
            *self.prompt_mut() = Prompt::with(text);
            self.refilter();
        }
        update
    }

    /// Zooms the view in or out; changes the playing speed if the view cannot zoom.
    pub(super) fn scale(&mut self, action: Action) -> Update {
        let area = self.view_area();
        let update = self.with_view(|view, cx| view.act(action, area, cx));
        match update {
            Some(update) if !update.unknown => self.execute(update),
            // Speed only matters where steps are shown.
            _ if matches!(self.view(), ViewName::Cycle | ViewName::Time) => {
                self.play(action);
                Update::changed()
            }
            _ => self.act_in_view(action),
        }
    }
}
