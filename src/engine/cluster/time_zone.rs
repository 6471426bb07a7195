//! Time zones by the names that snapshots keep, and moments as dates there.

use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::{Epoch, Snapshot};

/// The zone of an IANA name, of an offset such as `+01:00`, `-0500` or `+02`, or of a POSIX rule; none where none is known
/// knows the name.
pub fn time_zone(name: &str) -> Option<TimeZone> {
    match name {
        "UTC" | "Z" | "Etc/UTC" => Some(TimeZone::UTC),
        _ => DateTimeParser::new().parse_time_zone(name).ok(),
    }
}

/// Whether a moment is one of the calendar, whose last year is 9999.
pub fn has_date(at: Epoch) -> bool {
    Timestamp::from_second(at.0).is_ok()
}

impl Snapshot {
    /// The zone of its dates; UTC where it is unknown.
    pub fn time_zone(&self) -> TimeZone {
        time_zone(&self.zone).unwrap_or(TimeZone::UTC)
    }

    /// A moment as a date in its zone; none out of any calendar.
    pub fn date(&self, at: Epoch) -> Option<Zoned> {
        Some(Timestamp::from_second(at.0).ok()?.to_zoned(self.time_zone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_have_names_offsets_and_rules() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        for (zone, date) in [
            ("UTC", "2025-11-21 04:40"),
            ("Z", "2025-11-21 04:40"),
            ("Nowhere/Land", "2025-11-21 04:40"),
            ("Europe/Berlin", "2025-11-21 05:40"),
            ("+01:00", "2025-11-21 05:40"),
            ("+02", "2025-11-21 06:40"),
            ("-0500", "2025-11-20 23:40"),
            ("+05:53:28", "2025-11-21 10:33"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2025-11-21 05:40"),
            ("EST5EDT", "2025-11-20 23:40"),
        ] {
            snap.zone = zone.to_owned();
            let shown = snap.date(Epoch(1_763_700_000)).map(|at| at.strftime("%Y-%m-%d %H:%M").to_string());
            assert_eq!(shown.as_deref(), Some(date), "{zone}");
        }
        assert_eq!(snap.date(Epoch(i64::MAX)), None);
    }
}
