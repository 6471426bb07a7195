//! The collector with test clients in place of the batch system's.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use qscope::source::collect::{CollectOptions, Collector, Round};
use serde_json::Value;
use tempfile::TempDir;

/// A folder of clients, and the folder that they fill.
pub(crate) struct Site {
    pub(crate) bin: TempDir,
    pub(crate) into: TempDir,
}

const NODES: &str = r#"printf '{\n\t"nodes":\t{\n\t\t"n1":\t{\n\t\t\t"state":\t"free"\n\t\t}\n\t}\n}\n'"#;
const JOBS: &str = r#"printf '{\n\t"pbs_server":\t"s",\n\t"Jobs":\t{\n\t\t"1.s":\t{\n\t\t\t"job_state":\t"Q"\n\t\t}\n\t}\n}\n'"#;
const QUEUES: &str =
    r#"printf '{\n\t"Queue":\t{\n\t\t"q":\t{\n\t\t\t"queue_type":\t"Execution"\n\t\t}\n\t}\n}\n'"#;
const SHARES: &str = "printf 'Fairshare usage units are in: cput\\nTREEROOT  : Grp: -1     cgrp: 0    Shares: -1     Usage: 1      Perc: 100.000%%\\n'";

/// Returns a client by which the server counts `jobs` jobs.
fn server(jobs: usize) -> String {
    format!(
        r#"printf '{{\n\t"Server":\t{{\n\t\t"s":\t{{\n\t\t\t"total_jobs":\t{jobs},\n\t\t\t"state_count":\t"Queued:{jobs} Running:0 "\n\t\t}}\n\t}}\n}}\n'"#
    )
}

/// Returns a client that prints `count` nodes or jobs.
fn many(section: &str, count: usize) -> String {
    let each = |n| format!(r#"\t\t"r{n}":\t{{\n\t\t\t"state":\t"free"\n\t\t}}"#);
    let all: Vec<String> = (0..count).map(each).collect();
    format!(r#"printf '{{\n\t"{section}":\t{{\n{}\n\t}}\n}}\n'"#, all.join(",\\n"))
}

impl Site {
    /// Creates a site on which every client works.
    pub(crate) fn new() -> Self {
        let site = Self { bin: TempDir::new().unwrap(), into: TempDir::new().unwrap() };
        site.client("pbsnodes", NODES);
        site.qstat(JOBS, &server(1));
        site.client("pbs_rstat", "exit 0");
        site.client(
            "qmgr",
            "case \"$2\" in *sched) printf 'Sched default\\n    state = idle\\n\\n';; *) printf 'Resource gpu\\n    type = long\\n    flag = nh\\n\\n';; esac",
        );
        site.client("pbsfs", SHARES);
        site
    }

    /// Writes the client for jobs, queues and the server.
    fn qstat(&self, jobs: &str, server: &str) {
        self.client("qstat", &format!("case $1 in -Q) {QUEUES};; -B) {server};; *) {jobs};; esac"));
    }

    pub(crate) fn client(&self, name: &str, script: &str) {
        let path = self.bin.path().join(name);
        let draft = self.bin.path().join(format!(".{name}"));
        fs::write(&draft, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&draft, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(draft, path).unwrap();
    }

    fn options(&self) -> CollectOptions {
        CollectOptions {
            bin: Some(self.bin.path().to_owned()),
            home: Some(self.bin.path().join("home")),
            limit: Duration::from_millis(800),
            max_output: 1 << 20,
            ..CollectOptions::default()
        }
    }

    fn round(&self) -> Round {
        Collector::new(self.into.path(), self.options()).unwrap().round(&|| false)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.into.path().join(name)
    }
}

fn why<'r>(round: &'r Round, file: &str) -> &'r str {
    round.failures().find(|(name, _)| *name == file).map_or("renewed", |(_, why)| why)
}

#[test]
fn a_round_fills_a_folder_that_only_its_owner_reads() {
    let site = Site::new();
    let into = site.into.path().join("new");
    let round = Collector::new(&into, site.options()).unwrap().round(&|| false);
    assert_eq!(round.failures().collect::<Vec<_>>(), []);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&into), mode(&into.join("nodes.json"))), (0o700, 0o600));
    let found = fs::read_dir(&into).unwrap().count();
    assert_eq!(found, round.files.len() + 1, "no temporary file but the lock is left");
}

#[test]
fn whatever_a_client_does_the_last_good_file_stays() {
    let site = Site::new();
    site.round();
    let good = fs::read(site.file("nodes.json")).unwrap();
    let half = r#"printf '{\n\t"nodes":\t{\n\t\t"n1"'"#;
    for (script, said) in [
        ("echo broken >&2; exit 3", "pbsnodes ended with exit status: 3: broken"),
        (half, "pbsnodes printed only part of its answer"),
        (
            "printf 'Password: '; printf '{\\n}\\n'",
            "pbsnodes printed something else than JSON first: `Password: {`",
        ),
        ("exec sleep 20", "pbsnodes took longer than 0.8 s"),
        ("exec yes '{'", "pbsnodes printed more than 1 MB"),
        ("exit 0", "pbsnodes printed nothing"),
        ("printf '{\\n}\\n'", "pbsnodes printed something else than nodes"),
        (r#"printf '{\n\t"error":\t"no server"\n}\n'"#, "pbsnodes printed an error instead of a dump"),
        (JOBS, "pbsnodes printed the dump of another command, not nodes"),
        (r#"printf '{"nodes": {"n1": "down"}}\n'"#, "pbsnodes printed something else than nodes"),
        ("printf '\\033[2J' >&2; exit 1", "pbsnodes ended with exit status: 1: \\u{1b}[2J"),
    ] {
        site.client("pbsnodes", script);
        let round = site.round();
        assert!(why(&round, "nodes.json").starts_with(said), "{script}: {}", why(&round, "nodes.json"));
        assert_eq!(why(&round, "jobs.json"), "renewed");
        assert_eq!(fs::read(site.file("nodes.json")).unwrap(), good, "{script}");
    }
    fs::remove_file(site.bin.path().join("pbsnodes")).unwrap();
    assert!(why(&site.round(), "nodes.json").contains("pbsnodes: No such file"));
    assert_eq!(fs::read_dir(site.into.path()).unwrap().count(), 9, "no temporary file but the lock is left");
}

/// A server that is starting gives valid but nearly empty answers.
#[test]
fn a_dump_that_has_shrunk_waits_for_the_servers_count_or_for_a_second_round() {
    let site = Site::new();
    site.client("pbsnodes", &many("nodes", 10));
    site.qstat(&many("Jobs", 10), &server(10));
    assert_eq!(site.round().failures().collect::<Vec<_>>(), []);

    // Jobs are counted by the server: it contradicts, and then it agrees.
    site.qstat(&many("Jobs", 2), &server(10));
    let said = "2 records where the last one has 10 and the server counts 10: believed once a second round has the same";
    assert_eq!(why(&site.round(), "jobs.json"), said);
    let records = |file, section: &str| {
        let dump: Value = serde_json::from_slice(&fs::read(site.file(file)).unwrap()).unwrap();
        dump[section].as_object().unwrap().len()
    };
    assert_eq!(records("jobs.json", "Jobs"), 10);
    site.qstat(&many("Jobs", 3), &server(3));
    assert_eq!(why(&site.round(), "jobs.json"), "renewed");
    assert_eq!(records("jobs.json", "Jobs"), 3);

    // The server does not count nodes: two rounds, even of two programs, have to agree.
    for (nodes, renewed) in [(4, false), (1, false), (10, true), (4, false), (3, true)] {
        site.client("pbsnodes", &many("nodes", nodes));
        assert_eq!(why(&site.round(), "nodes.json") == "renewed", renewed, "{nodes}");
    }
    assert_eq!(records("nodes.json", "nodes"), 3);
    assert_eq!(fs::read_dir(site.into.path()).unwrap().count(), 9, "no note is left, only the lock");
}

/// A process that a client leaves behind keeps writing, but not into anything that was published.
#[test]
fn a_child_that_a_client_leaves_behind_writes_into_no_file() {
    let site = Site::new();
    let (ready, wrote) = (site.bin.path().join("ready"), site.bin.path().join("wrote"));
    let child = format!(
        "exec 3>&1; trap '' PIPE; setsid sh -c 'echo > {}; sleep 1; echo garbage >&3; echo > {}' &",
        ready.display(),
        wrote.display()
    );
    let escaped = format!("{child} while [ ! -e {} ]; do sleep 0.02; done; {NODES}", ready.display());
    site.client("pbsnodes", &escaped);
    assert_eq!(why(&site.round(), "nodes.json"), "renewed");
    let good = fs::read(site.file("nodes.json")).unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while !wrote.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(wrote.exists(), "the child never wrote");
    assert_eq!(fs::read(site.file("nodes.json")).unwrap(), good);
}

#[test]
fn a_slow_client_is_waited_for() {
    let site = Site::new();
    site.qstat(&format!("sleep 0.3; {JOBS}"), &server(1));
    let round = site.round();
    assert_eq!(round.failures().collect::<Vec<_>>(), []);
    assert!(round.files.iter().any(|file| file.took > Duration::from_millis(250)));
    let collector =
        Collector::new(site.into.path(), CollectOptions { interval: Duration::ZERO, ..site.options() })
            .unwrap();
    assert!(collector.rest(&round) >= round.duration * 8, "a slow server is left alone");
}

#[test]
fn what_people_typed_is_left_out_unless_asked_for_by_name() {
    let site = Site::new();
    let jobs = r#"printf '{\n\t"Jobs":\t{\n\t\t"1":\t{\n\t\t\t"queue":\t"q",\n\t\t\t"Submit_arguments":\t"-v KEY=secret1",\n\t\t\t"Variable_List" :\t{\n\t\t\t\t"TOKEN":\t"secret2"\n\t\t\t}\n\t\t}\n\t}\n}\n'"#;
    site.qstat(jobs, &server(1));
    site.client("pbs_rstat", r"printf 'Resv ID: R1.s\nReserve_Name = r\nVariable_List = A=secret3\n\n'");
    site.round();
    let text = fs::read_to_string(site.file("jobs.json")).unwrap();
    assert!(!text.contains("secret") && serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    let resvs = fs::read_to_string(site.file("resvs.txt")).unwrap();
    assert_eq!(resvs, "Resv ID: R1.s\nReserve_Name = r\n\n");
    let options = CollectOptions { extra_attributes: vec!["Variable_List".to_owned()], ..site.options() };
    Collector::new(site.into.path(), options).unwrap().round(&|| false);
    let text = fs::read_to_string(site.file("jobs.json")).unwrap();
    assert!(text.contains("secret2") && !text.contains("secret1"), "{text}");
}

#[test]
fn the_schedulers_files_are_copied_where_they_can_be_read() {
    let site = Site::new();
    let private = site.bin.path().join("home/sched_priv");
    fs::create_dir_all(&private).unwrap();
    fs::write(private.join("sched_config"), "strict_ordering: true ALL\n").unwrap();
    let round = site.round();
    assert!(round.files.iter().any(|file| file.file == "sched_config" && file.result == Ok(26)));
    assert!(!round.files.iter().any(|file| file.file == "holidays"));
}

/// Nodes and jobs of one round are put in place together: no reader sees new nodes with old jobs.
#[test]
fn nodes_wait_for_the_jobs_of_their_generation() {
    let site = Site::new();
    let seen = site.bin.path().join("seen");
    let look = format!("ls {} > {}; {JOBS}", site.into.path().display(), seen.display());
    let jobs = format!("if [ ! -e {} ]; then {look}; else {JOBS}; fi", seen.display());
    site.qstat(&jobs, &server(1));
    site.round();
    let names = fs::read_to_string(&seen).unwrap();
    assert!(!names.contains("nodes.json"), "while the first qstat ran: {names}");
    assert!(site.file("nodes.json").exists() && site.file("jobs.json").exists());
}

/// Sites wrap clients in scripts; processes that these started end with them.
#[test]
fn a_client_that_is_stopped_takes_its_children_along() {
    let site = Site::new();
    let pid = site.bin.path().join("pid");
    site.client("pbsnodes", &format!("sleep 300 & echo $! > {}; wait", pid.display()));
    let round = site.round();
    assert!(why(&round, "nodes.json").starts_with("pbsnodes took longer"));
    assert!(is_gone(&pid));
}

/// Returns whether the process whose number a file holds has ended, including one that was not waited for yet.
pub(crate) fn is_gone(pid: &Path) -> bool {
    let pid = fs::read_to_string(pid).unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        if stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z ")) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Killed at fifty moments of a round, it leaves only whole files, and the next round clears up.
#[test]
fn a_killed_collector_leaves_whole_files() {
    let site = Site::new();
    let long: String =
        (0..400).map(|n| format!(r#"\t\t"n{n}":\t{{\n\t\t\t"state":\t"free"\n\t\t}},\n"#)).collect();
    let nodes = format!(
        r#"printf '{{\n\t"nodes":\t{{\n{long}\t\t"last":\t{{\n\t\t\t"state":\t"free"\n\t\t}}\n\t}}\n}}\n'"#
    );
    site.client("pbsnodes", &nodes);
    site.qstat(&nodes.replace("nodes", "Jobs"), &server(401));
    for round in 0..50 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_qscope"))
            .args(["collect", "--every", "0", "--bin"])
            .arg(site.bin.path())
            .arg(site.into.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments spread over the first rounds, the same in every run of the test.
        std::thread::sleep(Duration::from_millis(2 + (round * 37) % 150));
        child.kill().unwrap();
        child.wait().unwrap();
        for file in ["nodes.json", "jobs.json", "queues.json", "server.json"] {
            let Ok(bytes) = fs::read(site.file(file)) else { continue };
            assert!(serde_json::from_slice::<Value>(&bytes).is_ok(), "{file} after round {round}");
        }
    }
    site.round();
    let drafts = fs::read_dir(site.into.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".qscope-"));
    assert_eq!(drafts.count(), 0);
}

#[test]
fn it_stops_when_told_to() {
    let site = Site::new();
    site.client("pbsnodes", "exec sleep 20");
    let mut child = Command::new(env!("CARGO_BIN_EXE_qscope"))
        .args(["collect", "--bin"])
        .arg(site.bin.path())
        .arg(site.into.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let pid = rustix_pid(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let started = Instant::now();
    let status = child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(status.code(), Some(0));
}

fn rustix_pid(child: &std::process::Child) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap()
}
