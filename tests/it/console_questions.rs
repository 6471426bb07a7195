//! Four questions of an operator, each answered with at most four keys from the start; the manual names the keys.

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::key::Key;

use crate::console_cycle::Stage;

/// Presses keys as the terminal would send them: each goes through the keymap, or is typed as a letter.
fn press(stage: &mut Stage, keys: &[&str]) {
    for key in keys {
        let context = stage.app.context();
        let expected: Key = key.parse().unwrap();
        let bound = |action: &Action| stage.app.keymap().keys(*action, context).any(|key| key == expected);
        let action = qscope::console::action::TABLE.iter().map(|entry| entry.action).find(bound);
        let input = match action {
            Some(action) => AppInput::Action(action),
            None => AppInput::Letter(expected.letter().unwrap()),
        };
        stage.feed(input);
    }
}

fn answered(keys: &[&str], texts: &[&str]) {
    assert!(keys.len() <= 4, "{keys:?}");
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        press(&mut stage, keys);
        let screen = stage.see();
        for text in texts {
            assert!(screen.contains(text), "{keys:?} do not show {text}:\n{screen}");
        }
    }
    let page = include_str!("../../src/manual/console.md");
    let written: Vec<String> = keys.iter().map(|key| format!("`{}`", key.parse::<Key>().unwrap())).collect();
    let written = written.join(" ");
    assert!(page.contains(&written), "the manual lacks {written}");
}

#[test]
fn which_path_did_a_job_take_and_why() {
    answered(&[":", "6", "enter"], &["node path", "rule not-exclusive: excl not requested"]);
}

#[test]
fn what_did_each_bucket_offer_it() {
    answered(
        &["j", "i", "i", "i"],
        &["each nodes  free later  busy  left taken", "×1", "each node holds 1 chunk; "],
    );
}

#[test]
fn which_jobs_did_the_node_path_place() {
    answered(&["P"], &["path=node verdict=run", "n[001,015]", "n016", "n018"]);
    let mut stage = Stage::open("campus", 80, 24);
    press(&mut stage, &["P"]);
    let shown = stage.app.screen().unwrap();
    let run = shown.run();
    let all = run.outcomes().filter(|outcome| {
        outcome.path == Some(qscope::placement::PlacementPath::Node) && outcome.placed.is_some()
    });
    assert_eq!(stage.cycle().rows.len(), all.count());
}

#[test]
fn where_does_the_cycle_first_refuse_a_job() {
    answered(&["w"], &["STEP 8/23", "wait", "Insufficient amount of resource: host"]);
}
