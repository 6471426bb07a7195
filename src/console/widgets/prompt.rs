//! A line that is being typed.

use crate::console::action::Action;
use crate::console::app::Input;

/// The text so far, and where the next letter goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    text: String,
    /// In characters.
    cursor: usize,
}

impl Prompt {
    /// Nothing typed yet.
    pub const EMPTY: Self = Self { text: String::new(), cursor: 0 };

    /// A line to go on with.
    #[must_use]
    pub fn with(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.chars().count() }
    }

    /// The text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor, whose width says where the terminal's cursor goes.
    #[must_use]
    pub fn before(&self) -> &str {
        self.text.get(..self.byte(self.cursor)).unwrap_or(&self.text)
    }

    /// Takes in letters, pastes (the first line of them) and the keys that edit; whether something changed.
    pub fn take<M>(&mut self, input: &Input<M>) -> bool {
        let before = self.clone();
        match input {
            Input::Letter(c) => self.insert(*c),
            Input::Paste(text) => text.lines().next().unwrap_or("").chars().for_each(|c| self.insert(c)),
            Input::Action(Action::Left) => self.cursor = self.cursor.saturating_sub(1),
            Input::Action(Action::Right) => self.cursor = (self.cursor + 1).min(self.text.chars().count()),
            Input::Action(Action::Home) => self.cursor = 0,
            Input::Action(Action::End) => self.cursor = self.text.chars().count(),
            Input::Action(Action::DeleteBack) => self.delete(),
            Input::Action(Action::DeleteAll) => *self = Self::default(),
            _ => {}
        }
        *self != before
    }

    fn insert(&mut self, c: char) {
        if !c.is_control() {
            self.text.insert(self.byte(self.cursor), c);
            self.cursor += 1;
        }
    }

    fn delete(&mut self) {
        if self.cursor > 0 {
            self.cursor -= 1;
            self.text.remove(self.byte(self.cursor));
        }
    }

    fn byte(&self, character: usize) -> usize {
        self.text.char_indices().nth(character).map_or(self.text.len(), |(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_pastes_and_editing_keys() {
        let mut prompt = Prompt::with("üb");
        for (input, text, before) in [
            (Input::Action(Action::Left), "üb", "ü"),
            (Input::Letter('語'), "ü語b", "ü語"),
            (Input::Action(Action::DeleteBack), "üb", "ü"),
            (Input::Paste("x\u{1b}y\nrm".to_owned()), "üxyb", "üxy"),
            (Input::Action(Action::Home), "üxyb", ""),
            (Input::Action(Action::DeleteBack), "üxyb", ""),
            (Input::Action(Action::DeleteAll), "", ""),
            (Input::Message(()), "", ""),
        ] {
            prompt.take(&input);
            assert_eq!((prompt.text(), prompt.before()), (text, before), "{input:?}");
        }
    }
}
