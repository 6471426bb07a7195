//! What single nodes refuse a job for, which the node path alone examines: power profiles and limits (rule 4.2,
//! tests 2, 6 and 7).

use rustc_hash::FxHashSet;

use crate::cluster::{Arrangement, JobId, ResourceId};
use crate::universe::{Bit, EventKind, JobRequest, NodeSet, Occupant, Reason, State};

/// The nodes of a list that will not take a job, each with the reason.
pub fn refusing(
    state: &State,
    list: &NodeSet,
    occupant: Occupant,
    request: &JobRequest,
) -> Vec<(Bit, Reason)> {
    let mut refusing = without_profile(state, list, request);
    let limited = list.common(&state.plan.masks.limited);
    let Occupant::Job(job, _) = occupant else { return refusing };
    if limited.is_empty() {
        return refusing;
    }
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
        let known = plan.snap.nodes[plan.nodes[*bit].id].available.get(ResourceId::eoe());
        known.is_some_and(|known| known.texts().contains(profile))
    };
    list.iter().filter(|bit| !knows(bit)).map(|bit| (bit, Reason::EoeMissing(profile.clone()))).collect()
}

/// The nodes that take no job that spans nodes.
pub(super) fn alone_only(state: &State, list: &NodeSet) -> NodeSet {
    let plan = &state.plan;
    let alone = list.common(&plan.masks.limited);
    let alone = alone.iter().filter(|bit| plan.snap.nodes[plan.nodes[*bit].id].no_multinode_jobs);
    NodeSet::of(plan.nodes.len(), alone)
}

/// Who runs where: each occupant that is expected to end, and not only planned to start.
struct Running<'a> {
    state: &'a State,
    jobs: Vec<(JobId, FxHashSet<Bit>)>,
}

impl<'a> Running<'a> {
    fn new(state: &'a State) -> Self {
        let planned: FxHashSet<Occupant> = state
            .timeline
            .iter()
            .filter(|(key, _)| key.kind == EventKind::Run)
            .map(|(_, event)| event.occupant)
            .collect();
        let ends = state.timeline.iter().filter(|(key, _)| key.kind == EventKind::End);
        let jobs = ends.filter_map(|(_, event)| match event.occupant {
            Occupant::Job(job, _) if !planned.contains(&event.occupant) => {
                Some((job, event.allocation.nodes().into_iter().collect()))
            }
            _ => None,
        });
        Self { jobs: jobs.collect(), state }
    }

    fn count(&self, bit: Bit, alike: impl Fn(JobId) -> bool) -> u32 {
        let there = self.jobs.iter().filter(|(job, nodes)| nodes.contains(&bit) && alike(*job));
        u32::try_from(there.count()).unwrap_or(u32::MAX)
    }

    fn refusal(&self, bit: Bit, job: JobId, request: &JobRequest) -> Option<Reason> {
        let plan = &self.state.plan;
        let node = &plan.snap.nodes[plan.nodes[bit].id];
        let me = plan.job(job);
        let reached =
            |limit: Option<u32>, count: &dyn Fn() -> u32| limit.is_some_and(|limit| limit <= count());
        if plan.snap.qrun == Some(job) {
            return self.refuses_spread(bit, request);
        }
        if reached(node.max_running, &|| u32::from(self.state.floor.load[bit].jobs)) {
            return Some(Reason::NodeJobLimit);
        }
        if reached(node.max_user_run, &|| self.count(bit, |other| plan.job(other).user == me.user)) {
            return Some(Reason::NodeUserLimit);
        }
        if reached(node.max_group_run, &|| self.count(bit, |other| plan.job(other).group == me.group)) {
            return Some(Reason::NodeGroupLimit);
        }
        self.refuses_spread(bit, request)
    }

    /// Test 7, the only one that holds under qrun as well.
    fn refuses_spread(&self, bit: Bit, request: &JobRequest) -> Option<Reason> {
        let plan = &self.state.plan;
        let spreads = matches!(request.place.arrangement, Arrangement::Scatter | Arrangement::Vscatter)
            && request.total_chunks() > 1;
        (plan.snap.nodes[plan.nodes[bit].id].no_multinode_jobs && spreads).then_some(Reason::NoMultinode)
    }
}
