//! Durations as users read and write them; raw attributes keep `HH:MM:SS` (see [`Seconds`]).

use super::Seconds;

/// Parses a duration into seconds: `90`, `45s`, `1h30m`, `9m54s`, `1h39`, `1d04h`, `500ms`, `01:30:00`, `1:00`.
///
/// A number after the last unit counts in the next smaller unit; blanks between the parts are ignored.
pub fn parse_duration(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.contains(':') {
        return Seconds::parse(text).filter(|length| length.0 >= 0).map(|length| length.0 as f64);
    }
    if text.is_empty() || text.starts_with(|first: char| !first.is_ascii_digit() && first != '.') {
        return None;
    }
    let (mut total, mut unitless, mut rest) = (0.0, 1.0, text);
    while !rest.is_empty() {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number: f64 = rest.get(..rest.len() - digits.len())?.parse().ok()?;
        let tail = digits.trim_start().trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let unit = digits.get(..digits.len() - tail.len())?.trim();
        let (scale, next) = match unit {
            "" => (unitless, 0.0),
            "ms" => (0.001, 0.0),
            "s" => (1.0, 0.001),
            "m" | "min" => (60.0, 1.0),
            "h" => (3600.0, 60.0),
            "d" => (86_400.0, 3600.0),
            _ => return None,
        };
        total += number * scale;
        unitless = next;
        rest = tail.trim_start();
    }
    Some(total).filter(|total| *total < 1e15)
}

/// Formats a duration in at most two units: `5s`, `9m54s` below ten minutes, `39m`, `1h00`, `1d04h`.
pub fn show_duration(seconds: f64) -> String {
    if seconds > 0.0 && seconds < 1.0 {
        return "<1s".to_owned();
    }
    let whole = seconds.round().clamp(0.0, 1e15) as u64;
    match (whole, whole % 60) {
        (..60, _) => format!("{whole}s"),
        (..600, seconds @ 1..) => format!("{}m{seconds:02}s", whole / 60),
        (..3600, _) => format!("{}m", whole / 60),
        (..86_400, _) => format!("{}h{:02}", whole / 3600, whole / 60 % 60),
        _ => format!("{}d{:02}h", whole / 86_400, whole / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        for (text, seconds) in [
            ("0", 0.0),
            ("90", 90.0),
            ("1.5", 1.5),
            ("500ms", 0.5),
            ("5s", 5.0),
            ("9m54s", 594.0),
            ("39m", 2340.0),
            ("12 min", 720.0),
            ("1h30m", 5400.0),
            ("1h 30m", 5400.0),
            ("1h39", 5940.0),
            ("1.5h", 5400.0),
            ("2d", 172_800.0),
            ("1d04h", 100_800.0),
            ("1d04", 100_800.0),
            ("01:30:00", 5400.0),
            ("1:00", 60.0),
        ] {
            assert_eq!(parse_duration(text), Some(seconds), "{text}");
        }
        for text in ["", "m", "30x", "-5", "inf", "NaN", "1h-3", "-1:00", "9e99d", "1..5s", "1h 30 x"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for (seconds, text) in [
            (0.4, "<1s"),
            (5.0, "5s"),
            (60.0, "1m"),
            (594.0, "9m54s"),
            (2399.0, "39m"),
            (3600.0, "1h00"),
            (5959.0, "1h39"),
            (100_900.0, "1d04h"),
        ] {
            assert_eq!(show_duration(seconds), text);
            assert!(
                seconds < 1.0 || parse_duration(text).is_some_and(|back| (back - seconds).abs() <= 3600.0)
            );
        }
    }
}
