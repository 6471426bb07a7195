//! A recording's cycles against what really started: a line a day, and the reasons for the misses.

use std::collections::BTreeMap;
use std::sync::Arc;

use color_eyre::eyre::Result;
use serde::Serialize;

use qscope_engine::cluster::{Epoch, Snapshot};
use qscope_engine::cycle::{Run, run_cycle};
use qscope_exits::Lines;
use qscope_explain::{starting, unseen};
use qscope_record::{Recording, RecordingReader};
use qscope_session::agreement::{PlacementMatch, Prediction, PredictionScore};
use qscope_source::load;

use super::ReplayArgs;
use crate::command::snapshots::each_snapshot;
use crate::command::{open, output};

/// One day of a recording.
#[derive(Default, Serialize)]
struct DayAgreement {
    day: String,
    /// Pairs of snapshots that were compared.
    cycles: usize,
    starts: usize,
    predicted: usize,
    same_nodes: usize,
    /// Jobs that were predicted to start and waited.
    missed: usize,
    waited: usize,
    /// The number of jobs that started without being predicted, by the scheduler's comment in the model.
    not_predicted: BTreeMap<String, usize>,
    /// Jobs that started on nodes other than the modelled ones.
    other_nodes: usize,
}

#[derive(Default, Serialize)]
struct RecordingAgreement {
    days: Vec<DayAgreement>,
    /// Facts that no snapshot shows, and how many snapshots lack them.
    not_seen: BTreeMap<String, usize>,
    /// Snapshots that could not be read.
    lost: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// Goes through the recording once.
pub(super) fn run(args: &ReplayArgs, recording: &Recording) -> Result<u8> {
    let (quirks, how) = (open::quirks(&args.form.reading)?, args.form.reading.load_options());
    let mut found = RecordingAgreement::default();
    let mut last: Option<Run> = None;
    let read = each_snapshot(recording, RecordingReader::files, |files| {
        let before = last.take();
        let read = files.map_err(|error| error.to_string());
        match read.and_then(|files| load(&files, &how).map_err(|error| error.to_string())) {
            Ok(snapshot) => {
                if let Some(before) = &before {
                    found.add(before, &snapshot);
                }
                last = Some(run_cycle(Arc::new(snapshot), quirks));
            }
            Err(why) => found.lost.push(why),
        }
    })?;
    found.cut = read < recording.moments().len();
    output::print_json_or_text(args.form.json, || &found, || found.to_text())?;
    Ok(0)
}

impl RecordingAgreement {
    fn add(&mut self, before: &Run, after: &Snapshot) {
        let snap = &before.plan.snap;
        let prediction = Prediction::new(before, after);
        let day = day_of(snap, snap.now);
        if self.days.last().is_none_or(|last| last.day != day) {
            self.days.push(DayAgreement { day, ..DayAgreement::default() });
        }
        for fact in unseen(&snap.origins) {
            *self.not_seen.entry(fact.text()).or_default() += 1;
        }
        let Some(today) = self.days.last_mut() else { return };
        today.add(before, &prediction);
    }

    fn to_text(&self) -> Lines {
        let mut text = Lines::new();
        text.line(format_args!(
            "{:<12}{:>8}{:>8}{:>11}{:>12}{:>11}",
            "day", "cycles", "starts", "predicted", "same nodes", "too early"
        ));
        let sum = |of: fn(&DayAgreement) -> usize| self.days.iter().map(of).sum::<usize>();
        for day in &self.days {
            text.line(row(&day.day, [day.cycles, day.starts, day.predicted, day.same_nodes, day.missed]));
        }
        text.line(row(
            "all",
            [
                sum(|d| d.cycles),
                sum(|d| d.starts),
                sum(|d| d.predicted),
                sum(|d| d.same_nodes),
                sum(|d| d.missed),
            ],
        ));
        let mut misses: BTreeMap<&str, usize> = BTreeMap::new();
        for (reason, count) in self.days.iter().flat_map(|day| &day.not_predicted) {
            *misses.entry(reason).or_default() += count;
        }
        let mut misses: Vec<(&str, usize)> = misses.into_iter().collect();
        misses.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
        if !misses.is_empty() {
            text.blank();
            text.line("started and were not predicted; the model's answer was:");
            misses.iter().for_each(|(reason, count)| text.line(format_args!("{count:>8}  {reason}")));
        }
        if !self.not_seen.is_empty() {
            text.blank();
            text.line("assumed, since no snapshot shows it:");
            self.not_seen.iter().for_each(|(fact, count)| text.line(format_args!("{count:>8}  {fact}")));
        }
        self.lost.iter().for_each(|lost| text.line(format_args!("left out: {lost}")));
        text
    }
}

fn row(name: &str, [cycles, starts, predicted, same, early]: [usize; 5]) -> String {
    let share = |part: usize| {
        if starts == 0 { "-".to_owned() } else { format!("{:.1} %", part as f64 * 100.0 / starts as f64) }
    };
    format!("{name:<12}{cycles:>8}{starts:>8}{:>11}{:>12}{early:>11}", share(predicted), share(same))
}

impl DayAgreement {
    fn add(&mut self, before: &Run, prediction: &Prediction) {
        let PredictionScore { starts, predicted, same_nodes, missed, waited_as_predicted, .. } =
            prediction.score;
        self.cycles += 1;
        self.starts += starts;
        self.predicted += predicted;
        self.same_nodes += same_nodes;
        self.missed += missed;
        self.waited += waited_as_predicted;
        for start in &prediction.starts {
            if start.predicted.is_none() {
                *self.not_predicted.entry(answer(before, &start.job)).or_default() += 1;
            } else if start.nodes == PlacementMatch::Other {
                self.other_nodes += 1;
            }
        }
    }
}

/// Returns the model's comment on a job, without its amounts.
fn answer(before: &Run, job: &str) -> String {
    let snap = &before.plan.snap;
    let outcome = snap.job_named(job).and_then(|id| starting(before, id));
    let rejection = outcome.and_then(|outcome| outcome.rejection.as_ref());
    rejection.map_or("not considered in that cycle".to_owned(), |found| {
        qscope_session::wait_history::without_amounts(&found.comment(&snap.catalogue))
    })
}

/// Returns the day of a moment in the snapshot's zone.
fn day_of(snap: &Snapshot, at: Epoch) -> String {
    snap.date(at).map_or_else(|| at.0.to_string(), |date| date.date().to_string())
}
