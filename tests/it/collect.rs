//! The collector with clients of our own in the place of the batch system's.

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

const CLIENTS: [&str; 5] = ["pbsnodes", "qstat", "pbs_rstat", "qmgr", "pbsfs"];
const NODES: &str = r#"printf '{\n\t"nodes":\t{\n\t\t"n1":\t{\n\t\t\t"state":\t"free"\n\t\t}\n\t}\n}\n'"#;

impl Site {
    /// Every client works.
    pub(crate) fn new() -> Self {
        let site = Self { bin: TempDir::new().unwrap(), into: TempDir::new().unwrap() };
        for client in CLIENTS {
            site.client(client, "printf '{\\n}\\n'");
        }
        site.client("pbsnodes", NODES);
        site
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
            most: 1 << 20,
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
    assert_eq!(found, round.files.len(), "no temporary file is left");
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
    assert_eq!(fs::read_dir(site.into.path()).unwrap().count(), 8, "no temporary file is left");
}

#[test]
fn a_slow_client_is_waited_for() {
    let site = Site::new();
    site.client("qstat", "sleep 0.3; printf '{\\n}\\n'");
    let round = site.round();
    assert_eq!(round.failures().collect::<Vec<_>>(), []);
    assert!(round.files.iter().any(|file| file.took > Duration::from_millis(250)));
    let collector =
        Collector::new(site.into.path(), CollectOptions { every: Duration::ZERO, ..site.options() }).unwrap();
    assert!(collector.rest(&round) >= round.took * 8, "a slow server is left alone");
}

#[test]
fn environments_are_left_out_unless_asked_for() {
    let site = Site::new();
    let jobs = r#"printf '{\n\t"Jobs":\t{\n\t\t"1":\t{\n\t\t\t"queue":\t"q",\n\t\t\t"Variable_List":\t{\n\t\t\t\t"TOKEN":\t"secret"\n\t\t\t}\n\t\t}\n\t}\n}\n'"#;
    site.client("qstat", jobs);
    site.round();
    let text = fs::read_to_string(site.file("jobs.json")).unwrap();
    assert!(!text.contains("secret") && serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    let options = CollectOptions { environment: true, ..site.options() };
    Collector::new(site.into.path(), options).unwrap().round(&|| false);
    assert!(fs::read_to_string(site.file("jobs.json")).unwrap().contains("secret"));
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

/// Nodes and jobs that belong together are put in place together: nobody reads new nodes with old jobs.
#[test]
fn nodes_wait_for_the_jobs_of_their_generation() {
    let site = Site::new();
    let seen = site.bin.path().join("seen");
    let look = format!("ls {} > {}; printf '{{\\n}}\\n'", site.into.path().display(), seen.display());
    site.client(
        "qstat",
        &format!("if [ ! -e {} ]; then {look}; else printf '{{\\n}}\\n'; fi", seen.display()),
    );
    site.round();
    let names = fs::read_to_string(&seen).unwrap();
    assert!(!names.contains("nodes.json"), "while the first qstat ran: {names}");
    assert!(site.file("nodes.json").exists() && site.file("jobs.json").exists());
}

/// Sites wrap clients in scripts; what these started ends with them.
#[test]
fn a_client_that_is_stopped_takes_its_children_along() {
    let site = Site::new();
    let pid = site.bin.path().join("pid");
    site.client("pbsnodes", &format!("sleep 300 & echo $! > {}; wait", pid.display()));
    let round = site.round();
    assert!(why(&round, "nodes.json").starts_with("pbsnodes took longer"));
    assert!(is_gone(&pid));
}

/// Whether the process whose number a file holds is over; one that nobody has waited for yet counts.
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

/// Killed at fifty moments of a round, it leaves whole files only, and the next round clears up.
#[test]
fn a_killed_collector_leaves_whole_files() {
    let site = Site::new();
    let long: String =
        (0..400).map(|n| format!(r#"\t\t"n{n}":\t{{\n\t\t\t"state":\t"free"\n\t\t}},\n"#)).collect();
    let nodes = format!(
        r#"printf '{{\n\t"nodes":\t{{\n{long}\t\t"last":\t{{\n\t\t\t"state":\t"free"\n\t\t}}\n\t}}\n}}\n'"#
    );
    for client in ["pbsnodes", "qstat"] {
        site.client(client, &nodes);
    }
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
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
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
