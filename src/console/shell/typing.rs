//! Typing into the last line: the filter of the view, or a line for the view.

use super::{Overlay, PromptKind, Shell, ShellMessage};
use crate::action::Action;
use crate::app::AppInput;
use crate::suggestions::Suggestions;
use crate::views::Update;
use crate::widgets::prompt::Prompt;
use qscope_session::query::QueryError;

/// Splits off `/save NAME` at the end of a filter, which saves the filter under that name.
pub(super) fn saved_as(text: &str) -> Option<(&str, &str)> {
    let (filter, name) = text.rsplit_once("/save ").or_else(|| Some((text.strip_suffix("/save")?, "")))?;
    Some((filter.trim_end(), name.trim()))
}

impl Shell {
    /// Handles letters and editing keys for the line being typed.
    pub(super) fn type_in(&mut self, input: &AppInput<ShellMessage>) -> bool {
        if let Some(Overlay::Help(help)) = self.overlays.last_mut() {
            return help.take(input, &self.keymap, self.area);
        }
        match input {
            AppInput::Action(Action::Close) if self.takes_line() => {
                (self.typing, self.prompt_kind, self.prompt_error) = (false, PromptKind::Filter, None);
                self.with_view(|view, _| view.cancel());
            }
            AppInput::Action(Action::Complete) if self.takes_line() => {
                let text = self.prompt().text().to_owned();
                let complete = self.with_view(|view, cx| view.complete(&text, cx)).flatten();
                let Some(complete) = complete else { return false };
                *self.prompt_mut() = Prompt::with(&complete);
                self.refilter();
            }
            AppInput::Action(Action::Complete) => return self.complete_filter(),
            AppInput::Action(Action::Accept) => {
                self.typing = self.prompt_error.is_some();
                if self.typing {
                    // The error is shown in place of the completions.
                    self.suggestions = Suggestions::default();
                }
                if let Some((filter, name)) = saved_as(self.prompt().text()).filter(|_| !self.typing) {
                    let (filter, name) = (filter.to_owned(), name.to_owned());
                    *self.prompt_mut() = Prompt::with(&filter);
                    if let Err(why) = self.save_filter(&name) {
                        self.set_status(why);
                    }
                }
                self.remember_search();
            }
            AppInput::Action(Action::Close) => {
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
                    self.prompt_error = Some(QueryError { what, span: end..end, is_unknown_field: false });
                }
                return changed;
            }
        }
        true
    }

    /// Updates the completions of the filter.
    pub(super) fn suggest(&mut self) {
        let text = self.prompt().text().to_owned();
        self.suggestions = self.suggestions_for(&text);
    }

    /// The completions of a filter of the view on the screen.
    pub(super) fn suggestions_for(&mut self, text: &str) -> Suggestions {
        let found = self.with_view(|view, cx| {
            let fields = view.fields(cx);
            Suggestions::new(text, &fields, |field| view.values(field, cx))
        });
        found.unwrap_or_default()
    }

    /// Inserts the next completion into the filter.
    fn complete_filter(&mut self) -> bool {
        if self.suggestions == Suggestions::default() {
            self.suggest();
        }
        let Some(text) = self.suggestions.next() else { return false };
        *self.prompt_mut() = Prompt::with(&text);
        let cycling = self.suggestions.is_cycling().then(|| self.suggestions.clone());
        self.refilter();
        if let Some(cycling) = cycling {
            self.suggestions = cycling;
        }
        true
    }

    /// Whether a line for the view on the screen is being typed.
    pub(super) fn takes_line(&self) -> bool {
        self.typing && matches!(self.prompt_kind, PromptKind::Line(_))
    }

    /// Begins a line for the view on the screen.
    pub(super) fn begin_line(&mut self, label: &'static str, text: &str) {
        (self.typing, self.prompt_kind, self.prompt_error) = (true, PromptKind::Line(label), None);
        self.line = Prompt::with(text);
    }

    /// Passes the finished line to the view, unless there is an error in it.
    pub(super) fn accept_line(&mut self) -> Update {
        let text = self.line.text().to_owned();
        self.prompt_error = self.with_view(|view, cx| view.typed(&text, true, cx)).flatten();
        let unfinished = !text.trim().is_empty() && !text.contains('=');
        if self.prompt_error.is_some() || unfinished {
            return Update::changed();
        }
        (self.typing, self.prompt_kind) = (false, PromptKind::Filter);
        let reply = self.with_view(|view, cx| view.accept(&text, cx));
        self.execute(reply.unwrap_or_default()).and_changed()
    }
}
