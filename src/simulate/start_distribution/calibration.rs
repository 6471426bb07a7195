//! Widens or narrows predicted intervals according to the outcomes of earlier predictions. Draws job by job do not
//! model that jobs which keep a queue waiting run longer than most, and that jobs of one batch run alike.
//!
//! The error of a bound is measured relative to the length of its prediction, and the bound is moved by a high
//! quantile of the earlier errors (conformal prediction, for each side separately).

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name, Seconds};
use rustc_hash::FxHashMap;

use super::StartDistribution;
use super::back_test::{PredictionCounts, TestedPrediction};

/// Minimum number of earlier predictions for moving bounds.
pub const ENOUGH: usize = 20;

/// Seconds added to every length, so that the length of a certain start is not zero.
const LEAST: f64 = 600.0;

/// How far bounds are moved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calibration {
    /// Number of predictions it is based on.
    pub predictions: usize,
    low: f64,
    high: f64,
}

/// An interval; an unreached bound is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub low: Option<Epoch>,
    /// Upper bound.
    pub high: Option<Epoch>,
}

impl Interval {
    /// Whether a start is in the interval.
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
    /// Computes it from predictions with known outcomes: those of the queue if there are enough, else all; `None` if
    /// there are too few.
    pub fn of(statements: &[TestedPrediction], queue: &Name) -> Option<Self> {
        let mut going = CalibrationLearner::default();
        for (nth, one) in statements.iter().enumerate() {
            going.learn(statements, one.at);
            going.state(nth, one);
        }
        // All outcomes are known here.
        going.learn(statements, Epoch(i64::MAX));
        going.calibration(queue)
    }

    /// Returns the interval of a prediction, with its bounds moved.
    pub fn adjusted_interval(&self, found: &StartDistribution, now: Epoch) -> Interval {
        let moved = |bound: Epoch, part: f64| {
            let seconds = part * length(found, now);
            // A bound moved this far is left open.
            (seconds.abs() < 1e9).then(|| (bound + Seconds(seconds.round() as i64)).max(now))
        };
        let low = found.p10.map(|p10| moved(p10, -self.low).unwrap_or(now));
        let high = found.p90.and_then(|p90| moved(p90, self.high));
        Interval { low: low.zip(high).map(|(low, high)| low.min(high)).or(low), high }
    }
}

/// State of learning from predictions up to some time: the known errors, and the quantile levels at which they are
/// taken.
///
/// The levels follow the misses: if more than a tenth of the starts are missed on one side, its level rises (adaptive
/// conformal inference), because jobs of one batch are late together.
#[derive(Debug, Default)]
struct CalibrationLearner {
    /// Predictions whose outcome is not known yet, with the moved interval of each.
    pending: Vec<(usize, Option<Interval>)>,
    known: Vec<(Name, Option<f64>, Option<f64>)>,
    levels: FxHashMap<Name, QuantileLevels>,
}

/// Quantile levels for the errors of a queue.
#[derive(Clone, Copy, Debug)]
struct QuantileLevels {
    low: f64,
    high: f64,
    /// Running fraction of starts that were earlier than predicted.
    early: f64,
}

impl Default for QuantileLevels {
    fn default() -> Self {
        Self { low: 1.0 - MISSED, high: 1.0 - MISSED, early: MISSED }
    }
}

impl QuantileLevels {
    /// Updates the levels with whether a start was missed on a side.
    fn learn(&mut self, is_early: bool, is_late: bool, step: f64) {
        let [early, late] = [is_early, is_late].map(|is_missed| f64::from(u8::from(is_missed)));
        self.early += step * (early - self.early);
        // No start is earlier than now: if intervals begin now, starts cannot be missed early, and more of them may
        // be missed late.
        let may_be_late = (2.0 * MISSED - self.early).clamp(MISSED, 2.0 * MISSED);
        self.low = (self.low + step * (early - MISSED)).clamp(0.5, 1.0);
        self.high = (self.high + step * (late - may_be_late)).clamp(0.5, 1.0);
    }
}

/// Fraction of the starts that may be outside on each side of an interval.
const MISSED: f64 = 0.1;

/// How much a miss moves the level; divided by the number of predictions made at the same time for the queue.
const STEP: f64 = 0.1;

impl CalibrationLearner {
    /// Takes in the outcomes of earlier predictions that are known at a time.
    fn learn(&mut self, statements: &[TestedPrediction], now: Epoch) {
        let (known, open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|(nth, _)| statements.get(*nth).is_some_and(|one| outcome(one, now).is_some()));
        self.pending = open;
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

    /// Adds a prediction and returns its interval, moved by what is known.
    fn state(&mut self, nth: usize, one: &TestedPrediction) -> Option<Interval> {
        let interval =
            self.calibration(&one.queue).map(|found| found.adjusted_interval(&one.distribution, one.at));
        self.pending.push((nth, interval));
        interval
    }

    fn calibration(&self, queue: &Name) -> Option<Calibration> {
        let of_queue = || self.known.iter().filter(|(have, _, _)| have == queue);
        let takes_all = of_queue().count() < ENOUGH;
        if takes_all && self.known.len() < ENOUGH {
            return None;
        }
        let chosen = || self.known.iter().filter(|(have, _, _)| takes_all || have == queue);
        let QuantileLevels { low, high, .. } = self.levels.get(queue).copied().unwrap_or_default();
        Some(Calibration {
            predictions: chosen().count(),
            low: at_level(chosen().filter_map(|(_, low, _)| *low).collect(), low),
            high: at_level(chosen().filter_map(|(_, _, high)| *high).collect(), high),
        })
    }
}

/// Returns the start of a job as far as it is known at a time; for a job still waiting well past its interval, a
/// start of now as a lower bound.
fn outcome(one: &TestedPrediction, now: Epoch) -> Option<Option<Epoch>> {
    match one.start {
        Some(start) if start <= now => Some(Some(start)),
        None if now == Epoch(i64::MAX) => Some(None),
        _ => one.distribution.p90.filter(|p90| *p90 + Seconds((*p90 - one.at).0) < now).map(|_| Some(now)),
    }
}

/// Counts how well moved intervals hold, each moved only by what was known when it was predicted.
pub fn calibrated_counts(statements: &[TestedPrediction]) -> BTreeMap<Name, PredictionCounts> {
    let (mut all, mut going) = (BTreeMap::<Name, PredictionCounts>::new(), CalibrationLearner::default());
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

/// Returns the length in which errors are measured: from the prediction to the end of its interval.
fn length(found: &StartDistribution, now: Epoch) -> f64 {
    let end = found.p90.or(found.p50).or(found.p10).unwrap_or(now);
    (end - now).0.max(0) as f64 + LEAST
}

/// Returns how much earlier than the interval a job started, in lengths of the prediction; `None` without a lower
/// bound.
fn error_below(one: &TestedPrediction, start: Option<Epoch>) -> Option<f64> {
    let p10 = one.distribution.p10?;
    Some(start.map_or(f64::NEG_INFINITY, |start| (p10 - start).0 as f64 / length(&one.distribution, one.at)))
}

/// Returns how much later than the interval a job started, in lengths of the prediction; `None` without an upper
/// bound.
fn error_above(prediction: &TestedPrediction, start: Option<Epoch>) -> Option<f64> {
    let p90 = prediction.distribution.p90?;
    Some(start.map_or(f64::INFINITY, |start| {
        (start - p90).0 as f64 / length(&prediction.distribution, prediction.at)
    }))
}

/// Returns a quantile of the errors with room for one more; past the largest error, that error plus half its
/// magnitude.
fn at_level(mut errors: Vec<f64>, level: f64) -> f64 {
    errors.sort_unstable_by(f64::total_cmp);
    let position = ((errors.len() + 1) as f64 * level).ceil() as usize;
    let last = errors.last().copied().unwrap_or(0.0);
    errors.get(position.saturating_sub(1)).copied().unwrap_or(last + 0.5 * last.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(at: i64, p10: i64, p90: i64, start: i64) -> TestedPrediction {
        let starts: Vec<Option<Epoch>> =
            [p10, p10, (p10 + p90) / 2, p90, p90].map(|at| Some(Epoch(at))).into();
        let distribution = StartDistribution::of(&starts, Epoch(at));
        TestedPrediction {
            job: "1.svr".into(),
            queue: "q".into(),
            at: Epoch(at),
            distribution,
            start: Some(Epoch(start)),
        }
    }

    #[test]
    fn late_starts_move_the_end_and_early_ones_the_beginning() {
        let late: Vec<TestedPrediction> = (0..40)
            .map(|k| statement(k * 10_000, k * 10_000 + 100, k * 10_000 + 3000, k * 10_000 + 6600))
            .collect();
        let moved = Calibration::of(&late, &"q".into()).unwrap();
        let interval = moved.adjusted_interval(&late[0].distribution, late[0].at);
        assert_eq!(interval.high, Some(Epoch(6600)));
        assert!(interval.low > Some(Epoch(100)), "the beginning moves up with them: {interval:?}");
        assert_eq!(Calibration::of(&late[..19], &"q".into()), None);
        // Each prediction is compared using only what was known before it.
        let held = calibrated_counts(&late)["q"];
        assert_eq!((held.all, held.inside, held.earlier), (20, 20, 0));
    }

    #[test]
    fn intervals_that_hold_too_often_become_narrower() {
        let wide: Vec<TestedPrediction> = (0..40)
            .map(|k| statement(k * 10_000, k * 10_000, k * 10_000 + 9000, k * 10_000 + 4000))
            .collect();
        let interval = Calibration::of(&wide, &"other".into())
            .unwrap()
            .adjusted_interval(&wide[0].distribution, Epoch(0));
        assert_eq!((interval.low, interval.high), (Some(Epoch(4000)), Some(Epoch(4000))));
    }

    /// If three starts in five are immediate, no interval is missed early, and four fifths of all starts should be
    /// inside.
    #[test]
    fn what_cannot_be_missed_early_is_missed_late() {
        let start = |k: i64| if k % 5 < 3 { 0 } else { (k * 37 % 100) * 100 };
        let all: Vec<TestedPrediction> = (0..600)
            .map(|k| statement(k * 100_000, k * 100_000, k * 100_000 + 9000, k * 100_000 + start(k)))
            .collect();
        let held = calibrated_counts(&all)["q"];
        let inside = held.inside * 100 / held.all;
        assert!((75..=85).contains(&inside), "{inside} %, {} early of {}", held.earlier, held.all);
    }
}
