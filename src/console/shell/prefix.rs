//! Keys that wait for another key: a mark's letter, a number before a motion.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Prefix, Shell, ShellMessage};
use crate::action::Action;
use crate::app::{App, AppInput};
use crate::screen::{BEFORE, CycleRow};
use crate::views::Update;

/// Maximum number; no cycle has more jobs.
const MAX_TIMES: usize = 9_999_999;

impl Shell {
    /// Handles the input after a waiting key; any other input ends the waiting.
    pub(super) fn in_prefix(&mut self, input: &AppInput<ShellMessage>) -> Update {
        let Some(prefix) = self.prefix.take() else { return Update::unchanged() };
        if let AppInput::Action(action @ (Action::Quit | Action::Suspend | Action::Redraw)) = input {
            let update = self.act(*action);
            return Update { changed: true, ..update };
        }
        self.status.clear();
        match (prefix, input) {
            (Prefix::Mark, AppInput::Letter(letter)) => self.set_mark(*letter),
            (Prefix::Jump, AppInput::Letter(letter)) => self.jump(*letter),
            (Prefix::Times(times), AppInput::Letter(letter)) => return self.after_digits(times, *letter),
            (Prefix::Times(times), AppInput::Action(Action::DeleteBack)) if times >= 10 => {
                self.prefix = Some(Prefix::Times(times / 10));
            }
            (Prefix::Times(times), AppInput::Action(Action::Accept)) if times > 0 => self.go_to_step(times),
            (Prefix::Times(times), AppInput::Action(action)) if action.moves() => {
                return self.repeat(*action, times.max(1)).and_changed();
            }
            _ => {}
        }
        Update::changed()
    }

    fn after_digits(&mut self, times: usize, letter: char) -> Update {
        if let Some(digit) = letter.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) {
            self.prefix = Some(Prefix::Times((times * 10 + digit).min(MAX_TIMES)));
            return Update::changed();
        }
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
        match self.keymap.resolve(self.context(), key) {
            Some(action) => self.repeat(action, times.max(1)).and_changed(),
            None => {
                self.set_status(format!("{letter} is no motion"));
                Update::changed()
            }
        }
    }

    /// Executes a motion `times` times.
    fn repeat(&mut self, action: Action, times: usize) -> Update {
        use Action as A;
        if self.screen.is_none() {
            self.set_still_reading();
            return Update::changed();
        }
        match action {
            A::StepForward | A::StepBack if !self.view_takes_steps() => self.step_times(action, times),
            A::NextVerdict | A::PreviousVerdict => self.step_to_verdict(action, times),
            A::NextWaiting | A::PreviousWaiting | A::Continue | A::ContinueBack => self.run_to(action, times),
            A::StepForward | A::StepBack | A::NextLine | A::PreviousLine => {
                return self.update_view(|view, area, cx| view.repeat(action, times, area, cx));
            }
            _ if action.moves() => {
                return self.update_view(|view, area, cx| view.repeat(action, times, area, cx));
            }
            _ => self.set_status(format!("{} takes no number", action.entry().name)),
        }
        Update::changed()
    }

    fn go_to_step(&mut self, step: usize) {
        let Some(screen) = &self.screen else { return };
        let len = screen.debugger.len();
        if step > len {
            return self.set_status(format!("there is no step {step}; the cycle has {len}"));
        }
        self.go_to(step);
    }

    fn set_mark(&mut self, letter: char) {
        let Some(screen) = &self.screen else { return };
        let mark = screen.mark();
        let at = screen.debugger.position();
        self.set_status(format!("mark {letter} set: '{letter} comes back to step {at}"));
        self.cycle_marks.insert(letter, mark);
    }

    fn jump(&mut self, letter: char) {
        let Some(mark) = self.cycle_marks.get(&letter).cloned() else {
            return self.set_status(format!("there is no mark {letter}; m sets one"));
        };
        let Some(done) = mark.position else {
            return self.set_status(format!("the job of mark {letter} is not in this cycle"));
        };
        self.remember();
        self.go_to(done);
        if let Some(screen) = &mut self.screen
            && let Some(row) = mark.subject.and_then(|name| CycleRow::named(screen.run(), &name))
        {
            screen.select(row);
        }
    }

    /// Remembers the current place, to come back with `''`.
    pub(super) fn remember(&mut self) {
        if let Some(screen) = &self.screen {
            self.cycle_marks.insert(BEFORE, screen.mark());
        }
    }
}
