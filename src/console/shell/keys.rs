//! The effect of every action: first for boxes on top, then in the shell itself, then in the view on the screen.

use super::{Overlay, Prefix, PromptKind, Shell, follow};
use crate::action::{Action, Context, OWN_CHANGES};
use crate::app::{App, AppInput};
use crate::breakpoint_box::BreakpointBox;
use crate::chrome;
use crate::help::Help;
use crate::key::Key;
use crate::layout::scroll;
use crate::views::{Effect, MomentPurpose, Object, Update, ViewName};
use crate::widgets::prompt::Prompt;
use qscope_session::TapeTarget;

impl Shell {
    /// Executes an action and clears the last message.
    pub(super) fn on_action(&mut self, action: Action) -> Update {
        let had_status = !std::mem::take(&mut self.status).is_empty();
        self.hints = &[];
        let stopped = self.stop_playing(action);
        let in_alerts = self.alert.is_some();
        let mut update = self.act(action);
        update.changed |= in_alerts && self.alert.is_none();
        // Keys do not advance the tour before anything is read.
        let is_read = self.screen.is_some();
        if let Some(tour) = self.tour.as_mut().filter(|_| is_read) {
            // After its last line the footer has the keys of the view again.
            match tour.is_over() {
                true => self.tour = None,
                false => tour.pressed(action),
            }
            update.changed = true;
        }
        update.changed |= had_status || stopped || !self.status.is_empty();
        update
    }

    pub(super) fn act(&mut self, action: Action) -> Update {
        let typed = !matches!(action, Action::Quit | Action::Suspend | Action::Redraw);
        if let Some(update) = self.over_box(action) {
            return update;
        }
        if typed && self.box_takes_keys() {
            return self.in_box(&AppInput::Action(action));
        }
        if self.takes_line() && action == Action::Accept && self.overlays.is_empty() {
            return self.accept_line();
        }
        if self.typing && typed {
            return Update::changed_if(self.type_in(&AppInput::Action(action)));
        }
        if let Some(update) = self.in_alerts(action) {
            return update;
        }
        match action {
            Action::Quit => return Update::unchanged().with(Effect::Quit),
            Action::Suspend => return Update::unchanged().with(Effect::Suspend),
            Action::Redraw => return Update::unchanged().with(Effect::Redraw),
            Action::NextTheme => {
                self.show_built_in(self.theme.next());
            }
            Action::Select if matches!(self.overlays.last(), Some(Overlay::Help(_))) => {
                return self.run_from_help();
            }
            _ if self.is_asked_of_help(action) => return Update::changed_if(self.point_in_help(action)),
            // The box of files stays open, since its content is read again.
            Action::Reload if matches!(self.overlays.last(), Some(Overlay::Files(_))) => {
                return self.reload();
            }
            _ if !self.overlays.is_empty() => return Update::changed_if(self.in_overlay(action)),
            Action::Reload if self.with_view(|view, _| view.resume()) == Some(true) => {}
            Action::Reload => return self.reload(),
            Action::AskWhy if self.view() != ViewName::Why => return self.ask_why(),
            Action::TwoPaths if self.view() == ViewName::Why => return self.compare_paths(),
            Action::WhatIf if self.screen.is_some() && self.view() != ViewName::Settings => {
                return self.what_if();
            }
            Action::QuickFilter if self.screen.is_some() => self.quick_filter(),
            Action::More | Action::Less => return self.scale(action),
            Action::OlderSnapshot | Action::NewerSnapshot => {
                return self.walk(action == Action::OlderSnapshot);
            }
            // In the view of times, the difference is to the moment under the cursor.
            Action::Changes if self.view() == ViewName::Time => return self.act_in_view(action),
            // In a recording the snapshot before has to be read first.
            Action::Changes if self.has_older_to_read() => {
                return self.read_moment(TapeTarget::Older, MomentPurpose::Compare);
            }
            // In these views a change is the next event, or the first row of the next group.
            Action::NextVerdict | Action::PreviousVerdict if OWN_CHANGES.has(Context::View(self.view())) => {
                return self.act_in_view(action);
            }
            _ if self.is_shells(action) => return Update::changed_if(self.in_panes(action)),
            Action::Sort | Action::SortReverse => {
                let update = self.act_in_view(action);
                self.remember_shown_table();
                return update;
            }
            _ => return self.act_in_view(action),
        }
        Update::changed()
    }

    /// Requests that the files are read again.
    fn reload(&mut self) -> Update {
        self.set_status(follow::READING_AGAIN);
        self.following.requested = true;
        Update::changed().with(Effect::Reload)
    }

    /// A command line opened from a box of rows replaces the box; its help is shown on top.
    fn over_box(&mut self, action: Action) -> Option<Update> {
        let top = self.overlays.last()?;
        if action == Action::Palette && matches!(top, Overlay::Columns(_) | Overlay::Breakpoints(_)) {
            self.overlays.pop();
            return Some(Update::changed_if(self.in_panes(action)));
        }
        if action == Action::Help && !matches!(top, Overlay::Help(_)) && self.context() != Context::Prompt {
            self.open_help();
            return Some(Update::changed());
        }
        None
    }

    /// Opens the help about the current place.
    pub(super) fn open_help(&mut self) {
        let about = self.context();
        self.overlays.push(Overlay::Help(Help::new(about)));
    }

    /// Whether an action belongs to the shell, whatever view is on the screen.
    fn is_shells(&self, action: Action) -> bool {
        use Action as A;
        let moves = action.moves()
            || matches!(action, A::Select | A::NextPane | A::PreviousPane | A::NextLine | A::PreviousLine);
        let steps = matches!(action, A::StepForward | A::StepBack) && self.view_takes_steps();
        let own = moves
            || steps
            || matches!(action, A::ToggleMap | A::Copy | A::TwoPaths | A::AskWhy)
            || matches!(action, A::StepInto | A::StepOut)
            || (action == A::WhatIf && self.view() == ViewName::Settings)
            || matches!(action, A::Sort | A::SortReverse | A::Toggle | A::Delete)
            || (action.is_of_a_view() && action != A::Columns);
        (self.screen.is_none() && self.open_views.files.is_none()) || !own
    }

    fn in_panes(&mut self, action: Action) -> bool {
        if let Some(number) = action.view() {
            self.open_numbered(number);
            return true;
        }
        match action {
            Action::Palette => self.open_palette(""),
            Action::Export => self.open_palette("export "),
            Action::Breakpoints => self.overlays.push(Overlay::Breakpoints(BreakpointBox::default())),
            Action::Columns => self.choose_columns(),
            Action::NextMatch | Action::PreviousMatch => self.find(action == Action::NextMatch),
            Action::Back => self.go_back(),
            Action::Forward => self.forward(),
            Action::Help => self.open_help(),
            Action::Warnings => self.go_to_object(&Object::View(ViewName::Problems)),
            Action::Settings => self.go_to_object(&Object::View(ViewName::Settings)),
            Action::Files => self.overlays.push(Overlay::Files(0)),
            Action::Filter if self.screen.is_some() => {
                (self.typing, self.prompt_kind) = (true, PromptKind::Filter);
                self.suggest();
            }
            Action::Close => return self.close(),
            Action::Board => self.go_to_object(&Object::View(ViewName::Board)),
            Action::Freeze => self.freeze(),
            Action::Follow => self.follow(),
            Action::Changes => self.go_to_object(&Object::View(ViewName::Compare)),
            Action::Time => self.go_to_object(&Object::View(ViewName::Time)),
            _ if self.screen.is_none() => self.set_still_reading(),
            Action::StepForward | Action::StepBack | Action::FirstStep | Action::LastStep => {
                self.step(action);
            }
            Action::NextVerdict | Action::PreviousVerdict => self.step_to_verdict(action, 1),
            Action::Play => self.play(action),
            Action::SetMark => self.prefix = Some(Prefix::Mark),
            Action::Jump => self.prefix = Some(Prefix::Jump),
            Action::Number => self.prefix = Some(Prefix::Times(0)),
            Action::NextWaiting | Action::PreviousWaiting | Action::Continue | Action::ContinueBack => {
                self.run_to(action, 1);
            }
            _ => return false,
        }
        true
    }

    /// Stops computations, or clears the filter, closes what is open in the view, or leaves a view opened over another
    /// one.
    pub(super) fn close(&mut self) -> bool {
        if self.with_view(|view, _| view.stop()) == Some(true) {
            self.set_status("stopped · r continues");
        } else if !self.prompt().text().is_empty() {
            *self.prompt_mut() = Prompt::default();
            self.refilter();
        } else if self.with_view(|view, _| view.close()) == Some(true) {
        } else if (self.view().is_opened() || self.is_within()) && self.open_views.files.is_none() {
            self.go_back();
        } else {
            self.set_status("nothing to close; Backspace goes back, q quits");
        }
        true
    }

    /// Whether an action is one that the help lists rather than one of its own keys.
    fn is_asked_of_help(&self, action: Action) -> bool {
        let own = action.moves()
            || matches!(
                action,
                Action::Filter | Action::Close | Action::Copy | Action::Help | Action::Palette
            );
        let top = self.overlays.last();
        !own && matches!(top, Some(Overlay::Help(help)) if help.lists(action, &self.keymap))
    }

    /// A key that the help does not use itself moves its cursor to the line of that key, which Enter then executes; so
    /// typing a word to search never executes anything.
    pub(super) fn key_from_help(&mut self, key: Key) -> Option<Update> {
        let Some(Overlay::Help(help)) = self.overlays.last() else { return None };
        let action = help.action_of(key, &self.keymap)?;
        Some(Update::changed_if(self.point_in_help(action)))
    }

    fn point_in_help(&mut self, action: Action) -> bool {
        let area = self.area;
        let Some(Overlay::Help(help)) = self.overlays.last_mut() else { return false };
        help.point_at(action, &self.keymap, area)
    }

    /// Closes the help and executes the action in its selected line.
    fn run_from_help(&mut self) -> Update {
        let Some(Overlay::Help(help)) = self.overlays.last() else { return Update::unchanged() };
        let Some(chosen) = help.selected(&self.keymap) else { return Update::unchanged() };
        self.overlays.pop();
        self.act(chosen).and_changed()
    }

    /// Whether the view shows the inside of one of its lines: the jobs of a reason on the board.
    fn is_within(&mut self) -> bool {
        matches!(self.with_view(|view, cx| view.object_at_cursor(cx)), Some(Some(Object::Cause(_))))
    }

    /// Handles a key for a box over the panes.
    pub(super) fn in_overlay(&mut self, action: Action) -> bool {
        let area = self.area;
        let rows = usize::from(area.height);
        let width = usize::from(area.width);
        let files = match self.overlays.last() {
            Some(Overlay::Files(_)) => chrome::files::story(&self.chrome(), width).lines().len(),
            _ => 0,
        };
        match self.overlays.last_mut() {
            Some(Overlay::Help(help)) if action == Action::Close && help.handles_close() => {
                help.take::<()>(&AppInput::Action(action), &self.keymap, area)
            }
            Some(_) if action == Action::Close => self.overlays.pop().is_some(),
            Some(Overlay::Files(_)) if action == Action::Files => self.overlays.pop().is_some(),
            // A view or command line opened from a box of text replaces the box.
            Some(Overlay::Files(_) | Overlay::Text(_)) if opens_view(action) || action == Action::Palette => {
                self.overlays.pop();
                self.in_panes(action)
            }
            Some(Overlay::Help(help)) => help.take::<()>(&AppInput::Action(action), &self.keymap, area),
            Some(Overlay::Text(text)) => {
                scroll(&mut text.top, action, text.lines.len(), rows.saturating_sub(4))
            }
            Some(Overlay::Files(top)) => scroll(top, action, files, rows.saturating_sub(4)),
            Some(_) | None => false,
        }
    }
}

/// Whether an action opens a view, wherever it is used.
fn opens_view(action: Action) -> bool {
    use Action as A;
    action.view().is_some() || matches!(action, A::Warnings | A::Settings | A::Board | A::Changes | A::Time)
}
