//! Two settings on the same arrivals, as text and as JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use qscope_engine::cluster::{Seconds, count};
use qscope_engine::placement::PlacementPath;
use qscope_exits::Lines;
use qscope_simulate::decided::JobDecision;
use qscope_simulate::difference::{ClassDifference, rank};
use qscope_simulate::{Measures, ScalingResult, SimulationCondition, SimulationDifference, SimulationResult};
use qscope_source::civil_time;

use super::answer::{ConditionJson, conditions_json};
use super::figures::{NamedFigure, figures};
use super::text::{lower_bound_note, ordered};

/// Both simulations and their difference.
pub(super) struct ComparisonAnswer<'a> {
    pub(super) a: &'a SimulationResult,
    pub(super) b: &'a SimulationResult,
    pub(super) difference: &'a SimulationDifference,
    /// The settings of both.
    pub(super) settings: &'a [String],
    /// The additional settings of the second.
    pub(super) against: &'a [String],
    /// What both decided about the job that differs first, in that second.
    /// `None` if the simulations do not differ, or were ended early.
    pub(super) decisions: Option<&'a [Option<JobDecision>; 2]>,
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
    /// Each number of `b` less that of `a`, if both have it.
    measures_difference: Map<String, Value>,
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
    /// What the first decided in that second; null if none of its cycles then considered the job, or if it was ended early.
    a: Option<JobDecisionJson<'a>>,
    /// What the second decided.
    b: Option<JobDecisionJson<'a>>,
}

/// A decision about a job.
#[derive(Serialize)]
struct JobDecisionJson<'a> {
    starts: bool,
    /// Its placement if it starts.
    exec_vnode: Option<&'a str>,
    /// The path of the search for nodes if it starts.
    path: Option<&'static str>,
    /// Why it waits, as `why` states it in a line.
    reason: Option<&'a str>,
    /// The id of the rule that decided.
    rule: Option<&'static str>,
    /// What that rule states.
    rule_states: Option<&'static str>,
}

impl<'a> JobDecisionJson<'a> {
    fn of(decision: &'a JobDecision) -> Self {
        Self {
            starts: decision.starts(),
            exec_vnode: decision.exec_vnode.as_deref(),
            path: decision.path.map(PlacementPath::word),
            reason: decision.reason.as_deref(),
            rule: decision.rule.map(|rule| rule.id),
            rule_states: decision.rule.map(|rule| rule.sentence),
        }
    }
}

/// Describes a decision: `waits, order: … (rule main-loop: …)`.
fn decision_words(decision: Option<&JobDecision>) -> String {
    let Some(decision) = decision else { return "not considered in that second".to_owned() };
    let what = match (&decision.exec_vnode, &decision.reason) {
        (Some(nodes), _) => format!("starts on {nodes}"),
        (None, Some(reason)) => format!("waits, {reason}"),
        (None, None) => "waits".to_owned(),
    };
    let rule = decision.rule.map(|rule| format!(" (rule {}: {})", rule.id, rule.sentence));
    what + &rule.unwrap_or_default()
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
        let of_side =
            |side: usize| self.decisions.and_then(|both| both.get(side)?.as_ref()).map(JobDecisionJson::of);
        ComparisonJson {
            format: "days against 1",
            against: self.against,
            a: &self.a.measures,
            b: &self.b.measures,
            difference: d,
            classes: &d.classes,
            measures_difference: self.b.measures.less(&self.a.measures),
            first: d.first.as_ref().map(|(at, job)| FirstDifferenceJson {
                at: at.0,
                job,
                a: of_side(0),
                b: of_side(1),
            }),
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
        text.append(&self.figures());
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
        text.append(&self.first());
        text.append(&self.classes());
        text
    }

    /// Returns the figures side by side, with their differences.
    fn figures(&self) -> Lines {
        let mut text = Lines::new();
        let (of_a, of_b) = (figures(&self.a.measures), figures(&self.b.measures));
        // The name of a user may be wider than any number.
        let width = |figure: &NamedFigure| figure.value.to_string().chars().count() + 2;
        let wide = of_a.iter().chain(&of_b).map(width).max().unwrap_or(0).max(14);
        text.line(format_args!("{:<24}{:>wide$}{:>wide$}{:>wide$}", "figure", "A", "B", "B less A"));
        for NamedFigure { name, value: a } in &of_a {
            let b = of_b.iter().find(|of_b| of_b.name == *name).map(|of_b| &of_b.value);
            let less = b.and_then(|b| b.less(a)).unwrap_or_else(|| "-".to_owned());
            let b = b.map_or("-".to_owned(), ToString::to_string);
            text.line(format_args!("{name:<24}{a:>wide$}{b:>wide$}{less:>wide$}"));
        }
        text
    }

    /// Returns the first second in which the two differ, and what both decided there.
    fn first(&self) -> Lines {
        let mut text = Lines::new();
        let Some((at, job)) = &self.difference.first else {
            text.line("no job differs");
            return text;
        };
        text.line(format_args!("first difference at {}: job {job}", civil_time(*at, self.zone)));
        for (side, decision) in ["A", "B"].into_iter().zip(self.decisions.into_iter().flatten()) {
            text.line(format_args!("  {side}: {}", decision_words(decision.as_ref())));
        }
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
