//! Lists problems of the cluster, of the data, and of the model; each with its object, its effect, and what to do
//! (console.md 2.1, Problems).

use std::cell::LazyCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::findings::{FindingGroup, assumed, is_assumed, place_of};
use super::{Fix, Generation, SubstituteFile};
use qscope_engine::cluster::{Diagnostic, FilePosition, Severity, Snapshot, short_id};
use qscope_explain::words::count;
use qscope_explain::{Alert, AlertItem, AlertKind, scheduling_off_at};
use qscope_source::collect::made_by;

/// Kind of the problem that something was assumed; there may be several of them about one file.
pub const ASSUMED: &str = "assumed";

/// What to do if the files cannot be used as they are.
pub const AGAIN: &str = "D shows the files; r reads them again";

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ProblemPart {
    Cluster,
    /// The model, or its data.
    Model,
}

/// The object that a problem leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProblemObject {
    Node(String),
    Queue(String),
    Job(String),
    /// The server or the scheduler.
    Server,
    /// A file that was read, and the line.
    File(String, Option<usize>),
    /// An entry of the program's own configuration.
    Configuration,
    /// Nothing that can be opened.
    Nothing,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub part: ProblemPart,
    /// Whether it stops or impairs work.
    pub is_grave: bool,
    /// Kind of the problem, in a few words.
    pub kind: String,
    pub subject: ProblemObject,
    /// Name of its objects, folded if there are several.
    pub object: String,
    /// Description in a self-contained sentence.
    pub sentence: String,
    /// Description next to the kind and the object, which it does not repeat.
    pub effect: String,
    /// What to do.
    pub fix: Option<Fix>,
}

/// Whether a job with an id, full or short, is in the dump. A screen asks about the same node at each drawing, and a
/// node may list many jobs, so the answer must not search all jobs.
pub type KnownJobPredicate<'a> = &'a dyn Fn(&str) -> bool;

/// Returns all problems of a snapshot: those of the cluster by severity, then those of model and data.
pub fn problems(generation: &Generation) -> Vec<Problem> {
    let mut all: Vec<Problem> = Vec::new();
    // Nodes may list very many jobs, so the names are collected once, on first use.
    let jobs = &generation.snapshot.jobs;
    let all_names = || jobs.iter().flat_map(|job| [&*job.name, job.short_name()]).collect();
    let names: LazyCell<FxHashSet<&str>, _> = LazyCell::new(all_names);
    let known = |job: &str| names.contains(job);
    all.extend(items(generation).map(|(alert, item)| of_alert(generation, &known, alert, item)));
    all.extend(generation.made_otherwise().map(|text| Problem {
        fix: Some(Fix::by_hand("open them with these options")),
        ..model_problem("other options", &text)
    }));
    all.extend(generation.run.warnings.iter().map(String::as_str).map(not_modelled));
    all.extend(disagreement(generation));
    all.extend(generation.substitutes.iter().map(substitute_problem));
    all.extend(assumed(generation).iter().map(assumption));
    all.extend(data(generation));
    all
}

/// The problems that an alert represents.
#[derive(Debug, Clone, PartialEq)]
pub enum AlertProblems {
    /// One problem, about at most one object.
    Single(Problem),
    /// Problems of several objects, with the first one.
    Group(Problem),
}

/// Returns the problems that an alert represents; `None` if it has no items.
pub fn of_whole_alert(
    generation: &Generation,
    known: KnownJobPredicate<'_>,
    alert: &Alert,
) -> Option<AlertProblems> {
    let first = alert.items.first()?;
    let is_one = alert.items.iter().all(|item| item.objects == first.objects) && first.objects.len() <= 1;
    let first = of_alert(generation, known, alert, first);
    Some(if is_one { AlertProblems::Single(first) } else { AlertProblems::Group(first) })
}

/// Returns the problems that name a node.
pub fn about_node(generation: &Generation, known: KnownJobPredicate<'_>, node: &str) -> Vec<Problem> {
    let named = items(generation).filter(|(_, item)| item.is_about(node));
    named.map(|(alert, item)| of_alert(generation, known, alert, item)).collect()
}

/// Returns the problems that name a job, by its full id.
pub fn about_job(generation: &Generation, known: KnownJobPredicate<'_>, job: &str) -> Vec<Problem> {
    let names = |item: &AlertItem| item.jobs.iter().any(|name| name == job);
    let about = |(alert, item): &(&Alert, &AlertItem)| alert.kind != AlertKind::SchedulingOff && names(item);
    let named = items(generation).filter(about);
    named.map(|(alert, item)| of_alert(generation, known, alert, item)).collect()
}

/// Returns all items of alerts, each with its alert.
fn items(generation: &Generation) -> impl Iterator<Item = (&Alert, &AlertItem)> {
    generation.alerts.iter().flat_map(|alert| alert.items.iter().map(move |item| (alert, item)))
}

fn of_alert(
    generation: &Generation,
    known: KnownJobPredicate<'_>,
    alert: &Alert,
    item: &AlertItem,
) -> Problem {
    use AlertKind as K;
    let first = item.objects.first().cloned();
    let node = || first.clone().map_or(ProblemObject::Nothing, ProblemObject::Node);
    let names = || qscope_explain::words::compact(item.objects.iter().map(String::as_str));
    let short = item.jobs.first().map_or("", |job| short_id(job));
    let (kind, subject, fix) = match alert.kind {
        K::SchedulingOff => {
            let fix = Fix::command(switch_on(&generation.snapshot));
            ("scheduling off", ProblemObject::Server, Some(fix))
        }
        K::DamagedFile => {
            let file = first.clone().unwrap_or_default();
            (
                "file damaged",
                ProblemObject::File(file, item.finding.as_deref().and_then(|found| found.position.line())),
                Some(Fix::by_hand(AGAIN)),
            )
        }
        K::DoubleBooking => ("double booking", node(), Some(separation_fix(generation, item))),
        K::Oversubscribed => {
            ("oversubscribed", node(), Some(Fix::command(format!("pbsnodes -v {}", names()))))
        }
        K::StoppedQueue => {
            let queue = first.clone().unwrap_or_default();
            let fix = format!("qmgr -c \"set queue {queue} started=True\"");
            ("queue stopped", ProblemObject::Queue(queue), Some(Fix::command(fix)))
        }
        K::Ghost => {
            let fix = Fix::begun_by(format!("qstat -f {short}"), "else restart pbs_server");
            ("job not in dump", node(), Some(fix))
        }
        K::Down => ("down", node(), Some(Fix::command(format!("pbsnodes -v {}", names())))),
        K::Offline => ("offline", node(), Some(Fix::command(format!("pbsnodes -r {}", names())))),
        K::NotOnNodes => {
            let fix = Fix::begun_by(format!("pbsnodes -v {}", names()), "dump again");
            ("job unlisted", node(), Some(fix))
        }
        K::NotInDump => {
            let is_known = item.jobs.first().is_some_and(|job| known(job));
            let kind = if is_known { "job not running" } else { "job not in dump" };
            (kind, node(), Some(Fix::command(format!("qstat -f {short}"))))
        }
        K::SchedulerLog => ("scheduler log", ProblemObject::Nothing, None),
    };
    let object = match &subject {
        ProblemObject::Server => "server".to_owned(),
        ProblemObject::Nothing | ProblemObject::Configuration => "log".to_owned(),
        _ => names(),
    };
    Problem {
        part: ProblemPart::Cluster,
        is_grave: alert.is_grave(),
        kind: kind.to_owned(),
        subject,
        object,
        sentence: item.sentence.clone(),
        effect: item.effect.clone(),
        fix,
    }
}

/// Returns how to keep two jobs from sharing a node: if this cycle assigns it twice, hold the second job until the
/// first runs; if both run there, start one of them again.
fn separation_fix(generation: &Generation, item: &AlertItem) -> Fix {
    let run = &generation.run;
    let is_given_now = |again: &String| {
        run.double_bookings().iter().any(|booking| *run.plan.job(booking.second_job).name == **again)
    };
    let jobs: Vec<&str> = item.jobs.iter().map(|job| short_id(job)).collect();
    match (item.jobs.last().filter(|job| is_given_now(job)), jobs.as_slice()) {
        (Some(_), [first, again]) => {
            Fix::begun_by(format!("qhold {again}"), &format!("qrls {again} once {first} runs"))
        }
        (Some(again), _) => {
            Fix::command(format!("qhold {}; pbsnodes -v {}", short_id(again), item.objects.join(" ")))
        }
        (None, jobs) => Fix::begun_by(format!("qstat -f {}", jobs.join(" ")), "then qrerun one of them"),
    }
}

/// Returns the command that enables scheduling wherever it is off.
fn switch_on(snap: &Snapshot) -> String {
    let (server_off, scheduler_off) = scheduling_off_at(snap);
    let server = server_off.then(|| "server".to_owned());
    let scheduler = scheduler_off.then(|| format!("sched {}", snap.scheduler.name));
    let parts = server.into_iter().chain(scheduler);
    let parts: Vec<String> = parts.map(|what| format!("qmgr -c \"set {what} scheduling=True\"")).collect();
    parts.join(" && ")
}

/// Returns a problem of the model or its data that leads to nothing and has no fix.
pub fn model_problem(kind: &str, effect: &str) -> Problem {
    Problem {
        part: ProblemPart::Model,
        is_grave: false,
        kind: kind.to_owned(),
        subject: ProblemObject::Nothing,
        object: "model".to_owned(),
        sentence: effect.to_owned(),
        effect: effect.to_owned(),
        fix: None,
    }
}

/// Returns the problem of something the model omits; its kind already states that.
fn not_modelled(text: &str) -> Problem {
    let effect = text.strip_suffix(": not modelled").unwrap_or(text).to_owned();
    Problem { effect, ..model_problem("not modelled", text) }
}

/// Returns the problem that the scheduler's comments differ from the model.
fn disagreement(generation: &Generation) -> Option<Problem> {
    let found = generation.agreement.as_ref()?;
    let differ = found
        .jobs(&generation.run)
        .iter()
        .filter(|job| job.comment.class == super::agreement::AgreementClass::Different);
    let jobs: Vec<&str> = differ.map(|job| short_id(&job.name)).collect();
    let first = (*jobs.first()?).to_owned();
    let shown = jobs.iter().take(8).copied().collect::<Vec<_>>().join(" ");
    Some(Problem {
        object: first.clone(),
        subject: ProblemObject::Job(first),
        fix: Some(Fix::by_hand(":agreement lists both texts")),
        ..model_problem(
            "PBS differs",
            &format!("the comments of {} differ from the model: {shown}", count(jobs.len(), "job")),
        )
    })
}

/// Returns the problem that a file does not exist any more and another form of it is read.
fn substitute_problem(SubstituteFile { previous_file, used }: &SubstituteFile) -> Problem {
    let effect = format!("is not there any more; {used} is read instead");
    Problem {
        subject: ProblemObject::File(used.to_string(), None),
        object: previous_file.to_string(),
        fix: Some(made_by(previous_file).map_or_else(|| Fix::by_hand(AGAIN), Fix::command)),
        sentence: format!("{previous_file} {effect}"),
        ..model_problem("file gone", &effect)
    }
}

/// Returns the problem that something was assumed, in the words of `qscope check`.
fn assumption(finding: &FindingGroup<'_>) -> Problem {
    let first = place_of(&finding.first, finding.record);
    let place = match (finding.count, first.is_empty()) {
        (0 | 1, true) => String::new(),
        (0 | 1, false) => format!("{first}: "),
        (times, true) => format!("{times} times: "),
        (times, false) => format!("{times} times, first {first}: "),
    };
    let change = finding.may_change.map_or_else(String::new, |change| format!("; may change: {change}"));
    let effect = format!("{place}{}{change}", finding.message);
    let object = if finding.file.is_empty() { "files" } else { finding.file };
    Problem {
        // Without jobs the cluster only looks idle.
        is_grave: matches!(finding.code, Diagnostic::NO_JOBS | Diagnostic::NO_NODES),
        subject: ProblemObject::File(object.to_owned(), None),
        object: object.to_owned(),
        fix: finding.remedy(),
        sentence: format!("{object}: {effect}"),
        ..model_problem(ASSUMED, &effect)
    }
}

/// Returns findings about the files that no alert states, except assumptions.
fn data(generation: &Generation) -> impl Iterator<Item = Problem> {
    let mut stated: FxHashMap<&str, Vec<&Diagnostic>> = FxHashMap::default();
    for found in items(generation).filter_map(|(_, item)| item.finding.as_deref()) {
        stated.entry(&found.message).or_default().push(found);
    }
    let is_alert = move |found: &Diagnostic| {
        stated.get(found.message.as_str()).is_some_and(|stated| stated.contains(&found))
    };
    let odd = generation.snapshot.diagnostics.iter();
    let odd =
        odd.filter(move |found| found.severity > Severity::Note && !is_assumed(found) && !is_alert(found));
    let problem = |found: &Diagnostic| Problem {
        is_grave: found.severity == Severity::Error,
        subject: ProblemObject::File(found.file.to_string(), found.position.line()),
        object: match found.position.line() {
            Some(line) => format!("{}:{line}", found.file),
            None => found.file.to_string(),
        },
        fix: Some(Fix::by_hand("D shows the files")),
        effect: text_without_position(found),
        ..model_problem("data", &found.to_string())
    };
    odd.map(problem)
}

/// Returns a finding for a row that already shows the file and line.
fn text_without_position(diagnostic: &Diagnostic) -> String {
    match (diagnostic.position, &diagnostic.record) {
        (FilePosition::Byte(_), _) => diagnostic.to_string(),
        (_, None) => diagnostic.message.clone(),
        (_, Some(record)) => format!("{record}: {}", diagnostic.message),
    }
}
