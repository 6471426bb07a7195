//! The cases of `tests/cases`: clusters, and the decisions of the real scheduler.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use flate2::read::GzDecoder;
use qscope::cluster::Snapshot;
use qscope::source::{Files, LoadOptions, load};
use serde_json::Value;

/// Groups of cases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Family {
    /// Cases about one topic, each in its own folder.
    Topics,
    /// Random mixes of paths, signatures, sets, calendar, limits, sharing.
    Random,
    /// Random mixes of all features.
    Wide,
    /// Clusters added later: combinations of rare features, typical site configurations, moments of simulated days.
    Fresh,
}

impl Family {
    pub(crate) const ALL: [Self; 4] = [Self::Topics, Self::Random, Self::Wide, Self::Fresh];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Topics => "topics",
            Self::Random => "random",
            Self::Wide => "wide",
            Self::Fresh => "fresh",
        }
    }

    /// Returns the family of a case by its name.
    pub(crate) fn of(name: &str) -> Self {
        let number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        match (name.strip_prefix('r'), name.strip_prefix('w')) {
            (Some(rest), _) if number(rest) => Self::Random,
            (_, Some(rest)) if number(rest) => Self::Wide,
            _ => Self::Topics,
        }
    }
}

/// One cluster and its answers.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) family: Family,
    /// The input files by name.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The decisions of the real scheduler.
    pub(crate) expected: Value,
    /// The decisions without its four bugs.
    pub(crate) fixed: Value,
    /// Whether the case has its own answers for that; otherwise they equal the observed ones.
    pub(crate) has_own_fixed: bool,
}

impl Case {
    /// Reads the cluster of the case.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        let mut files = Files::new(&self.name);
        for (name, bytes) in &self.files {
            files.insert(name, bytes.clone(), None);
        }
        Arc::new(load(&files, &LoadOptions::default()).unwrap())
    }

    fn new(name: &str, mut files: BTreeMap<String, Vec<u8>>) -> Self {
        let mut take = |file: &str| files.remove(file).map(|bytes| serde_json::from_slice(&bytes).unwrap());
        let expected: Value = take("expected.json").unwrap_or_else(|| panic!("{name} has no expected.json"));
        let differs: Option<Value> = take("expected_fixed.json");
        files.remove("README");
        let has_own_fixed = differs.is_some();
        let fixed = differs.map_or_else(|| expected.clone(), |differs| merged(&expected, &differs));
        Self { name: name.to_owned(), family: Family::of(name), files, expected, fixed, has_own_fixed }
    }
}

/// Returns the observed answers with the differing ones replaced.
fn merged(expected: &Value, differs: &Value) -> Value {
    let mut fixed = expected.clone();
    for (key, value) in differs.as_object().unwrap() {
        if key != "jobs" && key != "absent" {
            fixed[key] = value.clone();
        }
    }
    let absent = differs["absent"].as_array().cloned().unwrap_or_default();
    let jobs = fixed["jobs"].as_array_mut().unwrap();
    jobs.retain(|job| !absent.contains(&job["id"]));
    for job in differs["jobs"].as_array().unwrap() {
        match jobs.iter_mut().find(|have| have["id"] == job["id"]) {
            Some(have) => *have = job.clone(),
            None => jobs.push(job.clone()),
        }
    }
    fixed
}

/// Returns the folder of the cases.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Returns all cases, by family and name.
pub(crate) fn all() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
        let mut cases = topics();
        cases.extend(packed(&fs::read(folder().join("random.gz")).unwrap()));
        let packs = ["fresh.gz", "further.gz"].map(|pack| packed(&fs::read(folder().join(pack)).unwrap()));
        let fresh = packs.into_iter().flatten();
        cases.extend(fresh.map(|case| Case { family: Family::Fresh, ..case }));
        cases.sort_by(|a, b| (a.family, &a.name).cmp(&(b.family, &b.name)));
        cases
    });
    &CASES
}

fn topics() -> Vec<Case> {
    let folders = fs::read_dir(folder().join("topics")).unwrap().map(|entry| entry.unwrap().path());
    folders.map(|path| Case::new(path.file_name().unwrap().to_str().unwrap(), read_files(&path))).collect()
}

/// Reads all files of a folder.
pub(crate) fn read_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect()
}

/// Files by name, by case.
pub(crate) type Pack = BTreeMap<String, BTreeMap<String, Vec<u8>>>;

fn packed(bytes: &[u8]) -> Vec<Case> {
    unpacked(bytes).into_iter().map(|(name, files)| Case::new(&name, files)).collect()
}

/// Reads the contents of one compressed file: a line `CASE/FILE LENGTH`, that number of bytes, a newline, and so on.
pub(crate) fn unpacked(bytes: &[u8]) -> Pack {
    let mut plain = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
    let mut cases = Pack::new();
    let mut rest = plain.as_slice();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap();
        let line = std::str::from_utf8(&rest[..end]).unwrap();
        let (path, length) = line.rsplit_once(' ').unwrap();
        let (case, file) = path.split_once('/').unwrap();
        let (start, length) = (end + 1, length.parse::<usize>().unwrap());
        let content = rest[start..start + length].to_vec();
        cases.entry(case.to_owned()).or_default().insert(file.to_owned(), content);
        rest = &rest[start + length + 1..];
    }
    cases
}
