//! The id of the rule that decided about a job, in every place that explains the decision.

use qscope::console::action::Action::{Close, Filter, StepForward, StepInto, View1, View3};
use serde_json::{Value, json};

use crate::console_cycle::{Stage, line};
use crate::real::{named, program};

fn stage<'a>(why: &'a Value, name: &str) -> &'a Value {
    why["stages"].as_array().unwrap().iter().find(|stage| stage["stage"] == name).unwrap()
}

/// Job 101 meets a limit; job 40 starts in the cycle, and the server refuses its start.
#[test]
fn an_answer_has_the_rule_that_stopped_the_job_and_that_of_its_path() {
    for (case, job, failed, rule, path) in [
        ("c06", "101", "limits", "limits-check", "not-exclusive"),
        ("c02", "40", "server", "days-answer", "bucket-excl"),
    ] {
        let root = named(case).on_disk();
        let folder = root.path().join("before");
        let why = program(&["why", job], &[&folder]);
        assert_eq!((&why["decided_by_rule"], &why["stopped_by_rule"]), (&json!(rule), &json!(rule)), "{job}");
        assert_eq!((&why["path_rule_id"], &why["rule"]), (&json!(path), &json!(path)), "{job}");
        let found = stage(&why, failed);
        assert_eq!((&found["passed"], &found["rule"]), (&json!(false), &json!(rule)), "{job}");
        assert_eq!(stage(&why, "path")["rule"], path, "{job}");
        let cycle = program(&["cycle"], &[&folder]);
        let id = |one: &&Value| one["id"].as_str().unwrap().split('.').next() == Some(job);
        let listed = cycle["jobs"].as_array().unwrap().iter().find(id).unwrap();
        assert_eq!(listed["decided_by_rule"], rule, "{job}");
        assert_eq!(listed["path_rule_id"], path, "{job}");
        let seen = Stage::open_at(&folder, 300, 60).command(&format!("why {job}")).see();
        assert!(seen.contains(&format!("rule {rule}")), "{seen}");
        assert!(line(&seen, &format!("✗ {failed}")).contains(&format!("· rule {rule}")), "{seen}");
    }
}

/// The cause of a job that is not considered states the condition, which its rule does not repeat in general words.
#[test]
fn the_rule_of_a_job_that_is_not_considered_is_its_id() {
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus");
    let seen = Stage::open_at(&sample, 80, 24).command("why 29").see();
    assert!(
        line(&seen, "rule jobs-considered").trim_end_matches(['┃', ' ']).ends_with("rule jobs-considered"),
        "{seen}"
    );
}

/// A job that starts has the rule of its path.
#[test]
fn a_job_that_starts_has_the_rule_of_its_path() {
    let root = named("c06").on_disk();
    let folder = root.path().join("before");
    let why = program(&["why", "96"], &[&folder]);
    assert_eq!((&why["decided_by_rule"], &why["stopped_by_rule"]), (&json!("not-exclusive"), &json!(null)));
    let seen = Stage::open_at(&folder, 160, 60).command("why 96").see();
    assert!(seen.contains("starts now · rule not-exclusive"), "{seen}");
}

#[test]
fn the_pane_of_a_decision_has_the_rule_that_stopped_the_job_before_that_of_its_path() {
    let root = named("c06").on_disk();
    // A column of rules is only where it cuts no text.
    for (columns, limits, order) in [
        (400, "✗ limits    limits-check    Not Running: ", "✓ order     main-loop       number 2 of "),
        (160, "✗ limits    rule limits-check: Not Running: ", "✓ order     number 2 of "),
    ] {
        let mut stage = Stage::open_at(&root.path().join("before"), columns, 50);
        let seen = stage.act(&[StepForward, StepForward]).see();
        assert!(seen.contains("wait · rule limits-check · "), "{seen}");
        let seen = stage.act(&[StepInto]).see();
        assert!(line(&seen, "✗ limits").contains(limits), "{seen}");
        assert!(line(&seen, "✓ order").contains(order), "{seen}");
    }
}

/// The column has the tier by which a filter of that name finds the job, in both tables of jobs, and which the answer
/// about the job has.
#[test]
fn the_column_of_tiers_is_the_field_of_the_filter() {
    let root = named("c02").on_disk();
    let folder = root.path().join("before");
    for (view, before_user) in [(View3, "    "), (View1, "   ")] {
        let mut stage = Stage::open_at(&folder, 240, 50);
        let seen = stage.act(&[view]).command("columns +tier").see();
        for (job, tier) in [("36", "order"), ("37", "fragmented")] {
            let cells = format!("{job}{before_user}alice");
            let row = line(&seen, &cells);
            assert!(row.trim_end_matches(['┃', ' ']).ends_with(tier), "{seen}");
            let kept = stage.command(&format!("filter tier={tier}")).see();
            assert!(kept.contains(&cells), "{kept}");
            assert_eq!(program(&["why", job], &[&folder])["tier"], tier);
        }
        let offered = stage.act(&[Close, Filter]).type_in("tier=").see();
        assert!(offered.contains("order 2") && !offered.contains("short 1"), "{offered}");
    }
}
