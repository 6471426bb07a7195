//! Two settings over many replications: what may be concluded about their difference, as text and as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use qscope_exits::Lines;
use qscope_simulate::confidence::{FEWEST, IntervalSign, PairedMeasure, ReplicatedComparison};
use qscope_simulate::difference::rank;
use qscope_simulate::figures::rounded;

/// A replicated comparison and its arguments.
pub(super) struct ReplicatedAnswer<'a> {
    pub(super) comparison: &'a ReplicatedComparison,
    pub(super) against: &'a [String],
    /// The settings of both.
    pub(super) settings: &'a [String],
    pub(super) asked: u64,
    pub(super) seed: u64,
    /// Whether arrivals were drawn too.
    pub(super) redrawn: bool,
    pub(super) warnings: &'a [String],
}

/// The answer as JSON; differences are the second less the first.
#[derive(Serialize)]
pub(super) struct ReplicatedJson<'a> {
    format: &'static str,
    against: &'a [String],
    seed: u64,
    replications: usize,
    replications_asked: u64,
    arrivals_drawn: bool,
    figures: BTreeMap<&'static str, PairedMeasureJson>,
    /// Mean waits in seconds.
    classes: BTreeMap<&'static str, BTreeMap<&'a str, PairedMeasureJson>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

#[derive(Serialize)]
struct PairedMeasureJson {
    a: f64,
    b: f64,
    difference: f64,
    half: Option<f64>,
    seen: &'static str,
}

impl PairedMeasureJson {
    fn of(paired: &PairedMeasure) -> Self {
        let PairedMeasure { a, b, difference, half_interval: half, .. } = *paired;
        let round = |value: f64| rounded(value, 6);
        let seen = match paired.seen() {
            IntervalSign::Less => "less",
            IntervalSign::More => "more",
            IntervalSign::Undecided => "no difference seen",
            IntervalSign::NoInterval => "too few replications",
        };
        Self { a: round(a), b: round(b), difference: round(difference), half: half.map(round), seen }
    }
}

impl ReplicatedAnswer<'_> {
    pub(super) fn to_json(&self) -> ReplicatedJson<'_> {
        let classes = self.comparison.classes.iter().map(|(kind, classes)| {
            (
                *kind,
                classes
                    .iter()
                    .map(|(class, paired)| (class.as_str(), PairedMeasureJson::of(paired)))
                    .collect(),
            )
        });
        ReplicatedJson {
            format: "days against replicated 1",
            against: self.against,
            seed: self.seed,
            replications: self.comparison.count,
            replications_asked: self.asked,
            arrivals_drawn: self.redrawn,
            figures: self
                .comparison
                .figures
                .iter()
                .map(|(name, paired)| (*name, PairedMeasureJson::of(paired)))
                .collect(),
            classes: classes.collect(),
            warnings: self.warnings,
        }
    }

    pub(super) fn to_text(&self) -> Lines {
        let mut text = Lines::new();
        text.line(super::difference::sides(self.settings, self.against));
        let cut = if (self.comparison.count as u64) < self.asked {
            format!(" of {}, ended early", self.asked)
        } else {
            String::new()
        };
        let arrivals = if self.redrawn { "arrivals drawn too" } else { "for these arrivals" };
        text.line(format_args!(
            "{} replications{cut}, seed {}, {arrivals}",
            self.comparison.count, self.seed
        ));
        if self.comparison.count < FEWEST {
            text.line(format_args!("fewer than {FEWEST} replications: no interval"));
        }
        text.line(format_args!(
            "{:<24}{:>14}{:>14}{:>14}  what is seen (95 %)",
            "figure", "A", "B", "B less A"
        ));
        for (name, paired) in &self.comparison.figures {
            text.line(row(name, paired));
        }
        for (kind, classes) in &self.comparison.classes {
            text.blank();
            text.line(format_args!("{kind}: mean wait, s"));
            let mut classes: Vec<_> = classes.iter().collect();
            classes.sort_by_key(|(class, _)| rank(kind, class));
            for (class, paired) in classes {
                text.line(row(class, paired));
            }
        }
        for warning in self.warnings {
            text.line(format_args!("warning: {warning}"));
        }
        text
    }
}

fn row(name: &str, paired: &PairedMeasure) -> String {
    let PairedMeasure { a, b, difference, half_interval, .. } = paired;
    let half = half_interval.map_or(String::new(), |half| format!("± {half:.3}"));
    let seen = match paired.seen() {
        IntervalSign::Less => format!("less under B ({half})"),
        IntervalSign::More => format!("more under B ({half})"),
        IntervalSign::Undecided => format!("no difference seen ({half})"),
        IntervalSign::NoInterval => String::new(),
    };
    format!("{name:<24}{a:>14.3}{b:>14.3}{difference:>14.3}  {seen}")
}
