//! Folders of recordings and of their snapshots: no other folder is overwritten, and a moment is the same everywhere.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::record::{run, three_minutes};

/// Writes a small cluster with a server of this name.
fn dumps(folder: &Path, server: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("nodes.toml"), "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n").unwrap();
    fs::write(folder.join("queue.toml"), "now = 1763712000\n[[queue]]\nname = \"q\"\n").unwrap();
    fs::write(folder.join("policy.toml"), format!("[server]\nname = \"{server}\"\n")).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

#[test]
fn a_recording_is_not_written_into_another_folder() {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    dumps(&at.join("dumps"), "a");
    dumps(&at.join("other"), "a");
    let before = names(&at.join("other"));
    let (text, wrong, code) = run(&["record", "dumps", "other", "--once"], at);
    assert_eq!((text.as_str(), code), ("", 2));
    assert!(wrong.contains("other: refused: it holds `nodes.toml` and no recording"), "{wrong}");
    assert_eq!(names(&at.join("other")), before);
    assert!(!at.join("other/.qscope.lock").exists());
    // A recording cannot be recorded, nor a folder without dumps.
    three_minutes(&at.join("rec"));
    let (_, wrong, code) = run(&["record", "rec", "dumps", "--once"], at);
    assert!(code == 2 && wrong.contains("rec: is a recording"), "{wrong}");
    fs::create_dir(at.join("empty")).unwrap();
    let (text, wrong, code) = run(&["record", "empty", "new", "--once"], at);
    assert_eq!((text.as_str(), code), ("", 2));
    assert!(wrong.contains("empty: holds no dumps"), "{wrong}");
    assert!(!at.join("new").exists(), "nothing is made for what is not recorded");
    // Nor a moment of a recording, also where it is looked at again and again.
    for moment in ["rec@#1", "rec@last"] {
        let (text, wrong, code) = run(&["record", moment, "new"], at);
        assert_eq!((text.as_str(), code), ("", 2));
        assert!(wrong.contains(&format!("{moment}: is a recording; expected a folder of dumps")), "{wrong}");
    }
    let (_, wrong, code) = run(&["simulate", "dumps", "--record", "rec"], at);
    let advice = "rec: is a recording; expected a new or an empty folder: remove it, or name another";
    assert!(code == 2 && wrong.contains(advice), "{wrong}");
}

#[test]
fn an_unchanged_folder_is_not_recorded_again_nor_another_server() {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    dumps(&at.join("dumps"), "a");
    dumps(&at.join("foreign"), "b");
    let (text, wrong, _) = run(&["record", "dumps", "rec", "--once"], at);
    assert!(text.starts_with("recorded as #1, "), "{text}{wrong}");
    let (text, _, code) = run(&["record", "dumps", "rec", "--once"], at);
    assert_eq!((text.as_str(), code), ("not changed since the last snapshot\n", 0));
    let (text, wrong, code) = run(&["record", "foreign", "rec", "--once"], at);
    assert_eq!((text.as_str(), code), ("", 2));
    assert!(wrong.contains("rec: holds snapshots of server a, and foreign is of server b"), "{wrong}");
}

/// A process that is killed when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_process_records_at_a_time_and_one_that_was_killed_does_not_count() {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    dumps(&at.join("dumps"), "a");
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.args(["record", "dumps", "rec"]).current_dir(at).stdout(Stdio::null()).stderr(Stdio::null());
    let first = Killed(command.spawn().unwrap());
    let until = Instant::now() + Duration::from_secs(60);
    while !at.join("rec/00000001.qrec").exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (_, wrong, code) = run(&["record", "dumps", "rec", "--once"], at);
    assert!(
        code == 2 && wrong.contains(&format!("refused: process {} writes to it", first.0.id())),
        "{wrong}"
    );
    drop(first);
    fs::write(at.join("dumps/queue.toml"), "now = 1763712060\n[[queue]]\nname = \"q\"\n").unwrap();
    let (text, wrong, _) = run(&["record", "dumps", "rec", "--once"], at);
    assert!(text.starts_with("recorded as #2, "), "{text}{wrong}");
}

#[test]
fn a_moment_is_written_into_a_new_folder_or_over_a_former_one() {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    three_minutes(&at.join("rec"));
    dumps(&at.join("cluster"), "a");
    let into = |folder: &str, point: &str| run(&["replay", "rec", "--at", point, "--into", folder], at);
    let (_, wrong, code) = into("cluster", "first");
    assert!(code == 2 && wrong.contains("cluster: refused: it holds `nodes.toml`"), "{wrong}");
    assert_eq!(names(&at.join("cluster")), ["nodes.toml", "policy.toml", "queue.toml"]);
    assert_eq!(into("moment", "first").2, 0);
    let first = fs::read(at.join("moment/queue.toml")).unwrap();
    assert_eq!(into("moment", "last").2, 0);
    assert_ne!(fs::read(at.join("moment/queue.toml")).unwrap(), first);
    assert_eq!(names(&at.join("moment")), ["nodes.toml", "now", "queue.toml"]);
    let (_, wrong, code) = run(&["simulate", "rec@first", "--stop-at", "1", "cluster"], at);
    assert!(code == 2 && wrong.contains("cluster: refused: it holds `nodes.toml`"), "{wrong}");
}

/// A time is one of the zone given, else of the zone of the dumps, for every command.
#[test]
fn a_time_of_a_recording_is_the_same_moment_for_every_command() {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    three_minutes(&at.join("rec"));
    let now = |words: &[&str]| -> i64 {
        let (text, wrong, code) = run(words, at);
        assert_eq!((wrong.as_str(), code), ("", 0), "{text}");
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        found["now"].as_i64().or(found["snapshots"][0]["at"].as_i64()).unwrap()
    };
    // 08:01:30 UTC.
    let (time, zone) = ("2025-11-21T03:01:30", ["--tz", "America/New_York", "--json"]);
    let opened = now(&[&["cycle", &format!("rec@{time}")][..], &zone].concat());
    assert_eq!(opened, 1_763_712_060);
    assert_eq!(now(&[&["replay", "rec", "--at", time][..], &zone].concat()), opened);
    assert_eq!(now(&[&["replay", &format!("rec@{time}")][..], &zone].concat()), opened);
}

#[test]
fn a_text_that_is_no_time_is_named() {
    let home = tempfile::tempdir().unwrap();
    three_minutes(&home.path().join("rec"));
    for text in ["garbage", "10:00", "2026-13-01T00:00", ""] {
        let (_, wrong, code) = run(&["why", "2", &format!("rec@{text}")], home.path());
        assert!(
            code == 2 && wrong.contains(&format!("rec: `{text}` is no moment of the recording")),
            "{wrong}"
        );
        assert!(wrong.contains("from 2025-11-21 08:00:00 +00:00 to 2025-11-21 08:02:00 +00:00"), "{wrong}");
    }
    let (text, _, _) = run(&["compare", "rec@#1", "rec@#2"], home.path());
    assert!(text.contains("rec@#1 -> rec@#2, 60s later"), "{text}");
}
