//! Vnodes that are ordered when jobs need them: they become available after their boot time, in the order of days
//! rule 2, and are removed once they have been empty for long enough.

use std::fs;
use std::path::Path;

use qscope::cluster::Seconds;
use qscope::session::ScaleOptions;
use qscope::simulate::dump::DumpOrigin;
use qscope::simulate::scale::PoolNodeState;
use qscope::simulate::{Checkpoints, JobEnd, Simulation, SimulationFiles, SimulationInput, StopPoint};
use qscope::source::{Files, LoadOptions};
use qscope::universe::Quirks;
use serde_json::{Value, json};

use super::record::run;

const FROM: i64 = 1_763_712_000;

/// Writes one vnode with four cores, and jobs that use it exclusively: each has an arrival time and a run time.
fn cluster(folder: &Path, jobs: &[(i64, i64)]) {
    fs::write(folder.join("nodes.toml"), "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n").unwrap();
    fs::write(folder.join("queue.toml"), format!("now = {FROM}\n[[queue]]\nname = \"workq\"\n")).unwrap();
    let job = |(number, (after, runtime)): (usize, &(i64, i64))| {
        json!({"id": format!("{}.svr", number + 1), "at": FROM + after, "runtime": runtime, "job": {
            "Job_Owner": "ann@host", "queue": "workq",
            "Resource_List": {"select": "1:ncpus=4", "place": "free", "ncpus": 4, "nodect": 1, "walltime": "02:00:00"}}})
    };
    let jobs: Vec<Value> = jobs.iter().enumerate().map(job).collect();
    fs::write(folder.join("arrivals.json"), json!({"format": "arrivals 1", "jobs": jobs}).to_string())
        .unwrap();
}

fn scaled(folder: &Path, most: usize) -> SimulationInput {
    let mut input =
        SimulationInput::read(&SimulationFiles::folder(folder).unwrap(), &LoadOptions::default()).unwrap();
    let kinds = vec![("n1".to_owned(), most)];
    let scale = ScaleOptions { kinds, boot: Seconds(90), idle: Seconds(300), target: 60.0 };
    scale.apply(&mut input).unwrap();
    input
}

fn starts(input: SimulationInput) -> (Vec<i64>, qscope::simulate::SimulationResult) {
    let simulated = Simulation::new(input, Quirks::default()).run(&mut ());
    let starts = simulated.jobs.iter().map(|job| job.start.map_or(-1, |start| start.0 - FROM)).collect();
    (starts, simulated)
}

#[test]
fn vnodes_come_after_their_boot_time_and_go_after_their_idle_time() {
    let folder = tempfile::tempdir().unwrap();
    // Three at once, one while a vnode that came is still there, one after all have gone.
    cluster(folder.path(), &[(0, 3600), (0, 3600), (0, 3600), (3800, 600), (9000, 600), (9000, 600)]);
    let (found, simulated) = starts(scaled(folder.path(), 5));
    assert_eq!(found, [0, 90, 90, 3800, 9000, 9090]);
    assert!(simulated.jobs.iter().all(|job| job.state == JobEnd::Done));
    let [kind] = simulated.scaled.as_slice() else { panic!("{:?}", simulated.scaled) };
    // Two vnodes from 0 to 3690 + 300, the one ordered for the last job from 9000 to 9690 + 300.
    assert_eq!((kind.orders, kind.most, kind.seconds), (3, 2, 2 * 3990 + 990));
    // The cores in service follow: one vnode, then three, one again.
    let cores: Vec<(i64, f64)> =
        simulated.series.samples.iter().map(|one| (one.at.0 - FROM, one.cores)).collect();
    let at = |moment| cores.iter().rev().find(|(at, _)| *at <= moment).unwrap().1;
    assert_eq!([at(89), at(90), at(3989), at(3990), at(9090), at(9990)], [4.0, 12.0, 12.0, 4.0, 8.0, 4.0]);
}

#[test]
fn no_more_than_the_most_are_ordered_and_none_without_need() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), &[(0, 600), (0, 600), (0, 600)]);
    let (found, simulated) = starts(scaled(folder.path(), 1));
    assert_eq!(found, [0, 90, 600]);
    assert_eq!((simulated.scaled[0].orders, simulated.scaled[0].most), (1, 1));
    cluster(folder.path(), &[(0, 600), (700, 600)]);
    let (found, simulated) = starts(scaled(folder.path(), 5));
    assert_eq!((found.as_slice(), simulated.scaled[0].orders), ([0, 700].as_slice(), 0));
}

/// The moment may be between order and boot, one with idle vnodes, or any other: the remaining simulation continues
/// exactly like the whole.
#[test]
fn what_is_left_at_any_moment_goes_on_exactly_with_the_vnodes_that_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<(i64, i64)> =
        (0..40).map(|n| (n * 137 % 2500 + n % 2 * 6000, 200 + n * 97 % 1500)).collect();
    cluster(folder.path(), &jobs);
    let whole = Simulation::new(scaled(folder.path(), 6), Quirks::default());
    let (checkpoints, all) = Checkpoints::run(whole.clone(), &mut ());
    assert!(all.counters.cycles > 40 && all.scaled[0].orders > 6, "{:?}", all.scaled);
    let rows = |simulated: &qscope::simulate::SimulationResult| {
        let rows =
            simulated.jobs.iter().map(|job| (job.name.clone(), job.start, job.end, job.exec_vnode.clone()));
        let mut rows: Vec<_> = rows.collect();
        rows.sort();
        rows
    };
    let (mut booting, mut idle) = (0, 0);
    for cycle in 1..=all.counters.cycles {
        let mut stopped = whole.clone();
        assert!(stopped.run_to(StopPoint::Cycle(cycle), &mut ()));
        let kept = checkpoints.before(cycle).unwrap();
        assert_eq!(kept.now(), stopped.now());
        let files = |simulation: &Simulation| {
            simulation
                .files(DumpOrigin { files: &Files::from_folder(folder.path()).unwrap(), is_changed: false })
                .unwrap()
        };
        assert_eq!(files(&kept), files(&stopped), "cycle {cycle}: a checkpoint leads to it");
        let rest = stopped.remaining();
        let nodes = || rest.scaling.iter().flat_map(|scaling| &scaling.pools).flat_map(|pool| &pool.nodes);
        booting += nodes().filter(|node| matches!(node.state, PoolNodeState::Booting { .. })).count();
        idle += nodes().filter(|node| matches!(node.state, PoolNodeState::Up { idle: Some(_), .. })).count();
        let before = stopped.results_so_far();
        let ended = Simulation::new(rest, Quirks::default()).run(&mut ());
        assert_eq!((ended.to, &ended.scaled), (all.to, &all.scaled), "cycle {cycle}");
        let after = rows(&ended);
        let expected = rows(&all);
        for row in &after {
            let was = before.iter().find(|job| job.name == row.0).and_then(|job| job.start);
            let row = (row.0.clone(), was.or(row.1), row.2, row.3.clone());
            assert!(expected.contains(&row), "cycle {cycle}: {row:?}");
        }
    }
    assert!(booting > 0 && idle > 0, "{booting} {idle}");
}

#[test]
fn the_command_orders_nodes_and_states_what_they_came_to() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), &[(0, 3600), (0, 3600), (0, 3600)]);
    let flags = ["simulate", ".", "--scale", "n1=2", "--boot", "60", "--idle", "5m", "--target", "1m"];
    let (text, wrong, code) = run(&[&flags[..], &["--json"]].concat(), folder.path());
    assert_eq!((wrong.as_str(), code), ("", 0), "{text}");
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["scaled"], json!([{"kind": "n1", "orders": 2, "most": 2, "node_seconds": 7920}]));
    let (text, _, _) = run(&flags, folder.path());
    assert!(text.contains("n1: 2 nodes ordered, at most 2 at once, 2.2 node-hours"), "{text}");
    let against = [&flags[..], &["--against", "backfill_depth=3"]].concat();
    let (text, _, _) = run(&against, folder.path());
    assert!(text.contains("A: n1: 2 nodes ordered") && text.contains("B: n1: 2 nodes ordered"), "{text}");
    let (text, _, _) = run(&[&against[..], &["--json"]].concat(), folder.path());
    let both: Value = serde_json::from_str(&text).unwrap();
    assert_eq!([&both["scaled_a"], &both["scaled_b"]], [&found["scaled"]; 2]);
    let (_, wrong, code) = run(&["simulate", ".", "--scale", "n1"], folder.path());
    assert!(code == 2 && wrong.contains("is not TYPE=MAX"), "{wrong}");
    let (_, wrong, code) = run(&["simulate", ".", "--scale", "n7=1"], folder.path());
    assert!(code == 2 && wrong.contains("no vnode is called `n7`"), "{wrong}");
    // The same arrivals under two settings, the same bytes on any number of threads.
    let mut text: Option<String> = None;
    for threads in ["1", "2"] {
        let words =
            ["simulate", ".", "--scale", "n1=2", "--against", "backfill_depth=20", "--runtimes", "history"];
        let more = ["--replications", "12", "--threads", threads, "--seed", "7", "--json"];
        let (json, wrong, code) = run(&[&words[..], &more[..]].concat(), folder.path());
        assert_eq!((wrong.as_str(), code), ("", 0));
        let first = text.get_or_insert_with(|| json.clone());
        assert_eq!(*first, json, "{threads} threads");
    }
}

/// The exit code of a simulation that a signal ends names the signal, with and without a comparison.
#[test]
fn a_simulation_that_a_signal_ends_exits_with_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<(i64, i64)> = (0..200).map(|number| (number * 60, 1800)).collect();
    cluster(folder.path(), &jobs);
    for (signal, expected) in [("TERM", 143), ("INT", 130)] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"))
            .args(["simulate", ".", "--against", "backfill_depth=3", "--runtimes", "history"])
            .args(["--replications", "100000", "--threads", "1"])
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_secs(2));
        let sent = std::process::Command::new("kill")
            .args([format!("-{signal}"), child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().code(), Some(expected), "{signal}");
    }
}
