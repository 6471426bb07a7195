//! The terminal's answer to the question for its background colour (OSC 11), which arrives among the keys. It is
//! removed from them however late it comes and however much was typed before it.

use std::fmt;

use crossterm::Command;
use crossterm::event::{Event, KeyCode, KeyModifiers};

use crate::theme::Background;

/// Requests the background colour; the answer is terminated in the same way as the request.
pub(super) struct BackgroundQuery;

impl Command for BackgroundQuery {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b]11;?\x07")
    }
}

/// The beginning of an answer after its introducer, and its maximum length in bytes.
const BEGIN: &str = "11;rgb";
const LONGEST: usize = 40;

/// The result of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FilteredInput {
    /// Events that are not part of an answer, in order.
    Input(Vec<Event>),
    /// A complete answer: the background, if its colour could be read.
    Background(Option<Background>),
}

/// Removes an answer from the events of the terminal.
#[derive(Debug, Default)]
pub(crate) struct AnswerFilter {
    is_awaited: bool,
    /// Whether the last event was an escape, which has already been passed on.
    is_escaped: bool,
    /// The events of a partial answer.
    held: Vec<Event>,
    /// Its text after the introducer.
    text: String,
}

impl AnswerFilter {
    /// A filter that waits for one answer.
    pub(crate) fn awaiting() -> Self {
        Self { is_awaited: true, ..Self::default() }
    }

    /// Takes an event.
    pub(crate) fn take(&mut self, event: Event) -> FilteredInput {
        let key = match &event {
            Event::Key(key) if self.is_awaited && !key.is_release() => *key,
            _ => return self.release(event),
        };
        if self.held.is_empty() {
            // ESC ] is reported as Alt-], or as two keys if a slow line split the answer between them.
            let is_escaped = std::mem::replace(&mut self.is_escaped, key.code == KeyCode::Esc);
            let begins = key.code == KeyCode::Char(']')
                && (key.modifiers == KeyModifiers::ALT || is_escaped && key.modifiers.is_empty());
            return if begins { self.keep_event(event) } else { FilteredInput::Input(vec![event]) };
        }
        match (key.code, key.modifiers) {
            (KeyCode::Char('g'), KeyModifiers::CONTROL) | (KeyCode::Char('\\'), _) if self.is_answer() => {
                let color = self.text.split_once(';').map(|(_, color)| Background::of_answer(color));
                *self = Self::default();
                FilteredInput::Background(color.flatten())
            }
            // ESC \ ends it too, and may arrive as two keys.
            (KeyCode::Esc, _) if self.is_answer() => self.keep_event(event),
            (KeyCode::Char(letter), KeyModifiers::NONE | KeyModifiers::SHIFT) => {
                self.text.push(letter);
                let begins = BEGIN.starts_with(&self.text) || self.is_answer();
                if begins && self.text.len() <= LONGEST {
                    self.keep_event(event)
                } else {
                    self.release(event)
                }
            }
            _ => self.release(event),
        }
    }

    fn is_answer(&self) -> bool {
        self.text.starts_with(BEGIN)
    }

    fn keep_event(&mut self, event: Event) -> FilteredInput {
        self.held.push(event);
        FilteredInput::Input(Vec::new())
    }

    /// It was not an answer: the held events were typed.
    fn release(&mut self, event: Event) -> FilteredInput {
        self.text.clear();
        let mut all = std::mem::take(&mut self.held);
        all.push(event);
        FilteredInput::Input(all)
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn letters(text: &str) -> Vec<Event> {
        text.chars().map(|letter| key(KeyCode::Char(letter), KeyModifiers::NONE)).collect()
    }

    /// Returns the events that pass, and the answers.
    fn through(filter: &mut AnswerFilter, events: Vec<Event>) -> (Vec<Event>, Vec<Option<Background>>) {
        let (mut typed, mut answers) = (Vec::new(), Vec::new());
        for event in events {
            match filter.take(event) {
                FilteredInput::Input(events) => typed.extend(events),
                FilteredInput::Background(ground) => answers.push(ground),
            }
        }
        (typed, answers)
    }

    fn answer(color: &str, end: Event) -> Vec<Event> {
        let begin = key(KeyCode::Char(']'), KeyModifiers::ALT);
        [vec![begin], letters(&format!("11;{color}")), vec![end]].concat()
    }

    #[test]
    fn an_answer_is_taken_out_of_what_is_typed() {
        let bell = || key(KeyCode::Char('g'), KeyModifiers::CONTROL);
        let string_end = || key(KeyCode::Char('\\'), KeyModifiers::ALT);
        for end in [bell(), string_end()] {
            let mut filter = AnswerFilter::awaiting();
            let events = [letters("jj"), answer("rgb:ffff/ffff/ffff", end), letters("q")].concat();
            assert_eq!(through(&mut filter, events), (letters("jjq"), vec![Some(Background::Light)]));
        }
        let mut filter = AnswerFilter::awaiting();
        assert_eq!(through(&mut filter, answer("rgb:0/0/0", bell())).1, [Some(Background::Dark)]);
        // Only one answer is awaited; after it the same keys are typed keys.
        let again = answer("rgb:0/0/0", bell());
        assert_eq!(through(&mut filter, again.clone()), (again, Vec::new()));
        assert_eq!(through(&mut AnswerFilter::awaiting(), answer("rgb:?", bell())).1, [None]);
    }

    #[test]
    fn an_answer_cut_behind_its_escape_is_taken_too() {
        let bell = key(KeyCode::Char('g'), KeyModifiers::CONTROL);
        let escape = key(KeyCode::Esc, KeyModifiers::NONE);
        let events = [vec![escape.clone()], letters("]11;rgb:ffff/ffff/ffff"), vec![bell]].concat();
        let (typed, answers) = through(&mut AnswerFilter::awaiting(), events);
        assert_eq!((typed, answers), (vec![escape], vec![Some(Background::Light)]));
    }

    #[test]
    fn what_is_no_answer_is_what_was_typed() {
        let alt = || vec![key(KeyCode::Char(']'), KeyModifiers::ALT)];
        let long = format!("11;rgb:{}", "f".repeat(60));
        for typed in ["x", "11x", "1", &long] {
            let events = [alt(), letters(typed), vec![Event::FocusGained]].concat();
            assert_eq!(
                through(&mut AnswerFilter::awaiting(), events.clone()),
                (events, Vec::new()),
                "{typed}"
            );
        }
        let all = answer("rgb:0/0/0", key(KeyCode::Enter, KeyModifiers::NONE));
        assert_eq!(through(&mut AnswerFilter::awaiting(), all.clone()), (all, Vec::new()));
    }
}
