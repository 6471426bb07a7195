//! A key that does nothing says why.

use qscope::console::action::Action;

use crate::console_cycle::Stage;

/// Enter on a filter that is not valid shows the error in place of the completions; Tab shows these again.
#[test]
fn a_refused_filter_shows_its_error() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.act(&[Action::View3, Action::Filter]).type_in("user=");
    let offered = stage.see();
    assert!(offered.lines().last().unwrap_or_default().contains("Tab "), "{offered}");
    let refused = stage.act(&[Action::Accept]).see();
    let footer = refused.lines().last().unwrap_or_default();
    assert!(footer.contains("compare user with what?") && !footer.contains("Tab "), "{footer}");
    let again = stage.act(&[Action::Complete]).see();
    assert!(again.lines().last().unwrap_or_default().contains("user="), "{again}");
}

/// Enter on the job whose step is on the screen has nowhere to go.
#[test]
fn enter_at_the_current_step_names_it() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.act(&[Action::Select]);
    let at = stage.position();
    let seen = stage.act(&[Action::Select]).see();
    assert_eq!(stage.position(), at);
    assert!(seen.contains(&format!("step {at} of ")) && seen.contains("is the one on the screen"), "{seen}");
}

/// The queue below an answer is that of the snapshot on the screen, also when the explained job is not in it.
#[test]
fn the_queue_below_goes_on_without_the_explained_job() {
    use crate::console_cycle::{mouse, sample};
    use ratatui::crossterm::event::{MouseButton, MouseEventKind};
    let mut stage = Stage::open("sets-8", 200, 60);
    stage.act(&[Action::View7]);
    // A click gives the queue the keys, and the next jobs are explained.
    stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), 5, 47));
    stage.act(&[Action::Down; 4]);
    assert!(stage.see().contains("Why 5 does not run"), "{}", stage.see());
    stage.load(sample("chunks-12-24"));
    let seen = stage.see();
    assert!(seen.contains("5 is not in this snapshot") && !seen.contains("runs"), "{seen}");
    for action in [Action::End, Action::Home, Action::Down, Action::Select] {
        stage.act(&[action]);
    }
}
