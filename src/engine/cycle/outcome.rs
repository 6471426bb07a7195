//! The outcome of a job in the cycle.

use std::borrow::Cow;
use std::sync::Arc;

use crate::cluster::{Epoch, JobId, JobState, Seconds, Snapshot};
use crate::placement::{ExaminedCounts, PathChoice, PlacementPath, ProposedPlacement, SetAttempts};
use crate::universe::{Allocation, Bit, Plan, PreemptMethod, Quirk, Reason, Rejection};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// It starts.
    Run,
    /// Not in this cycle.
    NotNow,
    Never,
    NotConsidered,
}

impl Verdict {
    /// The identifier used in machine-readable output.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The check that refused a job before any path was entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalStage {
    /// Excluded when jobs were read: not considered at all.
    Eligibility,
    /// Its class had already failed; holds the job whose failure counts.
    Class(JobId),
    /// The check against all nodes.
    AllNodes,
    Limit,
    /// Strict ordering: a job ahead could not run.
    Order,
    /// Dedicated or prime time.
    Time,
    QueueResources,
    ServerResources,
}

impl RefusalStage {
    /// The name used in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Eligibility => "eligibility",
            Self::Class(_) => "equivalence class",
            Self::AllNodes => "check against all nodes",
            Self::Limit => "limit",
            Self::Order => "strict ordering",
            Self::Time => "time window",
            Self::QueueResources => "queue resources",
            Self::ServerResources => "server resources",
        }
    }
}

/// A quirk that changed an outcome, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuirkOccurrence {
    pub quirk: Quirk,
    /// The affected job.
    pub job: JobId,
    /// What happened, in one sentence.
    pub what: String,
    /// The nodes that were assigned although they were not free; empty for other quirks.
    pub doubled: Vec<Bit>,
    /// The top job that was planned on its nodes and cannot start then; `None` for other quirks.
    pub delayed: Option<JobId>,
}

/// A request that the scheduler sends to the server other than starting a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerAction {
    /// A running job is preempted.
    Preempt(JobId, PreemptMethod),
    /// A job that the scheduler had suspended is resumed.
    Resume(JobId),
    /// The soft walltime of a running job has passed and is extended to this (rule 6.8).
    ExtendSoft(JobId, Seconds),
}

/// The outcome of one job.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The job.
    pub job: JobId,
    /// The subjob that was started, for arrays.
    pub subjob: Option<u32>,
    /// Its position in the order considered, from 1.
    pub order: Option<u32>,
    pub verdict: Verdict,
    /// The path entered, if any.
    pub path: Option<PlacementPath>,
    /// The path it would use and the rule that decides it; `None` for jobs not considered.
    pub would_use: Option<PathChoice>,
    /// The check that refused it, if no path was entered.
    pub refused_at: Option<RefusalStage>,
    /// Why it does not run, shared by all jobs of a class: most jobs fail with their class.
    pub rejection: Option<Arc<Rejection>>,
    /// Its placement, if it runs.
    pub placed: Option<ProposedPlacement>,
    /// The sets tried.
    pub tries: SetAttempts,
    /// The amount of work done by the search.
    pub examined: ExaminedCounts,
    /// Estimated start and nodes, for top jobs.
    pub estimate: Option<TopJob>,
    /// The walltime that a shrink-to-fit job gets (rule 6.13).
    pub shrunk_to: Option<Seconds>,
    /// Whether it starts through preemption, which uses the node path whatever its path was before.
    pub by_preemption: bool,
    /// Jobs that were preempted for it, in the order sent to the server (rule 6.10).
    pub victims: Vec<(JobId, PreemptMethod)>,
}

/// A top job: its planned start and nodes (rule 6.8).
#[derive(Clone, Debug)]
pub struct TopJob {
    /// The planned start.
    pub start: Epoch,
    /// The planned nodes.
    pub allocation: Arc<Allocation>,
    /// The path entered while simulating.
    pub path: PlacementPath,
    /// Windows simulated before it fitted.
    pub windows: u32,
}

impl Outcome {
    /// Returns the full id of the subjob, if one was started, otherwise of the job.
    pub fn name(&self, snap: &Snapshot) -> String {
        self.name_in(snap).into_owned()
    }

    /// Like [`name`](Self::name), but allocates only for subjobs.
    pub fn name_in<'a>(&self, snap: &'a Snapshot) -> Cow<'a, str> {
        let job = &snap.jobs[self.job];
        let subjob = self.subjob.and_then(|index| job.subjob_name(index));
        subjob.map_or(Cow::Borrowed(&*job.name), Cow::Owned)
    }

    /// Returns the path that placed or refused it: the node path after a preemption, whatever its path was before
    /// (rule 6.10); `None` if it was refused before any path.
    pub fn entered(&self) -> Option<PlacementPath> {
        if self.by_preemption { Some(PlacementPath::Node) } else { self.path }
    }

    /// Creates the outcome of a job refused when it was read: `Never` if waiting cannot help, unless it is an array
    /// that has begun.
    pub fn refused_at_query(plan: &Plan, job: JobId, rejection: Option<Rejection>) -> Self {
        let rejection = rejection.map(Arc::new);
        let has_begun = plan.job(job).is_array() && plan.job(job).state == JobState::Begun;
        let never = !has_begun && rejection.as_ref().is_some_and(|rejection| rejection.is_permanent);
        let verdict = if never { Verdict::Never } else { Verdict::NotConsidered };
        Self { verdict, ..Self::not_considered(job, rejection) }
    }

    /// Returns the comment that the server gets for a job that does not start; `None` for an array that has begun,
    /// whose comment the scheduler leaves unchanged (rule 6.12).
    pub fn comment(&self, snap: &Snapshot) -> Option<String> {
        let job = &snap.jobs[self.job];
        let has_begun = job.is_array() && job.state == JobState::Begun;
        // The limit of this program is reported in any case.
        let is_sent = |rejection: &&Arc<Rejection>| !has_begun || rejection.reason == Reason::TooManySubjobs;
        self.rejection.as_ref().filter(is_sent).map(|rejection| rejection.comment(&snap.catalogue))
    }

    /// Creates the outcome of a job that is not considered.
    pub fn not_considered(job: JobId, rejection: Option<Arc<Rejection>>) -> Self {
        Self {
            job,
            subjob: None,
            order: None,
            verdict: Verdict::NotConsidered,
            path: None,
            would_use: None,
            refused_at: Some(RefusalStage::Eligibility),
            rejection,
            placed: None,
            tries: SetAttempts::default(),
            examined: ExaminedCounts::default(),
            estimate: None,
            shrunk_to: None,
            by_preemption: false,
            victims: Vec::new(),
        }
    }
}
