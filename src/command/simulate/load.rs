//! The load over time: a row for each second in which something changed.

use serde::Serialize;

use qscope_exits::{Lines, csv_cell};
use qscope_explain::LargestFreeSet;
use qscope_simulate::figures::rounded;
use qscope_simulate::{LoadDetail, LoadSample, LoadSeries};
use qscope_source::civil_time;

/// The load from a second on, until the next sample.
#[derive(Serialize)]
pub(super) struct LoadSampleJson<'a> {
    at: i64,
    /// Cores of running jobs.
    busy_cores: f64,
    /// Cores of the vnodes that are up.
    cores: f64,
    /// Jobs queued or suspended; an array counts as one.
    queued: usize,
    /// Cores times walltime that these request, in seconds; an hour for a job without a walltime.
    core_seconds_waiting: f64,
    /// Jobs that run.
    running: usize,
    /// Nodes that are up and have no job.
    free_nodes: usize,
    /// The placement set with the most of these; null without placement sets.
    largest_free_set: Option<&'a LargestFreeSet>,
    /// Free cores of nodes on which no chunk of a queued job fits.
    stranded_cores: f64,
}

/// Returns the samples that were measured in detail.
fn detailed(series: &LoadSeries) -> impl Iterator<Item = (&LoadSample, &LoadDetail)> {
    series.samples.iter().filter_map(|sample| Some((sample, sample.detail.as_ref()?)))
}

/// Returns the samples for programs.
pub(super) fn to_json(series: &LoadSeries) -> Vec<LoadSampleJson<'_>> {
    detailed(series).map(|(sample, detail)| LoadSampleJson::of(sample, detail)).collect()
}

impl<'a> LoadSampleJson<'a> {
    fn of(sample: &LoadSample, detail: &'a LoadDetail) -> Self {
        let LoadDetail { core_seconds_waiting, free } = detail;
        Self {
            at: sample.at.0,
            busy_cores: rounded(sample.busy, 6),
            cores: rounded(sample.cores, 6),
            queued: sample.queued,
            core_seconds_waiting: rounded(*core_seconds_waiting, 3),
            running: sample.running,
            free_nodes: free.whole_nodes,
            largest_free_set: free.largest_set.as_ref(),
            stranded_cores: rounded(free.stranded_cores, 6),
        }
    }
}

const COLUMNS: &str = "at,busy_cores,cores,queued,core_seconds_waiting,running,free_nodes,largest_free_set,\
                       largest_free_set_nodes,stranded_cores";

/// Returns the samples as a table for other programs.
pub(super) fn csv(series: &LoadSeries) -> Lines {
    let mut text = Lines::new();
    text.line(COLUMNS);
    for row in to_json(series) {
        let set = row.largest_free_set;
        let (set, set_nodes) =
            set.map_or_else(Default::default, |set| (csv_cell(&set.name), set.nodes.to_string()));
        text.line(format_args!(
            "{},{},{},{},{},{},{},{set},{set_nodes},{}",
            row.at,
            row.busy_cores,
            row.cores,
            row.queued,
            row.core_seconds_waiting,
            row.running,
            row.free_nodes,
            row.stranded_cores,
        ));
    }
    text
}

/// Returns the samples as a table; times are in `zone`.
pub(super) fn to_text(series: &LoadSeries, zone: &str) -> Lines {
    let mut text = Lines::new();
    let rows: Vec<(String, &LoadSample, &LoadDetail)> =
        detailed(series).map(|(sample, detail)| (civil_time(sample.at, zone), sample, detail)).collect();
    let Some(wide) = rows.iter().map(|(at, ..)| at.chars().count()).max() else { return text };
    text.blank();
    text.line("load over time, a row for each second with a change:");
    text.line(format_args!(
        "{:<wide$}  busy cores  jobs waiting  core-h waiting  jobs running  free nodes  stranded cores  largest free set",
        "time"
    ));
    for (at, sample, LoadDetail { core_seconds_waiting, free }) in rows {
        text.line(format_args!(
            "{at:<wide$}  {:>10}  {:>12}  {:>14.1}  {:>12}  {:>10}  {:>14}  {}",
            rounded(sample.busy, 1),
            sample.queued,
            core_seconds_waiting / 3600.0,
            sample.running,
            free.whole_nodes,
            rounded(free.stranded_cores, 1),
            free.largest_set.as_ref().map_or("-".to_owned(), set_words),
        ));
    }
    text
}

fn set_words(LargestFreeSet { name, nodes }: &LargestFreeSet) -> String {
    format!("{name} with {nodes}")
}
