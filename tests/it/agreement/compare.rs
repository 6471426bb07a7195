//! Compares one case field by field.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use super::super::cases::{Case, Family};
use super::answers::Answer;
use super::features::reasons;

/// The semantics whose expected answer is compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Semantics {
    Observed,
    Fixed,
}

impl Semantics {
    pub(super) const BOTH: [Self; 2] = [Self::Observed, Self::Fixed];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Fixed => "fixed",
        }
    }
}

/// Fields of a job.
pub(super) const JOB_FIELDS: [&str; 11] = [
    "verdict",
    "path",
    "would_use",
    "order",
    "exec_vnode",
    "comment",
    "topjob",
    "estimated",
    "psets_tried",
    "pset",
    "alters",
];

/// Fields of a case.
pub(super) const CASE_FIELDS: [&str; 6] =
    ["run_order", "psets", "buckets", "actions", "resv_confirms", "qrun_reply"];

/// Fields that state which sets were tried, not the result.
const OF_SETS: [&str; 2] = ["psets_tried", "pset"];

/// Pseudo-field for a job that only one side has.
const LISTED: &str = "listed";

/// One field that differs.
pub(super) struct Difference {
    /// The job; empty for fields of the case.
    pub(super) job: String,
    pub(super) field: &'static str,
    pub(super) expected: Value,
    pub(super) found: Value,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, field, expected, found } = self;
        write!(f, "{job} {field}: expected {expected}, found {found}")
    }
}

/// The comparison of one case.
pub(super) struct Comparison {
    pub(super) case: &'static str,
    pub(super) family: Family,
    pub(super) semantics: Semantics,
    /// Features of the case that may explain differences.
    pub(super) reasons: Vec<&'static str>,
    pub(super) differences: Vec<Difference>,
    /// Number of values that agree and number of values compared, by field.
    pub(super) counts: BTreeMap<&'static str, (usize, usize)>,
    /// Number of values without an expected answer.
    pub(super) without_truth: usize,
}

impl Comparison {
    /// Compares an answer; `observed` is the program's answer on the same case under observed semantics.
    pub(super) fn new(case: &'static Case, answer: &Answer, observed: &Answer) -> Self {
        let expected = match answer.semantics {
            Semantics::Observed => &case.expected,
            Semantics::Fixed => &case.fixed,
        };
        let mut comparison = Self {
            case: &case.name,
            family: case.family,
            semantics: answer.semantics,
            reasons: Vec::new(),
            differences: Vec::new(),
            counts: BTreeMap::new(),
            without_truth: 0,
        };
        comparison.jobs(case, expected, &answer.printed);
        for field in CASE_FIELDS {
            let (expected, found) = (case_value(expected, field), case_value(&answer.printed, field));
            comparison.compare("", field, expected, found);
        }
        if answer.semantics == Semantics::Fixed && !case.has_own_fixed {
            comparison.leave_out_sets_without_truth(&observed.printed);
        }
        if !comparison.differences.is_empty() {
            comparison.reasons = reasons(&case.snapshot());
        }
        comparison
    }

    fn jobs(&mut self, case: &Case, expected: &Value, printed: &Value) {
        let (expected, printed) = (by_id(expected), by_id(printed));
        for (id, job) in &expected {
            let Some(found) = printed.get(id) else {
                self.differ(id, LISTED, json!(true), json!(false));
                for field in fields(job) {
                    self.counts.entry(field).or_default().1 += 1;
                }
                continue;
            };
            for field in fields(job) {
                let (wanted, mut found) = (job_value(job, field), job_value(found, field));
                // A comment that the job already has is not sent again.
                if field == "comment" && wanted.is_null() && has_comment(case, id, &found) {
                    found = Value::Null;
                }
                self.compare(id, field, wanted, found);
            }
        }
        for id in printed.keys().filter(|id| !expected.contains_key(*id)) {
            self.differ(id, LISTED, json!(false), json!(true));
        }
    }

    /// A case has its own answer for the fixed scheduler only where more than the sets tried differs. Where
    /// it has none and a corrected bug alone changes the sets (they agree as observed), the sets that the
    /// fixed scheduler tried are unknown.
    fn leave_out_sets_without_truth(&mut self, observed: &Value) {
        let observed = by_id(observed);
        let (moved, differences): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.differences).into_iter().partition(|difference| {
                let job = observed.get(difference.job.as_str());
                OF_SETS.contains(&difference.field)
                    && job.is_some_and(|job| job_value(job, difference.field) == difference.expected)
            });
        self.differences = differences;
        self.without_truth = moved.len();
        for difference in moved {
            self.counts.entry(difference.field).or_default().1 -= 1;
        }
    }

    fn compare(&mut self, job: &str, field: &'static str, expected: Value, found: Value) {
        let (agree, compared) = self.counts.entry(field).or_default();
        *compared += 1;
        if expected == found {
            *agree += 1;
        } else {
            self.differ(job, field, expected, found);
        }
    }

    fn differ(&mut self, job: &str, field: &'static str, expected: Value, found: Value) {
        self.differences.push(Difference { job: job.to_owned(), field, expected, found });
    }
}

/// Returns whether a job has this comment in the dump.
fn has_comment(case: &Case, id: &str, comment: &Value) -> bool {
    let snap = case.snapshot();
    let job = snap.job_named(id).map(|job| &snap.jobs[job]);
    comment.is_string() && job.and_then(|job| job.comment.as_deref()) == comment.as_str()
}

fn by_id(answer: &Value) -> BTreeMap<&str, &Value> {
    answer["jobs"].as_array().unwrap().iter().map(|job| (job["id"].as_str().unwrap(), job)).collect()
}

/// Returns the fields of a job to compare; the comment of a running job is the server's.
fn fields(expected: &Value) -> impl Iterator<Item = &'static str> {
    let runs = expected["verdict"] == "run";
    JOB_FIELDS.into_iter().filter(move |field| !(runs && *field == "comment"))
}

/// Returns the value of a field; a missing one is false, empty or null.
fn job_value(job: &Value, field: &str) -> Value {
    match (field, &job[field]) {
        ("topjob", Value::Null) => json!(false),
        ("psets_tried", Value::Null) => json!([]),
        (_, value) => value.clone(),
    }
}

/// Returns the relevant parts of sets and buckets: their order and nodes, not the sums, nor the order of
/// words in names.
fn case_value(answer: &Value, field: &str) -> Value {
    let only = |value: &Value, keys: &[&str]| keys.iter().map(|key| value[*key].clone()).collect::<Value>();
    let elements = answer[field].as_array().map(Vec::as_slice).unwrap_or_default();
    match field {
        "psets" => elements
            .iter()
            .filter(|set| !set["pool"].as_str().unwrap().starts_with("job"))
            .map(|set| only(set, &["pool", "name", "tot_nodes", "free_nodes", "vnodes"]))
            .collect(),
        "buckets" => {
            let keys = ["resources", "priority", "queue", "total", "free", "busy_later", "busy"];
            elements.iter().map(|bucket| only(bucket, &keys)).collect()
        }
        "qrun_reply" => qrun_reply(answer),
        _ => Value::from(elements.to_vec()),
    }
}

/// Returns the reply to an operator who runs a job: the real answer has the job, a code and the text, which
/// is empty where the job starts.
fn qrun_reply(answer: &Value) -> Value {
    let printed = &answer["qrun"]["reply"];
    let real = answer["qrun_reply"].as_str().and_then(|line| line.splitn(3, ' ').nth(2));
    real.filter(|text| !text.is_empty()).map_or_else(|| printed.clone(), Value::from)
}
