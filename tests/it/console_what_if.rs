//! The view What if.

use std::path::Path;

use qscope::console::action::Action;
use qscope::console::app::AppInput;
use qscope::session::SessionEvent;

use crate::console_cycle::{Stage, read};

/// Opens the view on a sample and applies settings.
fn open(name: &str, width: u16, height: u16, settings: &[&str]) -> Stage {
    let mut stage = Stage::open(name, width, height);
    stage.act(&[Action::WhatIf]);
    for setting in settings {
        stage.act(&[Action::WhatIf]).type_in(setting).act(&[Action::Accept]);
    }
    stage
}

/// Job 5 alone, which is larger than any set, with sets that may be spanned.
const SPANS: [&str; 5] = [
    "do_not_span_psets=False",
    "job.*.job_state=H",
    "job.5.job_state=Q",
    "job.5.Resource_List.select=120:ncpus=1",
    "job.5.Resource_List.place=free",
];

#[test]
fn settings_are_held_against_the_live_cycle() {
    let mut stage = open("sets-36", 80, 24, &[]);
    assert!(stage.see().contains("Nothing is set: this is the live cycle"), "{}", stage.see());
    let mut stage = open("sets-36", 80, 24, &SPANS);
    for words in [
        "WHAT IF: 5 settings, not the live cycle",
        "against the live cycle: 1 start now, 3 wait now, 1 span sets now",
        "do_not_span_psets=False",
        "sched",
    ] {
        assert!(stage.see().contains(words), "{words}: {}", stage.see());
    }
}

/// The queue of the live cycle is analysed anew on the way back to it, in whichever view that happens.
#[test]
fn back_at_the_live_cycle_reasons_are_those_of_the_analysis() {
    for view in [Action::View1, Action::View3, Action::View8] {
        let mut stage = open("campus", 120, 40, &["backfill_depth=2"]);
        stage.act(&[Action::LookInto, view, Action::Follow]);
        let seen = stage.act(&[Action::View1]).see();
        let row = seen.lines().find(|line| line.contains(" 16   cara ")).unwrap_or_default();
        assert!(row.contains("insufficient ngpus") && row.contains("16 of 32 ngpus"), "{seen}");
        assert!(!seen.contains('≈'), "{seen}");
    }
}

/// Console.md 6: the state word counts the settings of the side that is stepped through, and so does Difference.
#[test]
fn two_settings_are_counted_wherever_they_count() {
    let mut stage = open("sets-36", 120, 40, &["do_not_span_psets=False", "strict_ordering=True"]);
    let seen = stage.see();
    assert!(
        seen.contains("WHAT IF: 2 settings, not the live cycle") && seen.contains("settings: 2"),
        "{seen}"
    );
    stage.act(&[Action::LookInto]);
    for view in [Action::View1, Action::View2, Action::View3, Action::View7] {
        let seen = stage.act(&[view]).see();
        let head = seen.lines().next().unwrap_or_default();
        assert!(head.contains("WHAT-IF 2"), "{head}");
        assert!(
            seen.contains("scheduler.do_not_span_psets=False, sched_config.strict_ordering=True"),
            "{seen}"
        );
    }
    stage.act(&[
        Action::WhatIf,
        Action::Close,
        Action::Home,
        Action::Down,
        Action::Toggle,
        Action::LookInto,
        Action::View1,
    ]);
    assert!(stage.see().lines().next().unwrap_or_default().contains("WHAT-IF 1"), "{}", stage.see());
}

#[test]
fn mistakes_show_while_one_types_and_keys_are_completed() {
    let mut stage = open("sets-36", 80, 24, &[]);
    stage.act(&[Action::WhatIf]).type_in("do_not");
    assert!(stage.see().contains("do_not_span_psets="), "{}", stage.see());
    stage.act(&[Action::Complete]).type_in("perhaps");
    assert!(stage.see().contains("do_not_span_psets=perhaps"), "{}", stage.see());
    assert!(stage.see().contains("expected True or False"), "{}", stage.see());
    // A mistake is not accepted; the line stays.
    stage.act(&[Action::Accept]);
    assert!(stage.see().contains("do_not_span_psets=perhaps"));
    stage.act(&[Action::Close]);
    assert!(stage.see().contains("Nothing is set"));
}

/// Console.md 2.3: Tab completes the values of settings that take words of a closed list, in both lines for them.
#[test]
fn words_of_policies_and_orders_are_completed() {
    let completed = [
        ("policy=fas", "policy=FASTEST"),
        ("policy=relaxed@g", "policy=relaxed@group"),
        ("queue.workq.policy=excl", "queue.workq.policy=exclusive"),
        ("maui.NODEALLOCATIONPOLICY=min", "maui.NODEALLOCATIONPOLICY=MINRESOURCE"),
        ("maui.NODEACCESSPOLICY=sh", "maui.NODEACCESSPOLICY=SHARED"),
        ("job_sort_key=fair", "job_sort_key=fair_share_perc HIGH"),
        ("node_sort_key=ncpus l", "node_sort_key=ncpus LOW"),
    ];
    for (typed, whole) in completed {
        let mut stage = open("sets-36", 120, 40, &[]);
        stage.act(&[Action::WhatIf]).type_in(typed);
        let seen = stage.see();
        assert!(seen.contains("Values; Tab takes the first"), "{typed}: {seen}");
        assert!(!seen.lines().last().unwrap().contains('✗'), "{typed}: {seen}");
        let seen = stage.act(&[Action::Complete]).see();
        assert!(seen.lines().last().unwrap().contains(whole), "{typed}: {seen}");
        let mut stage = Stage::open("sets-36", 120, 40);
        stage.act(&[Action::Palette]).type_in(&format!("set {typed}"));
        let seen = stage.act(&[Action::Complete]).see();
        assert!(seen.contains(&format!(":set {whole}")), "{typed}: {seen}");
    }
}

#[test]
fn settings_are_turned_off_changed_and_dropped() {
    let mut stage = open("sets-36", 80, 24, &SPANS);
    assert!(stage.see().contains("WHAT IF: 5 settings"), "{}", stage.see());
    assert!(stage.see().contains("span sets now"));
    stage.act(&[Action::Home, Action::Down, Action::Toggle]);
    assert!(
        stage.see().contains("WHAT IF: 4 settings,") && !stage.see().contains("span sets now"),
        "{}",
        stage.see()
    );
    stage.act(&[Action::Toggle]);
    assert!(stage.see().contains("span sets now"));
    stage.act(&[Action::Delete]);
    assert!(
        !stage.see().contains("do_not_span_psets") && stage.see().contains("job.5.job_state=Q"),
        "{}",
        stage.see()
    );
}

#[test]
fn one_steps_through_it_and_goes_back() {
    let mut stage = open("sets-36", 80, 40, &SPANS);
    stage.act(&[Action::LookInto, Action::View1, Action::LastStep]);
    assert!(stage.see().contains("WHAT-IF: "), "{}", stage.see());
    stage.act(&[Action::Follow]);
    assert!(!stage.see().contains("WHAT-IF"), "{}", stage.see());
    // The settings are still there, and ask the live cycle.
    stage.act(&[Action::WhatIf]);
    assert!(stage.see().contains("span sets now"), "{}", stage.see());
}

#[test]
fn the_console_can_begin_with_a_what_if() {
    let generation = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-36"), 1);
    let mut stage = Stage::empty(80, 24, generation.snapshot.now);
    stage.app.begin_with(SPANS.map(str::to_owned).to_vec());
    assert!(stage.feed(AppInput::Message(SessionEvent::Loaded(generation.clone()).into())));
    let seen = stage.see();
    assert!(seen.contains("WHAT-IF 5") && seen.contains("Queue in the order considered"), "{seen}");
    // Back to the live cycle, and to the settings.
    stage.act(&[Action::Follow]);
    assert!(!stage.see().contains("WHAT-IF"), "{}", stage.see());
    stage.act(&[Action::WhatIf]);
    assert!(stage.see().contains("WHAT IF: 5 settings, not the live cycle"), "{}", stage.see());

    // What is no setting is reported where it can be corrected.
    let mut stage = Stage::empty(80, 24, generation.snapshot.now);
    stage.app.begin_with(vec!["node.vn99.state=offline".to_owned()]);
    stage.feed(AppInput::Message(SessionEvent::Loaded(generation).into()));
    assert!(stage.see().contains("no vnode is called `vn99`"), "{}", stage.see());
}

/// What-ifs are kept under names, listed with their effects, taken over, deleted, and restored in the next session.
#[test]
fn what_ifs_are_kept_compared_and_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cal.toml");
    let run = |stage: &mut Stage, line: &str| {
        stage.act(&[Action::Palette]).type_in(line);
        stage.act(&[Action::Accept]);
    };
    let mut stage = Stage::open("calendar", 120, 40);
    stage.app.restore_state(Some(path.clone()));
    run(&mut stage, "whatif save none");
    assert!(stage.see().contains("nothing is set"), "{}", stage.see());
    stage.act(&[Action::Close]);
    run(&mut stage, "set strict_ordering=False");
    run(&mut stage, "whatif save loose");
    stage.feed(qscope::console::app::AppInput::Tick);
    let seen = stage.see();
    assert!(seen.contains("kept: Enter takes one over") && seen.contains("loose"), "{seen}");
    assert!(seen.contains("(strict_ordering=False)") || seen.contains("strict_ordering=False)"), "{seen}");
    assert!(path.exists());
    let mut next = Stage::open("calendar", 120, 40);
    next.app.restore_state(Some(path));
    run(&mut next, "whatif");
    assert!(next.see().contains("loose"), "{}", next.see());
    run(&mut next, "whatif loose");
    assert!(next.see().contains("WHAT IF: 1 setting"), "{}", next.see());
    run(&mut next, "whatif tight");
    assert!(next.see().contains("no what-if tight is kept"), "{}", next.see());
}
