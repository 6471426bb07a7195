//! Time zones of snapshots, and dates in them.

use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::{Epoch, Snapshot};

/// Returns the zone of an IANA name, an offset such as `+01:00`, `-0500` or `+02`, or a POSIX rule; `None` for an
/// unknown name.
pub fn time_zone(name: &str) -> Option<TimeZone> {
    match name {
        "UTC" | "Z" | "Etc/UTC" => Some(TimeZone::UTC),
        _ => DateTimeParser::new().parse_time_zone(name).ok(),
    }
}

/// Whether a time is within the range of dates, which ends with the year 9999.
pub fn has_date(at: Epoch) -> bool {
    Timestamp::from_second(at.0).is_ok()
}

impl Snapshot {
    /// Returns the zone of its dates; UTC if it is unknown.
    pub fn time_zone(&self) -> TimeZone {
        time_zone(&self.zone).unwrap_or(TimeZone::UTC)
    }

    /// Returns a time as a date in its zone; `None` if it is out of range.
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
