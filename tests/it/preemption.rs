//! Preemption over whole clusters: who has to go, and that the journal leads back and forth over it.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its own files fails")]

use std::path::Path as Folder;
use std::sync::Arc;

use qscope::cycle::{Action, Debugger, Run, run_cycle};
use qscope::placement::Path;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::{PreemptMethod, Quirks, Semantics};

fn run(case: &str) -> Run {
    let folder = Folder::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/preemption").join(case);
    let snapshot = load(&Files::from_folder(&folder).unwrap(), &LoadOptions::default()).unwrap();
    run_cycle(Arc::new(snapshot), Quirks::of(Semantics::Observed))
}

/// Who was preempted by what, and who started, as words.
fn told(run: &Run) -> (Vec<String>, Vec<String>) {
    let name = |job| run.plan.job(job).short_name().to_owned();
    let actions = run.actions.iter().map(|action| match action {
        Action::Preempt(job, PreemptMethod::Suspend) => format!("{} suspended", name(*job)),
        Action::Preempt(job, PreemptMethod::Checkpoint) => format!("{} checkpointed", name(*job)),
        Action::Preempt(job, PreemptMethod::Requeue) => format!("{} requeued", name(*job)),
        Action::Preempt(job, PreemptMethod::Delete) => format!("{} deleted", name(*job)),
        Action::Resume(job) => format!("{} resumed", name(*job)),
    });
    let started = run.outcomes().filter(|outcome| outcome.placed.is_some()).map(|outcome| name(outcome.job));
    (actions.collect(), started.collect())
}

/// Rule 6.10: of two jobs taken one after the other, the one that is not needed after all stays.
#[test]
fn a_victim_that_is_not_needed_stays() {
    assert_eq!(told(&run("unneeded")), (vec!["2 suspended".to_owned()], vec!["3".to_owned()]));
}

/// Rule 6.10 and rule 11, item 16: by the methods that each job allows; a checkpointed job goes back to its
/// own nodes by the node path, a requeued one may use buckets.
#[test]
fn victims_are_considered_again() {
    let run = run("checkpointed-back");
    let (actions, started) = told(&run);
    assert_eq!(actions, ["2 requeued", "1 checkpointed"]);
    assert_eq!(started, ["4", "5"]);
    let paths: Vec<_> =
        run.outcomes().map(|o| (run.plan.job(o.job).short_name(), o.path.map_or("-", Path::word))).collect();
    assert_eq!(paths, [("4", "-"), ("1", "node"), ("2", "bucket"), ("5", "bucket")]);
}

/// Rule 6.10: nobody is preempted when that would lift others above the job.
#[test]
fn nobody_is_lifted_above() {
    assert_eq!(told(&run("softlimit-escalate")), (Vec::new(), Vec::new()));
}

/// Every position of the cycle looks the same however it is reached.
#[test]
fn the_journal_leads_over_preemption_and_back() {
    for case in ["unneeded", "checkpointed-back", "softlimit-escalate"] {
        let mut debugger = Debugger::new(Arc::new(run(case)));
        let mut seen = Vec::new();
        for at in 0..=debugger.len() {
            debugger.seek(at);
            seen.push(format!("{:?}", debugger.state()));
        }
        for at in (0..=debugger.len()).rev() {
            debugger.seek(at);
            assert_eq!(seen.get(at), Some(&format!("{:?}", debugger.state())), "{case}, position {at}");
        }
    }
}
