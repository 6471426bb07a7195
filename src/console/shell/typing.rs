//! What is typed: the filter of the view, a condition to run to, the palette.

use super::{Message, Overlay, Shell, Work, open_views};
use crate::action::Action;
use crate::app::{Input, Update};
use crate::palette::Command;
use crate::widgets::prompt::Prompt;
use qscope_session::query::QueryError;

/// What is typed into the last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// A filter of the view.
    Filter,
    /// A condition to run to.
    Condition,
    /// A line for the view on the screen, with what stands before it.
    Line(&'static str),
}

impl Shell {
    /// The next of the filters that one needs most.
    pub(super) fn quick_filter(&mut self) {
        const FILTERS: [&str; 4] = ["path=node verdict=run", "path=bucket verdict=run", "wait", ""];
        let now = self.prompt().text();
        let at = FILTERS.iter().position(|text| *text == now && !text.is_empty());
        let next = FILTERS.get(at.map_or(0, |at| at + 1)).copied().unwrap_or("");
        *self.prompt_mut() = Prompt::with(next);
        self.refilter();
    }

    /// Letters and editing keys of the line that is being typed.
    pub(super) fn type_in(&mut self, input: &Input<Message>) -> bool {
        if let Some(Overlay::Help(help)) = self.overlays.top_mut() {
            return help.take(input, &self.keymap, self.area);
        }
        match input {
            Input::Action(Action::Accept) if self.asking == Asking::Condition => self.accept_condition(),
            Input::Action(Action::Close) if self.asking == Asking::Condition => {
                (self.typing, self.asking, self.filter_error) = (false, Asking::Filter, None);
            }
            Input::Action(Action::Close) if self.takes_line() => {
                (self.typing, self.asking, self.filter_error) = (false, Asking::Filter, None);
                self.with_view(|view, _| view.give_up());
            }
            Input::Action(Action::Complete) if self.takes_line() => {
                let text = self.prompt().text().to_owned();
                let complete = self.with_view(|view, world| view.complete(&text, world)).flatten();
                let Some(complete) = complete else { return false };
                *self.prompt_mut() = Prompt::with(&complete);
                self.refilter();
            }
            Input::Action(Action::Accept) => self.typing = self.filter_error.is_some(),
            Input::Action(Action::Close) => {
                self.typing = false;
                *self.prompt_mut() = Prompt::default();
                self.refilter();
            }
            _ => {
                let before = self.prompt().text().to_owned();
                let changed = self.prompt_mut().take(input);
                if self.prompt().text() != before {
                    self.refilter();
                }
                if let Some(what) = self.prompt().refusal() {
                    let end = self.prompt().text().len();
                    self.filter_error = Some(QueryError { what, span: end..end });
                }
                return changed;
            }
        }
        true
    }

    /// Whether what is typed is a line for the view on the screen.
    pub(super) fn takes_line(&self) -> bool {
        self.typing && matches!(self.asking, Asking::Line(_))
    }

    /// Begins a line for the view on the screen.
    pub(super) fn begin_line(&mut self, label: &'static str, text: &str) {
        (self.typing, self.asking, self.filter_error) = (true, Asking::Line(label), None);
        self.line = Prompt::with(text);
    }

    /// Gives the view its line, unless there is something wrong with it.
    pub(super) fn accept_line(&mut self) -> Update<Work> {
        let text = self.line.text().to_owned();
        self.filter_error = self.with_view(|view, world| view.typed(&text, world)).flatten();
        let unfinished = !text.trim().is_empty() && !text.contains('=');
        if self.filter_error.is_some() || unfinished {
            return Update::changed();
        }
        (self.typing, self.asking) = (false, Asking::Filter);
        let reply = self.with_view(|view, world| view.accept(&text, world));
        self.grant(reply.unwrap_or_default()).and_changed()
    }

    /// What is typed into the palette; Enter does what it offers.
    pub(super) fn in_palette(&mut self, input: &Input<Message>) -> Update<Work> {
        let world = open_views::world_of(&self.shown, &self.following, &self.clock);
        let Some(Overlay::Palette(palette)) = self.overlays.top_mut() else { return Update::nothing() };
        match input {
            Input::Action(Action::Close) => {
                self.overlays.pop();
                Update::changed()
            }
            Input::Action(Action::Accept) => {
                let command = palette.command().cloned();
                self.overlays.pop();
                match command {
                    Some(Command::Act(action)) => self.act(action),
                    Some(Command::Go(object)) => {
                        self.go_to_object(&object);
                        Update::changed()
                    }
                    None => Update::changed(),
                }
                .and_changed()
            }
            _ => Update::changed_if(palette.take(input, &self.keymap, world)),
        }
    }
}
