//! The fair share tree: at every position of every case it is the one that the agenda compares by; the command prints
//! it, and the console draws it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

use std::ops::ControlFlow;
use std::process::Output;

use qscope::console::action::Action;
use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
use qscope::console::views::ViewName;
use qscope::cycle::{Run, run_cycle};
use qscope::universe::Quirks;
use serde_json::Value;

use super::cases;
use super::console_cycle::{Stage, sample};
use super::console_program::Program;
use crate::ran::ran;
use Action::{Accept, AskWhy, Down, Palette, QuickFilter, Select, StepForward};

fn fairshare(arguments: &[&str]) -> Output {
    ran(["fairshare"].iter().chain(arguments))
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Compares the usage of every entity with the agenda's at each pick; returns how many were compared, and how many
/// had been charged.
fn usage_agrees(run: &Run) -> [usize; 2] {
    let [mut compared, mut charged] = [0, 0];
    let start = run.shares_after(0);
    run.picks(|at, _, agenda, _| {
        let tree = run.shares_after(at.0 as usize);
        for (id, entity) in agenda.shares().entities().enumerate() {
            assert_eq!(tree.entities()[id].name, entity.name, "{}", run.plan.snap.title);
            let (own, theirs) = (tree.usage(id), agenda.shares().usage(id));
            assert_eq!(own.to_bits(), theirs.to_bits(), "{} {at:?} {}", run.plan.snap.title, entity.name);
            compared += 1;
            charged += usize::from(own > start.usage(id));
        }
        ControlFlow::Continue(())
    });
    [compared, charged]
}

/// Rules 1.11 and 6.5: the usage shown at a position is that by which jobs are compared there.
#[test]
fn the_tree_at_a_position_is_that_of_the_agenda() {
    let mut sums = [0; 2];
    for case in cases::all() {
        let snap = case.snapshot();
        if snap.policy.fair_share.prime || snap.policy.fair_share.non_prime {
            let run = run_cycle(snap, Quirks::default());
            // In the other period nothing is charged, and no entity need be known.
            if run.setup.order.fair_share {
                for (sum, more) in sums.iter_mut().zip(usage_agrees(&run)) {
                    *sum += more;
                }
            }
        }
    }
    assert!(sums[0] > 2_000 && sums[1] > 500, "{sums:?}");
}

#[test]
fn the_command_prints_the_tree_and_where_an_entity_stands() {
    let tree = fairshare(&["samples/fairshare"]);
    assert_eq!(tree.status.code(), Some(0), "{tree:?}");
    insta::assert_snapshot!("fairshare_tree", text(&tree));
    insta::assert_snapshot!(
        "fairshare_of",
        text(&fairshare(&["samples/fairshare", "--of", "ann", "--after", "15"]))
    );
    for output in [tree, fairshare(&["samples/fairshare", "--of", "dana"])] {
        assert!(text(&output).lines().all(|line| line.chars().count() <= 80), "{}", text(&output));
    }
}

/// Usage of a started job counts at once, and only for its entity and those above it.
#[test]
fn json_has_every_entity_and_what_was_charged() {
    let json = |more: &[&str]| -> Value {
        let output = fairshare(&[&["samples/fairshare", "--json"], more].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {output:?}"))
    };
    let before = json(&[]);
    let keys: Vec<&String> = before.as_object().unwrap().keys().collect();
    assert!(
        ["fair_share", "last_decay", "notes", "entities"].iter().all(|key| keys.iter().any(|k| k == key))
    );
    let after = json(&["--after", "20"]);
    assert_eq!(after["after_step"], 1);
    let charged: Vec<(&str, f64)> = after["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entity| (entity["entity"].as_str().unwrap(), entity["charged"].as_f64().unwrap()))
        .filter(|(_, charged)| *charged > 0.0)
        .collect();
    // Four nodes of eight cores for two hours.
    assert_eq!(charged, [("root", 230_400.0), ("chemistry", 230_400.0), ("fred", 230_400.0)]);
    let ann = json(&["--of", "ann"]);
    assert_eq!(
        (&ann["entity"], &ann["jobs_waiting"], &ann["levels"][0]["place"]),
        (&"ann".into(), &serde_json::json!(["11", "12"]), &3.into())
    );
    let first = &ann["rivals"][0];
    assert_eq!(
        (&first["entity"], &first["goes"], &first["depth"]),
        (&"eve".into(), &"before".into(), &1.into())
    );
}

#[test]
fn wrong_names_are_answered_with_the_nearest() {
    for (words, message) in [
        (["samples/fairshare", "--of", "anna"], "no entity `anna` among 15 of the tree, did you mean `ann`?"),
        (["samples/fairshare", "--after", "1"], "the cycle does not consider the job"),
        (["samples/fairshare", "--after", "99"], "no job `99`"),
    ] {
        let output = fairshare(&words);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(message), "{error}");
    }
}

fn stage((width, height): (u16, u16), depth: ColorDepth, glyphs: GlyphSet) -> Stage {
    let name = if depth == ColorDepth::None { "mono" } else { "default-dark" };
    let (theme, _) = Theme::built_in(name, ThemeOptions { depth, glyphs });
    let generation = sample("fairshare");
    let mut stage = Stage::empty_in(width, height, generation.snapshot.now, theme);
    stage.load(generation);
    open(&mut stage);
    stage.act(&[Down, Down, Down]);
    stage
}

fn open(stage: &mut Stage) {
    stage.act(&[Palette]).type_in("fairshare");
    stage.act(&[Accept]);
    assert_eq!(stage.app.view(), ViewName::Fairshare);
}

#[test]
fn the_view_is_drawn_at_every_size_and_in_every_form() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let (width, height) = size;
        let mut unicode = stage(size, ColorDepth::True, GlyphSet::Unicode);
        let mut mono = stage(size, ColorDepth::None, GlyphSet::Unicode);
        assert_eq!(unicode.see(), mono.see(), "{size:?}");
        unicode.screen(&format!("fairshare-{width}x{height}"));
        let mut ascii = stage(size, ColorDepth::None, GlyphSet::Ascii);
        let seen = ascii.see();
        assert_eq!(seen.chars().find(|letter| !letter.is_ascii()), None, "{seen}");
        ascii.screen(&format!("fairshare-{width}x{height}-ascii"));
    }
}

/// The bars change as jobs start, the cursor stays on its entity, and its keys lead to its jobs.
#[test]
fn the_view_follows_the_steps_and_leads_to_the_jobs() {
    let mut stage = stage((120, 40), ColorDepth::True, GlyphSet::Unicode);
    stage.act(&[StepForward, StepForward]);
    let seen = stage.see();
    assert!(seen.contains("Fair share after step 2") && seen.contains("+230400"), "{seen}");
    assert!(seen.contains("┌ carl · 9.5 % of the tree"), "the cursor stays\n{seen}");
    stage.act(&[AskWhy]);
    assert!(stage.see().contains("16 does not wait"), "{}", stage.see());
    stage.act(&[Action::Back, Select]);
    assert!(stage.see().contains("/user=\"carl\""), "{}", stage.see());
    open(&mut stage);
    stage.act(&[QuickFilter]);
    let seen = stage.see();
    assert!(seen.contains("4 of 15") && seen.contains("gina") && !seen.contains("fred "), "{seen}");
}

/// The page of a job leads to its entity, and back.
#[test]
fn the_page_of_a_job_leads_to_its_entity() {
    let mut stage = Stage::open("fairshare", 120, 40);
    stage.act(&[Palette]).type_in("job 16");
    stage.act(&[Accept, Down, Down, Down, Select]);
    let seen = stage.see();
    assert_eq!(stage.app.view(), ViewName::Fairshare, "{seen}");
    assert!(seen.contains("┌ carl · 9.5 % of the tree"), "{seen}");
}

/// Runs the real program in a terminal.
#[test]
fn the_command_line_opens_the_view() {
    let mut program = Program::start(&["./fairshare"], 100, 30);
    program.wait_until("the first screen", |seen| seen.contains("in the order considered"));
    program.press(":fairshare\r");
    let seen = program.wait_until("the tree", |seen| seen.contains("Fair share before the first step"));
    assert!(seen.contains("halved every 1d00h, last 11-20 16:40"), "{seen}");
    program.press(".");
    program.wait_until("a step", |seen| seen.contains("Fair share after step 1"));
    program.press("q");
    assert_eq!(program.code(), 0);
}
