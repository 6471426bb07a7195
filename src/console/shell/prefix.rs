//! Keys that wait for another one: a mark's letter, a number before a motion.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Message, Row, Shell, Shown, Work};
use crate::action::Action;
use crate::app::{App, Input, Update};
use crate::views::ViewName;
use qscope_engine::cluster::Id;
use qscope_engine::cycle::Run;

/// A key that waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// The letter of a mark to be set.
    Mark,
    /// The letter of the mark to go to.
    Jump,
    /// More digits, or the motion to be repeated.
    Times(usize),
}

/// A place in the cycle that somebody wants to come back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// So many jobs had been considered; none in a cycle that does not consider its job.
    pub(crate) done: Option<usize>,
    /// The job considered last, which outlives the generation.
    job: Option<String>,
    /// The job that was looked at.
    subject: Option<String>,
}

/// Marks by their letters.
pub(crate) type Marks = BTreeMap<char, Mark>;

/// The mark of where one was before the last jump.
const BEFORE: char = '\'';

/// Nobody has a cycle of more jobs.
const TIMES_MOST: usize = 9_999_999;

impl Shell {
    /// Takes in what follows a key that waits; anything that means nothing to it ends the waiting.
    pub(super) fn in_prefix(&mut self, input: &Input<Message>) -> Update<Work> {
        let Some(prefix) = self.prefix.take() else { return Update::nothing() };
        if let Input::Action(action @ (Action::Quit | Action::Suspend | Action::Redraw)) = input {
            let update = self.act(*action);
            return Update { changed: true, ..update };
        }
        self.message.clear();
        match (prefix, input) {
            (Prefix::Mark, Input::Letter(letter)) => self.set_mark(*letter),
            (Prefix::Jump, Input::Letter(letter)) => self.jump(*letter),
            (Prefix::Times(times), Input::Letter(letter)) => return self.after_digits(times, *letter),
            (Prefix::Times(times), Input::Action(Action::DeleteBack)) if times >= 10 => {
                self.prefix = Some(Prefix::Times(times / 10));
            }
            (Prefix::Times(times), Input::Action(Action::Accept)) if times > 0 => self.go_to_step(times),
            (Prefix::Times(times), Input::Action(action)) if action.moves() => {
                return self.repeat(*action, times.max(1)).and_changed();
            }
            _ => {}
        }
        Update::changed()
    }

    fn after_digits(&mut self, times: usize, letter: char) -> Update<Work> {
        if let Some(digit) = letter.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) {
            self.prefix = Some(Prefix::Times((times * 10 + digit).min(TIMES_MOST)));
            return Update::changed();
        }
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
        match self.keymap.resolve(self.context(), key) {
            Some(action) => self.repeat(action, times.max(1)).and_changed(),
            None => {
                self.say(format!("{letter} is no motion"));
                Update::changed()
            }
        }
    }

    /// Does a motion so often.
    fn repeat(&mut self, action: Action, times: usize) -> Update<Work> {
        use Action as A;
        if self.shown.is_none() {
            self.say("nothing has been read yet");
            return Update::changed();
        }
        let in_queue = self.view() == ViewName::Cycle && action.moves();
        match action {
            A::StepForward | A::StepBack if !self.is_inside() => self.step_times(action, times),
            A::NextVerdict | A::PreviousVerdict => self.step_to_verdict(action, times),
            A::NextWaiting
            | A::PreviousWaiting
            | A::NextNodePath
            | A::PreviousNodePath
            | A::Continue
            | A::ContinueBack => self.run_to(action, times),
            _ if in_queue => return Update::changed_if(self.move_times(action, times)),
            A::StepForward | A::StepBack | A::NextLine | A::PreviousLine => self.many(action, times),
            _ if action.moves() => self.many(action, times),
            _ => self.say(format!("{} takes no number", action.entry().name)),
        }
        Update::changed()
    }

    /// The same key again, until nothing moves any more.
    fn many(&mut self, action: Action, times: usize) {
        for _ in 0..times {
            if !self.act(action).changed || !self.message.is_empty() {
                return;
            }
        }
    }

    fn go_to_step(&mut self, step: usize) {
        let Some(shown) = &self.shown else { return };
        let len = shown.debugger.len();
        if step > len {
            return self.say(format!("there is no step {step}; the cycle has {len}"));
        }
        self.go_to(step);
    }

    fn set_mark(&mut self, letter: char) {
        let Some(shown) = &self.shown else { return };
        let mark = shown.mark();
        let at = shown.debugger.position();
        self.say(format!("mark {letter} set: '{letter} comes back to step {at}"));
        self.marks.insert(letter, mark);
    }

    fn jump(&mut self, letter: char) {
        let Some(mark) = self.marks.get(&letter).cloned() else {
            return self.say(format!("there is no mark {letter}; m sets one"));
        };
        let Some(done) = mark.done else {
            return self.say(format!("the job of mark {letter} is not in this cycle"));
        };
        self.remember();
        self.go_to(done);
        if let Some(shown) = &mut self.shown
            && let Some(row) = mark.subject.and_then(|name| Row::named(shown.run(), &name))
        {
            shown.look_at(row);
            shown.show_subject();
        }
    }

    /// Remembers where one is, to come back with `''`.
    pub(super) fn remember(&mut self) {
        if let Some(shown) = &self.shown {
            self.marks.insert(BEFORE, shown.mark());
        }
    }
}

impl Shown {
    fn mark(&self) -> Mark {
        let last = self.debugger.last_step();
        let job = last.map(|step| step.outcome.name(&self.generation.snapshot));
        Mark { done: Some(self.debugger.position()), job, subject: self.subject_name() }
    }
}

/// Takes marks over into another cycle: after the same job, wherever that stands now.
pub(super) fn take_over(marks: &mut Marks, run: &Run) {
    for mark in marks.values_mut() {
        mark.done = match mark.job.as_ref().map(|job| Row::named(run, job)) {
            None => Some(0),
            Some(Some(Row::Step(step))) => Some(step.ix() + 1),
            Some(_) => None,
        };
    }
}
