//! A file that exists and cannot be read is distinguished from one that is absent or empty, whichever file it
//! is.

use std::path::Path;
use std::process::Command;

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::session::SessionEvent;
use serde_json::Value;

use super::cluster;
use crate::console_cycle::{Stage, read};

fn plain() -> cluster::Cluster {
    cluster::of(&(0..8).map(|at| format!("v{at}").into_bytes()).collect::<Vec<_>>())
}

/// Puts something that is not a regular file in place of a file.
fn spoil(folder: &Path, name: &str, with: &str) {
    let path = folder.join(name);
    drop(std::fs::remove_file(&path));
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    match with {
        "a pipe" => rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap(),
        "a folder" => std::fs::create_dir(&path).unwrap(),
        "a device" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
        "an error" => std::os::unix::fs::symlink("/proc/self/mem", &path).unwrap(),
        _ => std::os::unix::fs::symlink("nothing", &path).unwrap(),
    }
}

const WAYS: [&str; 5] = ["a pipe", "a folder", "a device", "an error", "a link"];

fn run(words: &[&str], folder: &Path) -> (String, String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_qscope")).args(words).arg(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

#[test]
fn without_nodes_or_jobs_there_is_no_answer() {
    for name in ["nodes.json", "jobs.json"] {
        for with in WAYS {
            let cluster = plain();
            spoil(&cluster.folder, name, with);
            for command in ["cycle", "board", "capacity", "check"] {
                let (out, err, code) = run(&[command], &cluster.folder);
                assert_eq!((out.as_str(), code), ("", 2), "{command} with {with}: {err}");
                assert!(err.starts_with(&format!("qscope: {name}: cannot be read: ")), "{with}: {err}");
            }
        }
    }
}

#[test]
fn an_optional_file_that_cannot_be_read_is_named_above_the_answer() {
    let optional = [
        "queues.json",
        "server.json",
        "sched.txt",
        "resources.txt",
        "resvs.txt",
        "sched_config",
        "holidays",
        "dedicated_time",
        "resource_group",
        "usage",
        "fairshare.txt",
        "maui.cfg",
        "elim.txt",
        "now",
        "policy.toml",
        "extra.toml",
    ];
    let cluster = plain();
    let folder = &cluster.folder;
    for (name, with) in optional.iter().zip(WAYS.iter().cycle()) {
        spoil(folder, name, with);
    }
    for command in ["cycle", "board", "pools", "buckets", "quirks", "agree", "capacity"] {
        let (out, err, code) = run(&[command], folder);
        assert!(code < 2, "{command}: {err}");
        let head: Vec<&str> = out.lines().take(optional.len()).collect();
        for name in optional {
            let line = format!("warning: {name}: cannot be read: ");
            assert!(head.iter().any(|text| text.starts_with(&line)), "{command} {name}:\n{out}");
        }
    }
    let (out, _, code) = run(&["cycle", "--json"], folder);
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((answer["unreadable"].as_array().unwrap().len(), code), (optional.len(), 0));
    let (out, _, code) = run(&["check"], folder);
    assert!(out.contains("cannot be read; assumed the file as shipped") && code == 1, "{out}");
    assert!(!out.contains("not there; assumed started queues"), "{out}");
}

/// An empty or absent file is still a valid answer.
#[test]
fn absent_and_empty_are_answers() {
    for empty in [false, true] {
        let cluster = plain();
        let jobs = cluster.folder.join("jobs.json");
        std::fs::remove_file(&jobs).unwrap();
        if empty {
            std::fs::write(&jobs, "").unwrap();
        }
        let (out, err, code) = run(&["cycle"], &cluster.folder);
        assert!(code == 0 && err.is_empty() && out.contains("0 jobs considered"), "{out}{err}");
    }
}

#[test]
fn the_console_keeps_what_it_has_and_says_so() {
    let cluster = plain();
    let generation = read(&cluster.folder, 1);
    let mut stage = Stage::empty(120, 30, generation.snapshot.now);
    stage.load(generation);
    let at = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_795_226_244);
    let message = "jobs.json: cannot be read: found a named pipe".to_owned();
    stage.app.update(AppInput::Message(SessionEvent::Failed { message, missing_file: None, at }.into()));
    let seen = stage.see();
    assert!(seen.contains("shown: last good reading 0s ago: jobs.json: cannot be read"), "{seen}");
    assert!(seen.contains("ERROR") && !seen.contains("LIVE"), "{seen}");
    stage.act(&[Action::StepForward]);
    assert!(stage.see().contains("ERROR"));
}

#[test]
fn the_console_names_an_optional_file_that_cannot_be_read() {
    let cluster = plain();
    spoil(&cluster.folder, "queues.json", "a folder");
    let generation = read(&cluster.folder, 1);
    let mut stage = Stage::empty(120, 30, generation.snapshot.now);
    stage.load(generation);
    let seen = stage.see();
    assert!(seen.contains("queues.json: cannot be read: "), "{seen}");
}
