//! Determines the time "now", and the zone of dates.

pub(crate) mod clue;
mod votes;

use super::choice::ChosenFile;
use super::files::Files;
use super::hand_written;
use super::load_options::LoadOptions;
use super::log::DiagnosticLog;
use super::memory::{CachedJob, RecordCache};
use super::whole_number::whole_number;
use super::zone::Zone;
use qscope_engine::cluster::{Epoch, FilePosition, has_date};
use votes::zone_of_jobs;

/// Returns the zone of dates: given, else from `policy.toml`, else from the archive, else found from the jobs, else
/// local.
pub(crate) fn zone(
    files: &Files,
    options: &LoadOptions,
    (jobs, known): (Option<&ChosenFile<'_>>, Option<&RecordCache<CachedJob>>),
    made: Option<Epoch>,
    log: &mut DiagnosticLog,
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
        log.error("zone", FilePosition::File, || hand_written::not_a_zone(&name));
    }
    let zone =
        jobs.and_then(|jobs| zone_of_jobs(jobs, known, jobs.timestamp.or(made))).unwrap_or_else(Zone::local);
    if let (Some(jobs), true) = (jobs, !zone.source.starts_with("found")) {
        log.in_file(jobs.name);
        log.note("zone-guessed", FilePosition::File, || {
            format!("dates are taken to be in zone {} ({}); --tz states otherwise", zone.name, zone.source)
        });
    }
    zone
}

/// Returns "now" and its origin: the option, else the file `now`, else the timestamp of the jobs dump or another one,
/// else that of the archive, else the modification time of the jobs file.
pub(crate) fn determine_now(
    option: Option<Epoch>,
    file: Option<&[u8]>,
    stamps: &[(&str, Option<Epoch>)],
    gathered: Option<&(Epoch, String)>,
    modified: Option<(&str, Epoch)>,
    log: &mut DiagnosticLog,
) -> (Epoch, String) {
    if let Some(now) = option {
        return (now, "given".to_owned());
    }
    if let Some(bytes) = file {
        match now_in(bytes) {
            Some(found) => return found,
            None => {
                log.in_file("now");
                log.warn("now-unreadable", FilePosition::File, || {
                    "expected one epoch second; left aside".to_owned()
                });
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
        log.warn("now-by-mtime", FilePosition::File, || {
            "no time inside the dumps; using the file's mtime".to_owned()
        });
        return (now, format!("time {file} was written"));
    }
    log.in_file("now");
    log.warn("now-unknown", FilePosition::File, || "no time in any file; using 1970".to_owned());
    (Epoch(0), "nothing".to_owned())
}

/// Origin of "now" for files written by a simulation.
pub const SIMULATION: &str = "a simulation";

/// Parses a file `now`, which states the time of a folder: one epoch second, and its origin; a simulation appends a
/// word.
pub(crate) fn now_in(file: &[u8]) -> Option<(Epoch, String)> {
    let text = std::str::from_utf8(file).ok()?.trim_start_matches('\u{feff}').trim();
    let (second, source) = match text.strip_suffix("simulated") {
        Some(second) => (second, SIMULATION),
        None => (text, "file now"),
    };
    let second = whole_number(second).filter(|second| *second >= 0)?;
    // Seconds without a calendar date are not a time.
    Some((Epoch(second), source.to_owned())).filter(|(at, _)| has_date(*at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadLimits;

    #[test]
    fn now_is_a_moment_that_has_a_date() {
        let second = |text: &str| now_in(text.as_bytes()).map(|(at, _)| at.0);
        assert_eq!(second("1763700000\n"), Some(1_763_700_000));
        for text in ["99999999999999999999999", "9223372036854775807", "-9223372036854775808", "soon", ""] {
            assert_eq!(second(text), None, "{text}");
        }
    }

    fn found(text: &str, made: i64) -> Option<String> {
        let jobs = ChosenFile {
            name: "jobs.txt",
            bytes: text.as_bytes(),
            form: qscope_engine::cluster::FileFormat::Text,
            timestamp: None,
            modified: None,
            bounds: ReadLimits::default(),
            reader: crate::reader::ReaderKind::ByContent,
        };
        zone_of_jobs(&jobs, None, Some(Epoch(made))).map(|zone| zone.name)
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
        let mut log = DiagnosticLog::default();
        let stamps = [("jobs.json", None), ("nodes.json", Some(Epoch(5)))];
        assert_eq!(determine_now(Some(Epoch(1)), Some(b"2\n"), &stamps, None, None, &mut log).0, Epoch(1));
        assert_eq!(determine_now(None, Some(b"2\n"), &stamps, None, None, &mut log).0, Epoch(2));
        let simulated = (Epoch(2), SIMULATION.to_owned());
        assert_eq!(determine_now(None, Some(b"2 simulated\n"), &stamps, None, None, &mut log), simulated);
        assert_eq!(
            determine_now(None, Some(b"?"), &stamps, None, None, &mut log).1,
            "timestamp of nodes.json"
        );
        assert_eq!(determine_now(None, None, &[], None, Some(("jobs.txt", Epoch(9))), &mut log).0, Epoch(9));
        assert_eq!(log.finish().0.len(), 2);
    }
}
