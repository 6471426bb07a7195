//! Clusters passed to the packer, and the program's answers about them.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use qscope::capacity::estimate::{EstimateOptions, Fidelity};
use qscope::capacity::question::CapacityQuestion;
use qscope::capacity::report::CapacityReport;
use qscope::cluster::Snapshot;
use qscope::source::{LoadOptions, load_folder};
use serde_json::Value;

use crate::ran::sample;

fn load(folder: &Path) -> Arc<Snapshot> {
    let options = LoadOptions::in_zone("UTC");
    Arc::new(load_folder(folder, &options).unwrap())
}

/// Writes a cluster from hand-written nodes and queue.
fn written(nodes: &str, queue: &str) -> (tempfile::TempDir, Arc<Snapshot>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    std::fs::write(folder.path().join("queue.toml"), queue).unwrap();
    let snap = load(folder.path());
    (folder, snap)
}

fn ask(snap: &Arc<Snapshot>, target: f64, on_top: bool) -> CapacityReport {
    let options = EstimateOptions { target, ..EstimateOptions::default() };
    CapacityReport::new(snap.clone(), &CapacityQuestion { options, on_top, ..CapacityQuestion::default() })
        .unwrap()
}

fn program(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qscope")).arg("capacity").args(words).output().unwrap()
}

fn job(id: u32, rest: &str) -> String {
    format!("[[job]]\nid = '{id}'\nuser = 'ann'\nqueue = 'q'\n{rest}\n")
}

const NODES: &str = "[[node]]\nname = 'n[1-4]'\navailable = { ncpus = 4, mem = '16gb' }\n";
const QUEUE: &str = "now = 1763700000\n[[queue]]\nname = 'q'\n";

#[test]
fn a_longer_target_needs_fewer_nodes_and_never_fewer_than_the_volume() {
    let jobs: String =
        (1..=40).map(|id| job(id, "select = '1:ncpus=4:mem=4gb'\nwalltime = '00:05:00'")).collect();
    let (_folder, snap) = written(NODES, &format!("{QUEUE}{jobs}"));
    let mut before = u64::MAX;
    for target in [1.0, 300.0, 1800.0, 7200.0] {
        let report = ask(&snap, target, false);
        let nodes = report.answer.nodes();
        assert!(nodes <= before && nodes >= report.answer.types[0].lower_bound, "{target}: {nodes}");
        // Each node takes one job, and another one every five minutes until the target time.
        assert_eq!(nodes, 40_u64.div_ceil((target / 300.0) as u64 + 1), "{target}");
        before = nodes;
    }
}

#[test]
fn what_runs_stays_where_it_is_and_the_difference_is_the_gap() {
    // Four running jobs of one core, one on each node: together they would need one node.
    let runner = |n: u32| {
        job(
            n,
            &format!(
                "select = '1:ncpus=1:mem=1gb'\nwalltime = '02:00:00'\nstarted = '-00:10:00'\non = '(n{n}:ncpus=1:mem=1048576kb)'"
            ),
        )
    };
    let runners: String = (1..=4).map(runner).collect();
    let waits = job(9, "select = '1:ncpus=4:mem=1gb'\nwalltime = '01:00:00'");
    let (_folder, snap) = written(NODES, &format!("{QUEUE}{runners}{waits}"));
    let report = ask(&snap, 1800.0, false);
    assert_eq!(report.scratch.nodes(), 2, "one for the runners, one for the job that wants a whole one");
    assert_eq!(report.on_top.as_ref().unwrap().nodes(), 5, "every node has a runner on it");
    assert_eq!(report.gap(), [3]);
    // The running jobs end in 1 h 50 min: by then the job begins on one of their nodes.
    assert_eq!(ask(&snap, 7000.0, true).answer.nodes(), 4);
}

#[test]
fn gangs_begin_together_and_wait_for_no_other() {
    let gang = job(1, "select = '3:ncpus=4:mem=1gb'\nplace = 'scatter'\nwalltime = '00:10:00'");
    let (_folder, snap) = written(NODES, &format!("{QUEUE}{gang}"));
    let report = ask(&snap, 1800.0, false);
    assert_eq!(report.answer.nodes(), 3);
    assert!(report.answer.placements.iter().all(|seat| seat.begin == 0.0));
    let options = EstimateOptions { fidelity: Fidelity::Compat, ..EstimateOptions::default() };
    let alone =
        CapacityReport::new(snap, &CapacityQuestion { options, ..CapacityQuestion::default() }).unwrap();
    assert_eq!(alone.answer.nodes(), 1, "the original packs chunks of one second one after the other");
}

#[test]
fn the_sample_can_deadlock_and_one_job_fits_nowhere() {
    let report = ask(&load(&sample("services")), 1800.0, false);
    let services = report.services();
    assert!(services.can_deadlock(), "{}", services.sentence());
    assert_eq!((services.services, services.fit, services.served), (8, 8, 0));
    assert_eq!(report.answer.unplaceable.len(), 1);
    let change = report.change(&report.answer.unplaceable[0]).unwrap();
    assert_eq!(change, "a node like 4c 16gb with cores 64");
}

#[test]
fn the_program_answers_for_people_and_programs() {
    let folder = sample("services");
    let folder = folder.to_str().unwrap();
    let out = program(&[folder, "--json", "--target", "1h", "--on-top"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let value: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(value["target"], 3600.0);
    assert_eq!(value["types"][0]["max"], 4);
    assert_eq!((&value["wall_times"]["service"], &value["wall_times"]["declared"]), (&8.into(), &3.into()));
    let text = String::from_utf8(program(&[folder]).stdout).unwrap();
    assert!(text.contains("can deadlock") && text.contains("smallest change"), "{text}");
    let looped = sample("services").join("deadlock.json");
    let text = String::from_utf8(program(&[looped.to_str().unwrap()]).stdout).unwrap();
    assert!(text.contains("service deadlock after 4m"), "{text}");
}

#[test]
fn types_of_ones_own_have_a_price() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("types.toml");
    let types = "[[type]]\nname = 'small'\nncpus = 2\nmem = '8gb'\nprice = 1.0\n\
                 [[type]]\nname = 'large'\nncpus = 16\nmem = '64gb'\nprice = 2.0\n";
    std::fs::write(&file, types).unwrap();
    let services = sample("services");
    let words = [services.to_str().unwrap(), "--types", file.to_str().unwrap(), "--json"];
    let value: Value = serde_json::from_slice(&program(&words).stdout).unwrap();
    assert!(value["cost"].as_f64().unwrap() > 0.0);
    std::fs::write(&file, "[[type]]\nname = 'small'\nncpus = -2\nmem = '8gb'\n").unwrap();
    let out = program(&words);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("type small: cores is negative: -2"));
}

#[test]
fn bad_questions_are_refused() {
    let services = sample("services");
    let folder = services.to_str().unwrap();
    for words in [&[folder, "--target", "0"], &[folder, "--beta", "0.95"], &[folder, "--target", "inf"]] {
        let out = program(words);
        assert_eq!(out.status.code(), Some(2), "{words:?}");
        assert!(out.stdout.is_empty() && !out.stderr.is_empty());
    }
}
