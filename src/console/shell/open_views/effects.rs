//! The effects that views request, and the answers of workers.

use super::ShellParts;
use crate::action::Action;
use crate::app::App;
use crate::following::FreezeReason;
use crate::overlay::{Overlay, TextBox};
use crate::shell::Shell;
use crate::task::TaskNews;
use crate::views::{Effect, Update, ViewName};
use crate::widgets::prompt::Prompt;
use qscope_exits::ClipboardText;

impl Shell {
    /// Passes news of a task to whichever view requested it.
    pub(in crate::shell) fn on_task_news(&mut self, news: &TaskNews) -> Update {
        if self.on_saved(news) || self.on_moment(news) {
            return Update::changed();
        }
        if let Some(update) = self.update_files(|view, _| view.on_news(news)) {
            return update;
        }
        let ShellParts { cx: Some(cx), open_views, .. } = self.split() else { return Update::unchanged() };
        let views = open_views.slots.values_mut();
        let updates = views.map(|slot| slot.on_news(news, cx));
        let update = updates.fold(Update::unchanged(), Update::followed_by);
        self.carry_out(update)
    }

    /// Executes the requests of the view on the screen since it was refreshed.
    pub(in crate::shell) fn execute_requests(&mut self) -> Update {
        let effects = match &mut self.open_views.files {
            Some(files) => files.requests(),
            None => self.with_view(|view, _| view.requests()).unwrap_or_default(),
        };
        self.execute(Update { effects, ..Update::default() })
    }

    /// Executes what the view on the screen requests.
    pub(in crate::shell) fn execute(&mut self, update: Update) -> Update {
        self.note_requests(&update.effects);
        self.carry_out(update)
    }

    /// Executes the effects that concern the screen; the others are left for the event loop.
    fn carry_out(&mut self, mut update: Update) -> Update {
        update.changed |= update.unknown || !update.effects.is_empty();
        for effect in std::mem::take(&mut update.effects) {
            match effect {
                Effect::SetStatus(text) => self.set_status(text),
                Effect::GoTo(object) => self.go_to_object(&object),
                Effect::GoToIn(view, object) => self.go_to_in_view(view, &object),
                Effect::GoToPage(object) => self.go_to_in_view(ViewName::Page, &object),
                Effect::BeginSetting(text) => update.effects.extend(self.begin_setting(&text).effects),
                Effect::Seek(done) => self.go_to(done),
                Effect::SelectJob(row) => {
                    self.open_views.was_job_chosen = true;
                    self.screen.iter_mut().for_each(|screen| screen.select(row));
                }
                Effect::SetFilter(text) => {
                    *self.prompt_mut() = Prompt::with(&text);
                    self.refilter();
                }
                Effect::Freeze => {
                    self.following.freeze.get_or_insert(FreezeReason::Stepping);
                }
                Effect::Prompt { label, text } => self.begin_line(label, &text),
                Effect::ShowText { title, lines, marked } => {
                    let text = TextBox { title, lines, marked, top: 0 };
                    self.overlays.push(Overlay::Text(text));
                }
                Effect::ShowFiles => self.overlays.push(Overlay::Files(0)),
                Effect::ShowMoment(to, then) => {
                    update.effects.extend(self.read_moment(to, then).effects);
                }
                Effect::ShowWhatIf(generation) => self.show_what_if(generation),
                Effect::Copy(what, text) => {
                    self.set_status(format!("sent the {what} to the terminal's clipboard"));
                    update.effects.push(Effect::Copy(what, text));
                }
                other => update.effects.push(other),
            }
        }
        update
    }

    /// Passes an action to the view on the screen.
    pub(in crate::shell) fn act_in_view(&mut self, action: Action) -> Update {
        let unused = self.unused(action);
        let on_files = self.update_files(|view, area| match action {
            Action::Copy => copied(view.copy()),
            _ => or_unused(view.act(action, area), &unused),
        });
        on_files.unwrap_or_else(|| {
            self.update_view(|view, area, cx| match action {
                Action::Copy => copied(view.copy(cx)),
                _ => or_unused(view.act(action, area, cx), &unused),
            })
        })
    }

    /// The message that a key is not used in this view; an action without a key is described by its documentation.
    pub(in crate::shell) fn unused(&self, action: Action) -> String {
        let key = self.keymap.keys(action, self.context()).next();
        let what = key.map_or_else(|| action.entry().doc.to_owned(), |key| key.to_string());
        format!("{what} is not used in {}; ? lists keys", self.view().title())
    }
}

pub(in crate::shell) fn copied(found: Option<(&'static str, ClipboardText)>) -> Update {
    match found {
        Some((what, text)) => Update::request(Effect::Copy(what, text)),
        None => Update::status("nothing selected to copy"),
    }
}

/// Adds the message `unused` if the view does not handle the action.
pub(in crate::shell) fn or_unused(update: Update, unused: &str) -> Update {
    if !update.unknown {
        return update;
    }
    update.with(Effect::SetStatus(unused.to_owned()))
}
