//! Stepping into decisions, without a screen: the recorded simulations are what the cycle did, and every level of
//! every decision can be visited and agrees with the outcome.

use std::collections::BTreeSet;
use std::path::Path as Folder;
use std::sync::Arc;

use qscope::cluster::{Epoch, Id};
use qscope::cycle::{Debugger, PreemptionOutcome, Run, SimulationFocus, run_cycle};
use qscope::explain::decision::{
    DecisionContents, DecisionLine, DecisionPoint, DecisionRow, DecisionTrace, OwnedSubject,
    decision_contents, decision_lines,
};
use qscope::placement::PlacementPath;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::{Quirks, Semantics};

const FOLDERS: [&str; 8] = [
    "samples/campus",
    "samples/calendar",
    "samples/chunks-12-24",
    "samples/idle-buckets",
    "samples/sets-8",
    "samples/sets-36",
    "tests/cases/preemption/unneeded",
    "tests/cases/preemption/checkpointed-back",
];

fn run(folder: &str) -> Arc<Run> {
    let folder = Folder::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let snapshot = load(&Files::from_folder(&folder).unwrap(), &LoadOptions::default()).unwrap();
    Arc::new(run_cycle(Arc::new(snapshot), Quirks::of(Semantics::Observed)))
}

#[test]
fn a_rehearsal_hears_what_the_cycle_did() {
    let (mut windows, mut trials) = (0, 0);
    for folder in FOLDERS {
        let run = run(folder);
        for (step, made) in run.steps.enumerate() {
            let heard = run.rehearse(step, SimulationFocus::Decision).unwrap();
            if let Some(top) = &made.outcome.estimate {
                let last = heard.windows.last().unwrap();
                assert_eq!((last.at, last.rejection.is_none()), (top.start, true), "{folder}");
                assert_eq!(heard.windows.len(), top.windows as usize + 1, "{folder}");
                let early = &heard.windows[..heard.windows.len() - 1];
                assert!(early.iter().all(|window| window.rejection.is_some()), "{folder}");
                windows += heard.windows.len();
            }
            let kept: BTreeSet<_> = heard
                .trials
                .iter()
                .filter(|trial| trial.fate == PreemptionOutcome::Preempted)
                .map(|trial| trial.job)
                .collect();
            let victims: BTreeSet<_> = made.outcome.victims.iter().map(|(job, _)| *job).collect();
            assert_eq!(kept, victims, "{folder}");
            trials += heard.trials.len();
        }
    }
    assert!(windows >= 3 && trials >= 3, "{windows} {trials}");
}

#[test]
fn the_focus_hears_one_window_whole() {
    let run = run("samples/calendar");
    let step = run.steps.ids().next().unwrap();
    let top = run.steps[step].outcome.estimate.as_ref().unwrap();
    let last = top.windows as usize;
    let heard = run.rehearse(step, SimulationFocus::Window(last)).unwrap();
    let scene = heard.focus_consideration.unwrap();
    let nodes = |allocation: &qscope::universe::Allocation| allocation.nodes();
    assert_eq!(nodes(&scene.outcome.placed.unwrap().allocation), nodes(&top.allocation));
    assert_eq!(scene.state.now, top.start);
    assert!(scene.state.now > Epoch(0) && !scene.events.is_empty());
    let first = run.rehearse(step, SimulationFocus::Window(0)).unwrap().focus_consideration.unwrap();
    assert!(first.outcome.placed.is_none());
    assert_eq!(first.state.now, run.plan.snap.now);
}

/// Visits everything inside a decision, at most a few of many equal items; counts the frames and collects the nodes
/// that are reported as taken.
fn walk(scene: &DecisionTrace, what: &DecisionPoint, depth: usize, taken: &mut BTreeSet<usize>) -> usize {
    assert!(depth < 8, "{what:?}");
    let DecisionContents::Level(level) = decision_contents(scene.as_trace_ref(), what) else { return 0 };
    let mut seen = level.frames.len();
    for DecisionRow { point: what, numbers, passed, text, .. } in &level.frames {
        assert!(numbers.len() <= level.headings.len().max(1), "{what:?}");
        if let DecisionPoint::Node { bit, .. } = what
            && *passed == Some(true)
        {
            assert!(!text.is_empty());
            taken.insert(bit.ix());
        }
        seen += walk(scene, what, depth + 1, taken);
    }
    seen
}

#[test]
fn every_decision_can_be_walked_and_takes_the_nodes_that_it_gives() {
    let mut frames = 0;
    for folder in FOLDERS {
        let run = run(folder);
        let mut debugger = Debugger::new(run.clone());
        for (step, made) in run.steps.enumerate() {
            debugger.seek(step.ix());
            let found = debugger.consideration_next().unwrap();
            let outcome = made.outcome.clone();
            let placed = outcome.placed.clone().filter(|_| !outcome.by_preemption);
            let decided = OwnedSubject::Job(Box::new(outcome));
            let (events, state) = (found.events, found.state);
            let scene = DecisionTrace { run: run.clone(), decided, events, state, rehearsal: None };
            let mut taken = BTreeSet::new();
            frames += walk(&scene, &DecisionPoint::Job, 0, &mut taken);
            let failed =
                |told: &DecisionLine| matches!(told, DecisionLine::Stage { passed: Some(false), .. });
            let told = decision_lines(scene.as_trace_ref());
            let runs = made.outcome.placed.is_some();
            assert!(runs || told.iter().any(failed), "{folder} {step:?}: {told:?}");
            let Some(placed) = placed else { continue };
            let given: BTreeSet<usize> = placed.allocation.nodes().iter().map(|bit| bit.ix()).collect();
            assert!(given.is_subset(&taken), "{folder} {step:?}: {given:?} {taken:?}");
        }
    }
    assert!(frames > 1000, "{frames}");
}

#[test]
fn both_paths_are_told_and_the_own_one_is_the_decision() {
    for folder in FOLDERS {
        let run = run(folder);
        let mut debugger = Debugger::new(run.clone());
        for (step, made) in run.steps.enumerate() {
            debugger.seek(step.ix());
            let before = format!("{:?}", debugger.state().occupancy);
            let Some([own, other]) = debugger.both_paths() else { continue };
            assert_eq!(format!("{:?}", debugger.state().occupancy), before);
            let paths = [&own, &other].map(|outcome| outcome.would_use.unwrap().path);
            assert!(
                paths.contains(&PlacementPath::Bucket) && paths.contains(&PlacementPath::Node),
                "{folder}"
            );
            let plain = |made: &qscope::cycle::Outcome| {
                made.path.is_some() && made.shrunk_to.is_none() && !made.by_preemption
            };
            if let Some(placed) = made.outcome.placed.as_ref().filter(|_| plain(&made.outcome)) {
                let nodes = own.placed.unwrap().allocation.nodes();
                assert_eq!(nodes, placed.allocation.nodes(), "{folder} {step:?}");
            }
        }
    }
}
