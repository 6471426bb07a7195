//! Every attribute at its extremes through every command, in processes limited to 500 MB: the counted work and the
//! output stay small, and other jobs are decided as usual, or a named refusal is given.

mod folders;
mod table;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use folders::{Folder, PLACES};

/// Maximum address space of a command, in kB.
const MEMORY: u32 = 500_000;
/// Maximum processor time in seconds: only an endless computation reaches it.
const SECONDS: u32 = 100;
/// Maximum number of bytes printed.
const PRINTED: usize = 32_000_000;
/// Maximum number of nodes that one decision examines, including chunks that are placed one by one.
const LOOKS: u64 = 400_000;

fn run(words: &[&str]) -> Output {
    let shell = format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &shell, env!("CARGO_BIN_EXE_qscope")]).args(words).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0..=2)), "{words:?}: {} {error}", output.status);
    assert!(!error.contains("panicked"), "{words:?}: {error}");
    assert!(output.stdout.len() < PRINTED, "{words:?}: {} bytes", output.stdout.len());
    output
}

fn json(words: &[&str]) -> Value {
    let output = run(words);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}"))
}

fn job(cycle: &Value, number: u32) -> &Value {
    let jobs = cycle["jobs"].as_array().unwrap();
    let id = format!("{number}.svr");
    jobs.iter().find(|job| job["id"] == id.as_str()).unwrap_or_else(|| panic!("no job {id}"))
}

/// Runs the cycle; the ordinary jobs at both ends start, and no decision examines more than a bounded number of
/// nodes.
fn cycle(folder: &Path, last: u32) -> Value {
    let answer = json(&["cycle", folder.to_str().unwrap(), "--json"]);
    for number in [1, last] {
        let job = job(&answer, number);
        assert_eq!(job["verdict"], "run", "{folder:?}: job {number}: {}", job["comment"]);
    }
    for job in answer["jobs"].as_array().unwrap() {
        let looks = job["examined"]["nodes"].as_u64().unwrap_or(0);
        assert!(looks < LOOKS, "{folder:?}: {} looks for {}", looks, job["id"]);
    }
    answer
}

/// Runs all other commands on a folder.
fn ask_all(folder: &Path, jobs: &[u32]) {
    let folder = folder.to_str().unwrap();
    for words in [
        &["pools", folder][..],
        &["pools", folder, "--fragmentation"],
        &["buckets", folder],
        &["board", folder],
        &["check", folder],
        &["agree", folder],
        &["capacity", folder],
        &["elim", "n1", folder],
        &["why-node", "n1", folder],
        &["quirks", folder],
        &["compare", folder, folder],
        &["compare", folder, "--set", "strict_ordering=True"],
    ] {
        run(words);
    }
    for number in jobs {
        let number = number.to_string();
        run(&["why", &number, folder, "--no-estimate", "--no-remedies"]);
        json(&["why", &number, folder, "--json", "--fast"]);
        run(&["policies", &number, folder]);
        run(&["esub", &number, folder]);
    }
}

/// A billion chunks without resources go to the first node that meets their conditions, as in the scheduler's rules;
/// what cannot be carried out is refused by name.
#[test]
fn chunks_without_end_are_placed_by_count() {
    let folder = tempfile::tempdir().unwrap();
    for place in PLACES {
        let (path, last, jobs) = folders::chunks(folder.path(), &place.replace(':', "-"), place, "");
        let answer = cycle(&path, last);
        let of = |name: &str| {
            let at = folders::selects().iter().position(|(have, _)| have == name).unwrap();
            job(&answer, jobs[at])
        };
        match place {
            "free" | "pack" => {
                let written = of("many-ncpus-0")["exec_vnode"].as_str().unwrap().to_owned();
                assert_eq!(written, "(n1:ncpus=0)x1000000000", "{place}");
                assert_eq!(of("count-4294967295")["verdict"], "run", "{place}");
            }
            _ => assert_ne!(of("many-ncpus-0")["verdict"], "run", "{place}"),
        }
        assert_eq!(of("many-ncpus--1")["comment"], "Not Running: Negative amount in select", "{place}");
        let parts = "Not Running: qscope reads at most 16384 parts of a select; the job has more";
        assert_eq!(of("megabyte")["comment"], parts, "{place}");
    }
}

/// If the order of nodes changes with every chunk, or hosts have several vnodes, chunks are placed one by one, up to
/// a limit.
#[test]
fn chunks_that_are_placed_one_by_one_have_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let mut sorted = Folder::new(folder.path(), "sorted");
    sorted.config("node_sort_key: \"ncpus HIGH unused\" ALL");
    sorted.node("large", &[("resources_available.ncpus", "9000000000000000000")]);
    let (many, free) =
        (sorted.select("1000000000:ncpus=1", "free"), sorted.select("1000000000:ncpus=0", "free"));
    let (path, last) = sorted.write();
    let answer = cycle(&path, last);
    let refusal = "Not Running: qscope places at most 131072 groups of equal chunks; the job has more";
    assert_eq!(job(&answer, many)["comment"], refusal);
    assert_eq!(job(&answer, free)["verdict"], "run");

    let mut hosts = Folder::new(folder.path(), "hosts");
    hosts.node(
        "large",
        &[("resources_available.ncpus", "9000000000000000000"), ("resources_available.host", "n1")],
    );
    let whole = hosts.select("1000000000:ncpus=1", "free");
    let broken = hosts.select("1000000000:ncpus=5000", "pack");
    let (path, last) = hosts.write();
    let answer = cycle(&path, last);
    assert_eq!(job(&answer, whole)["verdict"], "run");
    assert_eq!(job(&answer, broken)["verdict"], "run");
}

#[test]
fn every_command_answers_about_chunks_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _, jobs) = folders::chunks(folder.path(), "free", "free", "");
    let names: Vec<String> = folders::selects().into_iter().map(|(name, _)| name).collect();
    let told = ["many-ncpus-0", "many-ncpus-1", "parts", "megabyte", "unlike"];
    let told: Vec<u32> = names
        .iter()
        .zip(&jobs)
        .filter(|(name, _)| told.contains(&name.as_str()))
        .map(|(_, job)| *job)
        .collect();
    ask_all(&path, &told);
}

#[test]
fn every_attribute_of_jobs_takes_its_extremes() {
    let folder = tempfile::tempdir().unwrap();
    let (path, last) = folders::jobs(folder.path());
    let (many, ..) = folders::chunks(folder.path(), "many", "free", "");
    let farm = run(&["farm", many.to_str().unwrap()]);
    let told = String::from_utf8_lossy(&farm.stdout) + String::from_utf8_lossy(&farm.stderr);
    assert!(told.contains("waiting jobs left out that have more than 50000 parts"), "{told}");
    cycle(&path, last);
    ask_all(&path, &[1, last]);
    run(&["farm", path.to_str().unwrap()]);
}

#[test]
fn subjobs_without_end_start_up_to_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let (path, last) = folders::arrays(folder.path());
    let answer = cycle(&path, last);
    let refusal = "Not Running: qscope starts at most 25000 subjobs in one cycle; the rest waits";
    assert!(answer["jobs"].as_array().unwrap().iter().any(|job| job["comment"] == refusal));
}

#[test]
fn every_attribute_of_nodes_queues_and_servers_takes_its_extremes() {
    let folder = tempfile::tempdir().unwrap();
    let (path, last) = folders::nodes_and_queues(folder.path());
    cycle(&path, last);
    ask_all(&path, &[1]);
    for (nth, value) in folders::values().iter().enumerate() {
        let (path, _) = folders::server(folder.path(), nth, value);
        json(&["cycle", path.to_str().unwrap(), "--json"]);
        run(&["why", "1", path.to_str().unwrap(), "--fast"]);
    }
}

/// A select of ten thousand parts is described by kinds of chunks, and that is stated.
#[test]
fn a_select_of_very_many_parts_is_folded() {
    let folder = tempfile::tempdir().unwrap();
    let mut cluster = Folder::new(folder.path(), "parts");
    let job = cluster.select(&vec!["1:ncpus=5000"; 10_000].join("+"), "free").to_string();
    let (path, _) = cluster.write();
    let path = path.to_str().unwrap();
    let text = run(&["why", &job, path, "--no-estimate", "--no-remedies"]).stdout;
    let told = String::from_utf8(text).unwrap();
    assert!(told.len() < 10_000, "{} bytes", told.len());
    assert!(told.contains("the select has 10000 parts: equal chunks are put together"), "{told}");
    assert!(told.contains("Nodes lost at each condition, 10000 × ncpus=5000"), "{told}");
    let answer = json(&["why", &job, path, "--json", "--fast"]);
    assert_eq!(answer["funnel"].as_array().unwrap().len(), 1);
}

/// What cannot be packed chunk by chunk is left out by name, with the number of nodes that its volume needs.
#[test]
fn capacity_says_at_once_what_chunks_without_end_need() {
    let folder = tempfile::tempdir().unwrap();
    let mut cluster = Folder::new(folder.path(), "capacity");
    cluster.select("1000000000:ncpus=1", "free");
    let (path, _) = cluster.write();
    let output = run(&["capacity", path.to_str().unwrap()]);
    let told = String::from_utf8(output.stdout).unwrap();
    let left_out =
        "job 2 is left out: 1000000000 chunks, and at most 200000 are packed; alone it needs 244141 nodes of";
    assert!(
        told.replace("\n", " ").split_whitespace().collect::<Vec<_>>().join(" ").contains(left_out),
        "{told}"
    );
}

/// A record of a job with more slots than any machine has is left out, with its file, line, value, and the limit.
#[test]
fn farm_names_records_of_too_many_slots() {
    let folder = tempfile::tempdir().unwrap();
    let swf = folder.path().join("trace.swf");
    let line = |job: u32, processors: &str| {
        format!("{job} {job} 0 100 {processors} -1 -1 {processors} 100 -1 1 1 1 1 1 1 -1 -1\n")
    };
    fs::write(&swf, line(1, "1") + &line(2, "2147483648") + &line(3, "1")).unwrap();
    let log = folder.path().join("20251121");
    let record = |job: u32, ncpus: &str| {
        format!(
            "11/21/2025 04:00:00;E;{job}.svr;user=ann group=g queue=workq ctime=1763690000 qtime=1763690000 \
             etime=1763690000 start=1763690100 exec_vnode=(n1:ncpus={ncpus}) end=1763693700 Exit_status=0\n"
        )
    };
    fs::write(&log, record(1, "1") + &record(2, "2147483647") + &record(3, "1")).unwrap();
    for (file, what) in [(swf, ":2: has 2147483648 processors"), (log, ":2: has 2147483647 slots on n1")] {
        let output = run(&["farm", file.to_str().unwrap(), "--nodes", "4x4", "--json"]);
        let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(&format!("{what}; a job has from 0 to 16777216")), "{told}");
    }
}

/// Nodes of one slot would split such a job into millions of parts: refused before any part is made.
#[test]
fn farm_refuses_jobs_in_too_many_parts() {
    let folder = tempfile::tempdir().unwrap();
    let swf = folder.path().join("trace.swf");
    fs::write(&swf, "1 1 0 100 16000000 -1 -1 16000000 100 -1 1 1 1 1 1 1 -1 -1\n").unwrap();
    let output = run(&["farm", swf.to_str().unwrap(), "--nodes", "4x1"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("would be taken apart into 16000000 parts; at most 4000000 are made"), "{told}");
}

/// A pattern that stands for gigabytes of names is refused, naming its line.
#[test]
fn names_of_nodes_have_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = format!("[[node]]\nname = \"n1\"\n\n[[node]]\nname = \"{}[1-99999]\"\n", "n".repeat(100_000));
    fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    let output = run(&["check", folder.path().to_str().unwrap()]);
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("nodes.toml"), "{told}");
    assert!(told.contains("it has 100009 bytes; a name has 1000 at most"), "{told}");
}
