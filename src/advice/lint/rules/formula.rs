//! Rules on `job_sort_formula`: terms that are always 0, unreadable formulas, thresholds, lost precision.

use qscope_engine::cluster::{Edit, Evaluation, Formula, FormulaFault, JobId};
use qscope_engine::cycle::Debugger;
use rustc_hash::FxHashMap;

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::place::{LintObject, LintPlace};
use crate::lint::site::LintContext;

pub(super) const RULES: &[LintRule] = &[
    LintRule {
        id: "unreadable-formula",
        level: LintLevel::Error,
        summary: "A job_sort_formula that is no formula",
        explain: "It counts 0 for every job: the keys behind it decide.",
        find: |site| {
            let faults = site.run.setup.faults.iter().filter(|text| text.starts_with("job_sort_formula"));
            let draft = |fault: &String| {
                FindingDraft::new(
                    fault.clone(),
                    "correct the formula",
                    Claim::NoEffect(edits_without_formula(site)),
                )
                .with_objects(["job_sort_formula"])
                .at(place(site))
            };
            faults.map(draft).collect()
        },
    },
    LintRule {
        id: "formula-without-value",
        level: LintLevel::Error,
        summary: "A job_sort_formula that has no value for some jobs",
        explain: "A name that is no consumable resource and none of the scheduler's own, a division by zero, a result that \
                  is no finite number: the formula then counts 0 for the job.",
        find: without_value,
    },
    LintRule {
        id: "zero-formula-term",
        level: LintLevel::Warning,
        summary: "A name in job_sort_formula that is 0 for every job",
        explain: "No job requests the resource, or nothing sets the value: the term has no part in the order. \
                  eligible_time stays 0 where eligible_time_enable is off.",
        find: zero_terms,
    },
    LintRule {
        id: "shadowed-formula",
        level: LintLevel::Note,
        summary: "A job_sort_formula of the server beside one of the scheduler object",
        explain: "The scheduler object's counts; the server's is ignored.",
        find: |site| {
            let snap = site.snap();
            let both = snap.server.job_sort_formula.as_ref().zip(snap.scheduler.job_sort_formula.as_ref());
            let edits = site.edit_server(|server| server.job_sort_formula = None);
            let draft = FindingDraft::new(
                "job_sort_formula of the server has no effect: the scheduler object has its own".to_owned(),
                "unset it at the server",
                Claim::NoEffect(edits),
            );
            let draft = draft
                .with_objects(["job_sort_formula"])
                .at(site.attribute(LintObject::Server, "job_sort_formula"));
            both.filter(|(server, own)| server != own).map(|_| draft).into_iter().collect()
        },
    },
    LintRule {
        id: "formula-threshold",
        level: LintLevel::Warning,
        summary: "Jobs that wait below job_sort_formula_threshold",
        explain: "A job whose formula is not above the threshold is not considered, however empty the nodes are. Where \
                  nothing in the formula grows with time, it never is.",
        find: threshold,
    },
    LintRule {
        id: "threshold-without-formula",
        level: LintLevel::Note,
        summary: "job_sort_formula_threshold without a formula",
        explain: "The threshold is compared with the value of the formula only.",
        find: |site| {
            let is_set =
                site.snap().scheduler.formula_threshold.is_some() && site.run.setup.formula.is_none();
            let edits = site.edit_scheduler(|scheduler| scheduler.formula_threshold = None);
            let draft = FindingDraft::new(
                "job_sort_formula_threshold has no effect: there is no job_sort_formula".to_owned(),
                "unset it, or set a formula",
                Claim::NoEffect(edits),
            );
            let place = site.attribute(LintObject::Scheduler, "job_sort_formula_threshold");
            is_set.then(|| draft.with_objects(["job_sort_formula_threshold"]).at(place)).into_iter().collect()
        },
    },
    LintRule {
        id: "formula-precision",
        level: LintLevel::Warning,
        summary: "Jobs whose formulas differ only beyond single precision",
        explain: "The scheduler keeps the value in 24 bits, about seven digits: a small waiting term beside a large base \
                  score is lost, and the jobs tie. Scale the base score down.",
        find: precision,
    },
];

/// Returns the place of the formula that counts.
fn place(site: &LintContext<'_>) -> Option<LintPlace> {
    let object = match site.snap().scheduler.job_sort_formula {
        Some(_) => LintObject::Scheduler,
        None => LintObject::Server,
    };
    site.attribute(object, "job_sort_formula")
}

fn edits_with_formula(site: &LintContext<'_>, text: Option<String>) -> Vec<Edit> {
    match site.snap().scheduler.job_sort_formula {
        Some(_) => site.edit_scheduler(|scheduler| scheduler.job_sort_formula = text),
        None => site.edit_server(|server| server.job_sort_formula = text),
    }
}

fn edits_without_formula(site: &LintContext<'_>) -> Vec<Edit> {
    let mut edits = site.edit_scheduler(|scheduler| scheduler.job_sort_formula = None);
    edits.extend(site.edit_server(|server| server.job_sort_formula = None));
    edits
}

/// A job with the value of each name of the formula, and the result that the scheduler keeps.
type JobFormulaResult = (JobId, Vec<(String, f64)>, f64);

/// Returns the evaluated formula of each waiting job.
fn evaluations(site: &LintContext<'_>) -> Vec<(JobId, Evaluation)> {
    let mut start = Debugger::new(site.run.clone());
    start.seek(0);
    let agenda = site.run.first_agenda(start.state());
    site.waiting().filter_map(|job| Some((job, agenda.formula_terms(job)?))).collect()
}

/// Returns the value of each name of the formula for each waiting job for which the formula has a value.
fn terms(site: &LintContext<'_>) -> Vec<JobFormulaResult> {
    let terms_of = |(job, found): (JobId, Evaluation)| {
        let terms = found.terms.iter().map(|term| (term.name.to_string(), term.value.unwrap_or_default()));
        Some((job, terms.collect(), found.value.ok()?))
    };
    evaluations(site).into_iter().filter_map(terms_of).collect()
}

fn without_value(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let faults = evaluations(site).into_iter().filter_map(|(job, found)| Some((job, found.value.err()?)));
    let (jobs, faults): (Vec<JobId>, Vec<FormulaFault>) = faults.unzip();
    let Some(fault) = faults.first() else { return Vec::new() };
    let jobs_counted = qscope_explain::words::count(jobs.len(), "job");
    let what = format!("job_sort_formula counts 0 for {jobs_counted}: {fault}");
    let fix = "correct the formula, so that it has a value for every job";
    vec![
        FindingDraft::new(what, fix, Claim::Counts(jobs, 0.0))
            .with_objects(["job_sort_formula"])
            .at(place(site)),
    ]
}

fn zero_terms(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let Some(formula) = &site.run.setup.formula else { return Vec::new() };
    let all = terms(site);
    if all.is_empty() {
        return Vec::new();
    }
    let is_zero = |name: &&str| {
        all.iter().all(|(_, terms, _)| terms.iter().any(|(have, value)| have == name && *value == 0.0))
    };
    let draft = |name: &str| {
        let text = without_name(formula, name);
        let off = name == "eligible_time" && !site.snap().server.eligible_time_enable;
        let (why, fix) = match off {
            true => {
                ("eligible_time_enable is off", "set eligible_time_enable = True at the server".to_owned())
            }
            false => ("it is 0 for every job that waits", format!("take {name} out, or let jobs have it")),
        };
        let what = format!("{name} in job_sort_formula has no part in the order: {why}");
        FindingDraft::new(what, fix, Claim::NoEffect(edits_with_formula(site, Some(text))))
            .with_objects([name])
            .at(place(site))
    };
    formula.names().into_iter().filter(is_zero).map(draft).collect()
}

/// Returns the formula with a name replaced by 0.
fn without_name(formula: &Formula, name: &str) -> String {
    let text = formula.text();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut found, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(name) {
        let (before, from) = rest.split_at(at);
        let after = from.get(name.len()..).unwrap_or_default();
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        found.push_str(before);
        found.push_str(if is_whole { "0" } else { name });
        rest = after;
    }
    found + rest
}

fn threshold(site: &LintContext<'_>) -> Vec<FindingDraft> {
    use qscope_engine::universe::Reason;
    let Some(threshold) = site.snap().scheduler.formula_threshold else { return Vec::new() };
    let is_under = |reason: &Reason| *reason == Reason::UnderThreshold;
    let refused =
        site.run.not_considered.iter().filter(|outcome| {
            outcome.rejection.as_ref().is_some_and(|rejection| is_under(&rejection.reason))
        });
    let count = refused.count();
    let edits = site.edit_scheduler(|scheduler| scheduler.formula_threshold = None);
    let what = format!(
        "{} not considered: the formula is not above job_sort_formula_threshold={threshold}",
        qscope_explain::words::count(count, "job")
    );
    let draft = FindingDraft::new(
        what,
        "lower the threshold, or add a term that grows while jobs wait",
        Claim::AffectsCycle(edits),
    )
    .with_objects(["job_sort_formula_threshold"])
    .at(site.attribute(LintObject::Scheduler, "job_sort_formula_threshold"));
    if count > 0 { vec![draft] } else { Vec::new() }
}

fn precision(context: &LintContext<'_>) -> Vec<FindingDraft> {
    let Some(formula) = &context.run.setup.formula else { return Vec::new() };
    let mut same: FxHashMap<u64, Vec<(JobId, f64)>> = FxHashMap::default();
    for (job, terms, kept) in terms(context) {
        let value = |name: &str| terms.iter().find(|(have, _)| have == name).map(|(_, value)| *value);
        if let Ok(exact) = formula.evaluate(&value) {
            same.entry(kept.to_bits()).or_default().push((job, exact));
        }
    }
    let differ = |jobs: &&Vec<(JobId, f64)>| {
        jobs.first().is_some_and(|(_, first)| jobs.iter().any(|(_, value)| value.total_cmp(first).is_ne()))
    };
    let mut jobs: Vec<JobId> = same.values().filter(differ).flatten().map(|(job, _)| *job).collect();
    jobs.sort_unstable();
    let what = format!(
        "{} tie by job_sort_formula although its values differ: the scheduler keeps about seven digits",
        qscope_explain::words::count(jobs.len(), "job")
    );
    if jobs.is_empty() {
        return Vec::new();
    }
    let fix = "scale the large terms down, so that the small ones are kept";
    vec![
        FindingDraft::new(what, fix, Claim::Counts(jobs, 0.0))
            .with_objects(["job_sort_formula"])
            .at(place(context)),
    ]
}
