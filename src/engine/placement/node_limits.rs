//! Refusals by single nodes that only the node path checks: power profiles and limits (rule 4.2, tests 2, 6 and 7).

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Arrangement, Job, JobId, ResourceId};
use crate::universe::{Bit, EventKind, JobRequest, NodeSet, Occupant, Reason, State};

/// Returns the nodes of a list that refuse a job, each with the reason.
pub fn refusing(
    state: &State,
    list: &NodeSet,
    occupant: Occupant,
    request: &JobRequest,
) -> Vec<(Bit, Reason)> {
    let mut refusing = without_profile(state, list, request);
    let Occupant::Job(job, _) = occupant else { return refusing };
    let limited = &state.plan.masks.limited;
    if !list.intersects(limited) {
        return refusing;
    }
    let limited = list.common(limited);
    let running = RunningJobCounts::new(state);
    refusing.extend(limited.iter().filter_map(|bit| Some((bit, running.refusal(bit, job, request)?))));
    refusing
}

/// Returns the nodes that do not have the requested power profile (`eoe`) (test 2).
fn without_profile(state: &State, list: &NodeSet, request: &JobRequest) -> Vec<(Bit, Reason)> {
    let plan = &state.plan;
    let mut shapes = request.specs.iter().map(|spec| &plan.shapes[spec.shape]);
    let Some(profile) = shapes.find_map(|shape| shape.requirement(ResourceId::eoe())?.text()) else {
        return Vec::new();
    };
    let knows = |bit: &Bit| {
        let known = plan.node(*bit).available.get(ResourceId::eoe());
        known.is_some_and(|known| known.texts().contains(profile))
    };
    list.iter().filter(|bit| !knows(bit)).map(|bit| (bit, Reason::EoeMissing(profile.clone()))).collect()
}

/// Returns the nodes that accept no multi-node jobs.
pub(super) fn single_node_job_nodes(state: &State, list: &NodeSet) -> NodeSet {
    let plan = &state.plan;
    let alone = list.common(&plan.masks.limited);
    let alone = alone.iter().filter(|bit| plan.node(*bit).no_multinode_jobs);
    NodeSet::of(plan.nodes.len(), alone)
}

/// Counts similar running jobs per node: those with an expected end that are not merely planned to start. Counted at
/// most once, and only if a node has such a limit, because it walks the whole timeline.
struct RunningJobCounts<'a> {
    state: &'a State,
    of_user: OnceCell<FxHashMap<Bit, u32>>,
    by_group: OnceCell<FxHashMap<Bit, u32>>,
}

impl<'a> RunningJobCounts<'a> {
    fn new(state: &'a State) -> Self {
        Self { state, of_user: OnceCell::new(), by_group: OnceCell::new() }
    }

    /// Returns the number of similar jobs running on a node.
    fn similar_running(
        &self,
        bit: Bit,
        counts: &OnceCell<FxHashMap<Bit, u32>>,
        alike: impl Fn(&Job) -> bool,
    ) -> u32 {
        let counts = counts.get_or_init(|| self.count(|job| alike(self.state.plan.job(job))));
        counts.get(&bit).copied().unwrap_or(0)
    }

    /// Counts the similar jobs on each node.
    fn count(&self, alike: impl Fn(JobId) -> bool) -> FxHashMap<Bit, u32> {
        let timeline = &self.state.timeline;
        let planned: FxHashSet<Occupant> = timeline
            .iter()
            .filter(|(key, _)| key.kind == EventKind::Run)
            .map(|(_, event)| event.occupant)
            .collect();
        let mut counts = FxHashMap::default();
        for (_, event) in timeline.iter().filter(|(key, _)| key.kind == EventKind::End) {
            let Occupant::Job(job, _) = event.occupant else { continue };
            if alike(job) && !planned.contains(&event.occupant) {
                event.allocation.nodes().into_iter().for_each(|bit| *counts.entry(bit).or_default() += 1);
            }
        }
        counts
    }

    fn refusal(&self, bit: Bit, job: JobId, request: &JobRequest) -> Option<Reason> {
        let plan = &self.state.plan;
        let node = plan.node(bit);
        let me = plan.job(job);
        let reached =
            |limit: Option<u32>, count: &dyn Fn() -> u32| limit.is_some_and(|limit| limit <= count());
        if plan.snap.qrun == Some(job) {
            return self.refuses_spread(bit, job, request);
        }
        if reached(node.max_running, &|| u32::from(self.state.occupancy.load[bit].jobs)) {
            return Some(Reason::NodeJobLimit);
        }
        if reached(node.max_user_run, &|| {
            self.similar_running(bit, &self.of_user, |other| other.user == me.user)
        }) {
            return Some(Reason::NodeUserLimit);
        }
        if reached(node.max_group_run, &|| {
            self.similar_running(bit, &self.by_group, |other| other.group == me.group)
        }) {
            return Some(Reason::NodeGroupLimit);
        }
        self.refuses_spread(bit, job, request)
    }

    /// Test 7, the only one that applies under qrun too.
    fn refuses_spread(&self, bit: Bit, job: JobId, request: &JobRequest) -> Option<Reason> {
        let plan = &self.state.plan;
        let refuses = plan.node(bit).no_multinode_jobs;
        (refuses && is_known_to_span(self.state, job, request)).then_some(Reason::NoMultinode)
    }
}

/// Whether a job is known to need several nodes before it is placed. If hosts have several vnodes, chunks on
/// different vnodes may share a host. A job that returns to its previous nodes has one chunk for each.
fn is_known_to_span(state: &State, job: JobId, request: &JobRequest) -> bool {
    let is_apart = match request.place.arrangement {
        Arrangement::Scatter => true,
        Arrangement::Vscatter => !state.plan.multi_vnode.exists,
        Arrangement::Free | Arrangement::Pack => false,
    };
    request.total_chunks() > 1 && (is_apart || state.must_return(job))
}
