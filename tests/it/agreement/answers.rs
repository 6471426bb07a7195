//! Runs the program and reads its answers.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use serde_json::Value;

use super::super::cases::{self, Case};
use super::compare::Semantics;

/// The program's answer on one case.
pub(super) struct Answer {
    /// Index of the case in [`cases::all`].
    pub(super) case: usize,
    pub(super) semantics: Semantics,
    /// The printed JSON.
    pub(super) printed: Value,
}

/// Runs the program on every case under both semantics, in as many threads as there are processors.
pub(super) fn of_all_cases() -> Vec<Answer> {
    let asked: Vec<(usize, Semantics)> =
        (0..cases::all().len()).flat_map(|case| Semantics::BOTH.map(|semantics| (case, semantics))).collect();
    let next = AtomicUsize::new(0);
    let (sender, answers) = channel();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (asked, next) = (&asked, &next);
            scope.spawn(move || {
                while let Some(&(case, semantics)) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let printed = ask(&cases::all()[case], semantics);
                    sender.send(Answer { case, semantics, printed }).unwrap();
                }
            });
        }
    });
    drop(sender);
    let mut answers: Vec<Answer> = answers.iter().collect();
    answers.sort_by_key(|answer| (answer.case, answer.semantics));
    answers
}

/// Returns what the program prints about a case; with a file `qrun`, about the cycle in which an operator
/// runs that job.
pub(super) fn ask(case: &Case, semantics: Semantics) -> Value {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &case.files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    program.arg("cycle").arg(folder.path()).args(["--json", "--semantics", semantics.name()]);
    if let Some(qrun) = case.files.get("qrun") {
        let qrun: Value = serde_json::from_slice(qrun).unwrap();
        program.args(["--qrun", qrun["job"].as_str().unwrap()]);
    }
    let output = program.output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {}: {complaint}", case.name, semantics.name());
    serde_json::from_slice(&output.stdout).unwrap()
}
