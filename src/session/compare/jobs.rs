//! Jobs that started, ended, came, went, or change their verdict.

mod reasons;
mod side;

pub(super) use reasons::BothReasons;
pub use side::Stand;

use side::{JobSide, One};

use super::FieldChange;
use crate::agreement::{Class, Compared};
use qscope_engine::cluster::{Job, Name};
use qscope_engine::cycle::Run;

/// In which way a job changed; the first that applies, most important first.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum JobChangeKind {
    /// It runs, and did not.
    Started,
    /// It ran, and is over.
    Ended,
    /// It ran, and is in the queue again: preempted, or run anew.
    Stopped,
    /// It waits, and was not there.
    New,
    /// It waited, and is not there any more: over in between, moved or deleted.
    Left,
    /// The model's verdict is another one.
    Verdict,
    /// It waits for another reason.
    Reason,
    /// It would take the other path.
    Path,
    /// It runs, or would run, on other nodes.
    Nodes,
    /// It is or was a top job, and is to start at another time.
    Estimate,
    /// Its request, queue or priority was altered.
    Altered,
    /// It waits for the same reason with other numbers.
    Numbers,
}

impl JobChangeKind {
    /// All of them, most important first.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The word for programs.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// What it means, for headings.
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

/// One job that is not as it was.
#[derive(Clone, PartialEq, Debug)]
pub struct JobChange {
    /// Its full id.
    pub job: Name,
    /// In which way.
    pub kind: JobChangeKind,
    /// How it stood; none if it was not there, or over.
    pub before: Option<Stand>,
    pub after: Option<Stand>,
    /// What was altered in it.
    pub altered: Vec<FieldChange>,
    /// What happened in between that concerns it, in words: `53 ended there`.
    pub since: Option<String>,
}

impl JobChange {
    /// Whether it is a change of the model alone, not of the job dump.
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
    let (before, after) = (JobSide::new(before, &reasons.before), JobSide::new(after, &reasons.after));
    let stayed = after.jobs.iter().filter_map(|one| {
        let name = &one.job.name;
        let was = if one.runs() { before.before_start(name) } else { before.named(name) };
        let change = change(was, Some(one), same_ids)?;
        Some((one.outcome.and_then(|outcome| outcome.order), change))
    });
    let went = before.jobs.iter().filter(|one| after.named(&one.job.name).is_none());
    let went = went.filter_map(|one| Some((None, change(Some(one), None, same_ids)?)));
    let mut all: Vec<(Option<u32>, JobChange)> = stayed.chain(went).collect();
    all.sort_by_key(|(order, change)| (change.kind, order.unwrap_or(u32::MAX)));
    all.into_iter().map(|(_, change)| change).collect()
}

/// Whether nothing was altered, for two snapshots whose resources have the same ids.
fn asks_the_same(before: &Job, after: &Job) -> bool {
    let select = |job: &'_ Job| job.select.as_ref().map(|select| select.text.clone());
    (&before.queue, before.priority, &before.place) == (&after.queue, after.priority, &after.place)
        && before.requested == after.requested
        && select(before) == select(after)
}

fn change(before: Option<&One<'_>>, after: Option<&One<'_>>, same_ids: bool) -> Option<JobChange> {
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
        before: before.map(|one| one.stand(alone)),
        after: after.map(|one| one.stand(alone)),
        altered,
        since: None,
    })
}

fn kind(before: Option<&One<'_>>, after: Option<&One<'_>>) -> Option<JobChangeKind> {
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

/// Two verdicts on a job that waits.
fn judged_otherwise(before: &One<'_>, after: &One<'_>) -> Option<JobChangeKind> {
    use JobChangeKind as K;
    if before.verdict() != after.verdict() {
        return Some(K::Verdict);
    }
    let class = match before.known.zip(after.known) {
        Some((before, after)) => reasons::class(before, after),
        None => class_of_comments(before.reason(), after.reason()),
    };
    if class == Class::Different {
        Some(K::Reason)
    } else if before.path() != after.path() {
        Some(K::Path)
    } else if before.on() != after.on() {
        Some(K::Nodes)
    } else if before.estimate() != after.estimate() {
        Some(K::Estimate)
    } else {
        (class == Class::OtherNumbers).then_some(K::Numbers)
    }
}

fn class_of_comments(before: Option<String>, after: Option<String>) -> Class {
    match (before, after) {
        (Some(before), Some(after)) => Compared::texts(&before, &after).class,
        (before, after) if before == after => Class::Equal,
        _ => Class::Different,
    }
}
