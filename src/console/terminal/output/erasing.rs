//! Blanks that are erased instead of written.

use crate::layout::cells;
use std::fmt::Write as _;

use ratatui::style::Color;

/// The background a terminal uses when it erases (`CSI X`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraseBackground {
    /// Its default background, whatever the current colours are.
    OwnGround,
    /// The current background (`bce`).
    Painted,
}

/// Terminals that erase with the current background, by the beginning of their names in `TERM`. GNU screen, and
/// terminals under its name, do not.
const PAINTING: [&str; 13] = [
    "alacritty",
    "contour",
    "foot",
    "ghostty",
    "gnome",
    "iterm",
    "kitty",
    "konsole",
    "linux",
    "rxvt",
    "vte",
    "wezterm",
    "xterm",
];

impl EraseBackground {
    /// Detects it from `TERM`; within GNU screen (`STY`) that may name the terminal around it.
    pub fn from_env() -> Self {
        let name = std::env::var("TERM").unwrap_or_default();
        Self::of(&name, std::env::var_os("STY").is_some())
    }

    fn of(name: &str, within_screen: bool) -> Self {
        let paints = !within_screen && PAINTING.iter().any(|known| name.starts_with(known));
        if paints || name.ends_with("-bce") { Self::Painted } else { Self::OwnGround }
    }

    /// Whether erased cells get this background.
    pub(super) fn paints(self, ground: Color) -> bool {
        self == Self::Painted || ground == Color::Reset
    }
}

/// Minimum number of blanks for which erasing and skipping them takes fewer bytes.
const WORTH: usize = 11;

/// Writes a text, erasing long runs of blanks; returns how many columns before its end the cursor stays.
pub(super) fn erased(text: &mut String, letters: &str) -> u16 {
    let mut rest = letters;
    while !rest.is_empty() {
        let blank = rest.len() - rest.trim_start_matches(' ').len();
        let blank_columns = cells(blank);
        let (now, behind) =
            rest.split_at(if blank > 0 { blank } else { rest.find(' ').unwrap_or(rest.len()) });
        if blank < WORTH {
            text.push_str(now);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "\x1b[{blank}X");
            if behind.is_empty() {
                return blank_columns;
            }
            let _ = write!(text, "\x1b[{blank}C");
        }
        rest = behind;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_stretches_of_blanks_are_erased_and_short_ones_written() {
        let of = |letters: &str| {
            let mut text = String::new();
            let left = erased(&mut text, letters);
            (text.replace('\x1b', "^"), left)
        };
        assert_eq!(of("a b"), ("a b".to_owned(), 0));
        assert_eq!(of(&format!("é{:12}b ", "")), ("é^[12X^[12Cb ".to_owned(), 0));
        assert_eq!(of(&format!("a{:40}", "")), ("a^[40X".to_owned(), 40));
        assert_eq!(of(&" ".repeat(10)), (" ".repeat(10), 0));
    }

    #[test]
    fn only_terminals_that_paint_are_taken_to() {
        for (name, within_screen, erasing) in [
            ("xterm-256color", false, EraseBackground::Painted),
            ("xterm-256color", true, EraseBackground::OwnGround),
            ("screen-256color", false, EraseBackground::OwnGround),
            ("screen-256color-bce", true, EraseBackground::Painted),
            ("tmux-256color", false, EraseBackground::OwnGround),
            ("vt220", false, EraseBackground::OwnGround),
        ] {
            assert_eq!(EraseBackground::of(name, within_screen), erasing, "{name}");
        }
        assert!(
            EraseBackground::OwnGround.paints(Color::Reset)
                && !EraseBackground::OwnGround.paints(Color::Blue)
        );
    }
}
