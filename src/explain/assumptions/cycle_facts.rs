//! Facts of a whole cycle needed for every verdict, computed once instead of per job.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use qscope_engine::cluster::{Catalogue, JobState, ResourceId, SnapshotFact, not_listed};
use qscope_engine::cycle::{Run, Verdict};
use qscope_engine::universe::Bit;

use crate::evidence::evidence;

/// Facts of a cycle, its jobs and its vnodes.
#[derive(Debug)]
pub(super) struct CycleFacts {
    /// Number of jobs that the cycle considers; arrays count once.
    pub(super) considered: usize,
    /// Whether one of them does not start, for any reason.
    pub(super) is_any_waiting: bool,
    pub(super) are_jobs_running: bool,
    pub(super) are_jobs_suspended: bool,
    pub(super) have_nodes_partitions: bool,
    /// The smallest order number of a starting job; the outer `None` means that no job starts.
    pub(super) first_start: Option<Option<u32>>,
    /// Facts that were not seen, but that the scheduler's comment on some job is evidence of.
    pub(super) evident_facts: FxHashSet<SnapshotFact>,
    /// Whether jobs could be preempted; computed on first use.
    pub(super) others_preempt: OnceCell<bool>,
    /// Vnodes used by running jobs that they do not list.
    pub(super) used_unlisted: FxHashSet<Bit>,
    built_in: Catalogue,
    carried: FxHashSet<ResourceId>,
}

impl CycleFacts {
    pub(super) fn new(run: &Run) -> Self {
        let snap = &run.plan.snap;
        let is_any = |state| snap.jobs.iter().any(|job| job.state == state);
        let resources = snap.nodes.iter().flat_map(|node| node.available.iter());
        Self {
            considered: run.considered,
            is_any_waiting: run.steps.iter().any(|step| step.outcome.verdict != Verdict::Run),
            are_jobs_running: is_any(JobState::Running),
            are_jobs_suspended: is_any(JobState::Suspended),
            have_nodes_partitions: snap.nodes.iter().any(|node| node.partition.is_some()),
            first_start: run.outcomes().filter(|outcome| outcome.placed.is_some()).map(|one| one.order).min(),
            evident_facts: snap
                .jobs
                .iter()
                .filter_map(|job| evidence(snap, job.comment.as_deref()?))
                .collect(),
            others_preempt: OnceCell::new(),
            used_unlisted: used_unlisted(run),
            built_in: Catalogue::default(),
            carried: resources.map(|(id, _)| id).collect(),
        }
    }

    /// Whether a resource is defined by the site, and so may be supplied by a program.
    pub(super) fn is_of_site(&self, name: &str) -> bool {
        self.built_in.id(name).is_none()
    }

    /// Whether some vnode has a value of a resource.
    pub(super) fn is_carried(&self, resource: Option<ResourceId>) -> bool {
        resource.is_some_and(|id| self.carried.contains(&id))
    }
}

/// Returns the vnodes used by running jobs that they do not list.
fn used_unlisted(run: &Run) -> FxHashSet<Bit> {
    let snap = &run.plan.snap;
    let nodes = not_listed(snap).into_iter().flat_map(|(_, nodes)| nodes);
    let names = nodes.filter_map(|id| Some(&snap.nodes.checked(id)?.name));
    names.filter_map(|name| run.plan.bit_named.get(name).copied()).collect()
}
