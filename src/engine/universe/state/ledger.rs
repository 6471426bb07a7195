//! The books of the cycle: which jobs run, which cannot, and which classes of jobs failed.

use std::sync::Arc;

use crate::cluster::{Column, JobId, JobState};

use crate::universe::{Allocation, Level, MeterIx, Plan, PreemptMethod, Rejection};

crate::id!(
    /// One class of jobs that the scheduler takes for equal (rule 6.2).
    ClassId
);

/// How a job stands within the cycle.
#[derive(Clone, Debug)]
pub enum JobStatus {
    /// Not considered yet.
    Waiting,
    /// Started in this cycle, or running before it.
    Running(Arc<Allocation>),
    /// Turned away in this cycle.
    Refused,
    /// Not to be considered at all.
    Out,
}

/// The books.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// How each job stands.
    pub jobs: Column<JobId, JobStatus>,
    /// Why a class failed, if it did.
    pub failed: Column<ClassId, Option<Arc<Rejection>>>,
    /// The job whose failure counts for its class.
    pub first_failed: Column<ClassId, Option<JobId>>,
    /// Where each meter stands.
    pub meters: Column<MeterIx, f64>,
    /// How many subjobs of each array were started in this cycle.
    pub started: Column<JobId, u32>,
    /// How many subjobs of all arrays were started in this cycle.
    pub started_in_all: u64,
    /// How many subjobs of each array run now, in a simulation at its time.
    pub running_subjobs: Column<JobId, u32>,
    /// Jobs that were made top jobs in this cycle.
    pub top: Column<JobId, bool>,
    /// How each job was preempted in this cycle, if it was.
    pub preempted: Column<JobId, Option<PreemptMethod>>,
    /// Where each job ran that started in this cycle and was preempted in it.
    pub left: Column<JobId, Option<Arc<Allocation>>>,
    /// Whether each meter stands above the soft limit on it, as it was tested last (rule 6.10).
    pub over: Column<MeterIx, bool>,
    /// The preemption level of each job, as it was read last.
    pub levels: Column<JobId, Level>,
    /// How many jobs run in each level, as they were counted last: first those above all, then by place.
    pub by_place: Arc<[u32]>,
}

impl Ledger {
    /// Whether a job runs now, so that it may be preempted: not one that is about to end.
    pub fn runs(&self, plan: &Plan, job: JobId) -> bool {
        matches!(self.jobs[job], JobStatus::Running(_)) && plan.job(job).state != JobState::Exiting
    }

    /// Whether a job was preempted in this cycle and has to go back to its own nodes.
    pub fn returns(&self, job: JobId) -> bool {
        self.way_back(job).is_some()
    }

    /// How a job was preempted in this cycle that has to go back to its own nodes.
    pub fn way_back(&self, job: JobId) -> Option<PreemptMethod> {
        self.preempted[job].filter(|method| method.keeps_nodes())
    }
}

/// A cell of the books and the value that it does not hold at the moment.
#[derive(Clone, Debug)]
pub enum LedgerChange {
    /// How a job stands.
    Job(JobId, JobStatus),
    /// Why a class failed.
    Failed(ClassId, Option<Arc<Rejection>>, Option<JobId>),
    /// Where a meter stands.
    Meter(MeterIx, f64),
    /// How many subjobs were started.
    Started(JobId, u32),
    /// How many subjobs run.
    RunningSubjobs(JobId, u32),
    /// Whether a job is a top job.
    Top(JobId, bool),
    Preempted(JobId, Option<PreemptMethod>),
    /// Where a job ran that started in this cycle.
    Left(JobId, Option<Arc<Allocation>>),
    /// Whether a meter stands above its soft limit.
    Over(MeterIx, bool),
    Level(JobId, Box<Level>),
    /// How many jobs run in each level.
    ByPlace(Arc<[u32]>),
}

impl LedgerChange {
    /// Exchanges the value here with the value in the books.
    pub fn swap(&mut self, ledger: &mut Ledger) {
        match self {
            Self::Job(job, value) => std::mem::swap(value, &mut ledger.jobs[*job]),
            Self::Meter(meter, value) => std::mem::swap(value, &mut ledger.meters[*meter]),
            Self::Started(job, value) => {
                let all = ledger.started_in_all.saturating_sub(ledger.started[*job].into());
                ledger.started_in_all = all.saturating_add((*value).into());
                std::mem::swap(value, &mut ledger.started[*job]);
            }
            Self::RunningSubjobs(job, value) => std::mem::swap(value, &mut ledger.running_subjobs[*job]),
            Self::Left(job, value) => std::mem::swap(value, &mut ledger.left[*job]),
            Self::Preempted(job, value) => std::mem::swap(value, &mut ledger.preempted[*job]),
            Self::Over(meter, value) => std::mem::swap(value, &mut ledger.over[*meter]),
            Self::Level(job, value) => std::mem::swap(&mut **value, &mut ledger.levels[*job]),
            Self::ByPlace(value) => std::mem::swap(value, &mut ledger.by_place),
            Self::Top(job, value) => std::mem::swap(value, &mut ledger.top[*job]),
            Self::Failed(class, why, who) => {
                std::mem::swap(why, &mut ledger.failed[*class]);
                std::mem::swap(who, &mut ledger.first_failed[*class]);
            }
        }
    }
}
