//! The simulated time as a picture in text: cores at work, jobs waiting, waits by arrival, and the distribution of
//! waits.

use qscope_engine::cluster::{Epoch, Seconds};
use qscope_exits::Lines;
use qscope_explain::words::span;
use qscope_simulate::{JobResult, LoadSample, SimulationResult};

/// Width of a curve, in columns.
const COLUMNS: u32 = 72;

/// Eighths of a cell, from empty to full.
const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Returns three curves over the window, and the waits in classes; nothing for a window shorter than a curve is wide.
pub(super) fn picture(simulated: &SimulationResult) -> Lines {
    let mut text = Lines::new();
    let (from, to) = simulated.measures.window;
    if (to - from).0 < i64::from(COLUMNS) {
        return text;
    }
    let cells = cells(from, to);
    text.line(format_args!(
        "the window in {COLUMNS} columns of {}",
        span(Seconds((to - from).0 / i64::from(COLUMNS)))
    ));
    let mean = |value: &dyn Fn(&LoadSample) -> f64| -> Vec<f64> {
        let length = |cell: &(Epoch, Epoch)| real((cell.1 - cell.0).0.max(1));
        cells.iter().map(|cell| simulated.series.integral(*cell, value) / length(cell)).collect()
    };
    // Vnodes may come and go.
    let samples = simulated.series.samples.iter().map(|sample| sample.cores);
    let cores = samples.fold(simulated.series.cores, f64::max);
    let busy = mean(&|sample| sample.busy);
    curve(&mut text, "busy cores", &busy, cores.max(1.0), &format!("full height {cores:.0}"));
    let queued = mean(&|sample| sample.queued as f64);
    let most = queued.iter().copied().fold(0.0, f64::max);
    curve(&mut text, "jobs waiting", &queued, most, &format!("full height {most:.0}"));
    let waits = waits(simulated, &cells);
    let most = waits.iter().copied().fold(0.0, f64::max);
    let longest = Seconds(most as i64);
    curve(&mut text, "mean wait", &waits, most, &format!("by arrival, full height {longest}"));
    text.append(&spread(simulated));
    text.blank();
    text
}

fn cells(from: Epoch, to: Epoch) -> Vec<(Epoch, Epoch)> {
    let length = (to - from).0;
    let edge = |nth: u32| from + Seconds(length * i64::from(nth) / i64::from(COLUMNS));
    (0..COLUMNS).map(|nth| (edge(nth), edge(nth + 1))).collect()
}

/// Returns the mean wait, in seconds, of the jobs that arrived in each cell.
fn waits(simulated: &SimulationResult, cells: &[(Epoch, Epoch)]) -> Vec<f64> {
    let jobs = || simulated.jobs.iter().filter(|job| !job.is_array && !job.was_present);
    let mean = |(from, to): &(Epoch, Epoch)| {
        let inside = jobs().filter(|job| *from <= job.at && job.at < *to).filter_map(JobResult::wait);
        let (sum, count) = inside.fold((0, 0), |(sum, count), wait| (sum + wait, count + 1));
        if count == 0 { 0.0 } else { real(sum) / real(count) }
    };
    cells.iter().map(mean).collect()
}

fn curve(text: &mut Lines, name: &str, values: &[f64], most: f64, scale: &str) {
    let line: String = values.iter().map(|value| level(*value, most)).collect();
    text.line(format_args!("{name:<14}|{line}| {scale}"));
}

/// Returns a cell filled to the height of a value; any value above zero is visible.
fn level(value: f64, most: f64) -> char {
    if value <= 0.0 || most <= 0.0 {
        return ' ';
    }
    // From 1 to 8.
    let eighths = (value / most * 8.0).round().clamp(1.0, 8.0) as usize;
    LEVELS.get(eighths).copied().unwrap_or('█')
}

/// The upper bounds of the classes of waits, in seconds.
const CLASSES: [(i64, &str); 7] = [
    (0, "none"),
    (60, "to 1 min"),
    (600, "to 10 min"),
    (3600, "to 1 h"),
    (4 * 3600, "to 4 h"),
    (86_400, "to 1 d"),
    (i64::MAX, "over 1 d"),
];

fn spread(simulated: &SimulationResult) -> Lines {
    let mut text = Lines::new();
    let jobs = simulated.jobs.iter().filter(|job| !job.is_array && !job.was_present);
    let waits: Vec<i64> = jobs.filter_map(JobResult::wait).collect();
    let mut least = -1;
    for (most, name) in CLASSES {
        let count = waits.iter().filter(|wait| **wait > least && **wait <= most).count();
        least = most;
        let share = if waits.is_empty() { 0.0 } else { ratio(count, waits.len()) };
        // At most 40 characters.
        let bar = "#".repeat((share * 40.0).round() as usize);
        text.line(format_args!("wait {name:<10}{count:>7} {:>4.0} % {bar}", share * 100.0));
    }
    text
}

fn ratio(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}

fn real(seconds: i64) -> f64 {
    seconds as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_more_than_nothing_is_seen_and_full_is_full() {
        assert_eq!(
            [0.0, 0.01, 50.0, 100.0, 120.0].map(|value| level(value, 100.0)),
            [' ', '▁', '▄', '█', '█']
        );
        assert_eq!(level(1.0, 0.0), ' ');
    }
}
