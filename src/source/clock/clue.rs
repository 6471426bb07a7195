//! What a job's record shows of the zone that dates are in.

use std::ops::RangeInclusive;

use qscope_engine::cluster::Seconds;

use crate::record::Record;
use crate::whole_number::whole_number;
use crate::zone::{as_if_utc, date};

/// A rank and a date of one job are never further apart than this.
const SAME_MOMENT: u64 = 90;
/// Zones differ by quarters of an hour.
const QUARTER: i64 = 900;
/// No zone is further from UTC.
pub(super) const OFFSETS: RangeInclusive<i64> = -12 * 3600..=14 * 3600;

/// What a job's record shows of the zone.
#[derive(Clone, Default)]
pub(crate) struct Clue {
    /// How far ahead of UTC its `qtime` is written.
    pub(super) by_rank: Option<i64>,
    /// Its start and the walltime that it has used, as if they were UTC: the moment of the dump, where it runs.
    pub(super) run_until: Option<i64>,
    /// Its `mtime`, as if it were UTC.
    pub(super) changed: Option<i64>,
}

impl Clue {
    pub(crate) fn of(record: &Record<'_>) -> Self {
        Self {
            by_rank: offset_by_rank(record),
            run_until: run_until(record),
            changed: written(record, "mtime"),
        }
    }
}

/// How far ahead of UTC a job's `qtime` is written.
fn offset_by_rank(record: &Record<'_>) -> Option<i64> {
    let rank = whole_number(record.value("queue_rank")?)?;
    nearest_offset(written(record, "qtime")?.saturating_sub(rank.div_euclid(1_000_000)))
}

/// What a running job's start and walltime used add up to, as if they were UTC.
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

/// A date of the record as if it were UTC.
fn written(record: &Record<'_>, name: &str) -> Option<i64> {
    as_if_utc(date(record.value(name)?)?)
}

/// The offset that a difference of two clocks must mean, if it is near one.
pub(super) fn nearest_offset(ahead: i64) -> Option<i64> {
    let offset = ahead.saturating_add(QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    (ahead.abs_diff(offset) <= SAME_MOMENT && OFFSETS.contains(&offset)).then_some(offset)
}
