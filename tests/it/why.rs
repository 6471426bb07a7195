//! Causes: small clusters of `tests/cases/why`, one cause each, most with a misleading comment.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use qscope::cluster::Snapshot;
use qscope::cycle::{Run, run_cycle};
use qscope::explain::{Explanation, JobTurn, funnels, why};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;
use toml::{Table, Value};

use super::cases::{folder, unpacked};

/// One cluster with a job, and the expected findings.
pub(crate) struct WhyCase {
    pub(crate) name: String,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) job: String,
    /// The numbers of the collected cases that it represents.
    cases: Vec<i64>,
    expect: Table,
}

impl WhyCase {
    pub(crate) fn run(&self) -> Arc<Run> {
        Arc::new(run_cycle(self.snapshot.clone(), Quirks::default()))
    }
}

/// Reads a hand-written cluster from one file: its tables are those of `nodes.toml`, `queue.toml` and `policy.toml`,
/// and texts under the names of the scheduler's own files are those files.
fn read(name: &str, text: &str) -> WhyCase {
    let mut table: Table = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut take = |key: &str| table.remove(key);
    let expect = take("expect").and_then(|value| value.as_table().cloned()).unwrap();

    let cases = numbers(Some(&take("cases").unwrap()));
    take("about").unwrap();
    let mut files = Files::new(name);
    for native in ["dedicated_time", "holidays", "resource_group"] {
        if let Some(Value::String(text)) = take(native) {
            files.insert(native, text, None);
        }
    }
    let asked = take("ask").unwrap().as_str().unwrap().to_owned();
    let mut parts: BTreeMap<&str, Table> = BTreeMap::new();
    for (key, value) in table {
        let file = match key.as_str() {
            "node" => "nodes.toml",
            "resource" | "sched_config" | "server" | "scheduler" | "maui" | "zone" => "policy.toml",
            _ => "queue.toml",
        };
        parts.entry(file).or_default().insert(key, value);
    }
    for (file, table) in parts {
        files.insert(file, toml::to_string(&table).unwrap(), None);
    }
    let snapshot = load(&files, &LoadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    WhyCase { name: name.to_owned(), snapshot: Arc::new(snapshot), job: asked, cases, expect }
}

/// Returns all cases in order of their names.
pub(crate) fn all() -> Vec<WhyCase> {
    let mut paths: Vec<_> = fs::read_dir(folder().join("why")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    paths
        .iter()
        .map(|path| read(path.file_stem().unwrap().to_str().unwrap(), &fs::read_to_string(path).unwrap()))
        .collect()
}

/// Returns the clusters that are kept as clients print them, packed in one file, with the expected findings in
/// another.
pub(crate) fn dumps() -> Vec<WhyCase> {
    let packed = unpacked(&fs::read(folder().join("why/dumps.gz")).unwrap());
    let list: Table = fs::read_to_string(folder().join("why/dumps.list")).unwrap().parse().unwrap();
    let cases = list["case"].as_array().unwrap().iter().map(|case| {
        let expect = case.as_table().unwrap().clone();
        let name = expect["name"].as_str().unwrap();
        let mut files = Files::new(name);
        for (file, bytes) in packed.get(name).unwrap_or_else(|| panic!("{name} is not packed")) {
            files.insert(file, bytes.clone(), None);
        }
        let snapshot =
            load(&files, &LoadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        WhyCase {
            name: name.to_owned(),
            snapshot: Arc::new(snapshot),
            job: expect["ask"].as_str().unwrap().to_owned(),
            cases: numbers(expect.get("cases")),
            expect,
        }
    });
    cases.collect()
}

fn numbers(value: Option<&Value>) -> Vec<i64> {
    let list = value.and_then(Value::as_array).cloned().unwrap_or_default();
    list.iter().map(|number| number.as_integer().unwrap()).collect()
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).cloned().unwrap_or_default();
    list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Describes the differences between what was found and what is expected.
fn differences(case: &WhyCase, found: &Explanation) -> Vec<String> {
    let mut wrong = Vec::new();
    let expect = |key: &str| case.expect.get(key).and_then(Value::as_str);
    let tier = found.tier().map_or("", |tier| tier.word());
    if expect("tier") != Some(tier) {
        wrong.push(format!("tier {tier}, expected {:?}", expect("tier")));
    }
    let kind = found.causes.first().map(|cause| cause.kind);
    if expect("kind").is_some_and(|wanted| Some(wanted) != kind) {
        wrong.push(format!("kind {kind:?}, expected {:?}", expect("kind")));
    }
    let objects = found.objects();
    for object in texts(case.expect.get("objects")) {
        if !objects.contains(&object) {
            wrong.push(format!("{object} is not among {objects:?}"));
        }
    }
    for object in texts(case.expect.get("not_objects")) {
        if found.causes.iter().any(|cause| cause.objects.contains(&object)) {
            wrong.push(format!("{object} is named, and has nothing to do with it"));
        }
    }
    let also: Vec<&str> = found.also().into_iter().map(qscope::explain::Tier::word).collect();
    for tier in texts(case.expect.get("also")) {
        if !also.contains(&&*tier) {
            wrong.push(format!("{tier} is not among also {also:?}"));
        }
    }
    for (name, value) in case.expect.get("numbers").and_then(Value::as_table).into_iter().flatten() {
        let have = found.causes.first().and_then(|cause| cause.numbers.iter().find(|(have, _)| have == name));
        if have.map(|(_, have)| &**have) != value.as_str() {
            wrong.push(format!("{name} = {have:?}, expected {value}"));
        }
    }
    if let Some(words) = expect("remark") {
        let remark = found.comment.as_ref().and_then(|comment| comment.remark.clone()).unwrap_or_default();
        if !remark.contains(words) {
            wrong.push(format!("the remark `{remark}` lacks `{words}`"));
        }
    }
    wrong
}

#[test]
fn causes_are_found_whatever_the_comment_says() {
    found_as_expected(&all());
}

#[test]
fn causes_are_found_in_what_clients_print() {
    let cases = dumps();
    assert!(cases.len() > 100);
    found_as_expected(&cases);
}

fn found_as_expected(cases: &[WhyCase]) {
    let mut failed = Vec::new();
    for case in cases {
        let run = case.run();
        let job = case.snapshot.job_named(&case.job).unwrap();
        let found = why(&run, job);
        let wrong = differences(case, &found);
        if !wrong.is_empty() {
            failed.push(format!("{}:\n  {}\n  {}", case.name, found.headline, wrong.join("\n  ")));
        }
    }
    assert!(failed.is_empty(), "{} of {} cases:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// At least 60 of the 87 collected cases are here.
#[test]
fn most_collected_cases_are_here() {
    let all = all().into_iter().chain(dumps());
    let mut numbers: Vec<i64> = all.flat_map(|case| case.cases).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert!(numbers.len() >= 79, "{} cases: {numbers:?}", numbers.len());
}

/// Every node is counted at every condition, and a node that meets all of them would suffice.
#[test]
fn funnels_add_up() {
    for case in all().into_iter().chain(dumps()) {
        let run = case.run();
        let job = case.snapshot.job_named(&case.job).unwrap();
        let Some(mut turn) = JobTurn::new(&run, job) else { continue };
        for funnel in funnels(&mut turn) {
            assert!(funnel.adds_up(), "{}: {funnel:?}", case.name);
            assert_eq!(funnel.nodes, case.snapshot.nodes.len() as u64);
        }
    }
}
