//! Compares jobs: those that started, ended, came, left, or changed their verdict.

mod side;

pub use side::JobSituation;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;

use qscope_engine::cluster::{ExecVnode, Job, JobId, Name};
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::{BoardBuilder, WaitReason};

use super::FieldChange;
use crate::agreement::{AgreementClass, ComparedFact};
use side::{SideJob, SideJobs};

/// How a job changed: the first kind that applies, most important first.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum JobChangeKind {
    /// It runs, and did not before.
    Started,
    /// It ran, and is finished.
    Ended,
    /// It ran, and is queued again: preempted or requeued.
    Stopped,
    /// It waits, and is new.
    New,
    /// It waited, and is gone: finished in between, moved or deleted.
    Left,
    /// The model's verdict changed.
    Verdict,
    /// It waits for a different reason.
    Reason,
    /// It would take the other path.
    Path,
    /// It runs, or would run, on different nodes.
    Nodes,
    /// It is or was a top job, and its estimated start changed.
    Estimate,
    /// Its request, queue or priority was altered.
    Altered,
    /// It waits for the same reason with other numbers.
    Numbers,
}

impl JobChangeKind {
    /// All kinds, most important first.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the identifier used in output for programs.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Returns its meaning, for headings.
    pub fn title(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Ended => "ended",
            Self::Stopped => "ran, and back in the queue",
            Self::New => "new in the queue",
            Self::Left => "left the queue",
            Self::Verdict => "another verdict",
            Self::Reason => "another reason",
            Self::Path => "another path",
            Self::Nodes => "other nodes",
            Self::Estimate => "another estimated start",
            Self::Altered => "altered",
            Self::Numbers => "same reason, other numbers",
        }
    }
}

/// A job that changed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JobChange {
    /// Full id of the job.
    #[serde(rename = "id")]
    pub job: Name,
    /// How it changed.
    #[serde(skip)]
    pub kind: JobChangeKind,
    /// How it was before; `None` if it did not exist, or was finished.
    pub before: Option<JobSituation>,
    pub after: Option<JobSituation>,
    /// Altered attributes.
    pub altered: Vec<FieldChange>,
    /// What happened in between that affects it, in words: `53 ended there`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

impl JobChange {
    /// Whether only the model's result changed, not the job dump.
    pub(super) fn is_by_the_model(&self) -> bool {
        use JobChangeKind as K;
        let waits = self.before.as_ref().is_some_and(|before| before.verdict.is_some());
        let judged =
            matches!(self.kind, K::Verdict | K::Reason | K::Path | K::Nodes | K::Estimate | K::Numbers);
        waits && judged && self.altered.is_empty()
    }
}

/// All jobs that changed; causes that were analysed are compared instead of the scheduler's comments.
pub(super) fn changes(before: &Run, after: &Run, reasons: &BothReasons) -> Vec<JobChange> {
    let same_ids = before.plan.snap.catalogue == after.plan.snap.catalogue;
    let (before, after) = (SideJobs::new(before, &reasons.before), SideJobs::new(after, &reasons.after));
    let stayed = after.jobs.iter().filter_map(|one| {
        let name = &one.job.name;
        let was = if one.runs() { before.before_start(name) } else { before.named(name) };
        let change = change(was, Some(one), same_ids)?;
        Some((one.outcome.and_then(|outcome| outcome.order), change))
    });
    let went = before.jobs.iter().filter(|one| after.named(&one.job.name).is_none());
    let went = went.filter_map(|one| Some((None, change(Some(one), None, same_ids)?)));
    let mut all: Vec<(Option<u32>, JobChange)> = stayed.chain(went).collect();
    let subjobs = subjob_changes(&before, &after);
    // What changes of an array are the starts of its subjobs.
    let has_own = |array: &Name| subjobs.iter().any(|(of, ..)| *of == array);
    all.retain(|(_, change)| change.kind != JobChangeKind::Nodes || !has_own(&change.job));
    all.extend(subjobs.into_iter().map(|(_, order, change)| (order, change)));
    all.sort_by_key(|(order, change)| (change.kind, order.unwrap_or(u32::MAX)));
    all.into_iter().map(|(_, change)| change).collect()
}

/// Returns the subjobs of arrays waiting on both sides that only one of the cycles starts, with those of the same arrays
/// that start on other nodes, each with the name and the order number of its array.
fn subjob_changes<'r>(
    before: &SideJobs<'r>,
    after: &SideJobs<'r>,
) -> Vec<(&'r Name, Option<u32>, JobChange)> {
    let mut found = Vec::new();
    let only_before =
        before.starting_subjobs().into_iter().filter(|(name, _)| after.starting_subjob(name).is_none());
    for (name, one) in after.starting_subjobs().into_iter().chain(only_before) {
        let Some(outcome) = one.outcome else { continue };
        let array = &one.job.name;
        let sides = before.named(array).zip(after.named(array));
        let is_left = |side: &SideJob<'_>| outcome.subjob.is_some_and(|index| side.has_left(index));
        let Some((was, is)) = sides.filter(|(was, is)| is_left(was) && is_left(is)) else { continue };
        let (start, end) = (before.starting_subjob(name), after.starting_subjob(name));
        let kind = match start.zip(end) {
            Some((start, end)) if start.vnodes() == end.vnodes() => continue,
            Some(_) => JobChangeKind::Nodes,
            None => JobChangeKind::Verdict,
        };
        let stands = |start: Option<&SideJob<'_>>, array: &SideJob<'_>| {
            start.map_or_else(|| array.situation_of_waiting_subjob(), |start| start.situation(false))
        };
        let change = JobChange {
            job: name.into(),
            kind,
            before: Some(stands(start, was)),
            after: Some(stands(end, is)),
            altered: Vec::new(),
            since: None,
        };
        found.push((array, outcome.order, change));
    }
    // Where the same subjobs start on other nodes, the array has that change, unless both sides show the same nodes.
    let shows_no_change = |array: &Name| before.named(array).map(names) == after.named(array).map(names);
    let differ: Vec<&Name> = found
        .iter()
        .filter(|(array, _, change)| change.kind == JobChangeKind::Verdict || shows_no_change(array))
        .map(|(array, ..)| *array)
        .collect();
    found.retain(|(array, ..)| differ.contains(array));
    found
}

/// Returns the names of the nodes that a job runs or would start on.
fn names(side: &SideJob<'_>) -> Option<Vec<Name>> {
    let placement = ExecVnode::parse(&side.vnodes()?).ok()?;
    Some(placement.vnodes().into_iter().cloned().collect())
}

/// Whether no attribute was altered, for two snapshots with the same ids of resources.
fn asks_the_same(before: &Job, after: &Job) -> bool {
    let select = |job: &'_ Job| job.select.as_ref().map(|select| select.text.clone());
    (&before.queue, before.priority, &before.place) == (&after.queue, after.priority, &after.place)
        && before.requested == after.requested
        && select(before) == select(after)
}

fn change(before: Option<&SideJob<'_>>, after: Option<&SideJob<'_>>, same_ids: bool) -> Option<JobChange> {
    let altered = match (before, after) {
        (Some(before), Some(after)) if same_ids && asks_the_same(before.job, after.job) => Vec::new(),
        (Some(before), Some(after)) => super::settings::differences(&before.request(), &after.request()),
        _ => Vec::new(),
    };
    let kind = kind(before, after).or((!altered.is_empty()).then_some(JobChangeKind::Altered))?;
    let job = after.or(before)?.job.name.clone();
    // Where the reasons are compared, no verdict stands before them.
    let alone = matches!(kind, JobChangeKind::Reason | JobChangeKind::Numbers);
    Some(JobChange {
        job,
        kind,
        before: before.map(|one| one.situation(alone)),
        after: after.map(|one| one.situation(alone)),
        altered,
        since: None,
    })
}

fn kind(before: Option<&SideJob<'_>>, after: Option<&SideJob<'_>>) -> Option<JobChangeKind> {
    use JobChangeKind as K;
    match (before, after) {
        (None, Some(after)) => Some(if after.runs() { K::Started } else { K::New }),
        (Some(before), None) => Some(if before.runs() { K::Ended } else { K::Left }),
        (Some(before), Some(after)) => match (before.runs(), after.runs()) {
            (false, true) => Some(K::Started),
            (true, false) => Some(K::Stopped),
            (true, true) => (before.job.exec_vnode != after.job.exec_vnode).then_some(K::Nodes),
            (false, false) => judged_otherwise(before, after),
        },
        (None, None) => None,
    }
}

/// Compares two verdicts on a waiting job.
fn judged_otherwise(before: &SideJob<'_>, after: &SideJob<'_>) -> Option<JobChangeKind> {
    use JobChangeKind as K;
    if before.verdict() != after.verdict() {
        return Some(K::Verdict);
    }
    let class = match before.known.zip(after.known) {
        Some((before, after)) => class(before, after),
        None => class_of_comments(before.reason(), after.reason()),
    };
    if class == AgreementClass::Different {
        Some(K::Reason)
    } else if before.path() != after.path() {
        Some(K::Path)
    } else if before.vnodes().zip(after.vnodes()).is_some_and(|(before, after)| before != after) {
        // Of an array that waits, the subjobs that started have changes of their own.
        Some(K::Nodes)
    } else if before.estimate() != after.estimate() {
        Some(K::Estimate)
    } else {
        (class == AgreementClass::OtherNumbers).then_some(K::Numbers)
    }
}

fn class_of_comments(before: Option<String>, after: Option<String>) -> AgreementClass {
    match (before, after) {
        (Some(before), Some(after)) => ComparedFact::texts(&before, &after).class,
        (before, after) if before == after => AgreementClass::Equal,
        _ => AgreementClass::Different,
    }
}

/// If more jobs wait, they are not analysed one by one, and a cause is that of a whole class.
const MAX_WAITING: usize = 300;

/// Causes by job.
type ReasonsByJob = FxHashMap<JobId, Arc<WaitReason>>;

/// The causes of all waiting jobs of both sides.
#[derive(Debug, Default)]
pub(super) struct BothReasons {
    before: ReasonsByJob,
    after: ReasonsByJob,
}

impl BothReasons {
    /// Analyses the waiting jobs of two cycles; `None` if they are very many.
    pub(super) fn of(before: &Arc<Run>, after: &Arc<Run>) -> Option<Self> {
        Some(Self { before: reasons(before)?, after: reasons(after)? })
    }
}

fn reasons(run: &Arc<Run>) -> Option<ReasonsByJob> {
    let waiting = run.outcomes().filter(|outcome| run.verdict(outcome) != Verdict::Run).count();
    if waiting > MAX_WAITING {
        return None;
    }
    let mut survey = BoardBuilder::new(run.clone());
    survey.analyse_groups(&mut || true);
    Some(survey.reasons())
}

/// Compares two causes of a job by their names and numbers.
fn class(before: &WaitReason, after: &WaitReason) -> AgreementClass {
    let numbers = |reason: &WaitReason| reason.measure.as_ref().map(|measure| measure.text.clone());
    match (before.name == after.name, numbers(before) == numbers(after)) {
        (false, _) => AgreementClass::Different,
        (true, false) => AgreementClass::OtherNumbers,
        (true, true) => AgreementClass::Equal,
    }
}
