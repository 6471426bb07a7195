//! Which moment "now" is, and which zone dates are in.

use std::ops::ControlFlow;

use super::assemble::LoadOptions;
use super::choice::Chosen;
use super::files::Files;
use super::hand_written;
use super::log::Log;
use super::record::{DumpKind, Record};
use super::zone::{Zone, as_if_utc, date};
use qscope_engine::cluster::{Epoch, Seconds, Spot};

/// So many jobs that agree settle the zone.
const ENOUGH_VOTES: usize = 50;
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

/// The zone of dates: given, else in `policy.toml`, else found from the jobs, else this machine's.
pub(crate) fn zone(
    files: &Files,
    options: &LoadOptions,
    jobs: Option<&Chosen<'_>>,
    made: Option<Epoch>,
    log: &mut Log,
) -> Zone {
    let given = options.zone.clone().map(|name| (name, "given"));
    let given = given.or_else(|| hand_written::zone(files).map(|name| (name, "policy.toml")));
    let given =
        given.or_else(|| files.gathered().zone.clone().map(|name| (name, "the archive's name and ctime")));
    if let Some((name, source)) = given {
        if let Some(zone) = Zone::named(&name, source) {
            return zone;
        }
        log.in_file(if source == "given" { "" } else { source });
        log.error("zone", Spot::File, || hand_written::not_a_zone(&name));
    }
    let zone = jobs.and_then(|jobs| zone_of_jobs(jobs, jobs.timestamp.or(made))).unwrap_or_else(Zone::local);
    if let (Some(jobs), true) = (jobs, !zone.source.starts_with("found")) {
        log.in_file(jobs.name);
        log.note("zone-guessed", Spot::File, || {
            format!("dates are taken to be in zone {} ({}); --tz states otherwise", zone.name, zone.source)
        });
    }
    zone
}

/// Finds the zone of the dates in the jobs dump, from the dump itself and the moment it was made.
///
/// `queue_rank` counts microseconds since 1970 and `qtime` is the same moment as a date, so the two give the
/// offset exactly. Where only managers would see the rank, a running job's start and walltime used lead to
/// the moment the dump was made. Else the newest `mtime` must lie before that moment, and on a server that
/// is not idle just before it.
fn zone_of_jobs(jobs: &Chosen<'_>, made: Option<Epoch>) -> Option<Zone> {
    let mut by_rank = Votes::default();
    let mut by_run = Votes::default();
    let mut newest: Option<i64> = None;
    jobs.read(DumpKind::Jobs, &mut Log::default(), &mut |record, _| {
        by_rank.add(offset_by_rank(record));
        by_run.add(made.and_then(|made| offset_by_run(record, made)));
        newest = newest.max(written(record, "mtime"));
        if by_rank.count >= ENOUGH_VOTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(offset) = by_rank.winner() {
        let moment = Epoch(newest.unwrap_or(0) - offset);
        return Zone::ahead(offset, moment, "found from the jobs' queue ranks");
    }
    if let Some(offset) = by_run.winner() {
        return Zone::ahead(offset, made?, "found from the running jobs' walltimes");
    }
    offset_by_change(newest?.saturating_sub(made?.0), made?)
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

/// How far ahead of UTC a running job's `stime` is written: start and walltime used make the moment.
fn offset_by_run(record: &Record<'_>, made: Epoch) -> Option<i64> {
    if record.value("job_state") != Some("R") {
        return None;
    }
    let used = record.attributes.iter().find(|attribute| {
        attribute.name == "resources_used" && attribute.resource.as_deref() == Some("walltime")
    })?;
    let used = Seconds::parse(&used.value)?;
    nearest_offset(written(record, "stime")?.checked_add(used.0)?.saturating_sub(made.0))
}

/// The offset that a difference of two clocks must mean, if it is near one.
fn nearest_offset(ahead: i64) -> Option<i64> {
    let offset = ahead.saturating_add(QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    (ahead.abs_diff(offset) <= SAME_MOMENT && OFFSETS.contains(&offset)).then_some(offset)
}

/// Reads a whole number from its text, `1.79522624380975e+15` included.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse().ok().or_else(|| text.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n as i64))
}

/// Where "now" was taken from, of files that a simulation wrote.
pub const SIMULATION: &str = "a simulation";

/// What a file `now` states: one epoch second, and where that is from; a simulation adds its word.
pub(crate) fn now_in(file: &[u8]) -> Option<(Epoch, String)> {
    let text = std::str::from_utf8(file).ok()?.trim();
    let (second, source) = match text.strip_suffix("simulated") {
        Some(second) => (second, SIMULATION),
        None => (text, "file now"),
    };
    Some((Epoch(whole_number(second)?), source.to_owned()))
}

/// "Now", and where it was taken from: the option, else the file `now`, else the time the jobs dump or
/// another one was made, else the time the jobs file was written.
pub(crate) fn now(
    option: Option<Epoch>,
    file: Option<&[u8]>,
    stamps: &[(&str, Option<Epoch>)],
    gathered: Option<&(Epoch, String)>,
    modified: Option<(&str, Epoch)>,
    log: &mut Log,
) -> (Epoch, String) {
    if let Some(now) = option {
        return (now, "given".to_owned());
    }
    if let Some(bytes) = file {
        match now_in(bytes) {
            Some(found) => return found,
            None => {
                log.in_file("now");
                log.warn("now-unreadable", Spot::File, || "expected one epoch second; left aside".to_owned());
            }
        }
    }
    if let Some((file, now)) = stamps.iter().find_map(|(file, stamp)| stamp.map(|s| (*file, s))) {
        return (now, format!("timestamp of {file}"));
    }
    if let Some((now, source)) = gathered {
        return (*now, source.clone());
    }
    if let Some((file, now)) = modified {
        log.in_file(file);
        log.warn("now-by-mtime", Spot::File, || {
            "no time inside the dumps; using the file's mtime".to_owned()
        });
        return (now, format!("time {file} was written"));
    }
    log.in_file("now");
    log.warn("now-unknown", Spot::File, || "no time in any file; using 1970".to_owned());
    (Epoch(0), "nothing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;

    #[test]
    fn ranks_are_read_from_their_text() {
        assert_eq!(whole_number("1.79522624380975e+15"), Some(1_795_226_243_809_750));
        assert_eq!(whole_number("1795226914615191"), Some(1_795_226_914_615_191));
        assert_eq!(whole_number("x"), None);
    }

    fn found(text: &str, made: i64) -> Option<String> {
        let jobs = Chosen {
            name: "jobs.txt",
            bytes: text.as_bytes(),
            form: qscope_engine::cluster::FileForm::Text,
            timestamp: None,
            modified: None,
            bounds: Bounds::default(),
            reader: crate::reader::Reader::ByContent,
        };
        zone_of_jobs(&jobs, Some(Epoch(made))).map(|zone| zone.name)
    }

    #[test]
    fn the_zone_is_found_from_ranks_runs_or_changes() {
        let ranked = "Job Id: 1\n    queue_rank = 1.795226914615e+15\n    qtime = Sat Nov 21 07:53:34 2026\n";
        assert_eq!(found(ranked, 0).as_deref(), Some("+05:45"));
        let running = "Job Id: 1\n    job_state = R\n    stime = Sat Nov 21 07:43:34 2026\n    resources_used.walltime = 00:10:20\n";
        assert_eq!(found(running, 1_795_226_950).as_deref(), Some("+05:45"));
        let changed = "Job Id: 1\n    mtime = Sat Nov 21 07:38:34 2026\n";
        assert_eq!(found(changed, 1_795_226_950).as_deref(), Some("+05:30"));
        assert_eq!(found(changed, 1_795_227_950).as_deref(), Some("+06"));
        assert_eq!(found(changed, 5), None);
        assert_eq!(found(changed, i64::MIN), None);
        assert_eq!(found(running, i64::MIN), None);
    }

    #[test]
    fn now_falls_back_in_order() {
        let mut log = Log::default();
        let stamps = [("jobs.json", None), ("nodes.json", Some(Epoch(5)))];
        assert_eq!(now(Some(Epoch(1)), Some(b"2\n"), &stamps, None, None, &mut log).0, Epoch(1));
        assert_eq!(now(None, Some(b"2\n"), &stamps, None, None, &mut log).0, Epoch(2));
        let simulated = (Epoch(2), SIMULATION.to_owned());
        assert_eq!(now(None, Some(b"2 simulated\n"), &stamps, None, None, &mut log), simulated);
        assert_eq!(now(None, Some(b"?"), &stamps, None, None, &mut log).1, "timestamp of nodes.json");
        assert_eq!(now(None, None, &[], None, Some(("jobs.txt", Epoch(9))), &mut log).0, Epoch(9));
        assert_eq!(log.finish().0.len(), 2);
    }
}
