//! Compares the comments of waiting jobs in the dump with the model (rule 10.5).

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Job, JobId, JobState, Name, SnapshotFact};
use qscope_engine::cycle::{Outcome, Run, Verdict};

use super::class::{AgreementClass, ComparedFact};
use qscope_explain::{evidence, starting, words};

const NOT_NOW: &str = "Not Running: ";
const NEVER: &str = "Can Never Run: ";
/// Beginning of the server's comment when it refuses a request of the scheduler.
const REFUSED: &str = "Not Running: PBS Error: ";

/// A waiting job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JobAgreement {
    /// Full id of the job.
    #[serde(skip)]
    pub name: Name,
    /// The scheduler's comment.
    pub comment: ComparedFact,
    /// Whether it waits or can never run, according to the comment's first words.
    pub verdict: ComparedFact,
    /// When and where it is expected to start.
    pub estimate: ComparedFact,
    /// The fact for which the comment is evidence, if the comment differs and that fact was not seen.
    #[serde(skip)]
    pub not_seen: Option<SnapshotFact>,
}

impl JobAgreement {
    /// Returns the worst of the three classes.
    pub fn class(&self) -> AgreementClass {
        self.comment.class.max(self.verdict.class).max(self.estimate.class)
    }
}

/// Compares every waiting job.
pub(super) fn compare(run: &Run) -> Vec<JobAgreement> {
    let jobs = run.plan.snap.jobs.enumerate().filter(|(_, job)| waits(job));
    let mut found: Vec<_> = jobs.map(|(id, job)| compare_job(run, id, job)).collect();
    found.shrink_to_fit();
    found
}

fn waits(job: &Job) -> bool {
    use JobState as S;
    matches!(job.state, S::Queued | S::Held | S::Waiting | S::Suspended | S::Begun)
}

fn compare_job(run: &Run, id: JobId, job: &Job) -> JobAgreement {
    let outcome = starting(run, id);
    // Arrays that have begun keep an old comment, and subjobs show that of their array.
    let stale = job.state == JobState::Begun || job.is_subjob();
    let recorded = job.comment.as_deref().filter(|text| !stale && is_of_scheduler(text));
    let rejection = outcome.and_then(|outcome| outcome.rejection.as_ref());
    let modelled = rejection.map(|rejection| rejection.comment(&run.plan.snap.catalogue));
    let starts = outcome.is_some_and(|outcome| outcome.verdict == Verdict::Run);
    let mut found = JobAgreement {
        name: job.name.clone(),
        not_seen: None,
        comment: match (&modelled, recorded) {
            (Some(modelled), Some(recorded)) => ComparedFact::texts(modelled, recorded),
            (None, Some(recorded)) if starts => ComparedFact::words("it starts", recorded),
            (modelled, recorded) => {
                ComparedFact::without_record(modelled.clone(), recorded.map(ToOwned::to_owned))
            }
        },
        verdict: verdict(outcome, recorded),
        estimate: estimate(run, outcome, job),
    };
    if found.comment.class == AgreementClass::Different {
        found.not_seen = recorded.and_then(|recorded| evidence(&run.plan.snap, recorded));
    }
    if found.not_seen.is_some() {
        for part in [&mut found.comment, &mut found.verdict, &mut found.estimate] {
            if part.class == AgreementClass::Different {
                part.class = AgreementClass::NotSeen;
            }
        }
    }
    found
}

/// Whether the scheduler wrote a comment; others are mostly written by the server or a user.
fn is_of_scheduler(text: &str) -> bool {
    (text.starts_with(NOT_NOW) || text.starts_with(NEVER)) && !text.starts_with(REFUSED)
}

fn verdict(outcome: Option<&Outcome>, recorded: Option<&str>) -> ComparedFact {
    let modelled = outcome.and_then(|outcome| match outcome.verdict {
        // Rejected when it was read, and commented nevertheless.
        Verdict::NotConsidered => outcome.rejection.as_ref().map(|_| Verdict::NotNow),
        verdict => Some(verdict),
    });
    let recorded =
        recorded.map(|text| if text.starts_with(NEVER) { Verdict::Never } else { Verdict::NotNow });
    match (modelled, recorded) {
        (Some(modelled), Some(recorded)) => ComparedFact::words(modelled.word(), recorded.word()),
        (modelled, recorded) => ComparedFact::without_record(
            modelled.map(|v| v.word().to_owned()),
            recorded.map(|v| v.word().to_owned()),
        ),
    }
}

/// Compares estimates of top jobs; that of the dump may be from an earlier cycle.
fn estimate(run: &Run, outcome: Option<&Outcome>, job: &Job) -> ComparedFact {
    let top = outcome.and_then(|outcome| outcome.estimate.as_ref());
    let modelled = top.map(|top| (top.start, top.allocation.merged(&run.plan)));
    let recorded = job.estimate.as_ref().filter(|_| job.topjob != Some(false));
    let recorded = recorded
        .and_then(|recorded| Some((recorded.start?, recorded.exec_vnode.clone().unwrap_or_default())));
    let show = |(start, nodes): &(Epoch, String)| {
        let at = words::clock(&run.plan.snap, *start);
        if nodes.is_empty() { at } else { format!("{at} on {nodes}") }
    };
    let (shown, found) = (modelled.as_ref().map(show), recorded.as_ref().map(show));
    let class = match (&modelled, &recorded) {
        (Some(modelled), Some(recorded)) if modelled == recorded => AgreementClass::Equal,
        (Some((_, nodes)), Some((_, there))) if nodes == there => AgreementClass::OtherNumbers,
        (Some(_), Some(_)) => AgreementClass::Different,
        (None, Some(_)) if outcome.is_some_and(|outcome| outcome.verdict == Verdict::NotNow) => {
            AgreementClass::Different
        }
        (Some(_), None) if job.topjob == Some(false) => AgreementClass::Different,
        _ => AgreementClass::NoEvidence,
    };
    ComparedFact { class, modelled: shown, recorded: found }
}
