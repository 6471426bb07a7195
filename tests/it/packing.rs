//! Imports answers of the real scheduler into `tests/cases`; `tests/cases/README.md` describes how.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use super::cases::{Family, folder, read_files};

/// Names the folder with one folder per case, as the real scheduler left it.
const VARIABLE: &str = "QSCOPE_VECTORS";

/// Attributes of jobs that no reader uses.
const UNREAD: [&str; 7] =
    ["Error_Path", "Output_Path", "Join_Path", "Keep_Files", "Mail_Points", "queue_type", "Variable_List"];

type CaseFiles = BTreeMap<String, Vec<u8>>;

#[test]
#[ignore = "rewrites tests/cases from a folder named by QSCOPE_VECTORS"]
fn pack_cases() {
    let source = std::env::var_os(VARIABLE).expect("QSCOPE_VECTORS names the folder of cases");
    let mut random = BTreeMap::new();
    for entry in fs::read_dir(Path::new(&source)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let files = trimmed(read_files(&path));
        if Family::of(&name) == Family::Topics {
            write_folder(&folder().join("topics").join(&name), &files);
        } else {
            random.insert(name, files);
        }
    }
    fs::write(folder().join("random.gz"), compressed(&random)).unwrap();
    fs::write(folder().join("random.index"), index(&random)).unwrap();
}

/// Packs the cases of a live system, `before`, `after` and the log of the cycle between, into one file.
#[test]
#[ignore = "rewrites tests/cases/real.gz from folders named by QSCOPE_VECTORS, by colons"]
fn pack_real() {
    let sources = std::env::var(VARIABLE).expect("QSCOPE_VECTORS names folders of cases");
    let mut cases = BTreeMap::new();
    for source in sources.split(':') {
        for entry in fs::read_dir(source).unwrap() {
            let path = entry.unwrap().path();
            let mut files = CaseFiles::new();
            for part in ["", "before", "after"] {
                let here = path.join(part);
                let found = if here.is_dir() { read_files(&here) } else { CaseFiles::new() };
                files.extend(found.into_iter().map(|(name, bytes)| {
                    (if part.is_empty() { name } else { format!("{part}/{name}") }, bytes)
                }));
            }
            cases.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), lean(files));
        }
    }
    fs::write(folder().join("real.gz"), compressed(&cases)).unwrap();
}

/// Packs what the real scheduler logged about jobs into one file.
#[test]
#[ignore = "rewrites tests/cases/logs.gz from a folder named by QSCOPE_VECTORS"]
fn pack_logs() {
    let source = std::env::var_os(VARIABLE).expect("QSCOPE_VECTORS names the folder of cases");
    let mut logs = BTreeMap::new();
    for entry in fs::read_dir(Path::new(&source)).unwrap() {
        let path = entry.unwrap().path();
        let Ok(log) = fs::read_to_string(path.join("sched_log")) else { continue };
        let of_jobs = |line: &&str| line.split(';').nth(1).is_some_and(|object| object.ends_with(".svr"));
        let lines: String = log.lines().filter(of_jobs).map(|line| format!("{line}\n")).collect();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        logs.insert(name, CaseFiles::from([("sched_log".to_owned(), lines.into_bytes())]));
    }
    fs::write(folder().join("logs.gz"), compressed(&logs)).unwrap();
}

/// Removes duplicates: text beside JSON, arrays without their subjobs, repeated log lines.
fn lean(mut files: CaseFiles) -> CaseFiles {
    let both: Vec<String> =
        files.keys().filter_map(|name| name.strip_suffix(".json")).map(String::from).collect();
    both.iter().for_each(|name| drop(files.remove(&format!("{name}.txt"))));
    files.remove("before/jobs.txt");
    if files.contains_key("before/jobs-t.json") {
        files.remove("before/jobs.json");
    }
    let mut expected: Value = serde_json::from_slice(&files["expected.json"]).unwrap();
    for job in expected["jobs"].as_array_mut().unwrap() {
        job.as_object_mut().unwrap().remove("log");
    }
    let expected = line_by_line(expected.as_object().unwrap());
    files.insert("expected.json".to_owned(), expected.into_bytes());
    files
}

/// Removes what the tests do not need.
fn trimmed(mut files: CaseFiles) -> CaseFiles {
    files.remove("sched_log");
    if let Some(jobs) = files.remove("jobs.json") {
        files.insert("jobs.json".to_owned(), without_unread(String::from_utf8(jobs).unwrap()).into_bytes());
    }
    if let Some(fixed) = files.remove("expected_fixed.json") {
        files.extend(differences(&files["expected.json"], &fixed));
    }
    files
}

/// Removes `"KEY":"text",` from a dump; the rest stays as it was printed.
fn without_unread(mut text: String) -> String {
    for key in UNREAD {
        let start = format!("\"{key}\":\"");
        let mut from = 0;
        while let Some(at) = text[from..].find(&start).map(|at| from + at) {
            let value = at + start.len();
            let end = value + text[value..].find(['"', '\\']).unwrap();
            if text[end..].starts_with("\",") {
                text.replace_range(at..end + 2, "");
                from = at;
            } else {
                from = end;
            }
        }
    }
    text
}

/// Returns only those of the corrected answers that differ from the observed ones.
fn differences(expected: &[u8], fixed: &[u8]) -> Option<(String, Vec<u8>)> {
    let [expected, fixed]: [Value; 2] = [expected, fixed].map(|bytes| serde_json::from_slice(bytes).unwrap());
    let mut differs = Map::new();
    let jobs = |value: &Value| value["jobs"].as_array().unwrap().clone();
    let (mine, theirs) = (jobs(&fixed), jobs(&expected));
    let id_of = |job: &Value| job["id"].clone();
    let absent: Vec<Value> =
        theirs.iter().map(id_of).filter(|id| !mine.iter().any(|job| job["id"] == *id)).collect();
    let changed: Vec<&Value> = mine.iter().filter(|job| !theirs.contains(job)).collect();
    differs.insert("jobs".to_owned(), json!(changed));
    if !absent.is_empty() {
        differs.insert("absent".to_owned(), json!(absent));
    }
    for key in ["run_order", "psets", "buckets"] {
        if expected[key] != fixed[key] {
            differs.insert(key.to_owned(), fixed[key].clone());
        }
    }
    let nothing = differs.len() == 1 && changed.is_empty();
    (!nothing).then(|| ("expected_fixed.json".to_owned(), line_by_line(&differs).into_bytes()))
}

/// Formats JSON with a line for each element of every list of objects.
fn line_by_line(object: &Map<String, Value>) -> String {
    let mut lines = Vec::new();
    for (key, value) in object {
        let elements = value.as_array().map(Vec::as_slice).unwrap_or_default();
        if elements.iter().any(Value::is_object) {
            let elements: Vec<String> = elements.iter().map(|element| format!("\n    {element}")).collect();
            lines.push(format!("  \"{key}\": [{}]", elements.join(",")));
        } else {
            lines.push(format!("  \"{key}\": {value}"));
        }
    }
    format!("{{\n{}}}\n", lines.join(",\n"))
}

fn write_folder(path: &Path, files: &CaseFiles) {
    fs::create_dir_all(path).unwrap();
    for (name, bytes) in files {
        fs::write(path.join(name), bytes).unwrap();
    }
}

fn compressed(cases: &BTreeMap<String, CaseFiles>) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    // Files of one kind stand together: they are alike, and the whole gets smaller.
    let mut files: Vec<(&String, &String, &Vec<u8>)> =
        cases.iter().flat_map(|(case, files)| files.iter().map(move |(name, b)| (name, case, b))).collect();
    files.sort();
    for (name, case, bytes) in files {
        writeln!(out, "{case}/{name} {}", bytes.len()).unwrap();
        out.write_all(bytes).unwrap();
        out.write_all(b"\n").unwrap();
    }
    out.finish().unwrap()
}

/// Returns a readable index of the compressed file.
fn index(cases: &BTreeMap<String, CaseFiles>) -> String {
    let mut text = String::from("case    nodes jobs  fixed differs  what\n");
    for (name, files) in cases {
        let count = |file: &str, key: &str| {
            let value: Option<Value> = files.get(file).and_then(|bytes| serde_json::from_slice(bytes).ok());
            value.and_then(|value| value[key].as_object().map(Map::len)).unwrap_or(0)
        };
        let about = String::from_utf8_lossy(files.get("README").map_or(b"", Vec::as_slice)).into_owned();
        let about: Vec<&str> = about.lines().collect();
        let fixed = if files.contains_key("expected_fixed.json") { "yes" } else { "-" };
        let (nodes, jobs) = (count("nodes.json", "nodes"), count("jobs.json", "Jobs"));
        writeln!(text, "{name:<7} {nodes:>5} {jobs:>4}  {fixed:<13}  {}", about.join(": ")).unwrap();
    }
    text
}
