//! Spans of time as people write them: `30m`, `1h30m`, `90`, `01:30:00`.

use qscope_engine::cluster::Seconds;

/// Seconds in a span: a number of seconds, `HH:MM:SS`, or numbers with s, m, h, d.
///
/// # Errors
/// What was expected, in words.
pub fn parse(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a time such as 30m, 1h30m, 90 or 01:30:00");
    let text = text.trim();
    if text.contains(':') {
        let seconds = Seconds::parse(text).filter(|s| s.0 >= 0).ok_or_else(wrong)?;
        return Ok(seconds.0 as f64);
    }
    if let Ok(seconds) = text.parse::<f64>() {
        return if seconds.is_finite() && seconds >= 0.0 { Ok(seconds) } else { Err(wrong()) };
    }
    let mut total = 0.0;
    let mut digits = String::new();
    for letter in text.chars() {
        let scale = match letter {
            '0'..='9' | '.' => {
                digits.push(letter);
                continue;
            }
            's' => 1.0,
            'm' => 60.0,
            'h' => 3600.0,
            'd' => 86_400.0,
            _ => return Err(wrong()),
        };
        let number: f64 = digits.parse().map_err(|_| wrong())?;
        total += number * scale;
        digits.clear();
    }
    if digits.is_empty() && !text.is_empty() { Ok(total) } else { Err(wrong()) }
}

/// A span in two units at most: `45s`, `30m`, `1h30m`, `2d4h`.
#[must_use]
pub fn show(seconds: f64) -> String {
    if seconds > 0.0 && seconds < 1.0 {
        return "<1s".to_owned();
    }
    let s = seconds.round().clamp(0.0, 1e15) as u64;
    let two =
        |a: u64, x: &str, b: u64, y: &str| if b == 0 { format!("{a}{x}") } else { format!("{a}{x}{b}{y}") };
    match s {
        0..=59 => format!("{s}s"),
        60..=3_599 => two(s / 60, "m", s % 60, "s"),
        3_600..=86_399 => two(s / 3_600, "h", s % 3_600 / 60, "m"),
        _ => two(s / 86_400, "d", s % 86_400 / 3_600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_in_every_form() {
        for (text, seconds) in [
            ("30m", 1800.0),
            ("1h30m", 5400.0),
            ("90", 90.0),
            ("01:30:00", 5400.0),
            ("2d", 172_800.0),
            ("0", 0.0),
        ] {
            assert_eq!(parse(text), Ok(seconds), "{text}");
        }
        for text in ["", "m", "30x", "-5", "inf", "1h30", "NaN"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_are_shown_in_two_units() {
        assert_eq!(show(1800.0), "30m");
        assert_eq!(show(5430.0), "1h30m");
        assert_eq!(show(86_400.0 * 2.0 + 4.0 * 3600.0), "2d4h");
        assert_eq!(show(0.4), "<1s");
    }
}
