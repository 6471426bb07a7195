//! Run to: waiting jobs and breakpoints; and the other path of a job.

use crossterm::event::{MouseButton, MouseEventKind};
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};

use crate::console_cycle::{Stage, mouse, read};
use Action::{
    Accept, Breakpoints, Close, Continue, ContinueBack, NextWaiting, PreviousWaiting, Select, StepForward,
    TwoPaths,
};

/// Returns the positions in the order, from 1, of the jobs with this property, as computed by the library.
fn places(stage: &Stage, fits: impl Fn(&qscope::cycle::Outcome) -> bool) -> Vec<usize> {
    let run = stage.app.screen().unwrap().run();
    run.steps.iter().zip(1..).filter(|(step, _)| fits(&step.outcome)).map(|(_, place)| place).collect()
}

#[test]
fn running_to_stops_at_each_and_only_there_forward_and_back() {
    use qscope::cycle::Verdict::{Never, NotNow};
    let mut stage = Stage::open("campus", 80, 24);
    let waiting = places(&stage, |outcome| matches!(outcome.verdict, NotNow | Never));
    let by_node = places(&stage, |outcome| outcome.path == Some(qscope::placement::PlacementPath::Node));
    assert!(waiting.len() > 3 && by_node.len() > 3);
    stage.act(&[Breakpoints, Select]).type_in("path=node");
    stage.act(&[Accept, Close]);
    for (forward, back, all) in [(NextWaiting, PreviousWaiting, &waiting), (Continue, ContinueBack, &by_node)]
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
    assert!(stage.see().contains("no breakpoint; B adds one"), "{}", stage.see());
    stage.act(&[Breakpoints, Select]).type_in("user:bob verdict=");
    stage.act(&[Accept]);
    stage.screen("breakpoint-wrong-80x24");
    assert_eq!(stage.position(), 0);
    stage.type_in("run");
    stage.act(&[Accept]);
    stage.screen("breakpoints-80x24");
    stage.act(&[Close, Continue]);
    let bobs = places(&stage, |outcome| outcome.verdict == qscope::cycle::Verdict::Run)
        .into_iter()
        .filter(|place| {
            let run = stage.app.screen().unwrap().run();
            let step = &run.steps.as_slice()[place - 1];
            &*run.plan.job(step.outcome.job).user == "bob"
        })
        .collect::<Vec<_>>();
    assert_eq!(stage.position(), bobs[0]);
    assert_eq!(stage.act(&[Continue]).position(), bobs[1]);
    assert_eq!(stage.act(&[ContinueBack]).position(), bobs[0]);
    stage.act(&[Breakpoints, Select, Action::DeleteAll, Close, Close]);
    assert_eq!(stage.act(&[Continue]).position(), bobs[1], "Esc leaves the breakpoint as it was");
    stage.act(&[Action::FirstStep, Breakpoints, Action::Toggle, Close, Continue]);
    assert!(stage.see().contains("no step meets a breakpoint that is on"), "{}", stage.see());
    stage.act(&[Breakpoints, Action::Delete, Close, Continue]);
    assert!(stage.see().contains("no breakpoint; B adds one"), "{}", stage.see());
}

/// Console.md 6: the condition `node=N taken` holds at the step that takes the node.
#[test]
fn a_breakpoint_on_a_node_that_is_taken_stops_at_the_step_that_takes_it() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Breakpoints, Select]).type_in("node=n015 taken");
    assert!(stage.see().contains("matches step 4 of 23"), "{}", stage.see());
    stage.act(&[Accept, Close, Continue]);
    assert_eq!(stage.position(), 4);
}

#[test]
fn the_other_path_stands_beside_the_own_one() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        stage.act(&[Action::Down, TwoPaths]);
        stage.screen(&format!("paths-bucket-{width}x{height}"));
        assert!(stage.see().contains("takes it") && stage.see().contains("would do"));
        stage.act(&[Close]);
        assert!(stage.see().contains("Decision · 4"), "{}", stage.see());
    }
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Breakpoints, Select]).type_in("path=node");
    stage.act(&[Accept, Close, Continue, TwoPaths]);
    stage.screen("paths-node-80x24");
    // The decision itself and the universe are what they were.
    let shown = stage.app.screen().unwrap();
    assert_eq!(shown.debugger.position(), 4);
}

#[test]
fn marks_are_places_to_come_back_to() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::Jump]).key('a');
    assert!(stage.see().contains("there is no mark a; m sets one"), "{}", stage.see());
    stage.act(&[StepForward, StepForward, StepForward, Action::SetMark]);
    stage.screen("mark-80x24");
    stage.key('a');
    let job = stage.subject();
    stage.act(&[Action::LastStep, Action::SetMark]).key('z');
    stage.act(&[Action::Jump]);
    stage.screen("marks-80x24");
    stage.key('a');
    assert_eq!((stage.position(), stage.subject()), (3, job));
    // Twice the same key: where one was before the jump, and back again.
    let last = places(&stage, |_| true).len();
    assert_eq!(stage.act(&[Action::Jump]).key('\'').position(), last);
    assert_eq!(stage.act(&[Action::Jump]).key('\'').position(), 3);
    stage.act(&[Action::Jump, Close]);
    assert_eq!(stage.position(), 3);
}

#[test]
fn marks_follow_their_jobs_into_other_generations() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[StepForward, StepForward, Action::SetMark]).key('a').act(&[Action::FirstStep]);
    stage.load(read("samples/campus".as_ref(), 2));
    stage.act(&[Action::Follow, Action::Jump]).key('a');
    assert_eq!(stage.position(), 2);
    stage.load(read("samples/sets-8".as_ref(), 3));
    stage.act(&[Action::Follow, Action::Jump]).key('a');
    assert!(stage.see().contains("the job of mark a is not in this cycle"), "{}", stage.see());
}

#[test]
fn a_number_before_a_motion_repeats_it() {
    let mut stage = Stage::open("campus", 80, 24);
    let waiting = places(&stage, |outcome| {
        matches!(outcome.verdict, qscope::cycle::Verdict::NotNow | qscope::cycle::Verdict::Never)
    });
    let len = places(&stage, |_| true).len();
    let times = |stage: &mut Stage, keys: &str| {
        stage.act(&[Action::Number]);
        for letter in keys.chars() {
            stage.key(letter);
        }
        stage.position()
    };
    assert_eq!(times(&mut stage, "5."), 5);
    assert_eq!(times(&mut stage, "2,"), 3);
    assert_eq!(times(&mut stage, "999."), len);
    stage.act(&[Action::FirstStep]);
    assert_eq!(times(&mut stage, "3w"), waiting[2]);
    stage.act(&[Action::Number]).key('1').key('7');
    stage.screen("number-80x24");
    assert_eq!(stage.act(&[Accept]).position(), 17);
    stage.act(&[Action::FirstStep, Action::Home]);
    times(&mut stage, "4j");
    assert_eq!(stage.cycle().table.selected, 4);
    times(&mut stage, "3f");
    assert!(stage.see().contains("freeze takes no number"), "{}", stage.see());
    stage.act(&[Action::Number]).key('4').key('4').act(&[Accept]);
    assert!(stage.see().contains("there is no step 44"), "{}", stage.see());
}

#[test]
fn playing_steps_by_itself_until_a_key_the_condition_or_the_end() {
    let mut stage = Stage::open("campus", 80, 24);
    assert!(stage.app.wake_in().is_some_and(|wait| wait.as_millis() < 60_000));
    let tick = |stage: &mut Stage| assert!(stage.feed(AppInput::Tick));
    stage.act(&[Action::Play, Action::More]);
    assert_eq!(stage.app.wake_in().unwrap().as_millis(), 500);
    tick(&mut stage);
    tick(&mut stage);
    assert_eq!(stage.position(), 2);
    assert!(stage.see().contains("PLAY "), "{}", stage.see());
    stage.act(&[Action::NextPane, Action::View2]);
    tick(&mut stage);
    assert_eq!(stage.position(), 3, "other views are for watching");
    stage.act(&[Action::StepBack]);
    tick(&mut stage);
    assert_eq!(stage.position(), 2, "a step by hand ends it");
    let waiting = places(&stage, |outcome| outcome.path.is_none());
    stage.act(&[Action::View1, Breakpoints, Select]).type_in("not path:");
    stage.act(&[Action::DeleteAll]).type_in("verdict=never");
    stage.act(&[Accept, Close, Action::FirstStep, Action::Play]);
    let run = stage.app.screen().unwrap().run().clone();
    let never = places(&stage, |outcome| run.verdict(outcome) == qscope::cycle::Verdict::Never);
    assert!(!waiting.is_empty() && !never.is_empty());
    (0..60).for_each(|_| tick(&mut stage));
    assert_eq!(stage.position(), never[0], "the breakpoint pauses it");
    stage.act(&[Breakpoints, Action::Delete, Close, Action::Play]);
    (0..60).for_each(|_| tick(&mut stage));
    assert_eq!(stage.position(), places(&stage, |_| true).len());
}

#[test]
fn a_key_that_only_ends_the_play_is_seen_to_end_it() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::StepForward, Action::Play, Action::Redraw]);
    assert!(stage.see().contains("PLAY "), "{}", stage.see());
    assert!(stage.feed(AppInput::Action(Action::NextEvent)), "the header changed");
    assert!(!stage.see().contains("PLAY "), "{}", stage.see());
}

#[test]
fn a_second_click_on_the_same_place_goes_there() {
    let mut stage = Stage::open("campus", 80, 24);
    let click = |stage: &mut Stage, y| stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), 10, y));
    let line = |stage: &mut Stage, text: &str| {
        let seen = stage.see();
        u16::try_from(seen.lines().position(|line| line.contains(text)).unwrap()).unwrap()
    };
    let y = line(&mut stage, " 5    bob");
    click(&mut stage, y);
    assert_eq!((stage.position(), &*stage.subject()), (0, "5.head1"));
    click(&mut stage, y);
    assert_eq!(stage.position(), 3);
    // In a decision it goes in; elsewhere than before it is another first click.
    stage.act(&[Action::StepInto]);
    let y = line(&mut stage, "placement");
    click(&mut stage, y - 1);
    click(&mut stage, y);
    assert!(!stage.see().contains("› placement"), "{}", stage.see());
    click(&mut stage, y);
    assert!(stage.see().contains("› placement"), "{}", stage.see());
}
