//! The answer as text.

mod fill;
mod waits;

use std::fmt::Write as _;
use std::time::Duration;

use qscope_console::widgets::text::{Align, fit};
use qscope_engine::cluster::show_duration as length;
use qscope_exits::Lines;
use qscope_planning::farm::{ClassNo, FarmCase, FarmRun};

use crate::command::table::paragraph;
use fill::add_fill_lines;
use waits::waits;

/// Maximum number of broken records that are shown.
const SHOWN: usize = 10;

/// Returns the whole answer.
pub(super) fn summary(case: &FarmCase, runs: &[FarmRun], timing: Option<(Duration, Duration)>) -> Lines {
    let mut text = Lines::new();
    add_heading(&mut text, case, runs);
    policies(&mut text, case, runs);
    add_fill_lines(&mut text, case, runs);
    waits(&mut text, case, runs);
    notes(&mut text, case);
    if let Some((read, took)) = timing {
        let events: u64 = runs.iter().map(|run| run.summary.events).sum();
        let rate = events as f64 / took.as_secs_f64().max(1e-9) / 1e6;
        text.blank();
        text.line(format_args!(
            "read {} ms, simulated {} ms: {events} events, {rate:.1} million a second",
            read.as_millis(),
            took.as_millis()
        ));
    }
    text
}

fn add_heading(text: &mut Lines, case: &FarmCase, runs: &[FarmRun]) {
    let by = if case.criterion.is_empty() { String::new() } else { format!(" by {}", case.criterion) };
    let farm = &case.workload;
    let why = if case.why.is_empty() { String::new() } else { format!(": {}", case.why) };
    text.line(format_args!("{}{why}", case.title));
    let jobs = if farm.residents.is_empty() {
        String::new()
    } else {
        format!(", {} running at the start", grouped(farm.running_jobs()))
    };
    text.line(format_args!(
        "{}, {}; {}{jobs}; {}{by}",
        counted(farm.nodes.len() as u64, "node", "s"),
        counted(farm.total_slots(), "slot", "s"),
        counted(farm.whole_jobs(), "job", "s"),
        counted(farm.classes.len() as u64, "class", "es")
    ));
    let work = case.work_by_class();
    let all: u128 = work.iter().sum();
    let share = |class: &ClassNo| {
        let part = work[*class] as f64 * 100.0 / all.max(1) as f64;
        format!("{} ({part:.0} % of the work)", farm.classes[*class])
    };
    let packing: Vec<String> = case.packing.iter().take(12).map(share).collect();
    text.line(format_args!(
        "packing: {}",
        if packing.is_empty() { "none".to_owned() } else { packing.join(", ") }
    ));
    if let Some(run) = runs.first() {
        let window = run.summary.window;
        let length = length(window.seconds() as f64);
        text.line(format_args!("window: {} to {}, {length}; all means are over it", window.from, window.to));
        if window.seconds() == 0 {
            text.line("All jobs arrive in the same second, so there are no means: use --window 0s..1h, for example.");
        }
    }
}

fn policies(text: &mut Lines, case: &FarmCase, runs: &[FarmRun]) {
    let shown: Vec<ClassNo> = case.packing.iter().copied().take(3).collect();
    text.blank();
    let mut line =
        format!("{:<12}{:>8}{:>9}{:>10}{:>9}", "policy", "mean FF", "costs", "cpu hours", "undone");
    for class in &shown {
        let name = fit(&case.workload.classes[*class], 8, Align::Left, "~");
        let _written = write!(line, "{:>12}{:>12}", format!("PI {}", name.trim_end()), "nodes of");
    }
    line.push_str("   held  blocked");
    text.line(&line);
    let relaxed = runs.iter().find(|run| run.options.name == "relaxed");
    for run in runs {
        let summary = &run.summary;
        let ff = summary.mean_ff().map_or("-".to_owned(), |ff| format!("{ff:.4}"));
        let cost = relaxed
            .filter(|_| run.options.name != "real")
            .and_then(|relaxed| summary.cost_against(&relaxed.summary));
        let cost = cost.map_or("-".to_owned(), |cost| {
            if cost.abs() < 0.05 { "0".to_owned() } else { format!("{cost:.1}") }
        });
        let undone = relaxed
            .filter(|_| run.options.name != "real")
            .map_or("-".to_owned(), |relaxed| rounded(summary.cpu_hours_against(&relaxed.summary)));
        let hours = rounded(summary.cpu_hours());
        let mut line = format!("{:<12}{ff:>8}{cost:>9}{hours:>10}{undone:>9}", run.options.name);
        for class in &shown {
            let means = summary.class_means(*class);
            let index = summary.index(*class).map_or("-".to_owned(), |index| format!("{index:.3}"));
            // Small numbers of nodes are printed with one more digit: 1.4 of 5.3 is about a quarter, but 1 of 5 looks
            // like a fifth.
            let digits = usize::from(means.nodes < 10.0);
            let nodes = format!("{:.digits$} of {:.digits$}", means.sufficient, means.nodes);
            let _written = write!(line, "{index:>12}{nodes:>12}");
        }
        let _written = write!(line, "{:>7.0}{:>9.1}", summary.mean_held(), summary.mean_blocked());
        text.line(&line);
    }
    if shown.len() < case.packing.len() {
        let more: Vec<&str> = case
            .packing
            .iter()
            .skip(shown.len())
            .take(12)
            .map(|class| &*case.workload.classes[*class])
            .collect();
        text.line(format_args!("not shown, no space: {} (--json and --csv have all)", more.join(", ")));
    }
    what_columns_mean(text, relaxed.is_some());
}

fn what_columns_mean(text: &mut Lines, has_relaxed: bool) {
    if !has_relaxed {
        text.line("costs are against relaxed, which is not among the policies asked for.");
    }
    for (column, meaning) in [
        ("PI: ", "nodes that would do, by nodes used (by slots, not by packing bins)"),
        ("costs: ", "slots, against relaxed; a job that waits longer runs later, so it can be negative"),
        ("blocked: ", "free slots on held nodes while jobs wait for just those"),
        ("cpu hours: ", "CPU time in the window, a slot in use counting as one cpu at work"),
        ("undone: ", "cpu hours less than those of relaxed"),
    ] {
        text.append(&paragraph(column, meaning));
    }
}

/// Formats hours: whole ones from ten on, with one decimal below; never `-0`.
fn rounded(hours: f64) -> String {
    match hours.abs() {
        none if none < 0.05 => "0".to_owned(),
        few if few < 10.0 => format!("{hours:.1}"),
        _ => format!("{hours:.0}"),
    }
}

fn notes(text: &mut Lines, case: &FarmCase) {
    if !case.notes.is_empty() || case.broken > 0 {
        text.blank();
    }
    for note in &case.notes {
        text.line(format_args!("note: {note}"));
    }
    if case.broken > 0 {
        text.line(format_args!("records that could not be read and are left out: {}", case.broken));
        for problem in case.problems.iter().take(SHOWN) {
            text.line(format_args!("  {problem}"));
        }
        let more = case.broken.saturating_sub(case.problems.len().min(SHOWN) as u64);
        if more > 0 {
            text.line(format_args!("  and {more} more"));
        }
    }
}

/// Formats a number of things, with the plural ending unless it is one.
fn counted(number: u64, thing: &str, ending: &str) -> String {
    let ending = if number == 1 { "" } else { ending };
    format!("{} {thing}{ending}", grouped(number))
}

/// Formats a number with its thousands separated.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
