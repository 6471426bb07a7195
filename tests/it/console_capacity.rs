//! The capacity view: its contents, and that it responds while the target is changed.

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::{Effect, ViewName};

use crate::console_cycle::Stage;

/// Opens the view and lets the workers compute what it requested.
fn open(sample: &str, width: u16, height: u16) -> Stage {
    let mut stage = Stage::open(sample, width, height);
    stage.act(&[Action::Palette]).type_in(ViewName::Capacity.word());
    work(&mut stage, Action::Accept);
    stage
}

/// Performs an action, and then what the view requested from workers; returns the number of computations.
fn work(stage: &mut Stage, action: Action) -> usize {
    let effects = stage.app.update(AppInput::Action(action)).effects;
    let mut tasks = 0;
    for effect in effects {
        let Effect::Compute(task) = effect else { continue };
        tasks += 1;
        let received = std::cell::RefCell::new(Vec::new());
        task.run(&|news| received.borrow_mut().push(news));
        for news in received.into_inner() {
            stage.app.update(AppInput::Message(news.into()));
        }
    }
    tasks
}

#[test]
fn every_tab_at_80_by_24() {
    let mut stage = open("services", 80, 24);
    for name in ["need", "timeline", "never", "sweep", "scaler"] {
        stage.screen(&format!("capacity-{name}-80x24"));
        stage.act(&[Action::NextPane]);
    }
    assert!(stage.see().contains("[Need]"));
}

#[test]
fn all_at_once_at_200_by_60() {
    open("services", 200, 60).screen("capacity-services-200x60");
    open("campus", 200, 60).screen("capacity-campus-200x60");
}

#[test]
fn moving_the_target_asks_again_and_calls_off_what_was_asked_before() {
    let mut stage = open("services", 80, 24);
    assert!(stage.see().contains("within 30m"));
    let effects = stage.app.update(AppInput::Action(Action::LongerTarget)).effects;
    let Some(Effect::Compute(late)) = effects.into_iter().next() else { panic!("nothing was asked") };
    assert!(stage.see().contains("within 45m; inertia 0.1 ..."), "{}", stage.see());
    assert_eq!(work(&mut stage, Action::LongerTarget), 2);
    assert!(stage.see().contains("within 1h00; inertia 0.1"), "{}", stage.see());
    let received = std::cell::Cell::new(0);
    late.run(&|_| received.set(received.get() + 1));
    assert_eq!(received.get(), 0, "the computation for 45 minutes was cancelled");
    assert_eq!(work(&mut stage, Action::MoreInertia), 2);
    assert!(stage.see().contains("inertia 0.2"));
    assert_eq!(work(&mut stage, Action::ToggleCompat), 2);
    assert!(stage.see().contains("Capacity: 5 nodes") && stage.see().contains(", as"), "{}", stage.see());
}

#[test]
fn as_toil_each_chunk_is_packed_by_itself() {
    let mut stage = open("campus", 200, 120);
    let together = "all begun together";
    assert!(stage.see().contains(together), "{}", stage.see());
    work(&mut stage, Action::ToggleCompat);
    assert!(!stage.see().contains(together) && stage.see().contains("each chunk packed by itself"));
}

#[test]
fn long_lists_scroll() {
    let mut stage = open("campus", 80, 24);
    let before = stage.see();
    stage.act(&[Action::PageDown]);
    let after = stage.see();
    stage.act(&[Action::Home]);
    assert!(before == stage.see() && before != after);
}

/// What fits nowhere lacks something with a name, and types that lack the same are one line.
#[test]
fn what_fits_no_type_names_what_it_lacks() {
    let mut stage = open("campus", 120, 40);
    let seen = stage.act(&[Action::NextPane, Action::NextPane]).see();
    assert!(seen.contains("has no color=purple") && seen.contains("smallest change: a node like"), "{seen}");
    assert!(seen.contains("and 7 types more: cores of 64, has 32: 32 short"), "{seen}");
    assert!(!seen.contains("does not agree"), "{seen}");
}

/// The types have the numbers by which the timeline names them; nothing of a document that no user has.
#[test]
fn the_types_are_numbered_and_toil_differs_in_words() {
    let mut stage = open("campus", 120, 40);
    assert!(stage.see().contains("┃   2    1     1    1    1      1     0.6"), "{}", stage.see());
    let seen = stage.act(&[Action::End]).see();
    assert!(
        seen.contains("Toil's scaler: it needs ") && !seen.contains("13.3") && !seen.contains("[1, "),
        "{seen}"
    );
    let before = stage.see();
    stage.act(&[Action::Select]);
    assert!(stage.see().contains("nothing to open here") && before.contains("[Need]"), "{}", stage.see());
}
