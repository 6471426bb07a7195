//! How long a file in doubt is given before it is taken as it is.
//!
//! Time is counted from when a file was first seen as it is now, by our own clock: the file's times are a
//! file server's, whose clock may be another. The caller brings the clock.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use super::doubt::Doubt;
use qscope_source::watch::{Fingerprint, Prints};

/// After a file changed while the folder was read, wait for so long, and then take what there is: each file for itself
/// was read whole, and a folder in which something is always written would never be read otherwise.
const BACK_OFF: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_secs(1), Duration::from_secs(3)];
/// The first time a folder is read, a file that is older than this is believed to be finished: no two
/// clocks of a site are that far apart.
const LONG_AGO: Duration = Duration::from_secs(60);
/// The dumps of one generation are written within this time.
const OTHERS: Duration = Duration::from_secs(2);

/// How long every file has stood as it is.
#[derive(Default, Debug)]
pub(super) struct Patience {
    standing: BTreeMap<&'static str, Unchanged>,
    /// When this round of checks began: with the first one after the last decision.
    began: Option<Instant>,
    restless: usize,
}

/// When the folder was checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// By the clock that only goes forward.
    pub(super) now: Instant,
    /// By the clock that files are dated with.
    pub(super) clock: SystemTime,
    /// Until there was a generation.
    pub(super) first: bool,
}

#[derive(Clone, Copy, Debug)]
struct Unchanged {
    print: Option<Fingerprint>,
    since: Instant,
    /// Whether it was finished long before we came.
    old: bool,
}

impl Patience {
    /// Takes in the state of the folder. A file that was empty and is so again is checked once more through
    /// `stays_empty`.
    pub(super) fn observe(&mut self, prints: &Prints, at: Moment, stays_empty: impl Fn(&str) -> bool) {
        self.began.get_or_insert(at.now);
        for (name, standing) in &mut self.standing {
            let print = prints.get(name);
            if standing.print == print {
                continue;
            }
            if is_empty(standing.print) && is_empty(print) && stays_empty(name) {
                // Written anew with nothing in it: a client without output, not one before its output.
                standing.print = print;
            } else {
                *standing = Unchanged { print, since: at.now, old: false };
            }
        }
        for (name, print) in prints.iter() {
            let old = at.first && print.age(at.clock) > LONG_AGO;
            self.standing.entry(name).or_insert(Unchanged { print: Some(print), since: at.now, old });
        }
    }

    /// How much longer the most patient of these doubts asks for, and the gravest of those that are not over.
    pub(super) fn longest<'d>(&self, doubts: &'d [Doubt], now: Instant) -> Option<(Duration, &'d Doubt)> {
        let left = |doubt: &Doubt| {
            let standing = self.standing.get(&*doubt.file).filter(|standing| !standing.old)?;
            doubt.trouble.limit().checked_sub(now.saturating_duration_since(standing.since))
        };
        let waits = doubts.iter().filter_map(|doubt| Some((left(doubt)?, doubt)));
        let waits: Vec<(Duration, &Doubt)> = waits.filter(|(left, _)| !left.is_zero()).collect();
        let longest = waits.iter().map(|(left, _)| *left).max()?;
        let gravest = waits.iter().min_by_key(|(left, doubt)| (doubt.weight(), Reverse(*left)))?;
        Some((longest, gravest.1))
    }

    /// How long to wait after a file changed while the folder was read; none when that was often enough.
    pub(super) fn back_off(&mut self) -> Option<Duration> {
        let pause = BACK_OFF.get(self.restless).copied();
        self.restless += 1;
        pause
    }

    /// How much longer the other dumps of a generation may take.
    pub(super) fn for_others(&self, now: Instant) -> Option<Duration> {
        let left = OTHERS.checked_sub(now.saturating_duration_since(self.began?))?;
        (!left.is_zero()).then_some(left)
    }

    /// A decision was made: the next check begins a new round.
    pub(super) fn settle(&mut self) {
        self.began = None;
        self.restless = 0;
    }
}

fn is_empty(print: Option<Fingerprint>) -> bool {
    print.is_some_and(|print| print.size == 0)
}

#[cfg(test)]
mod tests {
    use super::super::doubt::Trouble;
    use super::*;

    fn prints(size: u64) -> Prints {
        let written = SystemTime::UNIX_EPOCH + Duration::from_millis(4_001);
        [("nodes.json", Fingerprint::imagined(size, written))].into_iter().collect()
    }

    fn torn() -> Vec<Doubt> {
        vec![Doubt { file: "nodes.json".into(), trouble: Trouble::Torn }]
    }

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    /// Just after the example file was written.
    fn clock() -> SystemTime {
        SystemTime::UNIX_EPOCH + seconds(5)
    }

    #[test]
    fn every_change_starts_the_time_anew() {
        let (mut patience, start) = (Patience::default(), Instant::now());
        patience.observe(&prints(1), moment(start, clock(), true), |_| true);
        patience.observe(&prints(2), moment(start + seconds(2), clock(), false), |_| true);
        patience.observe(&prints(2), moment(start + seconds(4), clock(), false), |_| true);
        let doubts = torn();
        let left = |at| patience.longest(&doubts, start + seconds(at)).map(|(left, _)| left);
        assert_eq!(left(4), Some(seconds(1)));
        assert_eq!(left(5), None);
    }

    fn moment(now: Instant, clock: SystemTime, first: bool) -> Moment {
        Moment { now, clock, first }
    }

    /// A collector that comes by every second writes an answer with nothing in it every second.
    #[test]
    fn an_empty_file_written_anew_stays_as_it_was() {
        let (mut patience, start) = (Patience::default(), Instant::now());
        let empty = [Doubt { file: "nodes.json".into(), trouble: Trouble::Empty }];
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
        let (mut patience, start) = (Patience::default(), Instant::now());
        patience.observe(&prints(1), moment(start, clock(), false), |_| true);
        patience.observe(&Prints::default(), moment(start, clock(), false), |_| true);
        let doubts =
            ["nodes.json", "jobs.json"].map(|file| Doubt { file: file.into(), trouble: Trouble::Gone });
        let (left, doubt) = patience.longest(&doubts, start + seconds(1)).unwrap();
        assert_eq!((left, &*doubt.file), (seconds(4), "nodes.json"));
        assert!(patience.longest(&doubts[1..], start).is_none());
    }

    /// Half of the nodes missing is named before a side file with nothing in it, whichever is waited for longer.
    #[test]
    fn the_gravest_doubt_is_named() {
        let (mut patience, start) = (Patience::default(), Instant::now());
        let written = SystemTime::UNIX_EPOCH + Duration::from_millis(4_001);
        let both = ["nodes.json", "usage"].map(|name| (name, Fingerprint::imagined(1, written)));
        patience.observe(&both.into_iter().collect(), moment(start, clock(), true), |_| true);
        let doubt = |file: &str, trouble| Doubt { file: file.into(), trouble };
        let doubts = [doubt("nodes.json", Trouble::Torn), doubt("usage", Trouble::Passing)];
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
            let mut patience = Patience::default();
            patience.observe(&prints(1), moment(start, later, first), |_| true);
            assert_eq!(patience.longest(&torn(), start).is_none(), expected);
        }
    }

    #[test]
    fn backing_off_grows_ends_and_starts_again() {
        let mut patience = Patience::default();
        let mut pause = || patience.back_off().map(|pause| pause.as_millis());
        let pauses: Vec<_> = (0..6).map(|_| pause()).collect();
        assert_eq!(pauses, [Some(100), Some(300), Some(1000), Some(3000), None, None]);
        patience.settle();
        assert_eq!(patience.back_off(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn the_other_dumps_get_two_seconds_from_the_first_look() {
        let (mut patience, start) = (Patience::default(), Instant::now());
        assert_eq!(patience.for_others(start), None);
        patience.observe(&prints(1), moment(start, clock(), false), |_| true);
        patience.observe(&prints(2), moment(start + seconds(1), clock(), false), |_| true);
        assert_eq!(patience.for_others(start + seconds(1)), Some(seconds(1)));
        assert_eq!(patience.for_others(start + seconds(2)), None);
    }
}
