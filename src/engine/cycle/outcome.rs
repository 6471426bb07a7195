//! What became of a job in the cycle.

use std::borrow::Cow;
use std::sync::Arc;

use crate::cluster::{Epoch, JobId, JobState, Seconds, Snapshot};
use crate::placement::{Examined, Path, PathChoice, Placed, Tries};
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
    /// The word for programs.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Where a job was refused before any path was entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// At query time: it is not to be considered at all.
    Eligibility,
    /// Its class had failed already; the job whose failure counts.
    Class(JobId),
    /// The check against all nodes.
    AllNodes,
    Limit,
    /// The order: a job ahead could not run and the order is strict.
    Order,
    /// Dedicated or prime time.
    Time,
    QueueResources,
    ServerResources,
}

impl Stage {
    /// The word for programs.
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
pub struct Witness {
    pub quirk: Quirk,
    /// The job concerned.
    pub job: JobId,
    /// What happened, in one sentence.
    pub what: String,
    /// The nodes that were given away although they were not free; none for other quirks.
    pub doubled: Vec<Bit>,
}

/// What the scheduler sends to the server besides starting jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerAction {
    /// A running job is preempted.
    Preempt(JobId, PreemptMethod),
    /// A job that the scheduler had suspended goes on.
    Resume(JobId),
    /// The soft walltime of a running job has passed, and is extended to this (rule 6.8).
    ExtendSoft(JobId, Seconds),
}

/// What became of one job.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The job.
    pub job: JobId,
    /// The subjob that was started, for arrays.
    pub subjob: Option<u32>,
    /// Its place in the order considered, from 1.
    pub order: Option<u32>,
    pub verdict: Verdict,
    /// The path entered.
    pub path: Option<Path>,
    /// The path it would use and the rule that decides it; none for jobs not considered.
    pub would_use: Option<PathChoice>,
    /// Where it was refused, if no path was entered.
    pub refused_at: Option<Stage>,
    /// Why it does not run, shared by all jobs of a class: most jobs fail with their class.
    pub rejection: Option<Arc<Rejection>>,
    /// Where it runs.
    pub placed: Option<Placed>,
    /// The sets tried.
    pub tries: Tries,
    /// How much was examined.
    pub examined: Examined,
    /// When and where it is expected to start, for top jobs.
    pub estimate: Option<TopJob>,
    /// How long a shrink-to-fit job gets (rule 6.13).
    pub shrunk_to: Option<Seconds>,
    /// Whether it starts by way of preemption, on the node path, whatever its path was before.
    pub by_preemption: bool,
    /// Jobs that were preempted for it, in the order sent to the server (rule 6.10).
    pub victims: Vec<(JobId, PreemptMethod)>,
}

/// A top job: where and when it is to start (rule 6.8).
#[derive(Clone, Debug)]
pub struct TopJob {
    /// When.
    pub start: Epoch,
    /// Where.
    pub allocation: Arc<Allocation>,
    /// The path entered while simulating.
    pub path: Path,
    /// Windows simulated before it fitted.
    pub windows: u32,
}

impl Outcome {
    /// The full id: of the subjob, where one was started, else of the job.
    pub fn name(&self, snap: &Snapshot) -> String {
        self.name_in(snap).into_owned()
    }

    /// The same, made only where no job of the dump has it.
    pub fn name_in<'a>(&self, snap: &'a Snapshot) -> Cow<'a, str> {
        let job = &snap.jobs[self.job];
        let subjob = self.subjob.and_then(|index| job.subjob_name(index));
        subjob.map_or(Cow::Borrowed(&*job.name), Cow::Owned)
    }

    /// The path by which it was placed or refused: after a preemption the node path, whatever its path was before
    /// (rule 6.10); none where it was refused before any.
    pub fn entered(&self) -> Option<Path> {
        if self.by_preemption { Some(Path::Node) } else { self.path }
    }

    /// A job refused when it was read: never, where waiting will not help. An array that has begun is left alone.
    pub fn refused_at_query(plan: &Plan, job: JobId, rejection: Option<Rejection>) -> Self {
        let rejection = rejection.map(Arc::new);
        let has_begun = plan.job(job).is_array() && plan.job(job).state == JobState::Begun;
        let never = !has_begun && rejection.as_ref().is_some_and(|rejection| rejection.never);
        let verdict = if never { Verdict::Never } else { Verdict::NotConsidered };
        Self { verdict, ..Self::not_considered(job, rejection) }
    }

    /// The comment that the server gets for a job that does not start; none for an array that has begun, whose comment
    /// the scheduler leaves alone (rule 6.12).
    pub fn comment(&self, snap: &Snapshot) -> Option<String> {
        let job = &snap.jobs[self.job];
        let has_begun = job.is_array() && job.state == JobState::Begun;
        // A bound of this program is reported all the same.
        let is_sent = |rejection: &&Arc<Rejection>| !has_begun || rejection.reason == Reason::TooManySubjobs;
        self.rejection.as_ref().filter(is_sent).map(|rejection| rejection.comment(&snap.catalogue))
    }

    /// A job that is not considered.
    pub fn not_considered(job: JobId, rejection: Option<Arc<Rejection>>) -> Self {
        Self {
            job,
            subjob: None,
            order: None,
            verdict: Verdict::NotConsidered,
            path: None,
            would_use: None,
            refused_at: Some(Stage::Eligibility),
            rejection,
            placed: None,
            tries: Tries::default(),
            examined: Examined::default(),
            estimate: None,
            shrunk_to: None,
            by_preemption: false,
            victims: Vec::new(),
        }
    }
}
