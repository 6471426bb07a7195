//! What single nodes refuse a job for, which the node path alone examines: power profiles and limits (rule 4.2,
//! tests 2, 6 and 7).

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Arrangement, Job, JobId, ResourceId};
use crate::universe::{Bit, EventKind, JobRequest, NodeSet, Occupant, Reason, State};

/// The nodes of a list that will not take a job, each with the reason.
pub fn refusing(
    state: &State,
    list: &NodeSet,
    occupant: Occupant,
    request: &JobRequest,
) -> Vec<(Bit, Reason)> {
    let mut refusing = without_profile(state, list, request);
    let Occupant::Job(job, _) = occupant else { return refusing };
    let limited = &state.plan.masks.limited;
    if !list.meets(limited) {
        return refusing;
    }
    let limited = list.common(limited);
    let running = Running::new(state);
    refusing.extend(limited.iter().filter_map(|bit| Some((bit, running.refusal(bit, job, request)?))));
    refusing
}

/// The nodes that do not know the power profile (`eoe`) requested (test 2).
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

/// The nodes that take no job that spans nodes.
pub(super) fn alone_only(state: &State, list: &NodeSet) -> NodeSet {
    let plan = &state.plan;
    let alone = list.common(&plan.masks.limited);
    let alone = alone.iter().filter(|bit| plan.node(*bit).no_multinode_jobs);
    NodeSet::of(plan.nodes.len(), alone)
}

/// How many jobs like one run on each node: those that are expected to end, and not only planned to start. Counted once
/// where a node's limit asks for it, which takes a walk along the whole timeline.
struct Running<'a> {
    state: &'a State,
    of_user: OnceCell<FxHashMap<Bit, u32>>,
    of_group: OnceCell<FxHashMap<Bit, u32>>,
}

impl<'a> Running<'a> {
    fn new(state: &'a State) -> Self {
        Self { state, of_user: OnceCell::new(), of_group: OnceCell::new() }
    }

    /// How many jobs that are alike run on a node.
    fn on(&self, bit: Bit, counts: &OnceCell<FxHashMap<Bit, u32>>, alike: impl Fn(&Job) -> bool) -> u32 {
        let counts = counts.get_or_init(|| self.count(|job| alike(self.state.plan.job(job))));
        counts.get(&bit).copied().unwrap_or(0)
    }

    /// How many run on each node.
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
        if reached(node.max_running, &|| u32::from(self.state.floor.load[bit].jobs)) {
            return Some(Reason::NodeJobLimit);
        }
        if reached(node.max_user_run, &|| self.on(bit, &self.of_user, |other| other.user == me.user)) {
            return Some(Reason::NodeUserLimit);
        }
        if reached(node.max_group_run, &|| self.on(bit, &self.of_group, |other| other.group == me.group)) {
            return Some(Reason::NodeGroupLimit);
        }
        self.refuses_spread(bit, job, request)
    }

    /// Test 7, the only one that holds under qrun as well.
    fn refuses_spread(&self, bit: Bit, job: JobId, request: &JobRequest) -> Option<Reason> {
        let plan = &self.state.plan;
        let refuses = plan.node(bit).no_multinode_jobs;
        (refuses && is_known_to_span(self.state, job, request)).then_some(Reason::NoMultinode)
    }
}

/// Whether a job is known to need several nodes before it is placed. Chunks on vnodes apart may all be of one host, where
/// hosts have several; a job that goes back has one chunk for each of its nodes.
fn is_known_to_span(state: &State, job: JobId, request: &JobRequest) -> bool {
    let is_apart = match request.place.arrangement {
        Arrangement::Scatter => true,
        Arrangement::Vscatter => !state.plan.multi_vnode.found,
        Arrangement::Free | Arrangement::Pack => false,
    };
    request.total_chunks() > 1 && (is_apart || state.goes_back(job))
}
