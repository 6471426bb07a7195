//! Two settings on the same arrivals, as text and as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use qscope_engine::cluster::{Seconds, count};
use qscope_exits::Lines;
use qscope_simulate::difference::{ClassDifference, rank};
use qscope_simulate::{Measures, ScalingResult, SimulationCondition, SimulationDifference, SimulationResult};
use qscope_source::civil_time;

use super::answer::{ConditionJson, conditions_json};
use super::text::{figures, lower_bound_note, ordered};

/// Both simulations and their difference.
pub(super) struct ComparisonAnswer<'a> {
    pub(super) a: &'a SimulationResult,
    pub(super) b: &'a SimulationResult,
    pub(super) difference: &'a SimulationDifference,
    /// The settings of both.
    pub(super) settings: &'a [String],
    /// The additional settings of the second.
    pub(super) against: &'a [String],
    /// The zone of the times.
    pub(super) zone: &'a str,
}

/// The answer as JSON. Times are in seconds; differences are the second less the first.
#[derive(Serialize)]
pub(super) struct ComparisonJson<'a> {
    format: &'static str,
    against: &'a [String],
    a: &'a Measures,
    b: &'a Measures,
    difference: &'a SimulationDifference,
    classes: &'a BTreeMap<&'static str, BTreeMap<String, ClassDifference>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<FirstDifferenceJson<'a>>,
    /// Vnodes that were ordered and given back in both, by kind.
    #[serde(skip_serializing_if = "<[ScalingResult]>::is_empty")]
    scaled_a: &'a [ScalingResult],
    #[serde(skip_serializing_if = "<[ScalingResult]>::is_empty")]
    scaled_b: &'a [ScalingResult],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<ConditionJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

#[derive(Serialize)]
struct FirstDifferenceJson<'a> {
    at: i64,
    job: &'a str,
}

/// Describes A and B: `set` applies to both.
pub(super) fn sides(set: &[String], against: &[String]) -> String {
    let against = against.join(", ");
    match set {
        [] => format!("A with the settings as read; B with {against}"),
        set => format!("A with {}; B with {against} besides", set.join(", ")),
    }
}

impl<'a> ComparisonAnswer<'a> {
    pub(super) fn to_json(&self, conditions: &'a [SimulationCondition]) -> ComparisonJson<'a> {
        let d = self.difference;
        ComparisonJson {
            format: "days against 1",
            against: self.against,
            a: &self.a.measures,
            b: &self.b.measures,
            difference: d,
            classes: &d.classes,
            first: d.first.as_ref().map(|(at, job)| FirstDifferenceJson { at: at.0, job }),
            scaled_a: &self.a.scaled,
            scaled_b: &self.b.scaled,
            conditions: conditions_json(conditions, self.b),
            warnings: &self.b.warnings,
        }
    }

    pub(super) fn to_text(&self) -> Lines {
        let mut text = Lines::new();
        let d = self.difference;
        text.line(sides(self.settings, self.against));
        text.line("one simulation of each, for these arrivals");
        let window = self.a.measures.window;
        let [from, to] = [window.0, window.1].map(|at| civil_time(at, self.zone));
        text.line(format_args!("jobs that arrived from {from} to {to}"));
        let counts = |m: &Measures| format!("{} started, {} not", m.started, m.censored);
        let (of_a, of_b) = (counts(&self.a.measures), counts(&self.b.measures));
        text.line(format_args!("A: {of_a} started; B: {of_b} started"));
        for (side, measures) in [("A", &self.a.measures), ("B", &self.b.measures)] {
            text.extend(lower_bound_note(measures).map(|note| format!("{side}: {note}")));
        }
        let (of_a, of_b) = (figures(&self.a.measures), figures(&self.b.measures));
        // The name of a user may be wider than any number.
        let wide =
            of_a.iter().chain(&of_b).map(|(_, value)| value.chars().count() + 2).max().unwrap_or(0).max(14);
        text.line(format_args!("{:<24}{:>wide$}{:>wide$}", "figure", "A", "B"));
        for (name, a) in &of_a {
            let b = of_b.iter().find(|(have, _)| have == name).map_or("-", |(_, value)| value);
            text.line(format_args!("{name:<24}{a:>wide$}{b:>wide$}"));
        }
        for (side, simulated) in [("A", self.a), ("B", self.b)] {
            text.extend(simulated.scaled.iter().map(|scaled| format!("{side}: {}", ordered(scaled))));
        }
        text.blank();
        text.line(format_args!(
            "waits of {} jobs: {} shorter under B, {} longer, {} within a minute",
            d.count, d.shorter, d.longer, d.same,
        ));
        if d.apart > 0 {
            let apart = count(d.apart, "job");
            text.line(format_args!("{apart} left out: not started under A, under B, or under either"));
        }
        if let Some(mean) = d.mean {
            let time = |value: Option<i64>| value.map_or("-".to_owned(), |value| Seconds(value).to_string());
            let (p5, median, p95) = (time(d.p5), time(d.median), time(d.p95));
            let mean = Seconds(mean.round() as i64);
            text.line(format_args!("B less A: mean {mean}; 5 % {p5}, median {median}, 95 % {p95}"));
        }
        match &d.first {
            Some((at, job)) => {
                text.line(format_args!("first difference at {}: job {job}", civil_time(*at, self.zone)));
            }
            None => text.line("no job differs"),
        }
        text.append(&self.classes());
        text
    }

    fn classes(&self) -> Lines {
        let mut text = Lines::new();
        for (kind, classes) in &self.difference.classes {
            text.blank();
            text.line(format_args!(
                "{kind:<16}{:>8}{:>12}{:>12}{:>12}",
                "jobs", "wait A", "wait B", "B less A"
            ));
            let mut classes: Vec<_> = classes.iter().collect();
            classes.sort_by_key(|(name, _)| rank(kind, name));
            for (name, class) in classes {
                let [a, b, difference] = [class.mean_a, class.mean_b, class.mean_difference]
                    .map(|seconds| Seconds(seconds.round() as i64).to_string());
                text.line(format_args!("{name:<16}{:>8}{a:>12}{b:>12}{difference:>12}", class.count));
            }
        }
        text
    }
}
