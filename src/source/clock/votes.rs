//! Determines the zone of dates in a jobs dump from clues in its jobs.

use std::ops::ControlFlow;

use super::clue::{OFFSETS, ZoneClue, nearest_offset};
use crate::choice::ChosenFile;
use crate::log::DiagnosticLog;
use crate::memory::{CachedJob, RecordCache};
use crate::record::{DumpKind, Record, RecordBody, RecordSink};
use crate::zone::Zone;
use qscope_engine::cluster::{Epoch, FilePosition, value_of};

/// Number of jobs that settle the zone; small for the dumps of tests.
const ENOUGH_VOTES: usize = if cfg!(test) { 3 } else { 50 };
/// Maximum age in seconds of the newest change on a busy server.
const FRESH: i64 = 300;
const HALF_HOUR: i64 = 1800;
const HOUR: i64 = 3600;

/// Finds the zone of the dates in the jobs dump, from the dump itself and the time it was made.
///
/// `queue_rank` counts microseconds since 1970 and `qtime` is the same moment as a date, so the two give the offset
/// exactly. If the rank is missing because only managers see it, a running job's start and walltime used give the
/// time the dump was made. Otherwise the newest `mtime` must be before that time, and on a server that is not idle
/// just before it.
pub(super) fn zone_of_jobs(
    jobs: &ChosenFile<'_>,
    known: Option<&RecordCache<CachedJob>>,
    created_at: Option<Epoch>,
) -> Option<Zone> {
    let mut voting = ZoneVoting { created_at, known, ..ZoneVoting::default() };
    jobs.read_known(DumpKind::Jobs, &mut DiagnosticLog::default(), &mut voting);
    let ZoneVoting { by_rank, by_run, newest, .. } = voting;
    if let Some(offset) = by_rank.winner() {
        let moment = Epoch(newest.unwrap_or(0) - offset);
        return Zone::ahead(offset, moment, "found from the jobs' queue ranks");
    }
    if let Some(offset) = by_run.winner() {
        return Zone::ahead(offset, created_at?, "found from the running jobs' walltimes");
    }
    offset_by_change(newest?.saturating_sub(created_at?.0), created_at?)
}

/// The votes of a dump's jobs. Jobs known from the last reading are not read again for this.
#[derive(Default)]
struct ZoneVoting<'k> {
    created_at: Option<Epoch>,
    known: Option<&'k RecordCache<CachedJob>>,
    /// Index of the remembered record that is expected next.
    next_record: usize,
    by_rank: Votes,
    by_run: Votes,
    newest: Option<i64>,
}

impl ZoneVoting<'_> {
    fn is_settled(&self) -> bool {
        self.by_rank.count >= ENOUGH_VOTES
    }

    /// Counts the clues of a job, unless earlier jobs settled the zone.
    fn count(&mut self, clue: &ZoneClue) {
        if self.is_settled() {
            return;
        }
        self.by_rank.add(clue.by_rank);
        let ahead = clue.run_until.zip(self.created_at).map(|(until, made)| until.saturating_sub(made.0));
        self.by_run.add(ahead.and_then(nearest_offset));
        self.newest = self.newest.max(clue.changed);
    }
}

impl<'a> RecordSink<'a> for ZoneVoting<'_> {
    fn take(
        &mut self,
        record: &Record<'a>,
        _: Option<RecordBody<'_>>,
        _: &mut DiagnosticLog,
    ) -> ControlFlow<()> {
        self.count(&ZoneClue::of(record));
        let place = self.known.and_then(|known| known.place_from(self.next_record, &record.name));
        self.next_record = place.map_or(self.next_record, |at| at + 1);
        if self.is_settled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn take_unchanged(
        &mut self,
        name: &str,
        _: FilePosition,
        rest: RecordBody<'_>,
        _: &mut DiagnosticLog,
    ) -> Option<usize> {
        let known = self.known.filter(|_| !self.is_settled())?;
        let (at, length, job) = known.peek(self.next_record, name, rest)?;
        self.next_record = at + 1;
        self.count(&job.zone_clue);
        Some(length)
    }

    fn again_run(&mut self, body: RecordBody<'_>, _: &mut DiagnosticLog) -> Option<(usize, usize)> {
        let known = self.known.filter(|_| !self.is_settled())?;
        let (length, jobs) = known.peek_run(self.next_record, body)?;
        let records = jobs.map(|job| self.count(&job.zone_clue)).count();
        self.next_record += records;
        Some((length, records))
    }

    fn knows_most(&self) -> bool {
        self.known.is_some_and(|known| known.len() > 0)
    }
}

/// Returns the zone in which the newest change is before the time the dump was made: within minutes of it for a whole
/// or half hour, else within an hour for a whole hour.
fn offset_by_change(ahead: i64, made: Epoch) -> Option<Zone> {
    if !(-13 * HOUR..=14 * HOUR).contains(&ahead) {
        return None;
    }
    let rounded_up_to = |step: i64| (ahead + step - 1).div_euclid(step) * step;
    let offset = if rounded_up_to(HALF_HOUR) - ahead <= FRESH {
        rounded_up_to(HALF_HOUR)
    } else {
        rounded_up_to(HOUR)
    };
    let source = "guessed from the jobs' newest mtime";
    if OFFSETS.contains(&offset) { Zone::ahead(offset, made, source) } else { None }
}

/// Votes of jobs for offsets.
#[derive(Default)]
struct Votes {
    offsets: Vec<(i64, usize)>,
    count: usize,
}

impl Votes {
    fn add(&mut self, offset: Option<i64>) {
        let Some(offset) = offset else { return };
        self.count += 1;
        *value_of(&mut self.offsets, offset) += 1;
    }

    fn winner(&self) -> Option<i64> {
        self.offsets.iter().max_by_key(|(_, votes)| *votes).map(|(offset, _)| *offset)
    }
}
