//! Collects all reasons why a job does not run, not only the first: the input of preemption (rule 6.10).

use crate::cluster::{JobId, NodeState};
use crate::placement::{NodeFilter, PlacementPath, all_shortages, nodes_for, place, refusing};
use crate::universe::{JobRequest, NodeSet, Reason, Rejection, State};

use super::consider::{all_nodes_set, at_subjob_limit, time_refusals};
use super::limits::{limits_hit, resources_missing};
use super::rehearsal::{SimulationRecorder, reconsider};
use super::setup::Setup;
use super::top_jobs::occupant_of;

/// Returns all reasons in the order they are checked: sums over all nodes, limits, subjobs, times, resources of the
/// queue and the server, and nodes by the node path.
pub(super) fn all_reasons(
    state: &mut State,
    setup: &Setup,
    job: JobId,
    request: &JobRequest,
    recording: SimulationRecorder<'_>,
) -> Vec<Rejection> {
    state.refresh_sets();
    let mut reasons = Vec::new();
    if state.plan.reservation_of(job).is_none() {
        reasons.extend(all_shortages(&state.plan, request, &state.sets[all_nodes_set(state, job)]));
    }
    reasons.extend(limits_hit(state, job, request));
    if at_subjob_limit(state, job) {
        reasons.push(Reason::SubjobLimit.not_now());
    }
    reasons.extend(time_refusals(state, setup, job, request));
    reasons.extend(resources_missing(state, job, request));
    // A node closed by a start is skipped like one that was never free. A node closed by a start outside its
    // reservation is found not to be free, which is a reason (rule M44).
    let nodes = nodes_for(state, occupant_of(state, job));
    if nodes.iter().any(|bit| state.is_closed_behind(bit)) {
        reasons.push(Reason::NodeState(NodeState::JobExclusive.word()).not_now());
    }
    reasons.extend(refused_nodes(state, job, request, &nodes));
    let tried = reconsider(recording, state, job, |state, probe| {
        place(state, job, request, PlacementPath::Node, probe).result
    });
    // Skipped nodes leave their reasons even if the job fits on others.
    reasons.push(tried.err().unwrap_or_else(|| Reason::NoNodeResources.not_now()));
    reasons
}

/// Returns why single free nodes reject the job, node by node (rule 4.2).
fn refused_nodes(
    state: &State,
    job: JobId,
    request: &JobRequest,
    nodes: &NodeSet,
) -> impl Iterator<Item = Rejection> {
    let occupant = occupant_of(state, job);
    let open = NodeFilter::new(state, nodes, occupant, request.place.sharedness).nodes;
    refusing(state, &open, occupant, request).into_iter().map(|(_, reason)| reason.not_now())
}

/// Whether no preemption can remove this reason.
pub(super) fn is_hopeless(rejection: &Rejection) -> bool {
    rejection.is_permanent
        || matches!(
            rejection.reason,
            Reason::SubjobLimit
                | Reason::QueueNotStarted
                | Reason::DedicatedTime
                | Reason::CrossDedicated
                | Reason::PrimeOnly
                | Reason::NonPrimeOnly
                | Reason::CrossPrime { .. }
                | Reason::CantSpan
                | Reason::ProvisioningOff
                | Reason::TooManyChunks
                | Reason::TooManySubjobs
        )
}
