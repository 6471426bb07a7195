//! Into decisions and out again.

use qscope::console::action::Action;

use crate::console_cycle::Stage;
use Action::{Down, StepForward, StepInto, StepOut};

#[test]
fn into_a_bucket_decision_and_out_again() {
    for (width, height) in [(80, 24), (200, 60)] {
        let at = |name: &str| format!("inside-{name}-{width}x{height}");
        let mut stage = Stage::open("chunks-12-24", width, height);
        stage.act(&[StepForward, StepInto]);
        stage.screen(&at("bucket-stages"));
        stage.act(&[StepInto]);
        stage.screen(&at("bucket-parts"));
        stage.act(&[StepInto]);
        stage.screen(&at("bucket-table"));
        stage.act(&[Down, StepInto]);
        stage.screen(&at("bucket-nodes"));
        stage.act(&[StepOut, StepOut, StepOut, StepOut]);
        stage.screen(&at("bucket-out"));
    }
}

#[test]
fn into_a_node_decision_and_out_again() {
    for (width, height) in [(80, 24), (200, 60)] {
        let at = |name: &str| format!("inside-{name}-{width}x{height}");
        let mut stage = Stage::open("campus", width, height);
        stage.act(&[Down; 9]).act(&[Action::Select, StepInto]);
        stage.screen(&at("node-stages"));
        stage.act(&[StepInto, StepInto]);
        stage.screen(&at("node-classes"));
        stage.act(&[StepInto, Down]);
        stage.screen(&at("node-nodes"));
        stage.act(&[StepInto]);
        assert!(stage.see().contains("nothing is inside this"), "{}", stage.see());
        stage.act(&[StepOut; 4]);
        assert!(stage.see().contains("Decision on "), "{}", stage.see());
    }
}

#[test]
fn into_a_set_that_fails() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("sets-8", width, height);
        stage.act(&[Action::End, Action::Select, StepInto, StepInto]);
        stage.screen(&format!("inside-sets-{width}x{height}"));
    }
}

#[test]
fn into_a_calendar_and_one_of_its_windows() {
    for (width, height) in [(80, 24), (200, 60)] {
        let at = |name: &str| format!("inside-{name}-{width}x{height}");
        let mut stage = Stage::open("calendar", width, height);
        stage.act(&[Action::Select, StepInto]);
        stage.screen(&at("calendar-stages"));
        stage.act(&[Action::End, StepInto]);
        stage.screen(&at("calendar-windows"));
        stage.act(&[Action::End, StepInto]);
        stage.screen(&at("calendar-window"));
    }
}

#[test]
fn into_a_preemption_and_one_of_its_trials() {
    for (width, height) in [(80, 24), (200, 60)] {
        let at = |name: &str| format!("inside-{name}-{width}x{height}");
        let mut stage = Stage::open_at("tests/cases/preemption/unneeded".as_ref(), width, height);
        stage.act(&[Action::Select, StepInto, Action::End, StepInto]);
        stage.screen(&at("preemption-trials"));
        stage.act(&[StepInto]);
        stage.screen(&at("preemption-trial"));
    }
}
