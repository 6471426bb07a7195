//! What-ifs: `--set`, the comparison with the live cycle, and the distribution of the free nodes in pools.

use std::sync::Arc;

use std::path::Path;

use proptest::prelude::*;
use qscope::cycle::Debugger;
use qscope::explain::{LargestFreeSet, fragmentation};
use qscope::session::{Generation, ask_what_if};
use qscope::source::complete;

use crate::console_cycle::read;
use crate::ran::ran as qscope;

fn sample(name: &str) -> Generation {
    (*read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name), 1)).clone()
}

fn json(words: &[&str]) -> serde_json::Value {
    serde_json::from_slice(&qscope(words).stdout).unwrap()
}

#[test]
fn no_settings_and_settings_that_are_so_change_nothing() {
    for name in ["campus", "sets-36", "sets-8", "calendar"] {
        let base = sample(name);
        for texts in [&[][..], &["preempt_prio=express_queue, normal_jobs"], &["job.*.Rerunable=True"]] {
            let answer = ask_what_if(&base, texts).unwrap();
            assert!(!answer.comparison.differs(), "{name} {texts:?}: {:?}", answer.comparison);
            assert_eq!(answer.effects, Default::default());
        }
    }
}

#[test]
fn a_setting_and_its_inverse_are_the_same_cycle() {
    let base = sample("campus");
    let node = base.snapshot.nodes.iter().find(|node| node.jobs.is_empty() && node.states.is_free()).unwrap();
    let offline = format!("node.{}.state=offline", node.name);
    let free = format!("node.{}.state=free", node.name);
    assert!(ask_what_if(&base, &[&offline]).unwrap().comparison.differs());
    assert!(!ask_what_if(&base, &[&offline, &free]).unwrap().comparison.differs());
    let there = ask_what_if(&base, &["strict_ordering=True", "backfill=False"]).unwrap();
    let back = ask_what_if(&there.generation, &["strict_ordering=False", "backfill=True"]).unwrap();
    assert!(!qscope::session::compare::Comparison::of(&base.run, &back.generation.run).differs());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any node can be switched off and on again, whatever else is set.
    #[test]
    fn nodes_taken_away_and_given_back_are_as_before(at in 0usize..36, strict in any::<bool>()) {
        let base = sample("sets-36");
        let name = &base.snapshot.nodes.iter().nth(at % base.snapshot.nodes.len()).unwrap().name;
        let strict = format!("strict_ordering={strict}");
        let only = ask_what_if(&base, std::slice::from_ref(&strict)).unwrap();
        let texts = [format!("node.{name}.state=down"), strict, format!("node.{name}.state=free")];
        let both = ask_what_if(&base, &texts).unwrap();
        let differ = qscope::session::compare::Comparison::of(&only.generation.run, &both.generation.run);
        prop_assert!(!differ.differs());
    }

    /// Keys that are offered, with any value: the result is an error or an answer, never a panic.
    #[test]
    fn no_value_of_any_key_panics(at in any::<prop::sample::Index>(), value in "[A-Za-z0-9:=+.\\[\\]-]{0,8}") {
        let base = sample("sets-8");
        let stems = ["", "server.", "queue.workq.", "node.vn0.", "job.1.", "maui."];
        let keys: Vec<String> = stems.iter().flat_map(|stem| complete(stem, &base.snapshot)).collect();
        let _answer = ask_what_if(&base, &[format!("{}{value}", at.get(&keys))]);
    }
}

/// Job 5 alone, which is larger than any set.
const ALONE: [&str; 4] = [
    "job.*.job_state=H",
    "job.5.job_state=Q",
    "job.5.Resource_List.select=120:ncpus=1",
    "job.5.Resource_List.place=free",
];

#[test]
fn sets_that_may_not_be_spanned_keep_jobs_waiting() {
    let alone = ask_what_if(&sample("sets-36"), &ALONE).unwrap();
    let answer = ask_what_if(&alone.generation, &["do_not_span_psets=False"]).unwrap();
    assert_eq!(answer.effects.starts, ["5".into()], "{:?}", answer.effects);
    assert_eq!(answer.effects.spans, answer.effects.starts);
    let back = ask_what_if(&answer.generation, &["do_not_span_psets=True"]).unwrap();
    assert_eq!((back.effects.waits, back.effects.starts.len()), (answer.effects.starts, 0));
}

#[test]
fn reservations_can_be_moved() {
    let base = sample("policies-f1");
    let of = |texts: &[&str]| {
        let answer = ask_what_if(&base, texts).unwrap();
        let found = answer.generation.snapshot.reservations.iter().find(|one| &*one.name == "R1").unwrap();
        let changed: Vec<String> = answer
            .comparison
            .settings
            .iter()
            .map(|change| format!("{} {}", change.object, change.field.name))
            .collect();
        (found.start.unwrap(), found.end.unwrap() - found.start.unwrap(), changed)
    };
    let (start, length, changed) = of(&["reservation.R1.Authorized_Users=bob,carl"]);
    assert_eq!((length.0, changed), (48 * 3600, vec!["reservation R1 Authorized_Users".to_owned()]));
    // The end follows the start and the length, and the length the end.
    let (moved, length, changed) = of(&["reservation.R1.reserve_start=1763704000"]);
    assert_eq!((moved.0, length.0), (1_763_704_000, 48 * 3600));
    assert_eq!(changed, ["reservation R1 reserve_start", "reservation R1 reserve_end"]);
    assert_eq!(of(&["reservation.R1.reserve_duration=02:00:00"]).1.0, 7200);
    let end = format!("reservation.R1.reserve_end={}", start.0 + 60);
    assert_eq!(of(&[&end]).1.0, 60);
    for (setting, expected) in [
        ("reservation.R9.reserve_end=0", "no reservation is called `R9`, did you mean `R1`?"),
        ("reservation.R1.reserve_ends=0", "did you mean `reserve_end`?"),
        ("reservation.R1.reserve_start=soon", "expected a date"),
        ("reservation.R1.reserve_state=RUNNING", "found `RUNNING`; expected a word such as RESV_CONFIRMED"),
        ("reservation.R1.reserve_duration=long", "expected a duration"),
        ("maui.NODEALOCATIONPOLICY=FASTEST", "did you mean `NODEALLOCATIONPOLICY`?"),
    ] {
        let said = ask_what_if(&base, &[setting]).unwrap_err().what;
        assert!(said.contains(expected), "{setting}: {said}");
    }
}

#[test]
fn what_the_allocation_policies_look_at_can_be_set() {
    let words = ["policies", "J", "samples/policies-f1", "--json", "--set"];
    let of = |setting: &str| json(&words.iter().copied().chain([setting]).collect::<Vec<_>>());
    let nodes = |answer: &serde_json::Value, policy: &str| {
        let all = answer["policies"].as_array().unwrap().clone();
        all.into_iter().find(|one| one["name"] == policy).unwrap()["nodes"].clone()
    };
    let (first, last) = (of("maui.PRIORITYF=-SPEED"), of("maui.priorityf=SPEED"));
    assert_eq!(first["what_if"], serde_json::json!(["maui.PRIORITYF=-SPEED"]));
    assert_ne!(nodes(&first, "PRIORITY"), nodes(&last, "PRIORITY"), "{first}\n{last}");
    assert_eq!(nodes(&first, "FIRSTAVAILABLE"), nodes(&last, "FIRSTAVAILABLE"));
}

#[test]
fn answers_say_that_they_are_what_ifs() {
    let set = ["--set", "strict_ordering=True", "--set", "node.vn0.state=offline"];
    let said = serde_json::json!(["sched_config.strict_ordering=True", "node.vn0.state=offline"]);
    for words in [
        &["cycle", "samples/sets-8"][..],
        &["why", "1", "samples/sets-8", "--fast"],
        &["why-node", "vn1", "samples/sets-8"],
        &["board", "samples/sets-8"],
        &["policies", "1", "samples/sets-8"],
        &["compare", "samples/sets-8"],
    ] {
        let with: Vec<&str> = words.iter().chain(&set).chain(&["--json"]).copied().collect();
        assert_eq!(json(&with)["what_if"], said, "{words:?}");
        let text: Vec<&str> = words.iter().chain(&set).copied().collect();
        let text = String::from_utf8(qscope(&text).stdout).unwrap();
        assert!(text.starts_with("WHAT IF sched_config.strict_ordering=True, node.vn0"), "{words:?}: {text}");
        let without: Vec<&str> = words.iter().chain(&["--json"]).copied().collect();
        assert!(words[0] == "compare" || json(&without).get("what_if").is_none());
    }
    for list in ["pools", "buckets"] {
        let words: Vec<&str> =
            [list, "samples/sets-8"].iter().chain(&set).chain(&["--json"]).copied().collect();
        let answer = json(&words);
        assert!(answer.as_array().unwrap().iter().all(|one| one["what_if"] == said), "{answer}");
    }
}

#[test]
fn bad_settings_are_bad_input() {
    for (setting, expected) in [
        ("strict_odering=True", "did you mean `strict_ordering`?"),
        ("node.vn99.state=offline", "no vnode is called `vn99`"),
        ("backfill_depth=lots", "expected a whole number"),
    ] {
        let found = qscope(["cycle", "samples/sets-8", "--set", setting]);
        let said = String::from_utf8(found.stderr).unwrap();
        assert_eq!((found.status.code(), found.stdout.len()), (Some(2), 0));
        assert!(
            said.contains(expected) && said.contains(&format!("  {setting}\n")) && said.contains('^'),
            "{said}"
        );
    }
    assert_eq!(qscope(["compare", "samples/sets-8"]).status.code(), Some(2));
}

#[test]
fn a_comparison_with_oneself_under_settings_lists_the_effects() {
    let mut words = vec!["compare", "samples/sets-36", "--set", "do_not_span_psets=False"];
    words.extend(ALONE.iter().flat_map(|setting| ["--set", *setting]));
    let text = String::from_utf8(qscope(&words).stdout).unwrap();
    assert!(text.contains("\nspan sets now       1  5\n"), "{text}");
    words.push("--json");
    let answer = json(&words);
    assert_eq!(answer["effects"]["starts"], serde_json::json!(["5"]));
    assert_eq!(answer["effects"]["spans"], serde_json::json!(["5"]));
    assert_eq!(answer["effects"]["waits"], serde_json::json!(["1", "3", "4"]));
    assert_eq!(answer["differs"], true);
}

#[test]
fn free_nodes_lie_in_sets() {
    let base = sample("sets-36");
    let start = Debugger::new(Arc::clone(&base.run));
    let found = fragmentation(start.state(), &[1, 3, 21, 22]);
    let pool = &found[0];
    assert_eq!((pool.nodes, pool.free, pool.sets), (36, 36, 8));
    let LargestFreeSet { name: largest, nodes } = pool.largest.clone().unwrap();
    let fits: Vec<(usize, usize, usize)> =
        pool.sizes.iter().map(|fit| (fit.nodes, fit.jobs_within_sets, fit.jobs_without_sets)).collect();
    assert_eq!(nodes, 21, "{largest}");
    assert_eq!(fits, [(1, 36, 36), (3, 12, 12), (21, 1, 1), (22, 0, 1)]);
    assert_eq!(pool.sizes[3].unusable_nodes, 36);
    assert!(pool.stranded.is_empty() && pool.in_no_set.is_empty());
}

#[test]
fn free_nodes_of_no_use_are_stranded() {
    let base = sample("sets-8");
    // sw6 has vn6 alone; the rest of the sets lose their nodes but one each.
    let texts = [
        "node.vn[1-5].state=offline",
        "node.vn7.state=offline",
        "job.1.job_state=H",
        "job.2.Resource_List.select=2:ncpus=2",
    ];
    let answer = ask_what_if(&base, &texts).unwrap();
    let start = Debugger::new(Arc::clone(&answer.generation.run));
    let plan = &answer.generation.run.plan;
    let pool = &fragmentation(start.state(), &[])[0];
    let names = |bits: &[qscope::universe::Bit]| -> Vec<String> {
        bits.iter().map(|bit| plan.node_name(*bit).to_string()).collect()
    };
    assert_eq!(pool.free, 2);
    assert_eq!(pool.smallest.map(|(job, nodes)| (plan.snap.jobs[job].short_name(), nodes)), Some(("2", 2)));
    // vn0 and vn6 share sw5, so neither is stranded; without that switch both are.
    assert_eq!(names(&pool.stranded), Vec::<String>::new());
    let apart: Vec<&str> = texts.iter().copied().chain(["node.vn0.resources_available.switch=sw3"]).collect();
    let answer = ask_what_if(&base, &apart).unwrap();
    let start = Debugger::new(Arc::clone(&answer.generation.run));
    let pool = &fragmentation(start.state(), &[])[0];
    assert_eq!(names(&pool.stranded), ["vn0", "vn6"]);
    // Without a value, and without the set of those that have none, vn0 is in no set (rule 5.1).
    let unset = ["node.vn0.resources_available.switch=", "only_explicit_psets=True"];
    let nowhere: Vec<&str> = texts.iter().copied().chain(unset).collect();
    let answer = ask_what_if(&base, &nowhere).unwrap();
    let start = Debugger::new(Arc::clone(&answer.generation.run));
    let pool = &fragmentation(start.state(), &[])[0];
    assert_eq!(
        (names(&pool.in_no_set), names(&pool.stranded)),
        (vec!["vn0".to_owned()], vec!["vn6".to_owned()])
    );
}

/// A job that has ended by the moved clock waits no more, in any count.
#[test]
fn jobs_that_have_ended_by_the_moved_clock_do_not_wait() {
    let disk = crate::real::named("c04").on_disk();
    let folder = disk.path().join("before");
    let folder = folder.to_str().unwrap();
    let board = json(&["board", folder, "--at", "+40m", "--json"]);
    assert_eq!(board["waiting"], 7, "{board}");
    let cycle = json(&["cycle", folder, "--at", "+40m", "--json"]);
    assert!(!cycle.to_string().contains("\"job\":\"50.pbs01\""), "{cycle}");
    let why = qscope(["why", "50", folder, "--at", "+40m"]);
    let text = String::from_utf8(why.stdout).unwrap();
    assert!(text.contains("50 has ended") && !text.contains("waits"), "{text}");
    assert_eq!(why.status.code(), Some(0), "{text}");
}
