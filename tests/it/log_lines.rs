//! Recorded decisions compared with the real scheduler's log, line by line.
//!
//! The comparison covers the main pass and everything after it at the same turn: preemption's trials, the jobs that
//! it puts back, the calendar's windows. Cases that differ are listed in `tests/cases/logs.toml`, which is exact both
//! ways; `QSCOPE_ACCEPT=1 cargo test --test it log_lines` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;

use qscope::cluster::JobId;
use qscope::cycle::{Reconsideration, run_cycle};
use qscope::explain::{comparable, each_turn, is_reproduced, log_lines};
use qscope::universe::{Plan, Quirks};

use super::agreement::features;
use super::cases::{self, folder, unpacked};

/// The log lines of one job at one turn.
#[derive(Debug, PartialEq, Eq)]
struct Turn {
    job: String,
    lines: Vec<String>,
}

/// Returns the turns of a log; each line is prefixed with the job it is about.
fn logged(log: &str) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for line in log.lines() {
        let [_, object, text] = line.splitn(3, ';').collect::<Vec<_>>()[..] else { panic!("{line}") };
        if text == "Considering job to run" {
            turns.push(Turn { job: object.to_owned(), lines: Vec::new() });
        }
        let Some(turn) = turns.last_mut() else { continue };
        if is_reproduced(text) {
            turn.lines.push(format!("{object} {}", comparable(text)));
        }
    }
    turns
}

/// Returns the turns of the model's cycle over a case.
fn modelled(case: &cases::Case) -> Vec<Turn> {
    let run = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
    let mut turns = Vec::new();
    each_turn(&run, |step, looks| {
        let job = name(&run.plan, run.steps[step].outcome.job);
        turns.push(Turn { job, lines: looks.iter().flat_map(|look| told(&run.plan, look)).collect() });
        ControlFlow::Continue(())
    });
    turns
}

/// Returns the log lines for one consideration of a job.
fn told(plan: &Plan, look: &Reconsideration) -> Vec<String> {
    let job = name(plan, look.job);
    let lines = log_lines(plan, look);
    lines
        .iter()
        .filter(|line| is_reproduced(line))
        .map(|line| format!("{job} {}", comparable(line)))
        .collect()
}

fn name(plan: &Plan, job: JobId) -> String {
    plan.snap.jobs[job].name.to_string()
}

#[test]
fn recorded_decisions_are_the_log_line_by_line() {
    let logs = unpacked(&fs::read(folder().join("logs.gz")).unwrap());
    let (mut problems, mut differing) = (String::new(), String::from(HEAD));
    let known = known();
    let (mut whole, mut agree, mut compared) = (0, 0, 0);
    for (name, files) in &logs {
        let case = cases::all().iter().find(|case| case.name == *name).unwrap();
        let logged = logged(std::str::from_utf8(&files["sched_log"]).unwrap());
        let modelled = modelled(case);
        compared += logged.iter().map(|turn| turn.lines.len()).sum::<usize>();
        let equal = logged.iter().zip(&modelled).filter(|(log, model)| log == model);
        agree += equal.map(|(log, _)| log.lines.len()).sum::<usize>();
        whole += usize::from(logged == modelled);
        if logged != modelled {
            let reasons = features::reasons(&case.snapshot()).join("; ");
            writeln!(differing, "{name} = \"{reasons}\"").unwrap();
        }
        if (logged == modelled) == known.contains_key(name) {
            problems.push_str(&difference(name, &logged, &modelled));
        }
    }
    let summary = format!("log lines {whole} of {} cases, {agree} of {compared} lines\n", logs.len());
    std::io::stdout().write_all(summary.as_bytes()).unwrap();
    if std::env::var_os("QSCOPE_ACCEPT").is_some() {
        fs::write(folder().join("logs.toml"), differing).unwrap();
        return;
    }
    assert!(problems.is_empty(), "{problems}QSCOPE_ACCEPT=1 writes tests/cases/logs.toml anew");
    assert!(compared > 3500, "only {compared} lines");
}

const HEAD: &str = "\
# Cases in which a recorded decision does not read like the real scheduler's log line by line yet, with the rules
# that the case uses. The list is exact both ways.

";

/// Returns the cases whose lines do not agree yet, with the reason.
fn known() -> BTreeMap<String, String> {
    toml::from_str(&fs::read_to_string(folder().join("logs.toml")).unwrap()).unwrap()
}

/// Describes the first difference between a log and the model.
fn difference(name: &str, logged: &[Turn], modelled: &[Turn]) -> String {
    let mut text = format!("{name}:");
    if logged == modelled {
        text.push_str(" agrees now\n");
        return text;
    }
    let jobs = |turns: &[Turn]| turns.iter().map(|turn| turn.job.clone()).collect::<Vec<_>>();
    let parting = logged.iter().zip(modelled).find(|(log, model)| log != model);
    match parting {
        Some((log, model)) => write!(text, "\n  logged   {log:?}\n  modelled {model:?}\n").unwrap(),
        None => writeln!(text, " logged {:?}, modelled {:?}", jobs(logged), jobs(modelled)).unwrap(),
    }
    text
}
