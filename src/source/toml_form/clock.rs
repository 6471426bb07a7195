//! Parses times as users write them.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::table::TomlTable;
use qscope_engine::cluster::{Epoch, Seconds, has_date};

/// "Now" of a hand-written cluster, and the zone of its dates.
pub(super) struct TomlClock {
    pub(super) now: Epoch,
    pub(super) zone: TimeZone,
}

impl TomlClock {
    /// Returns the time under a key: seconds since 1970, a date and time, or a signed offset from now.
    pub(super) fn moment(&self, table: &mut TomlTable<'_>, key: &'static str) -> Option<Epoch> {
        let expected = "epoch seconds, a date such as \"2026-01-31 12:00\", or a distance from now such as \
                        \"-00:30:00\"";
        table.parse(key, expected, |text| self.read(text.trim()))
    }

    fn read(&self, text: &str) -> Option<Epoch> {
        if let Some(ahead) = text.strip_prefix('+') {
            return Seconds::parse(ahead).map(|span| self.now + span);
        }
        if let Some(ago) = text.strip_prefix('-') {
            return Seconds::parse(ago).map(|span| self.now - span);
        }
        absolute(text, &self.zone)
    }
}

/// Parses a time that does not depend on "now".
pub(super) fn absolute(text: &str, zone: &TimeZone) -> Option<Epoch> {
    if let Ok(seconds) = text.parse::<i64>() {
        // Seconds without a calendar date are not a time.
        return Some(Epoch(seconds)).filter(|at| has_date(*at));
    }
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(Epoch(moment.as_second()));
    }
    let civil = text.parse::<DateTime>().ok()?;
    Some(Epoch(civil.to_zoned(zone.clone()).ok()?.timestamp().as_second()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_moment() {
        let clock = TomlClock { now: Epoch(1_763_700_000), zone: TimeZone::fixed(jiff::tz::offset(1)) };
        let offset = |text| clock.read(text).map(|epoch| epoch.0 - 1_763_700_000);
        assert_eq!(offset("1763700060"), Some(60));
        assert_eq!(offset("+01:00:00"), Some(3600));
        assert_eq!(offset("-90"), Some(-90));
        assert_eq!(offset("2025-11-21 05:40"), Some(0));
        assert_eq!(offset("2025-11-21T05:40:30"), Some(30));
        assert_eq!(offset("2025-11-21T04:40:00Z"), Some(0));
        assert_eq!(offset("soon"), None);
        assert_eq!(offset("9223372036854775807"), None, "no date");
    }
}
