//! Clues in a job's record about the zone of dates.

use std::ops::RangeInclusive;

use qscope_engine::cluster::Seconds;

use crate::record::Record;
use crate::whole_number::whole_number;
use crate::zone::{as_if_utc, date};

/// Maximum difference between the rank and the date of a job, in seconds.
const SAME_MOMENT: u64 = 90;
/// Zones differ by multiples of a quarter of an hour, in seconds.
const QUARTER: i64 = 900;
/// Range of offsets from UTC, in seconds.
pub(super) const OFFSETS: RangeInclusive<i64> = -12 * 3600..=14 * 3600;

/// Clues in a job's record about the zone.
#[derive(Clone, Default)]
pub(crate) struct ZoneClue {
    /// Offset of its `qtime` from UTC, in seconds.
    pub(super) by_rank: Option<i64>,
    /// Its start plus the walltime used, as if in UTC; for a running job, this is the time of the dump.
    pub(super) run_until: Option<i64>,
    /// Its `mtime`, as if in UTC.
    pub(super) changed: Option<i64>,
}

impl ZoneClue {
    pub(crate) fn of(record: &Record<'_>) -> Self {
        Self {
            by_rank: offset_by_rank(record),
            run_until: run_until(record),
            changed: written(record, "mtime"),
        }
    }
}

/// Returns the offset of a job's `qtime` from UTC, in seconds.
fn offset_by_rank(record: &Record<'_>) -> Option<i64> {
    let rank = whole_number(record.value("queue_rank")?)?;
    nearest_offset(written(record, "qtime")?.saturating_sub(rank.div_euclid(1_000_000)))
}

/// Returns the sum of a running job's start and walltime used, as if in UTC.
fn run_until(record: &Record<'_>) -> Option<i64> {
    if record.value("job_state") != Some("R") {
        return None;
    }
    let used = record.attributes.iter().find(|attribute| {
        attribute.name == "resources_used" && attribute.resource.as_deref() == Some("walltime")
    })?;
    let used = Seconds::parse(&used.value)?;
    written(record, "stime")?.checked_add(used.0)
}

/// Returns a date of the record as if it were in UTC.
fn written(record: &Record<'_>, name: &str) -> Option<i64> {
    as_if_utc(date(record.value(name)?)?)
}

/// Returns the zone offset nearest to a difference of two clocks, if it is close enough to one.
pub(super) fn nearest_offset(ahead: i64) -> Option<i64> {
    let offset = ahead.saturating_add(QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    (ahead.abs_diff(offset) <= SAME_MOMENT && OFFSETS.contains(&offset)).then_some(offset)
}
