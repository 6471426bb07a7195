//! Dispatch of inputs.

use super::{Shell, ShellMessage};
use crate::action::Context;
use crate::app::{App, AppInput};
use crate::key::Key;
use crate::overlay::Overlay;
use crate::views::Update;
use qscope_session::SessionEvent;
use ratatui::layout::{Rect, Size};

impl Shell {
    /// Handles an input, and executes what views request because of it.
    pub(super) fn take_input(&mut self, input: AppInput<ShellMessage>) -> Update {
        let update = match input {
            AppInput::Action(_) | AppInput::Letter(_) | AppInput::Paste(_) if self.prefix.is_some() => {
                self.in_prefix(&input)
            }
            AppInput::Action(action) => self.on_action(action),
            AppInput::Paste(_) if self.context() != Context::Prompt => {
                self.set_status("paste ignored: / and : take text");
                Update::changed()
            }
            AppInput::Letter(_) | AppInput::Paste(_) if self.box_takes_keys() => self.in_box(&input),
            AppInput::Letter(_) | AppInput::Paste(_) => Update::changed_if(self.type_in(&input)),
            AppInput::Unbound(key) => self.key_from_help(key).unwrap_or_else(|| self.on_unbound(key)),
            AppInput::Mouse(event) => self.on_mouse(event),
            AppInput::Resize(Size { width, height }) => {
                let area = Rect::new(0, 0, width, height);
                Update::changed_if(std::mem::replace(&mut self.area, area) != area)
            }
            AppInput::Background(ground) => Update::changed_if(self.on_ground(ground)),
            AppInput::Message(ShellMessage::Session(event)) => Update::changed_if(self.on_event(event)),
            AppInput::Message(ShellMessage::Loaded(ready)) => Update::changed_if(self.on_loaded(ready)),
            AppInput::Superseded(ShellMessage::Session(SessionEvent::Loaded(generation)))
                if self.screen.is_some() =>
            {
                self.keep(generation);
                Update::unchanged()
            }
            AppInput::Superseded(ShellMessage::Loaded(ready)) if self.screen.is_some() => {
                self.keep(ready.generation);
                Update::unchanged()
            }
            AppInput::Superseded(message) => return self.update(AppInput::Message(message)),
            AppInput::Message(ShellMessage::Task(news)) => self.on_task_news(&news),
            AppInput::Message(ShellMessage::Theme(text)) => Update::changed_if(self.on_theme(text)),
            AppInput::WorkerFailed { name, text } => {
                self.on_worker_failed(format!("worker {name} failed: {text}"));
                Update::changed()
            }
            AppInput::Tick if self.examine() => Update::changed(),
            AppInput::Tick if self.play.on => self.play_on(),
            AppInput::Tick => {
                self.expire_status();
                Update::changed()
            }
            AppInput::Resumed => Update::changed(),
        };
        let is_analysed = self.analyse_in_time();
        if !self.mark_turned_reasons() && !is_analysed && !update.changed {
            return update;
        }
        self.prepare();
        let requested = self.execute_requests();
        if requested.changed {
            self.prepare();
        }
        if let Some(screen) = &self.screen {
            self.breakpoints.follow(screen);
        }
        let kept = self.store();
        update.followed_by(requested).followed_by(kept)
    }

    /// Reports that a key has no meaning in the box or view.
    fn on_unbound(&mut self, key: Key) -> Update {
        self.hints = &[];
        let view = self.overlays.last().map_or(self.view().title(), Overlay::name);
        self.set_status(format!("{key} is not used in {view}; ? lists keys"));
        if let Some(tour) = &mut self.tour {
            tour.record_unbound_key();
        }
        Update::changed()
    }
}
