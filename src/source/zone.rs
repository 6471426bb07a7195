//! Parses dates without a zone, given the zone they were written in.

use jiff::civil;
use jiff::tz::{Offset, TimeZone};

use super::whole_number::whole_number;
use qscope_engine::cluster::{Epoch, time_zone};

/// The zone of a dump's dates, and its origin.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    zone: TimeZone,
    /// An IANA name, or an offset.
    pub(crate) name: String,
    /// Origin in words.
    pub(crate) source: String,
}

impl Zone {
    /// Returns the zone with this name, offset or POSIX rule.
    pub(crate) fn named(name: &str, source: &str) -> Option<Self> {
        Some(Self { zone: time_zone(name)?, name: name.to_owned(), source: source.to_owned() })
    }

    /// Returns this machine's zone, or UTC if that is unknown.
    pub(crate) fn local() -> Self {
        let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
        let name = zone.iana_name().map_or_else(|| "local".to_owned(), ToOwned::to_owned);
        Self { zone, name, source: "this machine".to_owned() }
    }

    /// Returns the zone that is `seconds` ahead of UTC at `moment`: this machine's zone if it matches and has changes
    /// of its offset, else a fixed offset.
    pub(crate) fn ahead(seconds: i64, moment: Epoch, source: &str) -> Option<Self> {
        let wanted = Offset::from_seconds(i32::try_from(seconds).ok()?).ok()?;
        let stamp = jiff::Timestamp::from_second(moment.0).ok()?;
        let local = Self::local();
        if local.zone.to_offset(stamp) == wanted && local.zone.following(stamp).next().is_some() {
            return Some(Self { source: source.to_owned(), ..local });
        }
        let name = if seconds == 0 { "UTC".to_owned() } else { wanted.to_string() };
        Some(Self { zone: wanted.to_time_zone(), name, source: source.to_owned() })
    }

    /// The time zone itself.
    pub(crate) fn time_zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Converts a date in this zone to an epoch second.
    pub(crate) fn epoch(&self, date: civil::DateTime) -> Option<Epoch> {
        let stamp = self.zone.to_ambiguous_timestamp(date).compatible().ok()?;
        Some(Epoch(stamp.as_second()))
    }

    /// Parses a date as dumps print it, or an epoch second. `UNKNOWN` and 0 are not dates.
    pub(crate) fn read(&self, text: &str) -> Option<Epoch> {
        let text = text.trim();
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return whole_number(text).filter(|seconds| *seconds > 0).map(Epoch);
        }
        self.epoch(date(text)?)
    }
}

/// Formats a time in the zone of this name: `2026-11-21 02:08:34 +01:00`. Uses UTC if the zone is unknown; a time
/// outside the calendar stays a number.
pub fn civil_time(at: Epoch, zone: &str) -> String {
    let zone = match zone {
        "local" => Zone::local().zone,
        name => time_zone(name).unwrap_or(TimeZone::UTC),
    };
    let stamp = jiff::Timestamp::from_second(at.0);
    stamp.map_or_else(
        |_| at.0.to_string(),
        |at| at.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S %:z").to_string(),
    )
}

/// Abbreviations of months in dates.
pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Parses `Sat Nov 21 02:08:34 2026`, with the day padded by a blank or a zero.
pub(crate) fn date(text: &str) -> Option<civil::DateTime> {
    let mut words = text.split_ascii_whitespace();
    let _weekday = words.next()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let day: i8 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.splitn(3, ':');
    let mut part = || clock.next()?.parse::<i8>().ok();
    let (hour, minute, second) = (part()?, part()?, part()?);
    let year: i16 = words.next()?.parse().ok()?;
    civil::DateTime::new(year, i8::try_from(month).ok()?, day, hour, minute, second.min(59), 0).ok()
}

/// Returns the epoch second of a date taken as UTC.
pub(crate) fn as_if_utc(date: civil::DateTime) -> Option<i64> {
    date.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_both_clients() {
        let utc = Zone::named("UTC", "given").unwrap();
        assert_eq!(utc.read("Sat Nov 21 02:08:34 2026"), Some(Epoch(1_795_226_914)));
        assert_eq!(utc.read("Sun Nov  1 00:00:00 2026"), utc.read("Sun Nov 01 00:00:00 2026"));
        assert_eq!(utc.read("1795226914"), Some(Epoch(1_795_226_914)));
        assert_eq!(utc.read("UNKNOWN"), None);
        assert_eq!(utc.read("0"), None);
    }

    #[test]
    fn zones_by_offset_and_name() {
        let berlin = Zone::named("Europe/Berlin", "given").unwrap();
        let plus = Zone::named("+01:00", "given").unwrap();
        let text = "Sat Nov 21 03:08:34 2026";
        assert_eq!(plus.read(text), Some(Epoch(1_795_226_914)));
        assert_eq!(berlin.read(text), plus.read(text));
        assert!(Zone::named("Nowhere/Land", "given").is_none());
    }

    #[test]
    fn moments_are_written_in_their_zone() {
        assert_eq!(civil_time(Epoch(1_795_226_914), "+01:00"), "2026-11-21 03:08:34 +01:00");
        assert_eq!(civil_time(Epoch(1_795_226_914), "Nowhere"), "2026-11-21 02:08:34 +00:00");
        assert_eq!(civil_time(Epoch(i64::MAX), "UTC"), i64::MAX.to_string());
    }

    #[test]
    fn an_offset_alone_is_a_zone() {
        let zone = Zone::ahead(20_700, Epoch(1_795_226_914), "found").unwrap();
        assert_eq!(zone.read("Sat Nov 21 07:53:34 2026"), Some(Epoch(1_795_226_914)));
    }
}
