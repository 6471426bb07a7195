//! The style that the terminal writes with, and what turns it into another.

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
        text.push_str(&self.codes(to).join(";"));
        text.push('m');
        *self = to;
    }

    /// Leaves nothing of it behind.
    pub(super) fn put_down(&mut self, text: &mut String) {
        if std::mem::take(self) != Self::default() {
            text.push_str("\x1b[m");
        }
    }

    fn codes(self, to: Self) -> Vec<String> {
        let mut codes = Vec::new();
        let mut have = self.modifier;
        for (attribute, _, off) in ATTRIBUTES {
            if have.contains(attribute) && !to.modifier.contains(attribute) {
                codes.push(off.to_owned());
                // One code ends all attributes that share it.
                for (other, _, its) in ATTRIBUTES {
                    if its == off {
                        have.remove(other);
                    }
                }
            }
        }
        for (attribute, on, _) in ATTRIBUTES {
            if to.modifier.contains(attribute) && !have.contains(attribute) {
                codes.push(on.to_owned());
            }
        }
        if self.fg != to.fg {
            codes.push(code(to.fg, 30, 90, 38));
        }
        if self.bg != to.bg {
            codes.push(code(to.bg, 40, 100, 48));
        }
        codes
    }
}

/// A colour: the eight dark ones from `dark` on, the eight bright ones from `bright` on, all others after `other`.
fn code(color: Color, dark: u8, bright: u8, other: u8) -> String {
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
        Color::Indexed(index) => return format!("{other};5;{index}"),
        Color::Rgb(red, green, blue) => return format!("{other};2;{red};{green};{blue}"),
    };
    (from + place).to_string()
}
