//! The ledger of the cycle: which jobs run, which cannot, and which job classes failed.

use std::sync::Arc;

use crate::cluster::{Column, JobId, JobState};

use crate::universe::{Allocation, JobLevel, MeterIx, Plan, PreemptMethod, Rejection};

crate::id!(
    /// A class of jobs that the scheduler treats as equal (rule 6.2).
    ClassId
);

/// Status of a job within the cycle.
#[derive(Clone, Debug)]
pub enum JobStatus {
    /// Not considered yet.
    Waiting,
    /// Started in this cycle, or running before it.
    Running(Arc<Allocation>),
    /// Refused in this cycle.
    Refused,
    /// Excluded from the cycle.
    Excluded,
}

/// Status of jobs, classes and meters.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Status of each job.
    pub jobs: Column<JobId, JobStatus>,
    /// Why each class failed, if it did.
    pub failed: Column<ClassId, Option<Arc<Rejection>>>,
    /// The job with which each class failed.
    pub first_failed: Column<ClassId, Option<JobId>>,
    /// Value of each meter.
    pub meters: Column<MeterIx, f64>,
    /// Number of subjobs of each array started in this cycle.
    pub started: Column<JobId, u32>,
    /// Number of subjobs of all arrays started in this cycle.
    pub started_in_all: u64,
    /// Number of subjobs of each array that run now; in a simulation, at its time.
    pub running_subjobs: Column<JobId, u32>,
    /// Jobs that were made top jobs in this cycle.
    pub top_jobs: Column<JobId, bool>,
    /// How each job was preempted in this cycle, if it was.
    pub preempted: Column<JobId, Option<PreemptMethod>>,
    /// Where each job ran that was started and preempted in this cycle.
    pub former_allocations: Column<JobId, Option<Arc<Allocation>>>,
    /// Whether each meter exceeded its soft limit when last tested (rule 6.10).
    pub exceeded_soft_limits: Column<MeterIx, bool>,
    /// The preemption level of each job when last read.
    pub levels: Column<JobId, JobLevel>,
    /// Number of running jobs in each level when last counted: first those above all levels, then by place.
    pub by_place: Arc<[u32]>,
}

impl Ledger {
    /// Makes room for the results of this number of job classes, none of which failed.
    pub(crate) fn size_classes(&mut self, classes: usize) {
        self.failed = Column::filled(classes, None);
        self.first_failed = Column::filled(classes, None);
    }

    /// Whether a job runs and may be preempted; not if it is exiting.
    pub fn runs(&self, plan: &Plan, job: JobId) -> bool {
        matches!(self.jobs[job], JobStatus::Running(_)) && plan.job(job).state != JobState::Exiting
    }

    /// Whether a job was preempted in this cycle and must return to its own nodes.
    pub fn returns(&self, job: JobId) -> bool {
        self.return_method(job).is_some()
    }

    /// Returns how a job was preempted in this cycle if it must return to its own nodes.
    pub fn return_method(&self, job: JobId) -> Option<PreemptMethod> {
        self.preempted[job].filter(|method| method.keeps_nodes())
    }
}

/// A cell of the ledger and the value that it does not currently hold.
#[derive(Clone, Debug)]
pub enum LedgerChange {
    /// Status of a job.
    Job(JobId, JobStatus),
    /// Why a class failed, and with which job.
    Failed(ClassId, Option<Arc<Rejection>>, Option<JobId>),
    /// Value of a meter.
    Meter(MeterIx, f64),
    /// Number of subjobs of an array started in this cycle.
    StartedSubjobs(JobId, u32),
    /// Number of running subjobs of an array.
    RunningSubjobs(JobId, u32),
    /// Whether a job is a top job.
    TopJob(JobId, bool),
    Preempted(JobId, Option<PreemptMethod>),
    /// Where a job ran that was started in this cycle.
    FormerAllocation(JobId, Option<Arc<Allocation>>),
    /// Whether a meter exceeds its soft limit.
    SoftLimitExceeded(MeterIx, bool),
    Level(JobId, Box<JobLevel>),
    /// Number of running jobs in each level.
    ByPlace(Arc<[u32]>),
}

impl LedgerChange {
    /// Swaps the value with the one in the ledger.
    pub fn swap(&mut self, ledger: &mut Ledger) {
        match self {
            Self::Job(job, value) => std::mem::swap(value, &mut ledger.jobs[*job]),
            Self::Meter(meter, value) => std::mem::swap(value, &mut ledger.meters[*meter]),
            Self::StartedSubjobs(job, value) => {
                let all = ledger.started_in_all.saturating_sub(ledger.started[*job].into());
                ledger.started_in_all = all.saturating_add((*value).into());
                std::mem::swap(value, &mut ledger.started[*job]);
            }
            Self::RunningSubjobs(job, value) => std::mem::swap(value, &mut ledger.running_subjobs[*job]),
            Self::FormerAllocation(job, value) => std::mem::swap(value, &mut ledger.former_allocations[*job]),
            Self::Preempted(job, value) => std::mem::swap(value, &mut ledger.preempted[*job]),
            Self::SoftLimitExceeded(meter, value) => {
                std::mem::swap(value, &mut ledger.exceeded_soft_limits[*meter]);
            }
            Self::Level(job, value) => std::mem::swap(&mut **value, &mut ledger.levels[*job]),
            Self::ByPlace(value) => std::mem::swap(value, &mut ledger.by_place),
            Self::TopJob(job, value) => std::mem::swap(value, &mut ledger.top_jobs[*job]),
            Self::Failed(class, why, who) => {
                std::mem::swap(why, &mut ledger.failed[*class]);
                std::mem::swap(who, &mut ledger.first_failed[*class]);
            }
        }
    }
}
