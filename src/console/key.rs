//! A key as configuration and help write it: `q`, `G`, `ctrl-l`, `shift-tab`, `pagedown`.

use std::fmt;
use std::str::FromStr;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers, normalised across terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// Named keys: the name in configuration files, and the one shown in footers.
const NAMES: [(&str, &str, KeyCode); 15] = [
    ("enter", "Enter", KeyCode::Enter),
    ("esc", "Esc", KeyCode::Esc),
    ("tab", "Tab", KeyCode::Tab),
    ("backspace", "Backspace", KeyCode::Backspace),
    ("delete", "Del", KeyCode::Delete),
    ("insert", "Ins", KeyCode::Insert),
    ("up", "Up", KeyCode::Up),
    ("down", "Down", KeyCode::Down),
    ("left", "Left", KeyCode::Left),
    ("right", "Right", KeyCode::Right),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
    ("pageup", "PgUp", KeyCode::PageUp),
    ("pagedown", "PgDn", KeyCode::PageDown),
    ("space", "Space", KeyCode::Char(' ')),
];

impl From<KeyEvent> for Key {
    /// Terminals report shift differently: `G`, `G` with shift, or `g` with shift; and shift-tab has a code of its own.
    fn from(event: KeyEvent) -> Self {
        let mut modifiers =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(c) => {
                let shifted =
                    modifiers.contains(KeyModifiers::SHIFT) && !modifiers.contains(KeyModifiers::CONTROL);
                modifiers -= KeyModifiers::SHIFT;
                let control = modifiers.contains(KeyModifiers::CONTROL);
                KeyCode::Char(if control {
                    c.to_ascii_lowercase()
                } else if shifted {
                    c.to_ascii_uppercase()
                } else {
                    c
                })
            }
            code => code,
        };
        Self { code, modifiers }
    }
}

impl Key {
    /// Returns the letter this key types, if any.
    pub fn letter(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }
}

/// A key name that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no key; write a letter, \"enter\", \"ctrl-l\", \"shift-tab\" or the like")]
pub struct UnknownKey(pub String);

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        while let Some((modifier, tail)) = modifier(rest) {
            modifiers |= modifier;
            rest = tail;
        }
        let code = code(rest).ok_or_else(|| UnknownKey(text.to_owned()))?;
        Ok(KeyEvent::new(code, modifiers).into())
    }
}

fn modifier(text: &str) -> Option<(KeyModifiers, &str)> {
    let all =
        [("ctrl-", KeyModifiers::CONTROL), ("alt-", KeyModifiers::ALT), ("shift-", KeyModifiers::SHIFT)];
    let found = |(prefix, modifier): (&str, KeyModifiers)| {
        let (head, rest) = text.split_at_checked(prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then_some((modifier, rest))
    };
    all.into_iter().find_map(found)
}

fn code(name: &str) -> Option<KeyCode> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(KeyCode::Char(c));
    }
    if let Some(n) = name.strip_prefix(['f', 'F']).and_then(|n| n.parse().ok()) {
        return (1..=24).contains(&n).then_some(KeyCode::F(n));
    }
    // As in the configuration, or as footers and help write it.
    let is_named = |(known, shown, _): &&(&str, &str, _)| {
        name.eq_ignore_ascii_case(known) || name.eq_ignore_ascii_case(shown)
    };
    NAMES.iter().find(is_named).map(|(.., code)| *code)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, name) in
            [(KeyModifiers::CONTROL, "Ctrl-"), (KeyModifiers::ALT, "Alt-"), (KeyModifiers::SHIFT, "Shift-")]
        {
            if self.modifiers.contains(modifier) {
                f.write_str(name)?;
            }
        }
        match (NAMES.iter().find(|(.., code)| *code == self.code), self.code) {
            (Some((_, shown, _)), _) => f.write_str(shown),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, KeyCode::F(n)) => write!(f, "F{n}"),
            (None, other) => write!(f, "{other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_the_help_writes_it() {
        for text in ["F1", "PgUp", "Ctrl-n", "Shift-Tab", "Del", "Space", "Alt-Left", "G"] {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), text);
        }
        assert_eq!("f1".parse::<Key>(), "F1".parse::<Key>());
    }

    #[test]
    fn keys_are_read_and_written() {
        for (written, shown) in [
            ("q", "q"),
            ("G", "G"),
            ("$", "$"),
            ("-", "-"),
            ("ctrl-l", "Ctrl-l"),
            ("shift-tab", "Shift-Tab"),
            ("pagedown", "PgDn"),
            ("space", "Space"),
            ("f5", "F5"),
            ("alt-x", "Alt-x"),
        ] {
            assert_eq!(written.parse::<Key>().unwrap().to_string(), shown);
        }
        for bad in ["", "ctrl-", "entr", "f0", "f99", "qq"] {
            assert!(bad.parse::<Key>().is_err(), "{bad}");
        }
    }

    #[test]
    fn terminals_that_disagree_on_shift_are_brought_together() {
        let capital: Key = "G".parse().unwrap();
        for (c, modifiers) in
            [('G', KeyModifiers::NONE), ('G', KeyModifiers::SHIFT), ('g', KeyModifiers::SHIFT)]
        {
            assert_eq!(Key::from(KeyEvent::new(KeyCode::Char(c), modifiers)), capital);
        }
        let back: Key = "shift-tab".parse().unwrap();
        for modifiers in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
            assert_eq!(Key::from(KeyEvent::new(KeyCode::BackTab, modifiers)), back);
        }
        assert_eq!(
            Key::from(KeyEvent::new(KeyCode::Char('L'), KeyModifiers::CONTROL)),
            "ctrl-l".parse().unwrap()
        );
    }

    #[test]
    fn only_plain_letters_type() {
        assert_eq!("ä".parse::<Key>().unwrap().letter(), Some('ä'));
        assert_eq!("ctrl-l".parse::<Key>().unwrap().letter(), None);
        assert_eq!("enter".parse::<Key>().unwrap().letter(), None);
    }
}
