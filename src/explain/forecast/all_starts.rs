//! Forecasts the starts of all waiting jobs in one pass.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use qscope_engine::cluster::{Epoch, JobId};
use qscope_engine::cycle::{Outcome, Run};

use super::{ForecastListener, ForecastProgress, ForecastStepper, may_ever_start};
use crate::undone_starts::standing_starts;

/// The starts of jobs, assuming that no job arrives and walltimes hold.
#[derive(Clone, Debug)]
pub struct ForecastStarts {
    /// The first start of each job that starts after the current cycle; for an array, of what that cycle leaves.
    pub at: BTreeMap<JobId, Epoch>,
    /// The last moment examined.
    pub until: Epoch,
    /// Whether nothing is left to happen after that moment.
    pub is_all: bool,
}

/// Forecasts the start of each waiting job in one pass. The cycle is run forward, event by event, and every job is
/// recorded at the first cycle that starts it, as [`forecast`](super::forecast) does for one. `listener` receives the
/// progress and may stop it; jobs not started by then are left out.
pub fn all_starts(run: &Arc<Run>, listener: ForecastListener<'_>) -> ForecastStarts {
    starts_of(run, &|_| true, listener)
}

fn starts_of(
    run: &Arc<Run>,
    is_asked: &dyn Fn(&Outcome) -> bool,
    listener: ForecastListener<'_>,
) -> ForecastStarts {
    let may = |outcome: &&Outcome| is_asked(outcome) && may_ever_start(run, outcome.job);
    let waits = |outcome: &&Outcome| !run.is_start(outcome) && may(outcome);
    let mut waiting: BTreeSet<JobId> = run.outcomes().filter(waits).map(|outcome| outcome.job).collect();
    let mut found = ForecastStarts { at: BTreeMap::new(), until: run.plan.snap.now, is_all: true };
    let (mut forward, mut current, mut cycles) = (ForecastStepper::new(run), run.clone(), 0);
    while !waiting.is_empty() {
        let (after, next) = forward.after(current);
        let Some(next) = next else { return found };
        if listener(ForecastProgress { cycles, at: next }).is_break() {
            return ForecastStarts { is_all: false, ..found };
        }
        current = forward.cycle_at(after, next);
        cycles += 1;
        found.until = next;
        for (job, _) in started(&current) {
            if waiting.remove(&job) {
                found.at.insert(job, next);
            }
        }
    }
    found
}

/// Like [`all_starts`], without top jobs, which have the scheduler's own estimate.
pub fn forecasts(run: &Arc<Run>, listener: ForecastListener<'_>) -> BTreeMap<JobId, Epoch> {
    starts_of(run, &|outcome| outcome.estimate.is_none(), listener).at
}

/// Returns the jobs that a cycle starts and that run after it, excluding those preempted again and those that the
/// server refuses. A subjob listed in the dump is returned in addition to its array.
pub(super) fn started(run: &Run) -> impl Iterator<Item = (JobId, &Outcome)> {
    let snap = &run.plan.snap;
    let starts = standing_starts(run, run.steps.len()).map(|step| &step.outcome);
    let subjobs = snap.jobs.enumerate().filter(|(_, job)| job.is_subjob());
    let listed: BTreeMap<&str, JobId> = subjobs.map(|(id, job)| (&*job.name, id)).collect();
    starts.filter(|outcome| run.is_start(outcome)).flat_map(move |outcome| {
        let index = outcome.subjob.filter(|_| !listed.is_empty());
        let name = index.and_then(|index| snap.jobs[outcome.job].subjob_name(index));
        let subjob = name.and_then(|name| listed.get(&*name).copied());
        std::iter::once((outcome.job, outcome)).chain(subjob.map(|id| (id, outcome)))
    })
}
