//! Preemption over whole clusters: which jobs are preempted, and that the journal steps over it in both directions.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its own files fails")]

use std::ops::ControlFlow;
use std::path::Path as Folder;
use std::sync::Arc;

use qscope::cycle::{Debugger, PreemptionOutcome, Run, ServerAction, run_cycle};
use qscope::placement::PlacementPath;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::{PreemptMethod, Quirks, Semantics};

fn run(case: &str) -> Run {
    let folder = Folder::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/preemption").join(case);
    let snapshot = load(&Files::from_folder(&folder).unwrap(), &LoadOptions::default()).unwrap();
    run_cycle(Arc::new(snapshot), Quirks::of(Semantics::Observed))
}

/// Describes which jobs were preempted and how, and which started.
fn told(run: &Run) -> (Vec<String>, Vec<String>) {
    let name = |job| run.plan.job(job).short_name().to_owned();
    let actions = run.actions.iter().map(|action| match action {
        ServerAction::Preempt(job, PreemptMethod::Suspend) => format!("{} suspended", name(*job)),
        ServerAction::Preempt(job, PreemptMethod::Checkpoint) => format!("{} checkpointed", name(*job)),
        ServerAction::Preempt(job, PreemptMethod::Requeue) => format!("{} requeued", name(*job)),
        ServerAction::Preempt(job, PreemptMethod::Delete) => format!("{} deleted", name(*job)),
        ServerAction::Resume(job) => format!("{} resumed", name(*job)),
        ServerAction::ExtendSoft(job, length) => format!("{} extended to {length}", name(*job)),
    });
    let started = run.outcomes().filter(|outcome| outcome.placed.is_some()).map(|outcome| name(outcome.job));
    (actions.collect(), started.collect())
}

/// Rule 6.10: of two jobs preempted one after the other, the one that is not needed after all stays.
#[test]
fn a_victim_that_is_not_needed_stays() {
    assert_eq!(told(&run("unneeded")), (vec!["2 suspended".to_owned()], vec!["3".to_owned()]));
}

/// Rule 6.10 and rule 11, item 16: each job is preempted by a method that it allows; a checkpointed job goes back to
/// its own nodes by the node path, a requeued one may use buckets.
#[test]
fn victims_are_considered_again() {
    let run = run("checkpointed-back");
    let (actions, started) = told(&run);
    assert_eq!(actions, ["2 requeued", "1 checkpointed"]);
    assert_eq!(started, ["4", "5"]);
    let paths: Vec<_> = run
        .outcomes()
        .map(|o| (run.plan.job(o.job).short_name(), o.path.map_or("-", PlacementPath::word)))
        .collect();
    assert_eq!(paths, [("4", "-"), ("1", "node"), ("2", "bucket"), ("5", "bucket")]);
}

/// Rule 6.10: no job is preempted if that would raise others above the job.
#[test]
fn no_job_is_lifted_above() {
    assert_eq!(told(&run("softlimit-escalate")), (Vec::new(), Vec::new()));
}

/// Every position of the cycle has the same state however it is reached.
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

/// Pseudo-random numbers that are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Returns busy nodes in four sets, jobs on them with and without memory, and express jobs that request many of them.
fn busy_sets(numbers: &mut Numbers) -> Run {
    let mut nodes = String::new();
    let mut queue = String::from(
        "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n",
    );
    for at in 0..24 {
        let (cpus, switch) = (4 + 4 * numbers.below(2), numbers.below(4));
        nodes.push_str(&format!(
            "[[node]]\nname = \"n{at}\"\navailable = {{ ncpus = {cpus}, mem = \"16gb\", switch = [\"sw{switch}\"] }}\n"
        ));
        let mem = if numbers.below(3) > 0 { ":mem=4gb" } else { "" };
        let (id, age) = (at + 1, 1 + numbers.below(50));
        queue.push_str(&format!(
            "[[job]]\nid = \"{id}\"\nqueue = \"workq\"\nselect = \"1:ncpus=4{mem}\"\nwalltime = \"02:00:00\"\n\
             started = \"-00:{age:02}:00\"\non = \"(n{at}:ncpus=4{mem})\"\n"
        ));
    }
    for at in 0..4 {
        let mem = if numbers.below(2) > 0 { ":mem=14gb" } else { "" };
        let place = ["free", "scatter", "scatter:excl", "free:excl", "pack"][numbers.below(5) as usize];
        let (id, chunks, cpus) = (100 + at, 1 + numbers.below(5), [4, 6, 8][numbers.below(3) as usize]);
        queue.push_str(&format!(
            "[[job]]\nid = \"{id}\"\nqueue = \"express\"\nselect = \"{chunks}:ncpus={cpus}{mem}\"\n\
             place = \"{place}\"\nwalltime = \"01:00:00\"\n"
        ));
    }
    let policy = "[sched_config]\npreemptive_sched = true\nresources = [\"ncpus\", \"mem\", \"host\", \"vnode\"]\n\
                  [server]\nnode_group_enable = true\nnode_group_key = [\"switch\"]\n\
                  [[resource]]\nname = \"switch\"\ntype = \"string_array\"\nflag = \"h\"\n";
    let mut files = Files::new("busy sets");
    for (name, text) in [("nodes.toml", nodes.as_str()), ("queue.toml", &queue), ("policy.toml", policy)] {
        files.insert(name, text.as_bytes().to_vec(), None);
    }
    run_cycle(Arc::new(load(&files, &LoadOptions::default()).unwrap()), Quirks::of(Semantics::Observed))
}

/// Rule 6.10: a cycle re-examines only the sets that got nodes back, and preempts the same jobs as if it examined
/// everything after every victim, as it does with a listener.
#[test]
fn victims_are_the_same_whoever_listens() {
    let mut numbers = Numbers(7);
    let mut all = 0;
    for round in 0..60 {
        let run = busy_sets(&mut numbers);
        run.rehearse_all(|step, heard| {
            let kept = heard.trials.iter().filter(|trial| trial.fate == PreemptionOutcome::Preempted);
            let mut kept: Vec<_> = kept.map(|trial| trial.job).collect();
            let mut victims: Vec<_> = run.steps[step].outcome.victims.iter().map(|(job, _)| *job).collect();
            kept.sort_unstable();
            victims.sort_unstable();
            assert_eq!(kept, victims, "round {round}, {step:?}");
            all += victims.len();
            ControlFlow::Continue(())
        });
    }
    assert!(all > 100, "only {all} victims in all rounds");
}
