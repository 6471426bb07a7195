//! Intervals made wider or narrower by what became of earlier ones: jobs that keep a queue waiting run longer than most,
//! and those of one batch run alike, which draws job by job do not have.
//!
//! The error of a bound is measured in the length of its statement; the bound is moved by the value that nine tenths of
//! the earlier errors do not exceed (conformal prediction, each side for itself).

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name, Seconds};
use rustc_hash::FxHashMap;

use super::Distribution;
use super::back_test::{Held, Statement};

/// With fewer earlier statements than this nothing is moved.
pub const ENOUGH: usize = 20;

/// What is added to every length, in seconds, so that a certain start has one.
const LEAST: f64 = 600.0;

/// How far bounds are moved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calibration {
    /// How many statements it rests on.
    pub from: usize,
    low: f64,
    high: f64,
}

/// An interval; an end that was not reached is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Where it begins.
    pub low: Option<Epoch>,
    /// Where it ends.
    pub high: Option<Epoch>,
}

impl Interval {
    /// Whether a start lies in it.
    pub fn holds(&self, start: Option<Epoch>) -> bool {
        match start {
            None => self.high.is_none(),
            Some(start) => {
                self.low.is_some_and(|low| low <= start) && self.high.is_none_or(|high| start <= high)
            }
        }
    }
}

impl Calibration {
    /// From statements whose outcome is known: those of the queue where there are enough, else all; none with too few.
    pub fn of(statements: &[Statement], queue: &Name) -> Option<Self> {
        let mut going = Going::default();
        for (nth, one) in statements.iter().enumerate() {
            going.learn(statements, one.at);
            going.state(nth, one);
        }
        // All outcomes are known by now.
        going.learn(statements, Epoch(i64::MAX));
        going.calibration(queue)
    }

    /// The interval of a statement, moved.
    pub fn moved(&self, found: &Distribution, now: Epoch) -> Interval {
        let moved = |bound: Epoch, part: f64| {
            let seconds = part * length(found, now);
            // What cannot be bounded stays open.
            (seconds.abs() < 1e9).then(|| (bound + Seconds(seconds.round() as i64)).max(now))
        };
        let low = found.p10.map(|p10| moved(p10, -self.low).unwrap_or(now));
        let high = found.p90.and_then(|p90| moved(p90, self.high));
        Interval { low: low.zip(high).map(|(low, high)| low.min(high)).or(low), high }
    }
}

/// What was learned up to a moment, statement by statement: the errors that are known, and at which level they are taken.
///
/// The level itself follows the misses: where starts were missed more often than a tenth on one side, it rises (adaptive
/// conformal inference), since jobs of one batch are late together.
#[derive(Debug, Default)]
struct Going {
    /// Statements whose outcome is not known yet, with the interval that each had.
    open: Vec<(usize, Option<Interval>)>,
    known: Vec<(Name, Option<f64>, Option<f64>)>,
    levels: FxHashMap<Name, Levels>,
}

/// At which level the errors of a queue are taken.
#[derive(Clone, Copy, Debug)]
struct Levels {
    low: f64,
    high: f64,
    /// The part of the starts that was earlier than stated.
    early: f64,
}

impl Default for Levels {
    fn default() -> Self {
        Self { low: 1.0 - MISSED, high: 1.0 - MISSED, early: MISSED }
    }
}

impl Levels {
    /// Takes in whether a start was missed on a side.
    fn learn(&mut self, is_early: bool, is_late: bool, step: f64) {
        let [early, late] = [is_early, is_late].map(|is_missed| f64::from(u8::from(is_missed)));
        self.early += step * (early - self.early);
        // No start is earlier than now: where intervals begin there, what cannot be missed early may be missed late.
        let may_be_late = (2.0 * MISSED - self.early).clamp(MISSED, 2.0 * MISSED);
        self.low = (self.low + step * (early - MISSED)).clamp(0.5, 1.0);
        self.high = (self.high + step * (late - may_be_late)).clamp(0.5, 1.0);
    }
}

/// The part of the starts that may lie on each side of an interval.
const MISSED: f64 = 0.1;

/// How much one miss, of all statements of its moment, moves the level.
const STEP: f64 = 0.1;

impl Going {
    /// Takes in what is known at a moment of the statements before.
    fn learn(&mut self, statements: &[Statement], now: Epoch) {
        let (known, open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|(nth, _)| statements.get(*nth).is_some_and(|one| outcome(one, now).is_some()));
        self.open = open;
        for (nth, interval) in known {
            let Some((one, start)) = statements.get(nth).and_then(|one| Some((one, outcome(one, now)?)))
            else {
                continue;
            };
            let beside = statements.iter().filter(|other| other.at == one.at && other.queue == one.queue);
            let step = STEP / beside.count().max(1) as f64;
            let levels = self.levels.entry(one.queue.clone()).or_default();
            if let Some(interval) = interval {
                let is_early = start.zip(interval.low).is_some_and(|(start, low)| start < low);
                let is_late = interval.high.is_some_and(|high| start.is_none_or(|start| start > high));
                levels.learn(is_early, is_late, step);
            }
            self.known.push((one.queue.clone(), error_below(one, start), error_above(one, start)));
        }
    }

    /// Makes a statement; its interval, moved by what is known.
    fn state(&mut self, nth: usize, one: &Statement) -> Option<Interval> {
        let interval = self.calibration(&one.queue).map(|found| found.moved(&one.found, one.at));
        self.open.push((nth, interval));
        interval
    }

    fn calibration(&self, queue: &Name) -> Option<Calibration> {
        let of_queue = || self.known.iter().filter(|(have, _, _)| have == queue);
        let takes_all = of_queue().count() < ENOUGH;
        if takes_all && self.known.len() < ENOUGH {
            return None;
        }
        let chosen = || self.known.iter().filter(|(have, _, _)| takes_all || have == queue);
        let Levels { low, high, .. } = self.levels.get(queue).copied().unwrap_or_default();
        Some(Calibration {
            from: chosen().count(),
            low: at_level(chosen().filter_map(|(_, low, _)| *low).collect(), low),
            high: at_level(chosen().filter_map(|(_, _, high)| *high).collect(), high),
        })
    }
}

/// When a job started, as far as that is known at a moment: of one that waits still once its interval is over, that it is
/// later than now.
fn outcome(one: &Statement, now: Epoch) -> Option<Option<Epoch>> {
    match one.start {
        Some(start) if start <= now => Some(Some(start)),
        None if now == Epoch(i64::MAX) => Some(None),
        _ => one.found.p90.filter(|p90| *p90 + Seconds((*p90 - one.at).0) < now).map(|_| Some(now)),
    }
}

/// How well moved intervals held, each moved by what was known when it was stated.
pub fn held(statements: &[Statement]) -> BTreeMap<Name, Held> {
    let (mut all, mut going) = (BTreeMap::<Name, Held>::new(), Going::default());
    for (nth, one) in statements.iter().enumerate() {
        going.learn(statements, one.at);
        let Some(interval) = going.state(nth, one) else { continue };
        let held = all.entry(one.queue.clone()).or_default();
        held.all += 1;
        held.inside += usize::from(interval.holds(one.start));
        let is_early = one.start.zip(interval.low).is_some_and(|(start, low)| start < low);
        held.earlier += usize::from(is_early);
    }
    all
}

/// The length that errors are measured in: from the statement to the end of its interval.
fn length(found: &Distribution, now: Epoch) -> f64 {
    let end = found.p90.or(found.p50).or(found.p10).unwrap_or(now);
    (end - now).0.max(0) as f64 + LEAST
}

/// How much earlier than the interval a job started; none where neither is known.
fn error_below(one: &Statement, start: Option<Epoch>) -> Option<f64> {
    let p10 = one.found.p10?;
    Some(start.map_or(f64::NEG_INFINITY, |start| (p10 - start).0 as f64 / length(&one.found, one.at)))
}

/// How much later than the interval.
fn error_above(one: &Statement, start: Option<Epoch>) -> Option<f64> {
    let p90 = one.found.p90?;
    Some(start.map_or(f64::INFINITY, |start| (start - p90).0 as f64 / length(&one.found, one.at)))
}

/// The value that a part of all does not exceed, with room for the next one; beyond the last half as much again.
fn at_level(mut errors: Vec<f64>, level: f64) -> f64 {
    errors.sort_unstable_by(f64::total_cmp);
    let position = ((errors.len() + 1) as f64 * level).ceil() as usize;
    let last = errors.last().copied().unwrap_or(0.0);
    errors.get(position.saturating_sub(1)).copied().unwrap_or(last + 0.5 * last.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(at: i64, p10: i64, p90: i64, start: i64) -> Statement {
        let starts: Vec<Option<Epoch>> =
            [p10, p10, (p10 + p90) / 2, p90, p90].map(|at| Some(Epoch(at))).into();
        let found = Distribution::of(&starts, Epoch(at));
        Statement { job: "1.svr".into(), queue: "q".into(), at: Epoch(at), found, start: Some(Epoch(start)) }
    }

    #[test]
    fn late_starts_move_the_end_and_early_ones_the_beginning() {
        let late: Vec<Statement> = (0..40)
            .map(|k| statement(k * 10_000, k * 10_000 + 100, k * 10_000 + 3000, k * 10_000 + 6600))
            .collect();
        let moved = Calibration::of(&late, &"q".into()).unwrap();
        let interval = moved.moved(&late[0].found, late[0].at);
        assert_eq!(interval.high, Some(Epoch(6600)));
        assert!(interval.low > Some(Epoch(100)), "the beginning moves up with them: {interval:?}");
        assert_eq!(Calibration::of(&late[..19], &"q".into()), None);
        // Each is held against what was known before it only.
        let held = held(&late)["q"];
        assert_eq!((held.all, held.inside, held.earlier), (20, 20, 0));
    }

    #[test]
    fn intervals_that_hold_too_often_become_narrower() {
        let wide: Vec<Statement> = (0..40)
            .map(|k| statement(k * 10_000, k * 10_000, k * 10_000 + 9000, k * 10_000 + 4000))
            .collect();
        let interval = Calibration::of(&wide, &"other".into()).unwrap().moved(&wide[0].found, Epoch(0));
        assert_eq!((interval.low, interval.high), (Some(Epoch(4000)), Some(Epoch(4000))));
    }

    /// Where three starts in five are at once, no interval is missed early, and four fifths of all are to lie inside.
    #[test]
    fn what_cannot_be_missed_early_is_missed_late() {
        let start = |k: i64| if k % 5 < 3 { 0 } else { (k * 37 % 100) * 100 };
        let all: Vec<Statement> = (0..600)
            .map(|k| statement(k * 100_000, k * 100_000, k * 100_000 + 9000, k * 100_000 + start(k)))
            .collect();
        let held = held(&all)["q"];
        let inside = held.inside * 100 / held.all;
        assert!((75..=85).contains(&inside), "{inside} %, {} early of {}", held.earlier, held.all);
    }
}
