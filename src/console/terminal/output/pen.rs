//! The style that the terminal writes with, and what turns it into another.

use std::fmt::{self, Write as _};

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// What the terminal writes with; each frame begins with none of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Pen {
    pub(super) fg: Color,
    pub(super) bg: Color,
    pub(super) modifier: Modifier,
}

/// Attributes that show on a blank too, in the colour of its letters.
const ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT)
    .union(Modifier::SLOW_BLINK)
    .union(Modifier::RAPID_BLINK);

/// Attributes, what turns them on, and what turns them off.
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

    /// Whether a blank looks the same whatever colour letters have.
    pub(super) fn hides_blanks(self) -> bool {
        !self.modifier.intersects(ON_BLANKS)
    }

    /// Turns it into another style.
    pub(super) fn turn(&mut self, text: &mut String, to: Self) {
        if to == *self {
            return;
        }
        text.push_str("\x1b[");
        self.codes(text, to);
        text.push('m');
        *self = to;
    }

    /// Leaves nothing of it behind.
    pub(super) fn put_down(&mut self, text: &mut String) {
        if std::mem::take(self) != Self::default() {
            text.push_str("\x1b[m");
        }
    }

    /// What turns it into another style, of which something differs.
    fn codes(self, text: &mut String, to: Self) {
        let begin = text.len();
        let mut put = |code: fmt::Arguments<'_>| {
            if text.len() > begin {
                text.push(';');
            }
            // To a string nothing fails to be written.
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

/// What turns some attributes into others.
fn put_attributes(put: &mut impl FnMut(fmt::Arguments<'_>), mut have: Modifier, want: Modifier) {
    for (attribute, _, off) in ATTRIBUTES {
        if have.contains(attribute) && !want.contains(attribute) {
            put(format_args!("{off}"));
            // One code ends all attributes that share it.
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

/// A colour: the eight dark ones from `dark` on, the eight bright ones from `bright` on, all others after `other`.
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
