//! Detects whether the terminal has a dark or a light background, from the variable `COLORFGBG` or its answer to OSC
//! 11.

/// The background of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// A dark background, for light text.
    Dark,
    /// A light background, for dark text.
    Light,
}

impl Background {
    /// The built-in theme for it.
    pub(crate) fn theme(self) -> &'static str {
        match self {
            Self::Dark => "default-dark",
            Self::Light => "default-light",
        }
    }

    /// The built-in theme for a background; the dark one if it is unknown.
    pub(crate) fn theme_for(ground: Option<Self>) -> &'static str {
        ground.unwrap_or(Self::Dark).theme()
    }

    /// Parses `COLORFGBG`: the colours of text and background among the sixteen, `0;15`, `15;default;0`.
    pub(crate) fn of_variable(value: &str) -> Option<Self> {
        match value.rsplit_once(';')?.1.trim().parse::<u8>().ok()? {
            0..=6 | 8 => Some(Self::Dark),
            7 | 9..=15 => Some(Self::Light),
            _ => None,
        }
    }

    /// Parses the answer to OSC 11, `rgb:ffff/ffff/ffff` or `rgba:…/…`: each part has one to four hexadecimal digits.
    pub(crate) fn of_answer(answer: &str) -> Option<Self> {
        let (kind, parts) = answer.split_once(':')?;
        if !matches!(kind, "rgb" | "rgba") {
            return None;
        }
        let part = |digits: &str| {
            let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1)?;
            let value = u32::from_str_radix(digits, 16).ok()?;
            (1..=4).contains(&digits.len()).then(|| f64::from(value) / f64::from(most))
        };
        let parts: Vec<f64> = parts.split('/').take(3).map(part).collect::<Option<_>>()?;
        let [red, green, blue] = parts.try_into().ok()?;
        // The perceived brightness.
        let bright = 0.299 * red + 0.587 * green + 0.114 * blue;
        Some(if bright > 0.5 { Self::Light } else { Self::Dark })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Background::{Dark, Light};

    #[test]
    fn the_variable_has_the_ground_last() {
        let of = Background::of_variable;
        assert_eq!(["0;15", "0;7", "15;default;0", "7;8"].map(of), [Light, Light, Dark, Dark].map(Some));
        assert_eq!(["", "15", "0;default", "0;16", "0;-1"].map(of), [None; 5]);
    }

    #[test]
    fn an_answer_is_as_light_as_its_colour() {
        let of = Background::of_answer;
        let light = ["rgb:ffff/ffff/ffff", "rgb:fd/f6/e3", "rgba:ff/ff/ff/80", "rgb:f/f/f"];
        assert_eq!(light.map(of), [Some(Light); 4]);
        assert_eq!(["rgb:0000/0000/0000", "rgb:0000/2b2b/3636"].map(of), [Some(Dark); 2]);
        let none = ["", "rgb:", "rgb:ff/ff", "rgb:zz/ff/ff", "rgb:fffff/0/0", "cmyk:0/0/0"];
        assert_eq!(none.map(of), [None; 6]);
    }
}
