//! The view of the allocation policies.

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::shell::ShellMessage;
use qscope::console::task::TaskNews;
use qscope::console::views::Effect;

use crate::console_cycle::Stage;

/// Opens the view on a sample's first considered job.
fn open(name: &str, width: u16, height: u16) -> Stage {
    let mut stage = Stage::open(name, width, height);
    stage.act(&[Action::Palette]).type_in("policies").act(&[Action::Accept]);
    stage
}

/// Performs an action and all that it requests from workers.
fn work(stage: &mut Stage, action: Action) {
    let update = stage.app.update(AppInput::Action(action));
    let news = std::cell::RefCell::new(Vec::<TaskNews>::new());
    for effect in update.effects {
        if let Effect::Compute(task) = effect {
            task.run(&|one| news.borrow_mut().push(one));
        }
    }
    for one in news.into_inner() {
        stage.app.update(AppInput::Message(ShellMessage::from(one)));
    }
}

#[test]
fn the_policies_side_by_side() {
    let mut stage = open("policies-f1", 80, 24);
    stage.act(&[Action::Down]).screen("policies_f1_80x24");
    open("policies-f1", 200, 60).act(&[Action::End, Action::Up]).screen("policies_f1_200x60");
}

#[test]
fn what_a_placement_costs_is_measured_on_a_worker() {
    let mut stage = open("policies-time", 80, 24);
    work(&mut stage, Action::Measure);
    let seen = stage.see();
    assert!(
        seen.contains("0 can no longer start now") || seen.contains("1 can no longer start now"),
        "{seen}"
    );
    stage.screen("policies_time_measured");
}

/// Where no policy places the job now there is no placement to measure.
#[test]
fn measuring_without_a_placement_says_why() {
    let mut stage = open("campus", 120, 40);
    let mut refused = false;
    for _ in 0..30 {
        work(&mut stage, Action::Measure);
        refused |= stage.see().contains("starts now under no policy");
        stage
            .act(&[Action::View1, Action::StepForward, Action::Palette])
            .type_in("policies")
            .act(&[Action::Accept]);
    }
    assert!(refused);
}

/// The map has a line for each policy over the same nodes, and a cursor that shows which policies choose a node.
#[test]
fn the_nodes_chosen_as_a_map() {
    let mut stage = open("policies-f1", 80, 24);
    stage.act(&[Action::ToggleMap, Action::Right, Action::Down]).screen("policies_map_80x24");
    let seen = stage.see();
    assert!(seen.contains("n2: chosen by 5 of 9"), "{seen}");
    let back = stage.act(&[Action::ToggleMap]).see();
    assert!(back.contains("LASTAVAILABLE: by the smallest gap"), "{back}");
}

/// The policies are Maui's; where the cycle places the job is stated beside them.
#[test]
fn the_cycle_stands_beside_the_policies() {
    let seen = open("policies-balance", 80, 24).see();
    assert!(seen.contains("policy (* Maui's)") && seen.contains("the cycle: n[1-2] · 1/9"), "{seen}");
}
