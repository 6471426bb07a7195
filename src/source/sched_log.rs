//! Reads the scheduler's own log: what it did in the cycle after a dump.
//!
//! Logs grow to gigabytes, so a log is searched backwards from its end, block by block and within a limit, for the
//! first complete cycle since the dump, or else for the last complete one; only that one is read, line by line, and
//! only the lines about jobs are kept.

mod alarm;
mod line;
mod logged;
mod search;

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

pub use alarm::{Alarm, AlarmKind, alarms};
pub use logged::{LoggedCycle, LoggedLine, LoggedTurn};

use line::LogLine;

use qscope_engine::cluster::Epoch;
use qscope_system::input;

use super::intake::SchedLogSource;
use super::zone::Zone;

/// Name of the file in a folder.
pub const FILE: &str = "sched_log";
/// Maximum distance from the end of a log that is searched, in bytes.
const FARTHEST: u64 = 256 << 20;
/// Maximum length in bytes of a cycle that is read.
const LONGEST: u64 = 64 << 20;
/// Number of bytes at the end that are searched for complaints.
const COMPLAINTS: u64 = 1 << 20;
/// Maximum length of a line in bytes; the rest is skipped.
const WIDEST: u64 = 64 << 10;
/// Maximum number of cycles to go back.
const MAX_CYCLES: usize = 1000;
/// Error: there is no cycle to compare with.
#[derive(Debug, thiserror::Error)]
pub enum NoCycle {
    /// There is no log.
    #[error("no sched_log in the folder")]
    NoLog,
    /// The log cannot be read.
    #[error("sched_log cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// No complete cycle is in the part that was searched.
    #[error("sched_log has no whole cycle in its last {0} bytes")]
    NoneWhole(u64),
    /// The cycle is too long to be read.
    #[error("the last cycle of sched_log has {0} bytes; at most {LONGEST} are read")]
    TooLong(u64),
}

/// Reads the first complete cycle in a folder's log that began at or after `since`, because later cycles met a
/// different cluster; if none did, the last complete one. Dates are in the zone with this name.
///
/// # Errors
/// If there is no log, it cannot be read, or it contains no complete cycle within the limits.
pub fn cycle_since(folder: &Path, zone: &str, since: Epoch) -> Result<LoggedCycle, NoCycle> {
    let mut file = match input::open(&folder.join(FILE)) {
        Ok(file) => file,
        Err(error) if error.io_kind() == ErrorKind::NotFound => return Err(NoCycle::NoLog),
        Err(error) => return Err(NoCycle::Unreadable(error.into())),
    };
    whole_cycle(&mut file, zone, since)
}

/// Like [`cycle_since`], for a log that was gathered with other files.
pub fn cycle_in(log: &SchedLogSource, zone: &str, since: Epoch) -> Result<LoggedCycle, NoCycle> {
    match log {
        SchedLogSource::File(path) => {
            whole_cycle(&mut input::open(path).map_err(io::Error::from)?, zone, since)
        }
        SchedLogSource::Content(bytes) => whole_cycle(&mut io::Cursor::new(bytes), zone, since),
    }
}

/// Returns the scheduler's complaints at the end of a folder's log, oldest first. Dates are in the zone with this
/// name.
///
/// # Errors
/// If there is no log, or it cannot be read.
pub fn alarms_of_folder(folder: &Path, zone: &str) -> io::Result<Vec<Alarm>> {
    alarms_at_end(&mut input::open(&folder.join(FILE)).map_err(io::Error::from)?, zone)
}

/// Like [`alarms_of_folder`], for a log that was gathered with other files.
pub fn alarms_in(log: &SchedLogSource, zone: &str) -> io::Result<Vec<Alarm>> {
    match log {
        SchedLogSource::File(path) => alarms_at_end(&mut input::open(path).map_err(io::Error::from)?, zone),
        SchedLogSource::Content(bytes) => alarms_at_end(&mut io::Cursor::new(bytes), zone),
    }
}

fn alarms_at_end(file: &mut (impl Read + Seek), zone: &str) -> io::Result<Vec<Alarm>> {
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(COMPLAINTS)))?;
    let mut bytes = Vec::new();
    file.take(COMPLAINTS).read_to_end(&mut bytes)?;
    Ok(alarms(&bytes, zone))
}

fn whole_cycle(file: &mut (impl Read + Seek), zone: &str, since: Epoch) -> Result<LoggedCycle, NoCycle> {
    let zone = Zone::named(zone, "");
    let (start, end) = first_cycle_since(file, zone.as_ref(), since)?.ok_or(NoCycle::NoneWhole(FARTHEST))?;
    if end - start > LONGEST {
        return Err(NoCycle::TooLong(end - start));
    }
    Ok(read(file, start, end, zone.as_ref())?)
}

/// Returns the byte range of the first complete cycle that began at or after a time, or else of the last one.
fn first_cycle_since(
    file: &mut (impl Read + Seek),
    zone: Option<&Zone>,
    since: Epoch,
) -> io::Result<Option<(u64, u64)>> {
    let mut found = search::last_cycle(file, u64::MAX, FARTHEST)?;
    for _ in 0..MAX_CYCLES {
        let Some((start, _)) = found else { break };
        let earlier = search::last_cycle(file, start, FARTHEST)?;
        let Some((before, until)) = earlier else { break };
        // Only the line that starts the cycle.
        let until = until.min(before + WIDEST);
        let began = read(file, before, until, zone)?.started;
        if began.is_none_or(|began| began < since) {
            break;
        }
        found = earlier;
    }
    Ok(found)
}

fn read(file: &mut (impl Read + Seek), start: u64, end: u64, zone: Option<&Zone>) -> io::Result<LoggedCycle> {
    file.seek(SeekFrom::Start(start))?;
    let mut lines = BufReader::new(file.by_ref().take(end - start));
    let mut cycle = LoggedCycle::default();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if (&mut lines).take(WIDEST).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(cycle);
        }
        if bytes.last() != Some(&b'\n') {
            lines.skip_until(b'\n')?;
        }
        let text = String::from_utf8_lossy(&bytes);
        match LogLine::parse(text.trim_end_matches(['\n', '\r'])) {
            Some(line) => cycle.take(&line, zone),
            None => cycle.skipped += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::logged::MAX_LINES;
    use super::*;

    const LOG: &str = "\
11/21/2026 02:00:00;0080;pbs_sched;Req;;Starting Scheduling Cycle
11/21/2026 02:00:00;0080;pbs_sched;Job;1.s;Considering job to run
11/21/2026 02:00:00;0040;pbs_sched;Job;1.s;Job run
11/21/2026 02:00:01;0080;pbs_sched;Req;;Leaving Scheduling Cycle
11/21/2026 02:00:05;0080;pbs_sched;Req;;Starting Scheduling Cycle
11/21/2026 02:00:05.123456;0080;pbs_sched@h;Job;2[].s;Considering job to run
torn line
11/21/2026 02:00:05;0400;pbs_sched;Node;n1;Node allocated to job
11/21/2026 02:00:05;0400;pbs_sched;Node;2[].s;Evaluating subchunk: ncpus=2; odd
11/21/2026 02:00:05;0040;pbs_sched;Job;2[7].s;Job run
11/21/2026 02:00:05;0040;pbs_sched;Job;9.s;Job preempted by suspension
11/21/2026 02:00:06;0080;pbs_sched;Req;;Leaving Scheduling Cycle
11/21/2026 02:00:09;0080;pbs_sched;Req;;Starting Scheduling Cycle
11/21/2026 02:00:09;0080;pbs_sched;Job;3.s;Considering job to run
";

    fn cycle_of(log: &[u8]) -> Result<LoggedCycle, NoCycle> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), log).unwrap();
        cycle_since(folder.path(), "UTC", Epoch(i64::MAX))
    }

    #[test]
    fn the_first_whole_cycle_since_the_dump_is_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), LOG).unwrap();
        let began = |since: i64| cycle_since(folder.path(), "UTC", Epoch(since)).unwrap().started;
        assert_eq!(began(1_795_226_400), Some(Epoch(1_795_226_400)));
        assert_eq!(began(1_795_226_401), Some(Epoch(1_795_226_405)));
        // The last cycle begun since then never ended.
        assert_eq!(began(1_795_226_409), Some(Epoch(1_795_226_405)));
    }

    #[test]
    fn the_last_whole_cycle_is_read() {
        let cycle = cycle_of(LOG.as_bytes()).unwrap();
        assert_eq!(cycle.started, Some(Epoch(1_795_226_405)));
        assert_eq!((cycle.skipped, cycle.events), (1, 0x4c0));
        let texts: Vec<&str> = cycle.logged_turns[0].lines.iter().map(|line| &*line.text).collect();
        assert_eq!(texts, ["Evaluating subchunk: ncpus=2; odd", "Job run"]);
        assert_eq!((&*cycle.logged_turns[0].job, cycle.logged_turns.len()), ("2[].s", 1));
        assert_eq!(cycle.logged_turns[0].lines[1].event, 0x40);
    }

    #[test]
    fn cycles_are_found_across_blocks_and_junk() {
        let mut log = vec![b'x'; 3 << 20];
        log.push(b'\n');
        log.extend_from_slice(LOG.as_bytes());
        log.extend(std::iter::repeat_n(b"\xff\xfe;;junk\n", 300_000).flatten());
        assert_eq!(cycle_of(&log).unwrap().logged_turns.len(), 1);
    }

    #[test]
    fn no_cycle_is_reported() {
        assert!(matches!(cycle_of(b""), Err(NoCycle::NoneWhole(_))));
        assert!(matches!(cycle_of(b"Leaving Scheduling Cycle"), Err(NoCycle::NoneWhole(_))));
        let open = LOG.split_once("11/21/2026 02:00:01").unwrap().0;
        assert!(matches!(cycle_of(open.as_bytes()), Err(NoCycle::NoneWhole(_))));
        assert!(matches!(cycle_since(Path::new("/no/such/folder"), "UTC", Epoch(0)), Err(NoCycle::NoLog)));
    }

    #[test]
    fn endless_lines_and_turns_are_bounded() {
        let (head, rest) = LOG.split_once("torn line\n").unwrap();
        let mut log = head.as_bytes().to_vec();
        log.extend_from_slice(b"11/21/2026 02:00:05;0400;pbs_sched;Job;2[].s;");
        log.extend(std::iter::repeat_n(b'y', 200_000));
        log.push(b'\n');
        log.extend(std::iter::repeat_n(b"a;0400;b;Job;2[].s;z\n", MAX_LINES + 10).flatten());
        log.extend_from_slice(rest.as_bytes());
        let cycle = cycle_of(&log).unwrap();
        assert_eq!(cycle.logged_turns[0].lines.len(), MAX_LINES);
        assert!(cycle.logged_turns[0].lines[0].text.len() < 1 << 17);
        assert_eq!(cycle.skipped, 10 + 3);
    }
}
