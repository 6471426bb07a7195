//! Decides how long to wait for a doubtful file before it is accepted as it is.
//!
//! Time is counted from when a file was first seen in its current state, by this machine's clock: file times come
//! from a file server, whose clock may differ. The caller provides the clock.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use super::doubt::DoubtfulFile;
use qscope_source::watch::{Fingerprint, Fingerprints};

/// Pauses after a file changed while the folder was read. After the last one, the files are accepted: each was read
/// completely, and a folder in which something is always being written would never be read otherwise.
const BACK_OFF: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_secs(1), Duration::from_secs(3)];
/// At the first reading, a file older than this is assumed to be finished, since clocks of a site never differ that
/// much.
const LONG_AGO: Duration = Duration::from_secs(60);
/// Maximum time between the dumps of one generation.
const OTHERS: Duration = Duration::from_secs(2);

/// How long each file has been unchanged.
#[derive(Default, Debug)]
pub(super) struct StabilityTracker {
    files: BTreeMap<&'static str, FileStability>,
    /// Start of this round of checks: the first check after the last decision.
    round_start: Option<Instant>,
    unstable_checks: usize,
}

/// The time of a check of the folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckTime {
    /// By the monotonic clock.
    pub(super) monotonic: Instant,
    /// By the clock used for files.
    pub(super) clock: SystemTime,
    /// Whether there was no generation yet.
    pub(super) first: bool,
}

#[derive(Clone, Copy, Debug)]
struct FileStability {
    print: Option<Fingerprint>,
    unchanged_since: Instant,
    /// Whether it was finished long before the first check.
    is_old: bool,
}

impl StabilityTracker {
    /// Records the state of the folder. A file that was empty and is empty again is checked once more with
    /// `stays_empty`.
    pub(super) fn observe(
        &mut self,
        prints: &Fingerprints,
        at: CheckTime,
        stays_empty: impl Fn(&str) -> bool,
    ) {
        self.round_start.get_or_insert(at.monotonic);
        for (name, standing) in &mut self.files {
            let print = prints.get(name);
            if standing.print == print {
                continue;
            }
            if is_empty(standing.print) && is_empty(print) && stays_empty(name) {
                // Written again, still empty: a client without output, not one before its output.
                standing.print = print;
            } else {
                *standing = FileStability { print, unchanged_since: at.monotonic, is_old: false };
            }
        }
        for (name, print) in prints.iter() {
            let is_old = at.first && print.age(at.clock) > LONG_AGO;
            self.files.entry(name).or_insert(FileStability {
                print: Some(print),
                unchanged_since: at.monotonic,
                is_old,
            });
        }
    }

    /// Returns the longest remaining time for these doubts, and the most important doubt that is not over.
    pub(super) fn longest<'d>(
        &self,
        doubts: &'d [DoubtfulFile],
        now: Instant,
    ) -> Option<(Duration, &'d DoubtfulFile)> {
        let left = |doubt: &DoubtfulFile| {
            let standing = self.files.get(&*doubt.file).filter(|standing| !standing.is_old)?;
            doubt.doubt.limit().checked_sub(now.saturating_duration_since(standing.unchanged_since))
        };
        let waits = doubts.iter().filter_map(|doubt| Some((left(doubt)?, doubt)));
        let waits: Vec<(Duration, &DoubtfulFile)> = waits.filter(|(left, _)| !left.is_zero()).collect();
        let longest = waits.iter().map(|(left, _)| *left).max()?;
        let gravest = waits.iter().min_by_key(|(left, doubt)| (doubt.weight(), Reverse(*left)))?;
        Some((longest, gravest.1))
    }

    /// Returns how long to wait after a file changed while the folder was read; `None` if that happened often enough.
    pub(super) fn retry_delay(&mut self) -> Option<Duration> {
        let pause = BACK_OFF.get(self.unstable_checks).copied();
        self.unstable_checks += 1;
        pause
    }

    /// Returns the remaining time for the other dumps of a generation.
    pub(super) fn for_others(&self, now: Instant) -> Option<Duration> {
        let left = OTHERS.checked_sub(now.saturating_duration_since(self.round_start?))?;
        (!left.is_zero()).then_some(left)
    }

    /// Notes that a decision was made: the next check begins a new round.
    pub(super) fn note_decision(&mut self) {
        self.round_start = None;
        self.unstable_checks = 0;
    }
}

fn is_empty(print: Option<Fingerprint>) -> bool {
    print.is_some_and(|print| print.size == 0)
}

#[cfg(test)]
mod tests {
    use super::super::doubt::FileDoubt;
    use super::*;

    fn prints(size: u64) -> Fingerprints {
        let written = SystemTime::UNIX_EPOCH + Duration::from_millis(4_001);
        [("nodes.json", Fingerprint::synthetic(size, written))].into_iter().collect()
    }

    fn torn() -> Vec<DoubtfulFile> {
        vec![DoubtfulFile { file: "nodes.json".into(), doubt: FileDoubt::Truncated }]
    }

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    /// Returns a time just after the example file was written.
    fn clock() -> SystemTime {
        SystemTime::UNIX_EPOCH + seconds(5)
    }

    #[test]
    fn every_change_starts_the_time_anew() {
        let (mut patience, start) = (StabilityTracker::default(), Instant::now());
        patience.observe(&prints(1), moment(start, clock(), true), |_| true);
        patience.observe(&prints(2), moment(start + seconds(2), clock(), false), |_| true);
        patience.observe(&prints(2), moment(start + seconds(4), clock(), false), |_| true);
        let doubts = torn();
        let left = |at| patience.longest(&doubts, start + seconds(at)).map(|(left, _)| left);
        assert_eq!(left(4), Some(seconds(1)));
        assert_eq!(left(5), None);
    }

    fn moment(monotonic: Instant, clock: SystemTime, first: bool) -> CheckTime {
        CheckTime { monotonic, clock, first }
    }

    /// A collector that runs every second writes an empty answer every second.
    #[test]
    fn an_empty_file_written_anew_stays_as_it_was() {
        let (mut patience, start) = (StabilityTracker::default(), Instant::now());
        let empty = [DoubtfulFile { file: "nodes.json".into(), doubt: FileDoubt::Empty }];
        for at in 0..4 {
            patience.observe(&prints(0), moment(start + seconds(at), clock(), false), |_| true);
        }
        assert!(patience.longest(&empty, start + seconds(3)).is_none());
        patience.observe(&prints(0), moment(start + seconds(4), clock(), false), |_| false);
        assert!(
            patience.longest(&empty, start + seconds(4)).is_none(),
            "the same file needs no second check"
        );
        patience.observe(&prints(7), moment(start + seconds(4), clock(), false), |_| true);
        assert!(patience.longest(&empty, start + seconds(4)).is_some());
    }

    #[test]
    fn the_longest_doubt_counts_and_files_never_seen_are_none() {
        let (mut patience, start) = (StabilityTracker::default(), Instant::now());
        patience.observe(&prints(1), moment(start, clock(), false), |_| true);
        patience.observe(&Fingerprints::default(), moment(start, clock(), false), |_| true);
        let doubts = ["nodes.json", "jobs.json"]
            .map(|file| DoubtfulFile { file: file.into(), doubt: FileDoubt::Missing });
        let (left, doubt) = patience.longest(&doubts, start + seconds(1)).unwrap();
        assert_eq!((left, &*doubt.file), (seconds(4), "nodes.json"));
        assert!(patience.longest(&doubts[1..], start).is_none());
    }

    /// A truncated dump of nodes is named before an empty minor file, whichever is waited for longer.
    #[test]
    fn the_gravest_doubt_is_named() {
        let (mut patience, start) = (StabilityTracker::default(), Instant::now());
        let written = SystemTime::UNIX_EPOCH + Duration::from_millis(4_001);
        let both = ["nodes.json", "usage"].map(|name| (name, Fingerprint::synthetic(1, written)));
        patience.observe(&both.into_iter().collect(), moment(start, clock(), true), |_| true);
        let doubt = |file: &str, trouble| DoubtfulFile { file: file.into(), doubt: trouble };
        let doubts = [doubt("nodes.json", FileDoubt::Truncated), doubt("usage", FileDoubt::TemporaryFailure)];
        let (left, named) = patience.longest(&doubts, start).unwrap();
        assert_eq!((left, &*named.file), (seconds(5), "nodes.json"));
        let (left, named) = patience.longest(&doubts, start + seconds(4)).unwrap();
        assert_eq!((left, &*named.file), (seconds(1), "usage"));
    }

    #[test]
    fn what_was_there_long_before_is_taken_at_once_but_only_the_first_time() {
        let later = clock() + seconds(3600);
        let start = Instant::now();
        for (first, expected) in [(true, true), (false, false)] {
            let mut patience = StabilityTracker::default();
            patience.observe(&prints(1), moment(start, later, first), |_| true);
            assert_eq!(patience.longest(&torn(), start).is_none(), expected);
        }
    }

    #[test]
    fn backing_off_grows_ends_and_starts_again() {
        let mut patience = StabilityTracker::default();
        let mut pause = || patience.retry_delay().map(|pause| pause.as_millis());
        let pauses: Vec<_> = (0..6).map(|_| pause()).collect();
        assert_eq!(pauses, [Some(100), Some(300), Some(1000), Some(3000), None, None]);
        patience.note_decision();
        assert_eq!(patience.retry_delay(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn the_other_dumps_get_two_seconds_from_the_first_look() {
        let (mut patience, start) = (StabilityTracker::default(), Instant::now());
        assert_eq!(patience.for_others(start), None);
        patience.observe(&prints(1), moment(start, clock(), false), |_| true);
        patience.observe(&prints(2), moment(start + seconds(1), clock(), false), |_| true);
        assert_eq!(patience.for_others(start + seconds(1)), Some(seconds(1)));
        assert_eq!(patience.for_others(start + seconds(2)), None);
    }
}
