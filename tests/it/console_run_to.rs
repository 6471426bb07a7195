//! Run to: waiting jobs, the node path, conditions; and the other path of a job.

use qscope::console::action::Action;

use crate::console_cycle::Stage;
use Action::{
    Accept, Close, Condition, Continue, ContinueBack, NextNodePath, NextWaiting, PreviousNodePath,
    PreviousWaiting, TwoPaths,
};

/// Places in the order, from 1, of the jobs with this property, by what the library says.
fn places(stage: &Stage, fits: impl Fn(&qscope::cycle::Outcome) -> bool) -> Vec<usize> {
    let run = stage.app.shown().unwrap().run();
    run.steps.iter().zip(1..).filter(|(step, _)| fits(&step.outcome)).map(|(_, place)| place).collect()
}

#[test]
fn running_to_stops_at_each_and_only_there_forward_and_back() {
    use qscope::cycle::Verdict::{Never, NotNow};
    let mut stage = Stage::open("campus", 80, 24);
    let waiting = places(&stage, |outcome| matches!(outcome.verdict, NotNow | Never));
    let by_node = places(&stage, |outcome| outcome.path == Some(qscope::placement::Path::Node));
    assert!(waiting.len() > 3 && by_node.len() > 3);
    for (forward, back, all) in
        [(NextWaiting, PreviousWaiting, &waiting), (NextNodePath, PreviousNodePath, &by_node)]
    {
        stage.act(&[Action::FirstStep]);
        for place in all {
            assert_eq!(stage.act(&[forward]).position(), *place);
        }
        stage.act(&[forward]);
        assert!(stage.see().contains("from here on"), "{}", stage.see());
        for place in all.iter().rev().skip(1) {
            assert_eq!(stage.act(&[back]).position(), *place);
        }
    }
}

#[test]
fn a_condition_is_a_breakpoint_both_ways() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Continue]);
    assert!(stage.see().contains("no condition to run to; B sets one"), "{}", stage.see());
    stage.act(&[Condition]).type_in("user:bob verdict=");
    stage.act(&[Accept]);
    stage.screen("condition-wrong-80x24");
    assert_eq!(stage.position(), 0);
    stage.type_in("run");
    stage.act(&[Accept]);
    let bobs = places(&stage, |outcome| outcome.verdict == qscope::cycle::Verdict::Run)
        .into_iter()
        .filter(|place| {
            let run = stage.app.shown().unwrap().run();
            let step = &run.steps.as_slice()[place - 1];
            &*run.plan.job(step.outcome.job).user == "bob"
        })
        .collect::<Vec<_>>();
    assert_eq!(stage.position(), bobs[0]);
    assert_eq!(stage.act(&[Continue]).position(), bobs[1]);
    assert_eq!(stage.act(&[ContinueBack]).position(), bobs[0]);
    stage.act(&[Condition, Close]);
    assert_eq!(stage.act(&[Continue]).position(), bobs[1], "Esc leaves the condition as it was");
}

#[test]
fn the_other_path_stands_beside_the_own_one() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        stage.act(&[Action::Down, TwoPaths]);
        stage.screen(&format!("paths-bucket-{width}x{height}"));
        assert!(stage.see().contains("takes it") && stage.see().contains("would do"));
        stage.act(&[Close]);
        assert!(stage.see().contains("Decision on 4"), "{}", stage.see());
    }
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[NextNodePath, TwoPaths]);
    stage.screen("paths-node-80x24");
    // The decision itself and the universe are what they were.
    let shown = stage.app.shown().unwrap();
    assert_eq!(shown.debugger.position(), 4);
}
