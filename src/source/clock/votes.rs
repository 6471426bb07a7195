//! Which zone the dates of a jobs dump are in, by what its jobs show.

use std::ops::ControlFlow;

use super::whole_number;
use crate::choice::Chosen;
use crate::log::Log;
use crate::memory::{JobRead, Remembered};
use crate::record::{Body, DumpKind, Record, Take};
use crate::zone::{Zone, as_if_utc, date};
use qscope_engine::cluster::{Epoch, Seconds, Spot};

/// So many jobs settle the zone. The tests' dumps are small.
const ENOUGH_VOTES: usize = if cfg!(test) { 3 } else { 50 };
/// A rank and a date of one job are never further apart than this.
const SAME_MOMENT: u64 = 90;
/// The newest change of a busy server is no older than this.
const FRESH: i64 = 300;
/// Zones differ by quarters of an hour.
const QUARTER: i64 = 900;
const HALF_HOUR: i64 = 1800;
const HOUR: i64 = 3600;
/// No zone is further from UTC.
const OFFSETS: std::ops::RangeInclusive<i64> = -12 * 3600..=14 * 3600;

/// Finds the zone of the dates in the jobs dump, from the dump itself and the moment it was made.
///
/// `queue_rank` counts microseconds since 1970 and `qtime` is the same moment as a date, so the two give the
/// offset exactly. Where only managers would see the rank, a running job's start and walltime used lead to
/// the moment the dump was made. Else the newest `mtime` must lie before that moment, and on a server that
/// is not idle just before it.
pub(super) fn zone_of_jobs(
    jobs: &Chosen<'_>,
    known: Option<&Remembered<JobRead>>,
    made: Option<Epoch>,
) -> Option<Zone> {
    let mut voting = Voting { made, known, ..Voting::default() };
    jobs.read_known(DumpKind::Jobs, &mut Log::default(), &mut voting);
    let Voting { by_rank, by_run, newest, .. } = voting;
    if let Some(offset) = by_rank.winner() {
        let moment = Epoch(newest.unwrap_or(0) - offset);
        return Zone::ahead(offset, moment, "found from the jobs' queue ranks");
    }
    if let Some(offset) = by_run.winner() {
        return Zone::ahead(offset, made?, "found from the running jobs' walltimes");
    }
    offset_by_change(newest?.saturating_sub(made?.0), made?)
}

/// The votes of a dump's jobs. Those that the last reading met are not read for it again.
#[derive(Default)]
struct Voting<'k> {
    made: Option<Epoch>,
    known: Option<&'k Remembered<JobRead>>,
    /// The remembered record that is expected next.
    next: usize,
    by_rank: Votes,
    by_run: Votes,
    newest: Option<i64>,
}

impl Voting<'_> {
    fn is_settled(&self) -> bool {
        self.by_rank.count >= ENOUGH_VOTES
    }

    /// Counts what a job shows, unless those before it settled the zone.
    fn count(&mut self, clue: &Clue) {
        if self.is_settled() {
            return;
        }
        self.by_rank.add(clue.by_rank);
        let ahead = clue.run_until.zip(self.made).map(|(until, made)| until.saturating_sub(made.0));
        self.by_run.add(ahead.and_then(nearest_offset));
        self.newest = self.newest.max(clue.changed);
    }
}

impl<'a> Take<'a> for Voting<'_> {
    fn take(&mut self, record: &Record<'a>, _: Option<Body<'_>>, _: &mut Log) -> ControlFlow<()> {
        self.count(&Clue::of(record));
        let place = self.known.and_then(|known| known.place_from(self.next, &record.name));
        self.next = place.map_or(self.next, |at| at + 1);
        if self.is_settled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn again(&mut self, name: &str, _: Spot, rest: Body<'_>, _: &mut Log) -> Option<usize> {
        let known = self.known.filter(|_| !self.is_settled())?;
        let (at, length, job) = known.peek(self.next, name, rest)?;
        self.next = at + 1;
        self.count(&job.clue);
        Some(length)
    }

    fn again_run(&mut self, rest: Body<'_>, _: &mut Log) -> Option<(usize, usize)> {
        let known = self.known.filter(|_| !self.is_settled())?;
        let (length, jobs) = known.peek_run(self.next, rest)?;
        let records = jobs.map(|job| self.count(&job.clue)).count();
        self.next += records;
        Some((length, records))
    }

    fn knows_most(&self) -> bool {
        self.known.is_some_and(|known| known.len() > 0)
    }
}

/// What a job's record shows of the zone.
#[derive(Clone, Default)]
pub(crate) struct Clue {
    /// How far ahead of UTC its `qtime` is written.
    by_rank: Option<i64>,
    /// Its start and the walltime that it has used, as if they were UTC: the moment of the dump, where it runs.
    run_until: Option<i64>,
    /// Its `mtime`, as if it were UTC.
    changed: Option<i64>,
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

/// The zone in which the newest change lies before the moment the dump was made: within minutes of it for
/// a whole or half hour, or else within the hour for a whole one.
fn offset_by_change(ahead: i64, made: Epoch) -> Option<Zone> {
    if !(-13 * HOUR..=14 * HOUR).contains(&ahead) {
        return None;
    }
    let next = |step: i64| (ahead + step - 1).div_euclid(step) * step;
    let offset = if next(HALF_HOUR) - ahead <= FRESH { next(HALF_HOUR) } else { next(HOUR) };
    let source = "guessed from the jobs' newest mtime";
    if OFFSETS.contains(&offset) { Zone::ahead(offset, made, source) } else { None }
}

/// Offsets that jobs speak for.
#[derive(Default)]
struct Votes {
    offsets: Vec<(i64, usize)>,
    count: usize,
}

impl Votes {
    fn add(&mut self, offset: Option<i64>) {
        let Some(offset) = offset else { return };
        self.count += 1;
        match self.offsets.iter_mut().find(|(have, _)| *have == offset) {
            Some((_, votes)) => *votes += 1,
            None => self.offsets.push((offset, 1)),
        }
    }

    fn winner(&self) -> Option<i64> {
        self.offsets.iter().max_by_key(|(_, votes)| *votes).map(|(offset, _)| *offset)
    }
}

/// A date of the record as if it were UTC.
fn written(record: &Record<'_>, name: &str) -> Option<i64> {
    as_if_utc(date(record.value(name)?)?)
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

/// The offset that a difference of two clocks must mean, if it is near one.
fn nearest_offset(ahead: i64) -> Option<i64> {
    let offset = ahead.saturating_add(QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    (ahead.abs_diff(offset) <= SAME_MOMENT && OFFSETS.contains(&offset)).then_some(offset)
}
