//! The style that the terminal writes in, and the sequences that change it.

use std::fmt::{self, Write as _};

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// The current style of the terminal; each frame begins with the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Pen {
    pub(super) fg: Color,
    pub(super) bg: Color,
    pub(super) modifier: Modifier,
}

/// Attributes that are visible on a blank too, in its foreground colour.
const ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT)
    .union(Modifier::SLOW_BLINK)
    .union(Modifier::RAPID_BLINK);

/// Attributes, with the codes that turn them on and off.
const ATTRIBUTES: [(Modifier, &str, &str); 9] = [
    (Modifier::BOLD, "1", "22"),
    (Modifier::DIM, "2", "22"),
    (Modifier::ITALIC, "3", "23"),
    (Modifier::UNDERLINED, "4", "24"),
    (Modifier::SLOW_BLINK, "5", "25"),
    (Modifier::RAPID_BLINK, "6", "25"),
    (Modifier::REVERSED, "7", "27"),
    (Modifier::HIDDEN, "8", "28"),
    (Modifier::CROSSED_OUT, "9", "29"),
];

impl Pen {
    /// The style of a cell.
    pub(super) fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }

    /// Whether a blank looks the same in any foreground colour.
    pub(super) fn hides_blanks(self) -> bool {
        !self.modifier.intersects(ON_BLANKS)
    }

    /// Changes it into another style.
    pub(super) fn change_to(&mut self, text: &mut String, to: Self) {
        if to == *self {
            return;
        }
        text.push_str("\x1b[");
        self.codes(text, to);
        text.push('m');
        *self = to;
    }

    /// Resets it.
    pub(super) fn reset(&mut self, text: &mut String) {
        if std::mem::take(self) != Self::default() {
            text.push_str("\x1b[m");
        }
    }

    /// Writes the codes that change it into a different style.
    fn codes(self, text: &mut String, to: Self) {
        let begin = text.len();
        let mut put = |code: fmt::Arguments<'_>| {
            if text.len() > begin {
                text.push(';');
            }
            // Writing to a string cannot fail.
            let _ = text.write_fmt(code);
        };
        if self.modifier != to.modifier {
            put_attributes(&mut put, self.modifier, to.modifier);
        }
        if self.fg != to.fg {
            put_color(&mut put, to.fg, [30, 90, 38]);
        }
        if self.bg != to.bg {
            put_color(&mut put, to.bg, [40, 100, 48]);
        }
    }
}

/// Writes the codes that change one set of attributes into another.
fn put_attributes(put: &mut impl FnMut(fmt::Arguments<'_>), mut have: Modifier, want: Modifier) {
    for (attribute, _, off) in ATTRIBUTES {
        if have.contains(attribute) && !want.contains(attribute) {
            put(format_args!("{off}"));
            // One code turns off all attributes that share it.
            for (other, _, its) in ATTRIBUTES {
                if its == off {
                    have.remove(other);
                }
            }
        }
    }
    for (attribute, on, _) in ATTRIBUTES {
        if want.contains(attribute) && !have.contains(attribute) {
            put(format_args!("{on}"));
        }
    }
}

/// Writes the code of a colour: the eight dark ones start at `dark`, the eight bright ones at `bright`, all others use
/// `other`.
fn put_color(put: &mut impl FnMut(fmt::Arguments<'_>), color: Color, [dark, bright, other]: [u8; 3]) {
    let (from, place) = match color {
        Color::Reset => (other, 1),
        Color::Black => (dark, 0),
        Color::Red => (dark, 1),
        Color::Green => (dark, 2),
        Color::Yellow => (dark, 3),
        Color::Blue => (dark, 4),
        Color::Magenta => (dark, 5),
        Color::Cyan => (dark, 6),
        Color::Gray => (dark, 7),
        Color::DarkGray => (bright, 0),
        Color::LightRed => (bright, 1),
        Color::LightGreen => (bright, 2),
        Color::LightYellow => (bright, 3),
        Color::LightBlue => (bright, 4),
        Color::LightMagenta => (bright, 5),
        Color::LightCyan => (bright, 6),
        Color::White => (bright, 7),
        Color::Indexed(index) => return put(format_args!("{other};5;{index}")),
        Color::Rgb(red, green, blue) => return put(format_args!("{other};2;{red};{green};{blue}")),
    };
    put(format_args!("{}", from + place));
}
