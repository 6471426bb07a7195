//! Agreement with a live scheduler: what its server's clients printed before one of its cycles, and what that cycle
//! did. It is counted by case; known differences are listed in `tests/cases/real.toml`, job by job.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, LazyLock};

use qscope::cluster::Snapshot;
use qscope::source::{Files, LoadOptions, load};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::cases::{folder, unpacked};

/// One cycle of a live scheduler.
pub(crate) struct RealCase {
    pub(crate) name: String,
    /// `before/…`, `after/…` and `sched_log`.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    expected: Value,
}

impl RealCase {
    /// Reads the cluster before the cycle.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        let mut files = Files::new(&self.name);
        for (name, bytes) in &self.files {
            if let Some(name) = name.strip_prefix("before/") {
                files.insert(name, bytes.clone(), None);
            }
        }
        Arc::new(load(&files, &LoadOptions::default()).unwrap())
    }

    /// Writes the case as folders to the disk.
    pub(crate) fn on_disk(&self) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, bytes) in &self.files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        root
    }
}

/// Returns the case whose name begins so: `c04`.
pub(crate) fn named(name: &str) -> &'static RealCase {
    all().iter().find(|case| case.name.starts_with(name)).unwrap()
}

/// Returns all cases, by name.
pub(crate) fn all() -> &'static [RealCase] {
    static CASES: LazyLock<Vec<RealCase>> = LazyLock::new(|| {
        let packed = unpacked(&fs::read(folder().join("real.gz")).unwrap());
        let case = |(name, mut files): (String, BTreeMap<String, Vec<u8>>)| {
            let expected = serde_json::from_slice(&files.remove("expected.json").unwrap()).unwrap();
            files.remove("README");
            RealCase { name, files, expected }
        };
        packed.into_iter().map(case).collect()
    });
    &CASES
}

/// Returns what the program prints as JSON.
pub(crate) fn program(arguments: &[&str], paths: &[&Path]) -> Value {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let output = program.args(arguments).args(paths).arg("--json").output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.stderr.is_empty(), "{arguments:?} {paths:?}: {complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// By field, how many agree and how many were compared; and the differences: `JOB FIELD`, with both values.
#[derive(Default)]
struct Found {
    counts: BTreeMap<&'static str, (usize, usize)>,
    differs: BTreeMap<String, String>,
}

impl Found {
    fn compare(&mut self, job: &str, field: &'static str, expected: &Value, found: &Value) {
        let (agree, compared) = self.counts.entry(field).or_default();
        *compared += 1;
        if expected == found {
            *agree += 1;
        } else {
            self.differs.insert(format!("{job} {field}"), format!("expected {expected}, found {found}"));
        }
    }
}

fn compare(case: &RealCase) -> Found {
    let root = case.on_disk();
    let printed = program(&["cycle"], &[&root.path().join("before")]);
    let jobs = |answer: &Value| answer["jobs"].as_array().unwrap().clone();
    let id = |job: &Value| job["id"].as_str().unwrap().to_owned();
    let (expected, printed) = (jobs(&case.expected), jobs(&printed));
    // Subjobs have a place of their own there and their array's here: the order of whole jobs is compared.
    let order = |jobs: &[Value]| -> Vec<String> {
        let mut ordered: Vec<&Value> = jobs.iter().filter(|job| !job["order"].is_null()).collect();
        ordered.sort_by_key(|job| job["order"].as_u64());
        let whole = ordered.into_iter().map(id).filter(|id| !id.contains('[') || id.contains("[]"));
        whole.collect()
    };
    let mut found = Found::default();
    found.compare("", "order", &json!(order(&expected)), &json!(order(&printed)));
    let printed: BTreeMap<String, Value> = printed.into_iter().map(|job| (id(&job), job)).collect();
    for job in &expected {
        let name = id(job);
        let Some(have) = printed.get(&name) else {
            found.compare(&name, "listed", &json!(true), &json!(false));
            continue;
        };
        for (field, expected, value) in values(job, have) {
            found.compare(&name, field, &expected, &value);
        }
    }
    let known: BTreeSet<String> = expected.iter().map(id).collect();
    for extra in printed.keys().filter(|name| !known.contains(*name)) {
        found.compare(extra, "listed", &json!(false), &json!(true));
    }
    found
}

/// Returns the fields of a job that can be compared: the scheduler's decision, and what it reported.
fn values(expected: &Value, found: &Value) -> Vec<(&'static str, Value, Value)> {
    let mut values = Vec::new();
    let mut put = |field, expected: &Value, found: &Value| {
        values.push((field, expected.clone(), found.clone()));
    };
    put("verdict", &expected["verdict"], &found["verdict"]);
    put("estimated", &expected["estimated"], &found["estimated"]);
    // There, the path is what the log shows, simulations of top jobs included.
    let simulated = found["path"].is_null() && found["topjob"] == true;
    put("path", &expected["path"], if simulated { &found["would_use"] } else { &found["path"] });
    if expected["verdict"] == "run" {
        put("exec_vnode", &expected["exec_vnode"], &found["exec_vnode"]);
    } else if expected["verdict"] != "not_considered" {
        put("comment", &expected["comment"], &found["comment"]);
    }
    values
}

/// Returns the known differences with their reasons: by case, then by `JOB FIELD`.
fn known() -> BTreeMap<String, BTreeMap<String, String>> {
    toml::from_str(&fs::read_to_string(folder().join("real.toml")).unwrap()).unwrap()
}

#[test]
fn agrees_with_the_live_scheduler_but_for_the_list() {
    let mut known = known();
    let mut problems = Vec::new();
    let mut summary = String::new();
    for case in all() {
        let found = compare(case);
        let known = known.remove(&case.name).unwrap_or_default();
        let fields: Vec<String> =
            found.counts.iter().map(|(field, (agree, of))| format!("{field} {agree}/{of}")).collect();
        writeln!(summary, "agreement live {:<24} {}", case.name, fields.join(", ")).unwrap();
        for (place, what) in found.differs.iter().filter(|(place, _)| !known.contains_key(*place)) {
            problems.push(format!("{}: {place}: {what}", case.name));
        }
        for (place, reason) in &known {
            assert!(!reason.is_empty(), "{} {place}: every exception has a reason", case.name);
            if !found.differs.contains_key(place) {
                problems.push(format!("{}: {place} agrees now, or is not compared", case.name));
            }
        }
    }
    std::io::stdout().write_all(summary.as_bytes()).unwrap();
    assert!(known.is_empty(), "no such cases: {:?}", known.keys());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(all().len(), 12);
}

/// The server refuses to start a job on nodes that are taken; the model states that they were (quirk B1).
#[test]
fn refused_starts_are_doubled_nodes() {
    let mut refused = 0;
    for case in all() {
        let root = case.on_disk();
        let cycle = program(&["cycle"], &[&root.path().join("before")]);
        let quirks = cycle["quirks"].clone();
        let refuses = |id: &Value| {
            cycle["jobs"]
                .as_array()
                .unwrap()
                .iter()
                .any(|job| job["id"] == *id && job["refused_by_server"].is_string())
        };
        for job in case.expected["jobs"].as_array().unwrap() {
            assert_eq!(refuses(&job["id"]), job["refused_by_server"] == true, "{} {}", case.name, job["id"]);
            if job["refused_by_server"] == true {
                refused += 1;
                let doubled = |quirk: &Value| quirk["job"] == job["id"] && quirk["quirk"] == "last-set-only";
                assert!(quirks.as_array().unwrap().iter().any(doubled), "{} {}", case.name, job["id"]);
            }
        }
    }
    assert_eq!(refused, 2);
}
