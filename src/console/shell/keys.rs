//! What every key does: first what lies on top, then the shell's own actions, then the view on the screen.

use super::{Asking, Depth, Descent, Overlay, Prefix, Shell, Shown, Work, follow};
use crate::action::Action;
use crate::app::{App, Effect, Input, Update};
use crate::chrome;
use crate::help::Help;
use crate::layout::Pane;
use crate::palette::Palette;
use crate::view::Object;
use crate::views::ViewName;
use crate::widgets::prompt::Prompt;
use qscope_exits::Clip;

impl Shell {
    /// Does what a key asks for; what was said before is gone then.
    pub(super) fn on_action(&mut self, action: Action) -> Update<Work> {
        let said = !std::mem::take(&mut self.message).is_empty();
        let stopped = self.stop_playing(action);
        let mut update = self.act(action);
        update.changed |= said || stopped || !self.message.is_empty();
        update
    }

    pub(super) fn act(&mut self, action: Action) -> Update<Work> {
        let typed = !matches!(action, Action::Quit | Action::Suspend | Action::Redraw);
        if typed && matches!(self.overlays.top(), Some(Overlay::Palette(_))) {
            return self.in_palette(&Input::Action(action));
        }
        if self.takes_line() && action == Action::Accept && self.overlays.is_empty() {
            return self.accept_line();
        }
        if self.typing && typed {
            return Update::changed_if(self.type_in(&Input::Action(action)));
        }
        match action {
            Action::Quit => return Update::nothing().with(Effect::Quit),
            Action::Suspend => return Update::nothing().with(Effect::Suspend),
            Action::Redraw => return Update::nothing().with(Effect::Redraw),
            Action::NextTheme => {
                self.theme = self.theme.next();
                self.say(format!("theme {}", self.theme.name()));
            }
            _ if !self.overlays.is_empty() => return Update::changed_if(self.in_overlay(action)),
            Action::Copy if self.view() == ViewName::Cycle => return self.copy(),
            Action::Reload => {
                self.say(follow::READING_AGAIN);
                return Update::changed().with(Effect::Work(Work::Reload));
            }
            Action::StepInto if self.view() == ViewName::Cycle => return self.step_into(),
            Action::AskWhy if self.view() != ViewName::Why => return self.ask_why(),
            _ if self.is_shells(action) => return Update::changed_if(self.in_panes(action)),
            _ => return self.in_view(action),
        }
        Update::changed()
    }

    /// Whether an action is the shell's own, whatever view is on the screen.
    fn is_shells(&self, action: Action) -> bool {
        use Action as A;
        let moves = action.moves()
            || matches!(action, A::Select | A::NextPane | A::PreviousPane | A::NextLine | A::PreviousLine);
        let own = moves
            || matches!(action, A::ToggleMap | A::Copy | A::TwoPaths | A::AskWhy)
            || action.is_of_a_view();
        self.view() == ViewName::Cycle || self.shown.is_none() || !own
    }

    fn in_panes(&mut self, action: Action) -> bool {
        match action {
            Action::Palette => {
                let palette = Palette::new(self.context(), &self.keymap, self.world());
                self.overlays.push(Overlay::Palette(palette));
            }
            Action::Back => self.back(),
            Action::Forward => self.forward(),
            Action::Help => self.overlays.push(Overlay::Help(Help::about(self.context()))),
            Action::Warnings => self.overlays.push(Overlay::Warnings(0)),
            Action::Files => self.overlays.push(Overlay::Files(0)),
            Action::Filter if self.shown.is_some() => (self.typing, self.asking) = (true, Asking::Filter),
            Action::Condition if self.shown.is_some() => {
                (self.typing, self.asking) = (true, Asking::Condition);
                self.refilter();
            }
            Action::Close => return self.close(),
            Action::QuickFilter if self.view() == ViewName::Cycle => self.quick_filter(),
            Action::Board => self.go_to_object(&Object::View(ViewName::Board)),
            Action::Freeze => self.freeze(),
            Action::Follow => self.follow(),
            Action::OlderGeneration | Action::NewerGeneration => {
                self.walk(action == Action::OlderGeneration);
            }
            Action::Changes => self.go_to_object(&Object::View(ViewName::Compare)),
            _ if action.view().is_some() => self.open_numbered(action),
            _ if self.shown.is_none() => self.say("nothing has been read yet"),
            Action::StepForward | Action::StepBack if self.is_inside() => self.step_over(action),
            Action::StepForward | Action::StepBack | Action::FirstStep | Action::LastStep => {
                self.step(action);
            }
            Action::NextVerdict | Action::PreviousVerdict => self.step_to_verdict(action, 1),
            Action::Play | Action::Faster | Action::Slower => self.play(action),
            Action::SetMark => self.prefix = Some(Prefix::Mark),
            Action::Jump => self.prefix = Some(Prefix::Jump),
            Action::Number => self.prefix = Some(Prefix::Times(0)),
            Action::NextWaiting
            | Action::PreviousWaiting
            | Action::NextNodePath
            | Action::PreviousNodePath
            | Action::Continue
            | Action::ContinueBack => self.run_to(action, 1),
            Action::TwoPaths => self.toggle_paths(),
            Action::WhatIf => self.go_to_object(&Object::View(ViewName::WhatIf)),
            Action::StepOut => {
                if !self.step_out() {
                    self.say("this is the outermost level; i goes into the decision");
                }
            }
            Action::Select => self.select(),
            _ => return self.move_cursor(action),
        }
        true
    }

    /// Takes away what lies on top, else the filter.
    pub(super) fn close(&mut self) -> bool {
        if !self.prompt().text().is_empty() {
            *self.prompt_mut() = Prompt::default();
            self.refilter();
        } else if self.view() != ViewName::Cycle {
            self.back();
        } else if self.shown.as_mut().is_some_and(Shown::close_paths) || self.step_out() {
        } else {
            self.say("nothing to close; q leaves qscope");
        }
        true
    }

    /// A key for what lies over the panes.
    pub(super) fn in_overlay(&mut self, action: Action) -> bool {
        let area = self.area;
        let rows = usize::from(area.height);
        let width = usize::from(area.width);
        let files = match self.overlays.top() {
            Some(Overlay::Files(_)) => chrome::files::lines(self, width).len(),
            _ => 0,
        };
        match self.overlays.top_mut() {
            Some(Overlay::Help(help)) if action == Action::Close && help.holds_close() => {
                help.take::<()>(&Input::Action(action), &self.keymap, area)
            }
            Some(_) if action == Action::Close => self.overlays.pop().is_some(),
            Some(Overlay::Help(help)) => help.take::<()>(&Input::Action(action), &self.keymap, area),
            Some(Overlay::Warnings(top)) => {
                let lines = chrome::warnings::lines(self.shown.as_ref(), width).len();
                scroll(top, action, lines, rows.saturating_sub(4))
            }
            Some(Overlay::Files(top)) => scroll(top, action, files, rows.saturating_sub(4)),
            Some(Overlay::Palette(_)) | None => false,
        }
    }

    /// Copies what is under the cursor of the cycle.
    pub(super) fn copy(&mut self) -> Update<Work> {
        let Some(shown) = &self.shown else {
            self.say("nothing has been read yet");
            return Update::changed();
        };
        let (what, text) = match self.focus {
            Pane::List => ("the job's id", Clip::line(shown.subject_name().unwrap_or_default())),
            Pane::Detail => match shown.descent.as_ref().and_then(Descent::depth).and_then(Depth::frame) {
                Some(frame) => (
                    "what stands under the cursor",
                    Clip::line(format_args!("{}: {}", frame.label, frame.text)),
                ),
                None => ("the decision", shown.told().text()),
            },
            Pane::Map | Pane::Side => ("the node's name", Clip::line(shown.node_name().unwrap_or_default())),
        };
        if text.is_empty() {
            self.say("nothing under the cursor to copy");
            return Update::changed();
        }
        self.say(format!("sent {what} to the terminal's clipboard"));
        Update::changed().with(Effect::Copy(text))
    }
}

/// Moves the first line shown; whether it moved.
pub(crate) fn scroll(top: &mut usize, action: Action, lines: usize, height: usize) -> bool {
    let last = lines.saturating_sub(height);
    let page = height.saturating_sub(1).max(1);
    let to = match action {
        Action::Up => top.saturating_sub(1),
        Action::Down => *top + 1,
        Action::PageUp => top.saturating_sub(page),
        Action::PageDown => *top + page,
        Action::Home => 0,
        Action::End => last,
        _ => return false,
    };
    std::mem::replace(top, to.min(last)) != to.min(last)
}
