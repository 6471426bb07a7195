//! The times at which the dumps of one generation were made, and whether they belong together.

use jiff::Zoned;
use jiff::civil::{DateTime, Time};
use qscope_engine::cluster::{Epoch, Seconds, Snapshot, made_of_nodes_and_jobs, show_duration};
use qscope_record::dated;

/// Maximum change in seconds of the time between two dumps that belong together, since writers are not exact.
const JITTER: i64 = 2;

/// The times at which nodes and jobs of a snapshot were dumped, both by the same clock: by the dumps, else by their
/// modification times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DumpTimes {
    pub nodes: Option<Epoch>,
    pub jobs: Option<Epoch>,
}

impl DumpTimes {
    /// Returns the times of the files that were used.
    pub fn of(snap: &Snapshot) -> Self {
        let [nodes, jobs] = made_of_nodes_and_jobs(&snap.files);
        Self { nodes, jobs }
    }

    /// Returns by how many seconds the jobs are newer than the nodes; negative if they are older.
    fn lag(self) -> i64 {
        self.nodes.zip(self.jobs).map_or(0, |(nodes, jobs)| jobs.0.saturating_sub(nodes.0))
    }

    /// Returns the number of seconds between them.
    pub fn gap_seconds(self) -> i64 {
        self.lag().saturating_abs()
    }

    /// Returns which is newer, and by how much; `None` if they are of the same time.
    pub fn skew(self) -> Option<String> {
        let apart = show_duration(self.gap_seconds() as f64);
        match self.lag() {
            0 => None,
            1.. => Some(format!("jobs {apart} newer than nodes")),
            _ => Some(format!("nodes {apart} newer than jobs")),
        }
    }

    /// Whether one of the two dumps is new and the other is not, and that changed the time between them: differences
    /// may then come from the time between the dumps.
    pub fn one_is_new(self, before: Self) -> bool {
        let one = (self.nodes != before.nodes) != (self.jobs != before.jobs);
        one && (self.lag() - before.lag()).abs() > JITTER
    }

    /// Whether one dump is newer than in the last generation while the other is still missing: the time between them
    /// deviates more than before from that of the last complete generation, which is usual for their writer.
    pub(super) fn is_other_dump_missing(self, last: Self, whole: Self) -> bool {
        let distance = |moments: Self| (moments.lag() - whole.lag()).abs();
        self.one_is_new(last) && distance(self) > JITTER && distance(self) > distance(last)
    }
}

/// Returns the last second that a typed time stands for: one without seconds stands for its whole minute.
pub fn last_of(at: Epoch) -> Epoch {
    at + Seconds(if at.0 % 60 == 0 { 59 } else { 0 })
}

/// Parses a time as users type it, on the clock of a snapshot and on its day if none is given: `02:03`, `02:03:31`,
/// `11-21 02:03` or `2026-11-21 02:03`, the last two also with seconds; the last also with an offset, as `+01:00`;
/// or seconds since 1970.
pub fn moment_of(snap: &Snapshot, text: &str) -> Option<Epoch> {
    text.parse().ok().map(Epoch).or_else(|| moment_on(&snap.date(snap.now)?, text))
}

/// The same by the clock that shows `now`.
pub(crate) fn moment_on(now: &Zoned, text: &str) -> Option<Epoch> {
    let day = now.date();
    let of_day = |form: &&str| Some(day.to_datetime(Time::strptime(form, text).ok()?));
    let of_year = |form: &&str| {
        let year = format!("%Y-{form}");
        DateTime::strptime(year, format!("{}-{text}", day.year())).ok()
    };
    let civil = ["%H:%M:%S", "%H:%M"].iter().find_map(of_day);
    let civil = civil.or_else(|| ["%m-%d %H:%M:%S", "%m-%d %H:%M"].iter().find_map(of_year));
    let zone = || now.time_zone().clone();
    match civil {
        Some(civil) => Some(Epoch(civil.to_zoned(zone()).ok()?.timestamp().as_second())),
        None => dated(text, zone),
    }
}

/// Whether the dumps were made during a cycle, according to the server or the scheduler object: then some jobs are
/// already judged and others are not.
pub fn is_mid_cycle(snap: &Snapshot) -> bool {
    let is_scheduling = |state: &str| state.eq_ignore_ascii_case("scheduling");
    is_scheduling(&snap.server.state) || snap.scheduler.state.as_deref().is_some_and(is_scheduling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{FileFormat, FileRecord};

    fn at(nodes: i64, jobs: i64) -> DumpTimes {
        DumpTimes { nodes: Some(Epoch(nodes)), jobs: Some(Epoch(jobs)) }
    }

    #[test]
    fn skew_reports_which_is_newer() {
        assert_eq!(at(100, 100).skew(), None);
        assert_eq!(at(100, 115).skew().as_deref(), Some("jobs 15s newer than nodes"));
        assert_eq!(at(160, 115).skew().as_deref(), Some("nodes 45s newer than jobs"));
        assert_eq!(DumpTimes { nodes: Some(Epoch(5)), jobs: None }.gap_seconds(), 0);
    }

    #[test]
    fn a_time_inside_is_not_compared_with_one_of_the_file_system() {
        let file = |name: &str, inside: Option<i64>, written: i64| FileRecord {
            timestamp: inside.map(Epoch),
            modified: Some(Epoch(written)),
            ..FileRecord::plain(name, FileFormat::Text, b"", 0)
        };
        let moments = |nodes, jobs| {
            let mut snap = Snapshot::empty("t", Epoch(0));
            snap.files = vec![file("nodes.txt", nodes, 9000), file("jobs.json", jobs, 9040)];
            DumpTimes::of(&snap)
        };
        assert_eq!(moments(Some(100), Some(103)), at(100, 103));
        assert_eq!(moments(None, Some(103)), at(9000, 9040));
        assert_eq!(moments(None, None), at(9000, 9040));
    }

    #[test]
    fn one_new_dump_is_distinguished_from_two() {
        assert!(at(160, 115).one_is_new(at(100, 115)));
        assert!(at(160, 175).one_is_new(at(160, 115)));
        assert!(!at(160, 175).one_is_new(at(100, 115)), "both are new");
        assert!(!at(100, 115).one_is_new(at(100, 115)), "neither is");
        assert!(!at(101, 115).one_is_new(at(100, 115)), "as good as the same");
    }

    #[test]
    fn a_writer_has_a_rhythm_of_its_own() {
        for (first, second) in [((100, 115), (160, 177)), ((100, 140), (160, 199)), ((115, 100), (175, 160))]
        {
            let (whole, next) = (at(first.0, first.1), at(second.0, second.1));
            let half = at(second.0, first.1);
            assert!(half.is_other_dump_missing(whole, whole), "{half:?}");
            assert!(!next.is_other_dump_missing(half, whole), "{next:?}: the other one came");
            assert!(
                at(second.0 + 60, first.1).is_other_dump_missing(half, whole),
                "and again without the other one"
            );
            assert!(!whole.is_other_dump_missing(whole, whole));
        }
    }

    #[test]
    fn a_server_that_schedules_is_in_mid_cycle() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        assert!(!is_mid_cycle(&snap));
        snap.server.state = "Scheduling".into();
        assert!(is_mid_cycle(&snap));
        snap.server.state = "Idle".into();
        snap.scheduler.state = Some("scheduling".into());
        assert!(is_mid_cycle(&snap));
    }
}
