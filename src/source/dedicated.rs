//! Reads the file `dedicated_time`: spans that only dedicated queues may use (rules 1.11, 6.7).
//!
//! A line is `MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM`, in the scheduler's own time zone.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use qscope_engine::cluster::{DedicatedSlot, Diagnostic, Epoch, FilePosition, Severity};

/// Reads the whole file; slots are returned in order of time, each with the number of its line. Bad lines are reported
/// and left out.
pub fn read(
    text: &[u8],
    file: &str,
    zone: &TimeZone,
    out: &mut Vec<Diagnostic>,
) -> Vec<(DedicatedSlot, usize)> {
    let text = String::from_utf8_lossy(text);
    let mut slots: Vec<(DedicatedSlot, usize)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '*']) {
            continue;
        }
        match read_line(line, zone) {
            Ok(slot) => slots.push((slot, at + 1)),
            Err(message) => {
                let spot = FilePosition::Line(at + 1);
                out.push(Diagnostic::new(Severity::Error, "dedicated-line", file, spot, message));
            }
        }
    }
    slots.sort_by_key(|(slot, line)| (slot.from, slot.to, *line));
    slots
}

fn read_line(line: &str, zone: &TimeZone) -> Result<DedicatedSlot, String> {
    let mut words = line.split_whitespace();
    let mut moment = || {
        let (date, time) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        read_moment(date, time, zone)
            .ok_or_else(|| format!("`{date} {time}` is not a moment; expected MM/DD/YYYY HH:MM, twice"))
    };
    let (from, to) = (moment()?, moment()?);
    if to <= from {
        return Err(format!("the slot `{line}` ends before it starts"));
    }
    Ok(DedicatedSlot { from, to })
}

fn read_moment(date: &str, time: &str, zone: &TimeZone) -> Option<Epoch> {
    let mut date = date.split('/');
    let mut time = time.split(':');
    let (month, day, year) = (date.next()?, date.next()?, date.next()?);
    let (hour, minute) = (time.next()?, time.next()?);
    // A year of two digits would be one of the first century.
    if date.next().is_some() || time.next().is_some() || year.len() != 4 {
        return None;
    }
    let civil = DateTime::new(
        year.parse().ok()?,
        month.parse().ok()?,
        day.parse().ok()?,
        hour.parse().ok()?,
        minute.parse().ok()?,
        0,
        0,
    );
    let zoned = civil.ok()?.to_zoned(zone.clone()).ok()?;
    Some(Epoch(zoned.timestamp().as_second()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_sorted_and_in_their_zone() {
        let mut reported = Vec::new();
        let text = "# comment\n11/22/2025 04:00 11/22/2025 06:40\n11/21/2025 5:00 11/21/2025 06:00\n";
        let slots = read(text.as_bytes(), "dedicated_time", &TimeZone::UTC, &mut reported);
        assert_eq!(reported, []);
        assert_eq!(slots[0], (DedicatedSlot { from: Epoch(1_763_701_200), to: Epoch(1_763_704_800) }, 3));
        assert_eq!(slots.len(), 2);
        let east = TimeZone::fixed(jiff::tz::offset(2));
        let slots = read(text.as_bytes(), "dedicated_time", &east, &mut reported);
        assert_eq!(slots[0].0.from, Epoch(1_763_701_200 - 7200));
    }

    #[test]
    fn bad_lines_are_named_and_left_out() {
        let mut reported = Vec::new();
        let text = "13/01/2025 00:00 12/01/2025 00:00\n\n11/21/2025 06:00 11/21/2025 05:00\n11/21/2025 06:00\n11/21/25 06:00 11/21/25 07:00\n";
        assert_eq!(read(text.as_bytes(), "dedicated_time", &TimeZone::UTC, &mut reported), []);
        let reported: Vec<String> = reported.iter().map(ToString::to_string).collect();
        assert_eq!(
            reported[0],
            "dedicated_time:1: `13/01/2025 00:00` is not a moment; expected MM/DD/YYYY HH:MM, twice"
        );
        assert!(reported[1].contains("ends before it starts"));
        assert!(reported[2].contains("expected MM/DD/YYYY HH:MM, twice"));
        assert!(reported[3].contains("`11/21/25 06:00` is not a moment"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[0-9/: \n]{0,60}") {
            read(text.as_bytes(), "dedicated_time", &TimeZone::UTC, &mut Vec::new());
        }
    }
}
