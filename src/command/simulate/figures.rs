//! The figures of a simulation with their names, and their differences between two.

use std::fmt;

use qscope_engine::cluster::Seconds;
use qscope_simulate::Measures;

/// A figure of the text answer.
pub(super) struct NamedFigure {
    pub(super) name: &'static str,
    pub(super) value: FigureValue,
}

/// The value of a figure, in its unit.
pub(super) enum FigureValue {
    /// In seconds.
    Time(i64),
    /// A fraction, printed in percent.
    Share(f64),
    /// A number with its decimal places.
    Number(f64, usize),
    Words(String),
}

impl fmt::Display for FigureValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Padded as a whole.
            Self::Time(seconds) => f.pad(&Seconds(*seconds).to_string()),
            Self::Share(share) => f.pad(&format!("{:.1} %", share * 100.0)),
            Self::Number(number, places) => f.pad(&format!("{number:.places$}")),
            Self::Words(words) => f.pad(words),
        }
    }
}

impl FigureValue {
    /// Returns this value less another one of the same unit, in words: percentages differ by points.
    pub(super) fn less(&self, other: &Self) -> Option<String> {
        match (self, other) {
            (Self::Time(b), Self::Time(a)) => Some(Seconds(b - a).to_string()),
            (Self::Share(b), Self::Share(a)) => Some(format!("{} points", signed((b - a) * 100.0, 1))),
            (Self::Number(b, places), Self::Number(a, _)) => Some(signed(b - a, *places)),
            _ => None,
        }
    }
}

/// Formats a number that may round to 0, which has no sign.
fn signed(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    if is_zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// Returns the figures that exist.
pub(super) fn figures(measures: &Measures) -> Vec<NamedFigure> {
    use FigureValue::{Number, Share, Time, Words};
    let time = |seconds: Option<i64>| seconds.map(Time);
    let whole = |seconds: Option<f64>| seconds.map(|seconds| Time(seconds.round() as i64));
    let share = |part: Option<f64>| part.map(Share);
    let number = |value: Option<f64>, places| value.map(|value| Number(value, places));
    let (fair, estimated) = (measures.fairness.as_ref(), measures.estimates.as_ref());
    let all = [
        ("wait, mean", whole(measures.wait.mean)),
        ("wait, median", time(measures.wait.median)),
        ("wait, 95 %", time(measures.wait.p95)),
        ("wait, longest", time(measures.wait.max)),
        ("slowdown, mean", number(measures.slowdown_mean, 2)),
        ("utilisation", share(measures.utilisation)),
        ("jobs waiting, mean", number(measures.queue_mean, 2)),
        ("last end after", time(measures.makespan)),
        ("wait, weighted", whole(measures.weighted_wait)),
        ("ends in an hour", number(measures.throughput, 1)),
        ("fairness (Jain)", number(fair.map(|of| of.index), 3)),
        ("worst slowdown", fair.map(|of| Words(format!("{} {:.2}", of.worst_user, of.worst)))),
        ("backfilled", share(measures.backfilled)),
        ("walltime used", share(measures.walltime_accuracy)),
        ("start less estimate", time(estimated.map(|of| of.median))),
        ("  5 % of them", time(estimated.map(|of| of.p5))),
        ("  95 % of them", time(estimated.map(|of| of.p95))),
        ("  later than estimate", estimated.map(|of| Words(format!("{} of {}", of.later, of.count)))),
    ];
    all.into_iter().filter_map(|(name, value)| Some(NamedFigure { name, value: value? })).collect()
}

#[cfg(test)]
mod tests {
    use super::FigureValue::{Number, Share, Time, Words};

    #[test]
    fn figures_are_subtracted_in_their_units() {
        let words = |b: &super::FigureValue, a| b.less(&a);
        assert_eq!(words(&Time(3600), Time(7260)).as_deref(), Some("-01:01:00"));
        assert_eq!(words(&Share(0.842), Share(0.837)).as_deref(), Some("0.5 points"));
        assert_eq!(words(&Number(1.0, 2), Number(1.001, 2)).as_deref(), Some("0.00"));
        assert_eq!(words(&Words("ann".to_owned()), Time(1)), None);
    }
}
