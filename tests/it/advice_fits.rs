//! `qscope fits`: every printed window starts; with one more node or minute it does not.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use qscope::advice::fits::{FitQuestion, RequestFit, fits};
use qscope::advice::request::{RequestAnswer, RequestEffort, SubmitRequest, answer};
use qscope::cluster::{Edit, Snapshot};
use qscope::cycle::{Run, run_cycle};
use qscope::universe::Quirks;
use serde_json::Value;

use super::cases::{self, Family};

const NONE: RequestEffort = RequestEffort { cycles: 0, smaller: false };
/// Five years in minutes, the walltime that stands for an unlimited one.
const ANY: i64 = 157_680_000 / 60;

/// Returns the answer of `try` to a request of whole nodes.
fn tried(run: &Run, fit: &RequestFit, nodes: u32, minutes: i64) -> RequestAnswer {
    let resources = [
        ("select", format!("{nodes}:{}", fit.chunk)),
        ("place", "scatter:excl".to_owned()),
        ("walltime", (minutes * 60).to_string()),
    ];
    let resources = resources.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let request = SubmitRequest {
        resources,
        queue: Some(fit.queue.clone()),
        user: "(anyone)".to_owned(),
        ..SubmitRequest::default()
    };
    answer(run, &request, NONE)
}

fn starts(run: &Run, fit: &RequestFit, nodes: u32, minutes: i64) -> bool {
    tried(run, fit, nodes, minutes).starts()
}

/// Returns the same cluster with queues that admit anyone.
fn opened(snap: &Snapshot) -> Arc<Snapshot> {
    let open = |(id, queue): (_, &qscope::cluster::Queue)| {
        let mut queue = queue.clone();
        queue.access.users.enabled = false;
        queue.access.groups.enabled = false;
        queue.access.hosts.enabled = false;
        Edit::Queue(id, Box::new(queue))
    };
    Arc::new(snap.with(&snap.queues.enumerate().map(open).collect::<Vec<_>>()))
}

#[test]
fn every_window_starts_and_nothing_larger_does() {
    let all = cases::all().iter().filter(|case| matches!(case.family, Family::Random | Family::Wide));
    let (mut windows, mut nones) = (0, 0);
    for case in all.step_by(7) {
        let snap = opened(&case.snapshot());
        let run = run_cycle(snap, Quirks::default());
        let found = fits(&run, &FitQuestion { most: 6, ..FitQuestion::default() });
        for fit in &found.fits {
            let one = tried(&run, fit, 1, 1);
            if let Some(none) = fit.none.as_ref().filter(|_| one.accepted) {
                let never = one.final_verdict == Some("never");
                assert_eq!((none, fit.never), (&one.headline, never), "{}: {}", case.name, fit.queue);
                nones += 1;
            }
            for window in &fit.windows {
                let minutes = window.minutes.unwrap_or(ANY);
                let what = format!("{}: {} {} {window:?}", case.name, fit.queue, fit.chunk);
                assert!(starts(&run, fit, window.nodes, minutes), "{what}");
                assert!(!starts(&run, fit, window.nodes + 1, minutes), "one node more: {what}");
                assert!(
                    window.minutes.is_none() || !starts(&run, fit, window.nodes, minutes + 1),
                    "one minute more: {what}"
                );
                windows += 1;
            }
            let longer = fit.windows.windows(2).all(|two| {
                two[0].nodes > two[1].nodes && two[0].minutes < Some(two[1].minutes.unwrap_or(ANY + 1))
            });
            assert!(longer, "{}: {fit:?}", case.name);
        }
    }
    assert!(windows > 30 && nones > 10, "{windows}, {nones}");
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "[[node]]\nname = \"n[1-8]\"\navailable = { ncpus = 4 }\n[[node]]\nname = \"g[1-2]\"\navailable = { ncpus = 8, ngpus = 2 }\n";
    let queue = "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"shut\"\nenabled = false\n\
        [[job]]\nid = 1\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"2:ncpus=4\"\nplace = \"scatter:excl\"\nwalltime = \"01:00:00\"\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=4)+(n2:ncpus=4)\"\n\
        [[reservation]]\nname = \"R1\"\nstart = \"+02:00:00\"\nduration = \"01:00:00\"\non = \"(n3:ncpus=4)+(n4:ncpus=4)\"\nusers = [\"ann\"]\n";
    let policy = "[sched_config]\nresources = [\"ncpus\", \"mem\", \"host\", \"vnode\", \"ngpus\"]\n[[resource]]\nname = \"ngpus\"\ntype = \"long\"\nflag = \"hn\"\n";
    for (name, text) in [("nodes.toml", nodes), ("queue.toml", queue), ("policy.toml", policy)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn windows_are_a_table_and_a_picture() {
    let folder = folder();
    let run = |more: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
        program.env("TZ", "UTC").arg("fits").arg(folder.path()).args(more).output().unwrap()
    };
    let text = run(&[]);
    assert_eq!(text.status.code(), Some(0), "{text:?}");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("fits_text", text);
    let json: Value = serde_json::from_slice(&run(&["--json", "-q", "workq"]).stdout).unwrap();
    let windows = &json["fits"][0]["windows"];
    assert_eq!((windows[0]["nodes"].as_u64(), windows[0]["minutes"].as_i64()), (Some(8), Some(120)));
    assert_eq!((windows[1]["nodes"].as_u64(), windows[1]["minutes"].is_null()), (Some(6), true));
    let wrong = run(&["-q", "worq"]);
    assert_eq!((wrong.status.code(), wrong.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("did you mean `workq`?"));
    assert_eq!(run(&["-q", "shut"]).status.code(), Some(1));
}

/// A window that takes the nodes of running jobs states how many, so that these nodes are not taken for free ones.
#[test]
fn jobs_that_a_window_would_preempt_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "[[node]]\nname = \"n[1-4]\"\navailable = { ncpus = 4 }\n";
    let queue = "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n\
        [[job]]\nid = 1\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"2:ncpus=4\"\nplace = \"scatter:excl\"\nwalltime = \"01:00:00\"\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=4)+(n2:ncpus=4)\"\n";
    let policy = "[sched_config]\npreemptive_sched = true\n";
    for (name, text) in [("nodes.toml", nodes), ("queue.toml", queue), ("policy.toml", policy)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let run = |queue: &str, more: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
        let program = program.env("TZ", "UTC").args(["fits", "-q", queue]).arg(folder.path()).args(more);
        String::from_utf8(program.output().unwrap().stdout).unwrap()
    };
    let json: Value = serde_json::from_str(&run("express", &["--json"])).unwrap();
    let window = &json["fits"][0]["windows"][0];
    assert_eq!((window["nodes"].as_u64(), window["preempts"].as_u64()), (Some(4), Some(1)), "{json}");
    let text = run("express", &[]);
    let heading = text.lines().find(|line| line.contains("walltime")).unwrap();
    assert!(heading.contains("preempts"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!run("workq", &[]).contains("preempts"), "no job of the normal level is preempted for another");
}
