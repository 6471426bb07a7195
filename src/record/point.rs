//! A snapshot of a recording as command lines specify it.

use std::path::{Path, PathBuf};

use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use qscope_engine::cluster::{Epoch, time_zone};
use qscope_source::Files;

use super::{RecordError, Recording, RecordingReader, SnapshotEntry, is_recording};

/// Specifies a snapshot of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SnapshotSelector {
    #[default]
    Last,
    First,
    /// The snapshot with this number.
    Number(u64),
    /// The last snapshot at or before this time.
    At(Epoch),
}

impl std::fmt::Display for SnapshotSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Last => f.write_str("the last snapshot"),
            Self::First => f.write_str("the first snapshot"),
            Self::Number(number) => write!(f, "snapshot #{number}"),
            Self::At(at) => f.write_str(&qscope_source::civil_time(*at, "local")),
        }
    }
}

impl SnapshotSelector {
    /// Parses `first`, `last`, `#12`, seconds since 1970, or a date and time such as `2026-11-21T14:05`, also with an
    /// offset as answers print it; only a date needs the zone.
    pub fn parse(text: &str, zone: impl FnOnce() -> TimeZone) -> Option<Self> {
        let text = text.trim();
        match text {
            "first" => return Some(Self::First),
            "last" => return Some(Self::Last),
            _ => {}
        }
        if let Some(number) = text.strip_prefix('#') {
            return number.parse().ok().map(Self::Number);
        }
        moment(text, zone).map(Self::At)
    }
}

/// Parses seconds since 1970, or a date and time.
pub fn moment(text: &str, zone: impl FnOnce() -> TimeZone) -> Option<Epoch> {
    text.parse().ok().map(Epoch).or_else(|| dated(text, zone))
}

/// Parses a date and time, such as `2026-11-21T14:05` or `2026-11-21 14:05:31`, by the clock of a zone; or, for times that
/// this clock shows twice, by the offset behind them: `2026-11-21 14:05:31 +01:00`, or `Z`.
pub fn dated(text: &str, zone: impl FnOnce() -> TimeZone) -> Option<Epoch> {
    // The date has hyphens too.
    let sign = text.get(DATE..)?.find(['+', '-', 'Z']).map_or(text.len(), |at| DATE + at);
    let (civil, offset) = text.split_at_checked(sign)?;
    let forms = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    let civil = forms.iter().find_map(|form| DateTime::strptime(form, civil.trim_end()).ok())?;
    let zone = match offset {
        "" => zone(),
        "Z" => TimeZone::UTC,
        offset => {
            let forms = ["%:z", "%z"];
            forms.iter().find_map(|form| strtime::parse(form, offset).ok()?.offset())?.to_time_zone()
        }
    };
    Some(Epoch(civil.to_zoned(zone).ok()?.timestamp().as_second()))
}

/// Length of a date.
const DATE: usize = "2026-11-21".len();

/// Parses a recording and a snapshot of it: `DIR` or `DIR@TIME`, with dates in the zone of this name, else in that of the
/// recording; `None` if the path is not a recording.
///
/// # Errors
/// The path names a recording, but no time.
pub fn parse_recording_path(
    path: &Path,
    zone: Option<&str>,
) -> Result<Option<(PathBuf, SnapshotSelector)>, RecordError> {
    if path.exists() {
        return Ok(is_recording(path).then(|| (path.to_owned(), SnapshotSelector::Last)));
    }
    let Some((folder, text)) = path.to_str().and_then(|path| path.rsplit_once('@')) else { return Ok(None) };
    let folder = PathBuf::from(folder);
    if !is_recording(&folder) {
        return Ok(None);
    }
    // A recording that cannot be opened is reported when it is read.
    let of_dumps = || Recording::open(&folder).map_or_else(|_| "local".to_owned(), |all| all.zone());
    match SnapshotSelector::parse(text, || zone_named(&zone.map_or_else(of_dumps, str::to_owned))) {
        Some(point) => Ok(Some((folder, point))),
        None => Err(invalid_time_error(&Recording::open(&folder)?, text, zone)),
    }
}

/// Returns the error for a text that is no time.
fn invalid_time_error(recording: &Recording, text: &str, zone: Option<&str>) -> RecordError {
    let at = |entry: Option<&SnapshotEntry>| entry.map_or(Epoch(0), |moment| moment.at);
    let moments = recording.moments();
    RecordError::NoTime {
        folder: recording.folder().to_owned(),
        text: text.to_owned(),
        first: at(moments.first()),
        last: at(moments.last()),
        zone: recording.zone_or(zone),
    }
}

/// Returns the zone of a name, or that of this machine.
pub fn zone_named(name: &str) -> TimeZone {
    time_zone(name).unwrap_or_else(TimeZone::system)
}

impl Recording {
    /// Returns the files of a snapshot.
    ///
    /// # Errors
    /// As [`Recording::at`]; also, there is no snapshot with the number.
    pub fn files_at(&self, point: SnapshotSelector) -> Result<(SnapshotEntry, Files), RecordError> {
        let none = || RecordError::NoRecording(self.folder().to_owned());
        match point {
            SnapshotSelector::At(at) => self.at(at),
            SnapshotSelector::Last => {
                self.at(self.moments().iter().map(|one| one.at).max().ok_or_else(none)?)
            }
            SnapshotSelector::First => self.nth(0),
            SnapshotSelector::Number(number) => {
                let nth = self.moments().iter().position(|one| one.number == number);
                self.nth(
                    nth.ok_or_else(|| RecordError::NoNumber { folder: self.folder().to_owned(), number })?,
                )
            }
        }
    }

    fn nth(&self, nth: usize) -> Result<(SnapshotEntry, Files), RecordError> {
        let (moment, shot) = RecordingReader::new(self).last_files(nth)?;
        Ok((moment, shot.into_files(&self.title())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_numbers_dates_and_seconds() {
        let parse = |text: &str| SnapshotSelector::parse(text, || TimeZone::UTC);
        assert_eq!(parse("last"), Some(SnapshotSelector::Last));
        assert_eq!(parse("#12"), Some(SnapshotSelector::Number(12)));
        assert_eq!(parse("1763700000"), Some(SnapshotSelector::At(Epoch(1_763_700_000))));
        assert_eq!(parse("2025-11-21T04:40"), Some(SnapshotSelector::At(Epoch(1_763_700_000))));
        assert_eq!(parse("2025-11-21 04:40:01"), Some(SnapshotSelector::At(Epoch(1_763_700_001))));
        for offset in [" +01:00", "+01:00", "+0100"] {
            assert_eq!(
                parse(&format!("2025-11-21 05:40:00{offset}")),
                Some(SnapshotSelector::At(Epoch(1_763_700_000)))
            );
        }
        assert_eq!(parse("2025-11-21T04:40Z"), Some(SnapshotSelector::At(Epoch(1_763_700_000))));
        for wrong in ["yesterday", "2025-11-21 04:40 +", "2025-11-21 04:40 soon", "2025-11-21Z", "é"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        let berlin = || zone_named("Europe/Berlin");
        let twice = ["2025-10-26 02:30", "2025-10-26 02:30 +02:00", "2025-10-26 02:30 +01:00"];
        let found = twice.map(|text| dated(text, berlin));
        assert_eq!(found, [1_761_438_600, 1_761_438_600, 1_761_442_200].map(|at| Some(Epoch(at))));
        assert_eq!(parse_recording_path(Path::new("/nowhere/rec@last"), None).unwrap(), None);
    }
}
