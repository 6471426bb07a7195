//! The jobs of each entity at a position of the cycle: running, waiting, and the next.

use qscope_engine::cluster::{Job, JobId, JobState};
use qscope_engine::cycle::Run;
use qscope_engine::cycle::fairshare::{EntityId, FairshareTree};
use qscope_engine::universe::{JobStatus, State};

/// Numbers of jobs of an entity and all below it.
#[derive(Clone, Debug, Default)]
pub(super) struct JobCount {
    pub(super) running: usize,
    pub(super) waiting: usize,
    /// Full id of the next job in the order considered.
    pub(super) next: Option<String>,
}

/// A job that runs or waits, and the entity that its usage is charged to.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareJob {
    pub(super) job: JobId,
    pub(super) entity: EntityId,
    /// Number of running parts, including subjobs of an array that the cycle started.
    pub(super) running: usize,
    pub(super) waits: bool,
}

/// The jobs of all entities.
pub(super) struct EntityJobs {
    counts: Vec<JobCount>,
    jobs: Vec<ShareJob>,
    /// Number of waiting jobs without an entity.
    pub(super) without: usize,
}

impl EntityJobs {
    /// Counts the jobs after `steps` steps of a cycle; `state` must be at that position.
    pub(super) fn of(run: &Run, state: &State, steps: usize, tree: &FairshareTree) -> Self {
        let counts = vec![JobCount::default(); tree.entities().len()];
        let mut found = Self { counts, jobs: Vec::new(), without: 0 };
        for (job, of) in run.plan.snap.jobs.enumerate().filter(|(job, _)| run.plan.reads(*job)) {
            let (running, waits) = running_and_waiting(state, job, of);
            if running == 0 && !waits {
                continue;
            }
            match entity(run, job, tree) {
                Some(entity) => found.add(tree, ShareJob { job, entity, running, waits }),
                None => found.without += usize::from(waits),
            }
        }
        found.find_next(run, steps, tree);
        found
    }

    /// Returns the numbers of an entity and all below it.
    pub(super) fn count(&self, id: EntityId) -> &JobCount {
        const NONE: &JobCount = &JobCount { running: 0, waiting: 0, next: None };
        self.counts.get(id.0 as usize).unwrap_or(NONE)
    }

    pub(super) fn into_jobs(self) -> Vec<ShareJob> {
        self.jobs
    }

    fn add(&mut self, tree: &FairshareTree, job: ShareJob) {
        for step in tree.path(job.entity) {
            if let Some(count) = self.counts.get_mut(step.0 as usize) {
                count.running += job.running;
                count.waiting += usize::from(job.waits);
            }
        }
        self.jobs.push(job);
    }

    fn find_next(&mut self, run: &Run, steps: usize, tree: &FairshareTree) {
        for step in run.steps.iter().skip(steps) {
            let Some(entity) = entity(run, step.outcome.job, tree) else { continue };
            for above in tree.path(entity) {
                if let Some(count) =
                    self.counts.get_mut(above.0 as usize).filter(|count| count.next.is_none())
                {
                    count.next = Some(step.outcome.name(&run.plan.snap));
                }
            }
        }
    }
}

fn entity(run: &Run, job: JobId, tree: &FairshareTree) -> Option<EntityId> {
    let option = &run.plan.snap.policy.fairshare.entity;
    tree.entity_of(run.plan.job(job), option)
}

/// Returns how many parts of a job run at this position, and whether the job or a part of it waits.
fn running_and_waiting(state: &State, job: JobId, of: &Job) -> (usize, bool) {
    let ledger = &state.ledger;
    if let Some(array) = &of.array {
        let started = ledger.started[job] as usize;
        return (started, of.waits() && array.remaining.len() > started);
    }
    let preempted = ledger.preempted[job].is_some();
    let ran = matches!(of.state, JobState::Running | JobState::Exiting) && !preempted;
    if ran || matches!(ledger.jobs[job], JobStatus::Running(_)) {
        return (1, false);
    }
    (0, preempted || of.waits())
}
