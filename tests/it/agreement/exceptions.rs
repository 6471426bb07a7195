//! Reads and writes the list of known differences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Deserialize;

use super::super::cases;
use super::compare::{CASE_FIELDS, Comparison, JOB_FIELDS, Semantics};

/// A job (empty for fields of the case) and a field.
type Place = (String, String);

/// For each case, the reason and the differing places under each semantics.
pub(super) struct Exceptions(BTreeMap<String, Entry>);

#[derive(Default)]
struct Entry {
    reason: String,
    places: [BTreeSet<Place>; 2],
}

/// An entry as in the file; each line is `FIELD FIELD: JOB FROM-TO`, or `FIELD` of the case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    reason: String,
    #[serde(default)]
    both: Vec<String>,
    #[serde(default)]
    observed: Vec<String>,
    #[serde(default)]
    fixed: Vec<String>,
}

fn path() -> PathBuf {
    cases::folder().join("exceptions.toml")
}

impl Exceptions {
    /// Collects the present differences.
    pub(super) fn of(comparisons: &[Comparison]) -> Self {
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        for comparison in comparisons.iter().filter(|comparison| !comparison.differences.is_empty()) {
            let entry = entries.entry(comparison.case.to_owned()).or_default();
            entry.reason = comparison.reasons.join("; ");
            entry.places[comparison.semantics as usize] = comparison
                .differences
                .iter()
                .map(|difference| (difference.job.clone(), difference.field.to_owned()))
                .collect();
        }
        Self(entries)
    }

    /// Reads the list.
    pub(super) fn read() -> Self {
        let text = std::fs::read_to_string(path()).unwrap_or_default();
        let written: BTreeMap<String, Written> = toml::from_str(&text).unwrap();
        let entry = |written: Written| {
            assert!(!written.reason.is_empty(), "every exception has a reason");
            let places = [&written.observed, &written.fixed];
            let places =
                places.map(|own| own.iter().chain(&written.both).flat_map(|l| places_of(l)).collect());
            Entry { reason: written.reason, places }
        };
        Self(written.into_iter().map(|(case, written)| (case, entry(written))).collect())
    }

    /// Writes the list.
    pub(super) fn write(&self) {
        let mut text = HEAD.to_owned();
        for (case, entry) in &self.0 {
            write!(text, "\n[{case}]\nreason = \"{}\"\n", entry.reason).unwrap();
            let [observed, fixed] = &entry.places;
            if observed == fixed {
                push_lines(&mut text, "both", observed);
            } else {
                push_lines(&mut text, "observed", observed);
                push_lines(&mut text, "fixed", fixed);
            }
        }
        std::fs::write(path(), text).unwrap();
    }

    /// Describes where this list and the differences found are not the same.
    pub(super) fn against(&self, found: &Self, comparisons: &[Comparison]) -> Vec<String> {
        let empty = Entry::default();
        let mut problems = Vec::new();
        for comparison in comparisons {
            let at = comparison.semantics as usize;
            let listed = &self.0.get(comparison.case).unwrap_or(&empty).places[at];
            let differs = &found.0.get(comparison.case).unwrap_or(&empty).places[at];
            let head = format!("{} ({})", comparison.case, comparison.semantics.name());
            for difference in &comparison.differences {
                if !listed.contains(&(difference.job.clone(), difference.field.to_owned())) {
                    problems.push(format!("{head}: {difference}"));
                }
            }
            for (job, field) in listed.difference(differs) {
                problems.push(format!("{head}: {job} {field} agrees now, or is not compared"));
            }
        }
        let unknown = self.0.keys().filter(|case| !cases::all().iter().any(|known| known.name == **case));
        problems.extend(unknown.map(|case| format!("{case}: no such case")));
        problems
    }
}

const HEAD: &str = "\
# Where the model does not agree with the real scheduler yet: by case, the rules that are not (wholly)
# modelled, then the fields with their jobs. A field without jobs is of the whole case; `listed` is a job
# that only one side has. The list is exact: a test fails when anything else differs, and when anything here
# agrees. Written anew by `QSCOPE_ACCEPT=1 cargo test --test it agreement`.
";

/// Suffix of the server's name, which is left out of the list.
const SERVER: &str = ".svr";

fn push_lines(text: &mut String, key: &str, places: &BTreeSet<Place>) {
    if places.is_empty() {
        return;
    }
    let lines: Vec<String> = lines_of(places).iter().map(|line| format!("\"{line}\"")).collect();
    writeln!(text, "{key} = [{}]", lines.join(", ")).unwrap();
}

/// Merges fields with the same jobs into one line.
fn lines_of(places: &BTreeSet<Place>) -> Vec<String> {
    let mut by_jobs: Vec<(String, Vec<&str>)> = Vec::new();
    for field in ["listed"].into_iter().chain(JOB_FIELDS).chain(CASE_FIELDS) {
        let jobs: Vec<&str> = places.iter().filter(|place| place.1 == field).map(|place| &*place.0).collect();
        if jobs.is_empty() {
            continue;
        }
        let jobs = ranges(&jobs);
        match by_jobs.iter_mut().find(|(have, _)| *have == jobs) {
            Some((_, fields)) => fields.push(field),
            None => by_jobs.push((jobs, vec![field])),
        }
    }
    let line = |(jobs, fields): (String, Vec<&str>)| match jobs.as_str() {
        "" => fields.join(" "),
        jobs => format!("{}: {jobs}", fields.join(" ")),
    };
    by_jobs.into_iter().map(line).collect()
}

/// Formats `1.svr 2.svr 3.svr 5[].svr` as `1-3 5[]`.
fn ranges(jobs: &[&str]) -> String {
    let short = |job: &&str| job.strip_suffix(SERVER).unwrap_or(job).to_owned();
    let (mut numbers, mut words) = (BTreeSet::new(), Vec::new());
    for job in jobs.iter().map(short) {
        match job.parse::<u64>() {
            Ok(number) => {
                numbers.insert(number);
            }
            Err(_) => words.push(job),
        }
    }
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => spans.push((number, number)),
        }
    }
    let span = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    spans.into_iter().map(span).chain(words).collect::<Vec<_>>().join(" ")
}

/// Returns the places that a line lists.
fn places_of(line: &str) -> Vec<Place> {
    let (fields, jobs) = line.split_once(':').unwrap_or((line, ""));
    let jobs: Vec<String> = match jobs.trim() {
        "" => vec![String::new()],
        jobs => jobs.split(' ').flat_map(jobs_of).collect(),
    };
    let known =
        |field: &&str| *field == "listed" || JOB_FIELDS.contains(field) || CASE_FIELDS.contains(field);
    let fields = fields.split(' ').inspect(|field| assert!(known(field), "{line}: no field `{field}`"));
    fields.flat_map(|field| jobs.iter().map(move |job| (job.clone(), field.to_owned()))).collect()
}

/// Reads `3-5` as three jobs, `5[]` as one.
fn jobs_of(word: &str) -> Vec<String> {
    let numbers = word.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    match numbers {
        Some((from, to)) => (from..=to).map(|number: u64| format!("{number}{SERVER}")).collect(),
        None => vec![format!("{word}{SERVER}")],
    }
}

#[test]
fn the_list_reads_what_it_writes() {
    let place = |job: &str, field: &str| (job.to_owned(), field.to_owned());
    let places: BTreeSet<Place> = [
        place("1.svr", "verdict"),
        place("2.svr", "verdict"),
        place("10.svr", "verdict"),
        place("4[].svr", "verdict"),
        place("4[2].svr", "listed"),
        place("", "run_order"),
    ]
    .into();
    let lines = lines_of(&places);
    assert_eq!(lines, ["listed: 4[2]", "verdict: 1-2 10 4[]", "run_order"]);
    assert_eq!(lines.iter().flat_map(|line| places_of(line)).collect::<BTreeSet<_>>(), places);
    assert_eq!(Semantics::BOTH.map(|semantics| semantics as usize), [0, 1]);
}
