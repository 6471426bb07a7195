//! A line that is being typed.

use crate::action::Action;
use crate::app::AppInput;

/// Maximum number of letters of a line, the same as for a query. What is typed or pasted beyond is dropped.
const MAX_LETTERS: usize = qscope_session::query::MAX_LETTERS;

/// The text and the cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Prompt {
    text: String,
    /// In characters.
    cursor: usize,
    /// Number of characters of the last input that were dropped.
    left_out: usize,
}

impl Prompt {
    /// An empty line.
    pub(crate) const EMPTY: Self = Self { text: String::new(), cursor: 0, left_out: 0 };

    /// A line with an initial text.
    pub(crate) fn with(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.chars().count(), left_out: 0 }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor; its width is the column of the terminal's cursor.
    pub(crate) fn before(&self) -> &str {
        self.text.get(..self.byte(self.cursor)).unwrap_or(&self.text)
    }

    /// The message if characters of the last input were dropped.
    pub(crate) fn refusal(&self) -> Option<String> {
        (self.left_out > 0)
            .then(|| format!("a line takes {MAX_LETTERS} letters at most; {} left out", self.left_out))
    }

    /// Takes letters, pastes (line breaks become spaces) and editing keys; returns whether anything changed.
    pub(crate) fn take<M>(&mut self, input: &AppInput<M>) -> bool {
        let before = self.clone();
        self.left_out = 0;
        match input {
            AppInput::Letter(c) => self.insert(std::iter::once(*c)),
            AppInput::Paste(text) => {
                let blank = |c: char| if c.is_whitespace() { ' ' } else { c };
                self.insert(text.replace("\r\n", "\n").trim_end().chars().map(blank));
            }
            AppInput::Action(Action::Left) => self.cursor = self.cursor.saturating_sub(1),
            AppInput::Action(Action::Right) => self.cursor = (self.cursor + 1).min(self.text.chars().count()),
            AppInput::Action(Action::Home) => self.cursor = 0,
            AppInput::Action(Action::End) => self.cursor = self.text.chars().count(),
            AppInput::Action(Action::DeleteBack) => self.delete(),
            AppInput::Action(Action::DeleteAll) => *self = Self::default(),
            _ => {}
        }
        *self != before
    }

    /// Inserts letters in one step, as many as fit: a paste may be very long.
    fn insert(&mut self, letters: impl Iterator<Item = char>) {
        let mut letters = letters.filter(|c| !c.is_control());
        let room = MAX_LETTERS.saturating_sub(self.text.chars().count());
        let taken: String = letters.by_ref().take(room).collect();
        self.left_out = letters.count();
        self.text.insert_str(self.byte(self.cursor), &taken);
        self.cursor += taken.chars().count();
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

    /// Inserting letter by letter would move a megabyte a million times.
    #[test]
    fn a_paste_beyond_all_measure_is_cut_and_reported() {
        let mut prompt = Prompt::with("ab");
        prompt.take(&AppInput::Action::<()>(Action::Left));
        assert!(prompt.take(&AppInput::Paste::<()>("語".repeat(2_000_000))));
        assert_eq!(
            (prompt.text().chars().count(), prompt.before().chars().count()),
            (MAX_LETTERS, MAX_LETTERS - 1)
        );
        assert!(prompt.text().ends_with('b'));
        let left_out = "a line takes 2000 letters at most; 1998002 left out";
        assert_eq!(prompt.refusal().as_deref(), Some(left_out));
        assert!(prompt.take(&AppInput::Action::<()>(Action::DeleteBack)));
        assert_eq!(prompt.refusal(), None);
    }

    #[test]
    fn letters_pastes_and_editing_keys() {
        let mut prompt = Prompt::with("üb");
        for (input, text, before) in [
            (AppInput::Action(Action::Left), "üb", "ü"),
            (AppInput::Letter('語'), "ü語b", "ü語"),
            (AppInput::Action(Action::DeleteBack), "üb", "ü"),
            (AppInput::Paste("x\u{1b}y\r\nrm\n".to_owned()), "üxy rmb", "üxy rm"),
            (AppInput::Action(Action::Home), "üxy rmb", ""),
            (AppInput::Action(Action::DeleteBack), "üxy rmb", ""),
            (AppInput::Action(Action::DeleteAll), "", ""),
            (AppInput::Message(()), "", ""),
        ] {
            prompt.take(&input);
            assert_eq!((prompt.text(), prompt.before()), (text, before), "{input:?}");
        }
    }
}
