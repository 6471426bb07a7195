//! Measures agreement on a folder of cases outside the project, named by `QSCOPE_VECTORS`. It has one folder
//! for each family of cases, in the form of `tests/cases/topics`; a file `qrun` in a case names the job that
//! an operator runs.
//!
//! ```text
//! QSCOPE_VECTORS=FOLDER cargo test --test it measures_a_folder -- --ignored --nocapture
//! ```
//!
//! The rules are to be learnt, not the cases: of families with numbered cases, a fourth of the cases is to
//! work with, and every difference in it is printed; the others are only counted.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::cases::{Case, Family, read_files};
use super::answers::{Answer, ask};
use super::compare::{CASE_FIELDS, Comparison, JOB_FIELDS, Semantics};

#[test]
#[ignore = "by hand, on a folder of cases: QSCOPE_VECTORS names it"]
fn measures_a_folder() {
    let Some(folder) = std::env::var_os("QSCOPE_VECTORS") else { return };
    let mut text = String::new();
    for family in folders(Path::new(&folder)) {
        let name = family.file_name().unwrap().to_string_lossy().into_owned();
        let cases: Vec<&'static Case> = folders(&family).into_iter().filter_map(|path| read(&path)).collect();
        for half in [Half::Work, Half::Measure] {
            let members: Vec<&'static Case> = cases.iter().copied().filter(|case| half.has(case)).collect();
            if !members.is_empty() {
                text.push_str(&figures(&name, half, &members));
            }
        }
    }
    std::io::stdout().write_all(text.as_bytes()).unwrap();
}

/// Whether a case may be examined, or is only counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Work,
    Measure,
}

impl Half {
    fn has(self, case: &Case) -> bool {
        let digits: String = case.name.chars().skip(1).collect();
        let to_work_with = digits.parse::<u64>().is_ok_and(|number| number % 4 != 0);
        (self == Self::Measure) == to_work_with
    }

    fn word(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Measure => "measure",
        }
    }
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// Returns every case of every family, except those with a `qrun`, with the names of its family and its half.
pub(crate) fn cases_in(folder: &Path) -> impl Iterator<Item = (String, &'static Case, &'static str)> {
    let named = |family: PathBuf| {
        let name = family.file_name().unwrap().to_string_lossy().into_owned();
        folders(&family).into_iter().filter_map(move |path| Some((name.clone(), read(&path)?)))
    };
    let cases =
        folders(folder).into_iter().flat_map(named).filter(|(_, case)| !case.files.contains_key("qrun"));
    cases.map(|(family, case)| {
        let half = if Half::Measure.has(case) { Half::Measure } else { Half::Work };
        (family, case, half.word())
    })
}

/// Reads a case, which lives for the rest of the process; none without an expected answer.
fn read(path: &Path) -> Option<&'static Case> {
    let mut files = read_files(path);
    let mut take = |file: &str| files.remove(file).map(|bytes| serde_json::from_slice(&bytes).unwrap());
    let expected: Value = take("expected.json")?;
    let fixed: Option<Value> = take("expected_fixed.json");
    files.remove("README");
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    // A case without its own answer for the fixed scheduler has the same answer, sets tried included.
    let fixed = fixed.unwrap_or_else(|| expected.clone());
    let family = Family::of(&name);
    Some(Box::leak(Box::new(Case { name, family, files, expected, fixed, has_own_fixed: true })))
}

fn figures(family: &str, half: Half, cases: &[&'static Case]) -> String {
    let mut text = String::new();
    for semantics in Semantics::BOTH {
        let mut whole = 0;
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut differences = String::new();
        for case in cases {
            let answer = Answer { case: 0, semantics, printed: ask(case, semantics) };
            let comparison = Comparison::new(case, &answer, &answer);
            whole += usize::from(comparison.differences.is_empty());
            for (field, (agree, compared)) in &comparison.counts {
                let sum = counts.entry(field).or_default();
                *sum = (sum.0 + agree, sum.1 + compared);
            }
            if half == Half::Work {
                for difference in &comparison.differences {
                    writeln!(differences, "  {} {difference}", case.name).unwrap();
                }
            }
        }
        let (all, half) = (cases.len(), half.word());
        writeln!(text, "{family} {half} {}: {whole} of {all} cases whole", semantics.name()).unwrap();
        for field in JOB_FIELDS.into_iter().chain(CASE_FIELDS) {
            let (agree, compared) = counts.get(field).copied().unwrap_or_default();
            if agree < compared {
                writeln!(text, "  {field}: {agree} of {compared}").unwrap();
            }
        }
        text.push_str(&differences);
    }
    text
}
