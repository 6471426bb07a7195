//! Stepping into decisions and out again.

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
        assert!(stage.see().contains("innermost level"), "{}", stage.see());
        stage.act(&[StepOut; 4]);
        assert!(stage.see().contains("Decision · "), "{}", stage.see());
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

#[test]
fn into_the_sets_that_are_made_for_one_job() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("groups");
    std::fs::create_dir(&folder).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let node = |name, switch| {
        format!("[[node]]\nname = \"{name}[1-4]\"\navailable = {{ ncpus = 4, switch = \"{switch}\" }}\n")
    };
    put("nodes.toml", &(node("a", "sw1") + &node("b", "sw2")));
    put("policy.toml", "[[resource]]\nname = \"switch\"\ntype = \"string_array\"\nflag = \"h\"\n");
    let job = |id, count| {
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nselect = \"{count}:ncpus=4\"\n\
             place = \"scatter:excl:group=switch\"\nwalltime = \"01:00:00\"\n"
        )
    };
    put("queue.toml", &format!("now = 1763700000\n{}{}", job(1, 2), job(2, 3)));
    let mut stage = Stage::open_at(&folder, 80, 24);
    stage.act(&[StepForward]);
    assert!(stage.see().contains("scatter:excl:group=switch"), "{}", stage.see());
    stage.act(&[StepInto, StepInto]);
    stage.screen("inside-group-sets-80x24");
    stage.act(&[StepInto, StepInto, StepInto]);
    stage.screen("inside-group-nodes-80x24");
}

/// Steps into a job's decision `times` times, at 80×24.
fn level(folder: &str, job: &str, times: usize) -> String {
    let mut stage = Stage::open(folder, 80, 24);
    stage.act(&[Action::Palette]).type_in(&format!("go {job}"));
    stage.act(&[Action::Accept]);
    stage.act(&vec![Action::StepInto; times]);
    stage.see()
}

#[test]
fn the_cursor_begins_on_the_bucket_that_gave_most() {
    let seen = level("campus", "4", 3);
    // Nine before it gave one node or none, and `✗` is only one that gave none.
    assert!(seen.contains("10/29") && seen.contains("▸✓ color=green bw=1.5"), "{seen}");
    assert!(seen.contains("✓ color=blue priority") && seen.contains("✗ color=red priority=10"), "{seen}");
    // Of sets it begins on the one that holds the job.
    let seen = level("sets-36", "1", 2);
    assert!(seen.contains("▸✓ router=rt4"), "{seen}");
}

#[test]
fn what_stands_in_a_row_is_not_repeated_below() {
    let count = |seen: &str, text: &str| seen.matches(text).count();
    // Of a row that is cut the whole text stands below, of others nothing.
    let seen = level("campus", "16", 1);
    assert_eq!(count(&seen, "6 of 28 nodes free or part"), 2, "{seen}");
    assert!(seen.contains("┃ Running: Not enough free nodes available "), "{seen}");
    let seen = level("campus", "6", 3);
    assert_eq!(count(&seen, "taken for this part of the request"), 1, "{seen}");
    let seen = level("campus", "6", 4);
    assert_eq!(count(&seen, " 2 chunks"), 1, "{seen}");
    assert!(seen.contains("✓\u{a0}up\u{a0}and\u{a0}licensed"), "{seen}");
}
