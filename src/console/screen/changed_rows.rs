//! What changed since an earlier snapshot, for the marks of rows (console.md 6, Live).

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::departed_jobs::left_jobs;
use super::{ChangedIds, ChangedRows, running};
use qscope_engine::cluster::{ExecVnode, JobId, Name};
use qscope_engine::cycle::{Outcome, Run};
use qscope_engine::universe::Reason;
use qscope_session::compare::changed_nodes;

/// Jobs of the new run whose verdict, reason, path or nodes changed, or that started to run; new jobs; jobs of the old
/// run that left; and nodes that changed or are new.
pub(super) fn changed_rows(before: &Run, now: &Run) -> ChangedRows {
    let (changed, new) = changed_nodes(&before.plan.snap, &now.plan.snap);
    let nodes = ChangedIds { changed: changed.into_iter().collect(), new: new.into_iter().collect() };
    ChangedRows { jobs: PreviousJobs::of(before).changed_in(now), nodes, left: left_jobs(before, now) }
}

/// The jobs of a cycle by name, including the subjobs that start in it, which may not be in the dump.
struct PreviousJobs<'r> {
    run: &'r Run,
    outcomes: FxHashMap<Cow<'r, str>, &'r Outcome>,
    jobs: FxHashMap<&'r str, JobId>,
}

impl<'r> PreviousJobs<'r> {
    fn of(run: &'r Run) -> Self {
        let snap = &run.plan.snap;
        let outcomes = run.outcomes().map(|outcome| (outcome.name_in(snap), outcome)).collect();
        let jobs = snap.jobs.enumerate().map(|(id, job)| (&*job.name, id)).collect();
        Self { run, outcomes, jobs }
    }

    fn changed_in(&self, now: &Run) -> ChangedIds<JobId> {
        let mut found = ChangedIds::default();
        for outcome in now.outcomes() {
            let name = outcome.name_in(&now.plan.snap);
            let is_other = match self.outcomes.get(&name) {
                Some(old) => is_other((self.run, old), (now, outcome)),
                // It ran, and waits again.
                None => self.was_running(&name),
            };
            if is_other {
                found.changed.insert(outcome.job);
            }
            if !self.jobs.contains_key(&*now.plan.job(outcome.job).name) {
                found.new.insert(outcome.job);
            }
        }
        for job in running(now).filter_map(|row| row.job(now)) {
            let name = &*now.plan.job(job).name;
            if self.is_unknown(name) {
                found.new.insert(job);
            } else if !self.was_running(name) || self.nodes_of(name) != exec_vnode(now, job) {
                found.changed.insert(job);
            }
        }
        found
    }

    fn is_unknown(&self, name: &str) -> bool {
        !self.jobs.contains_key(name) && !self.outcomes.contains_key(name)
    }

    fn was_running(&self, name: &str) -> bool {
        self.jobs.get(name).is_some_and(|job| self.run.runs_before(*job))
    }

    fn nodes_of(&self, name: &str) -> Option<&ExecVnode> {
        self.jobs.get(name).and_then(|job| exec_vnode(self.run, *job))
    }
}

/// Whether a job that waits or starts has changed.
fn is_other((before, old): (&Run, &Outcome), (now, new): (&Run, &Outcome)) -> bool {
    before.verdict(old) != now.verdict(new)
        || old.entered() != new.entered()
        || reason_of(old) != reason_of(new)
        || !names(before, old).eq(names(now, new))
}

/// Why a job was refused, without the numbers, which differ at every moment.
fn reason_of(outcome: &Outcome) -> Option<Reason> {
    outcome.rejection.as_ref().map(|rejection| rejection.reason.clone().erased())
}

/// The vnodes that a job starts on, in the order of allocation.
fn names<'r>(run: &'r Run, outcome: &'r Outcome) -> impl Iterator<Item = &'r Name> {
    let pieces = outcome.placed.iter().flat_map(|placed| &placed.allocation.pieces);
    pieces.map(|piece| run.plan.node_name(piece.bit))
}

/// Where a job runs according to the dump.
fn exec_vnode(run: &Run, job: JobId) -> Option<&ExecVnode> {
    run.plan.job(job).exec_vnode.as_ref()
}
