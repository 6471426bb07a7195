//! Colours in theme files, and their conversion to fewer colours.

use ratatui::style::Color;

use super::depth::ColorDepth;

/// A colour in a theme file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThemeColor {
    /// The terminal's own colour.
    Terminal,
    /// `#rrggbb`.
    Rgb(u8, u8, u8),
    /// One of the terminal's sixteen, by index.
    Named(u8),
}

/// The sixteen by name, with the values of xterm.
const SIXTEEN: [(&str, (u8, u8, u8), Color); 16] = [
    ("black", (0, 0, 0), Color::Black),
    ("red", (205, 0, 0), Color::Red),
    ("green", (0, 205, 0), Color::Green),
    ("yellow", (205, 205, 0), Color::Yellow),
    ("blue", (0, 0, 238), Color::Blue),
    ("magenta", (205, 0, 205), Color::Magenta),
    ("cyan", (0, 205, 205), Color::Cyan),
    ("white", (229, 229, 229), Color::Gray),
    ("bright-black", (127, 127, 127), Color::DarkGray),
    ("bright-red", (255, 0, 0), Color::LightRed),
    ("bright-green", (0, 255, 0), Color::LightGreen),
    ("bright-yellow", (255, 255, 0), Color::LightYellow),
    ("bright-blue", (92, 92, 255), Color::LightBlue),
    ("bright-magenta", (255, 0, 255), Color::LightMagenta),
    ("bright-cyan", (0, 255, 255), Color::LightCyan),
    ("bright-white", (255, 255, 255), Color::White),
];

/// The RGB value of a colour on the screen; `None` for the terminal's own.
pub(crate) fn rgb_of(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(at) => Some(of_256(at)),
        named => SIXTEEN.iter().find(|(_, _, known)| *known == named).map(|(_, (r, g, b), _)| [*r, *g, *b]),
    }
}

/// The RGB value of an indexed colour in xterm: the sixteen, a cube of six steps, a ramp of greys.
fn of_256(at: u8) -> [u8; 3] {
    let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match at {
        0..16 => SIXTEEN.get(usize::from(at)).map_or([0; 3], |(_, (r, g, b), _)| [*r, *g, *b]),
        16..232 => {
            let cube = at - 16;
            [step(cube / 36), step(cube / 6 % 6), step(cube % 6)]
        }
        grey => [8 + 10 * (grey - 232); 3],
    }
}

impl ThemeColor {
    /// Parses `#rrggbb`, `terminal`, or one of the sixteen names; `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(hex) = text.strip_prefix('#') {
            return parse_hex(hex);
        }
        if text == "terminal" {
            return Some(Self::Terminal);
        }
        let at = SIXTEEN.iter().position(|(name, ..)| *name == text)?;
        u8::try_from(at).ok().map(Self::Named)
    }

    /// The nearest colour that the depth can show; `None` if it shows no colours.
    pub(super) fn at(self, depth: ColorDepth) -> Option<Color> {
        match (depth, self) {
            (ColorDepth::None, _) => None,
            (_, Self::Terminal) => Some(Color::Reset),
            (_, Self::Named(n)) => SIXTEEN.get(usize::from(n)).map(|(_, _, color)| *color),
            (ColorDepth::True, Self::Rgb(r, g, b)) => Some(Color::Rgb(r, g, b)),
            (ColorDepth::Indexed, Self::Rgb(r, g, b)) => Some(Color::Indexed(nearest_256((r, g, b)))),
            (ColorDepth::Sixteen, Self::Rgb(r, g, b)) => Some(nearest_16((r, g, b))),
        }
    }
}

fn parse_hex(hex: &str) -> Option<ThemeColor> {
    if hex.len() != 6 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let [_, r, g, b] = u32::from_str_radix(hex, 16).ok()?.to_be_bytes();
    Some(ThemeColor::Rgb(r, g, b))
}

type RgbTriple = (u8, u8, u8);

/// The perceived distance of two colours: the usual cheap weighting of the three channels by the mean red.
fn distance(a: RgbTriple, b: RgbTriple) -> i64 {
    let (dr, dg, db) = (gap(a.0, b.0), gap(a.1, b.1), gap(a.2, b.2));
    let red = (i64::from(a.0) + i64::from(b.0)) / 2;
    (512 + red) * dr * dr + 1024 * dg * dg + (767 - red) * db * db
}

fn gap(a: u8, b: u8) -> i64 {
    i64::from(a) - i64::from(b)
}

fn nearest_16(rgb: RgbTriple) -> Color {
    SIXTEEN
        .iter()
        .min_by_key(|(_, value, _)| distance(*value, rgb))
        .map_or(Color::Reset, |(.., color)| *color)
}

/// Uses only the cube and the greys: the first sixteen of the 256 depend on the user's palette.
fn nearest_256(rgb: RgbTriple) -> u8 {
    (16u8..=255).min_by_key(|n| distance(value_256(*n), rgb)).unwrap_or(16)
}

fn value_256(n: u8) -> RgbTriple {
    if n >= 232 {
        let grey = 8 + 10 * (n - 232);
        return (grey, grey, grey);
    }
    let n = n.saturating_sub(16);
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    (level(n / 36), level(n / 6 % 6), level(n % 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_and_nothing_else_is() {
        assert_eq!(ThemeColor::parse("#0072B2"), Some(ThemeColor::Rgb(0, 0x72, 0xb2)));
        assert_eq!(ThemeColor::parse("bright-red"), Some(ThemeColor::Named(9)));
        assert_eq!(ThemeColor::parse("terminal"), Some(ThemeColor::Terminal));
        for bad in ["", "#12345", "#1234567", "#+12345", "rouge", "#ééé"] {
            assert_eq!(ThemeColor::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn fewer_colours_show_the_nearest() {
        let orange = ThemeColor::Rgb(0xff, 0x87, 0x00);
        assert_eq!(orange.at(ColorDepth::True), Some(Color::Rgb(0xff, 0x87, 0)));
        assert_eq!(orange.at(ColorDepth::Indexed), Some(Color::Indexed(208)));
        assert_eq!(ThemeColor::Rgb(250, 10, 10).at(ColorDepth::Sixteen), Some(Color::LightRed));
        assert_eq!(ThemeColor::Rgb(8, 8, 8).at(ColorDepth::Indexed), Some(Color::Indexed(232)));
        assert_eq!(orange.at(ColorDepth::None), None);
    }
}
