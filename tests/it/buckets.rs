//! The buckets as bitmaps: what is counted, which bits a step moves, and why a node is busy later.

use std::process::Output;
use std::sync::Arc;

use qscope::cluster::Id;
use qscope::cycle::{Debugger, Run, run_cycle};
use qscope::explain::{BucketMap, bucket_bits};
use qscope::universe::{Bit, Quirks, State};
use serde_json::{Value, json};

use super::cases;
use crate::ran::ran;

fn qscope(words: &[&str]) -> Output {
    ran(["buckets"].iter().chain(words))
}

fn buckets(words: &[&str]) -> Vec<Value> {
    let output = qscope(&[words, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {output:?}"))
}

/// In every case and at every step the bitmaps partition the nodes of a bucket, the buckets partition those of the
/// complex, and the free nodes are those that the header counts. Exception: a vnode without cpus is free to the
/// scheduler, but full in the header.
#[test]
fn free_nodes_are_the_same_everywhere_at_every_step() {
    let (mut steps, mut differ) = (0, Vec::new());
    for case in cases::all() {
        let run: Arc<Run> =
            Arc::new(run_cycle(case.snapshot(), Quirks::of(qscope::universe::Semantics::Fixed)));
        let mut debugger = Debugger::new(run.clone());
        for position in 0..=run.steps.len().min(40) {
            debugger.seek(position);
            let (state, map) = (debugger.state(), BucketMap::of(debugger.state(), None).unwrap());
            let counts = state.node_counts();
            let open = map.buckets.iter().flat_map(|bucket| bucket.free.iter().chain(&bucket.busy_later));
            let open = open.filter(|at| !state.is_cpuless(Bit::at(**at))).count();
            let part: usize = map.buckets.iter().map(|bucket| bucket.part).sum();
            let parted = map.buckets.iter().all(|bucket| {
                bucket.all.len() == bucket.free.len() + bucket.busy_later.len() + bucket.busy.len()
            });
            if (open, part, parted) != (counts.free, counts.part, true) {
                differ.push(format!("{} step {position}: {open} free, {part} partly, {counts:?}", case.name));
            }
            steps += 1;
        }
    }
    assert!(differ.is_empty(), "{} of {steps}: {:#?}", differ.len(), &differ[..differ.len().min(12)]);
    assert!(steps > 5000, "{steps} steps: too few to show a fault");
}

/// Buckets that a step leaves unchanged are drawn by a shortcut to the same picture: every bit is as in both states.
#[test]
fn bits_around_a_step_are_those_of_both_states() {
    let (mut steps, mut moved) = (0, 0);
    for case in cases::all().iter().step_by(3) {
        let run: Arc<Run> =
            Arc::new(run_cycle(case.snapshot(), Quirks::of(qscope::universe::Semantics::Fixed)));
        let mut debugger = Debugger::new(run.clone());
        let mut before = debugger.state().clone();
        for position in 1..=run.steps.len().min(20) {
            debugger.seek(position);
            let after = debugger.state();
            for bucket in bucket_bits(&before, Some(after)) {
                for one in bucket.bits {
                    let of =
                        |state: &State| Some(state.buckets[state.bucket_of[one.bit]?].availability(one.bit));
                    assert_eq!(
                        (one.before, Some(one.after)),
                        (of(&before), of(after)),
                        "{} {position}",
                        case.name
                    );
                    moved += usize::from(one.moved());
                }
            }
            before = after.clone();
            steps += 1;
        }
    }
    assert!(steps > 500 && moved > 500, "{steps} steps, {moved} bits moved: too few to show a fault");
}

#[test]
fn a_step_moves_bits_and_names_what_a_node_is_kept_for() {
    // Job 3 becomes a top job on n6, and job 5 ends before that.
    let top = &buckets(&["samples/calendar", "--after", "3"])[0];
    assert_eq!(top["moved"], json!([{ "node": "n6", "from": "free", "to": "busy-later" }]));
    assert_eq!(top["before"]["busy_later"], json!([]));
    assert_eq!(top["after"]["busy_later"], json!(["n6"]));
    assert_eq!(top["later"][0]["event"], "top job 3 is planned there");
    assert!(top["later"][0].get("usable").is_none(), "{top}");
    let taken = &buckets(&["samples/calendar", "--after", "5"])[0];
    assert_eq!(taken["moved"], json!([{ "node": "n6", "from": "busy-later", "to": "busy" }]));
    assert_eq!(taken["later"][0]["usable"], true);
    assert!(taken["later"][0]["job_ends"].as_i64() < taken["later"][0]["at"].as_i64());
    // Job 4 would still run then.
    let waits = &buckets(&["samples/calendar", "--after", "4"])[0];
    assert_eq!((&waits["moved"], &waits["later"][0]["usable"]), (&json!([]), &json!(false)));
    let text = String::from_utf8(qscope(&["samples/calendar", "--after", "5"]).stdout).unwrap();
    assert!(text.contains("moved            ^\n  n6: busy-later -> busy\n"), "{text}");
}

#[test]
fn the_buckets_of_a_set_stand_over_its_own_nodes() {
    let found = buckets(&["samples/sets-8", "--pset", "switch=sw4"]);
    let nodes: Vec<&Value> = found.iter().map(|bucket| &bucket["nodes"]).collect();
    assert_eq!(nodes, [&json!(["vn2", "vn6"]), &json!(["vn7"])]);
    assert_eq!((&found[1]["indices"], &found[1]["set"]), (&json!([2]), &json!("switch=sw4")));
    for (words, what) in [
        (["samples/sets-8", "--pset", "switch=sw9"], "no such set; known are switch=sw6"),
        (["samples/campus", "--after", "no"], "no job `no`"),
    ] {
        let output = qscope(&words);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(what), "{output:?}");
    }
}

/// Signatures of the design cover the whole resources line, those of the scheduler only what is requested.
#[test]
fn the_design_takes_the_whole_line_into_signatures() {
    let of = |more: &[&str]| {
        let found = buckets(&[&["samples/idle-buckets"], more].concat());
        let keys = found[0]["resources"].as_object().unwrap().keys().cloned();
        keys.collect::<Vec<String>>()
    };
    let (observed, design) = (of(&[]), of(&["--semantics", "design"]));
    assert!(
        design.len() > observed.len() && observed.iter().all(|key| design.contains(key)),
        "{observed:?} {design:?}"
    );
}

/// Buckets are numbered from 1, as in the console.
#[test]
fn the_first_bucket_is_number_one() {
    let text = String::from_utf8(qscope(&["samples/campus"]).stdout).unwrap();
    assert!(text.contains("\nbucket 1: ") && !text.contains("bucket 0"), "{text}");
}
