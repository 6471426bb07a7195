//! Places a job, with or without placement sets, on either path (rules 3.9, 5.4).

mod by_buckets;
mod by_nodes;
mod job_return;
mod rules;
mod set_by_set;

use std::sync::Arc;

use crate::cluster::{Arrangement, Epoch, JobId, Name, Place, QueueId, ResvId};
use crate::universe::{
    Allocation, Bit, JobRequest, NodeListId, NodeSet, Occupant, PlacementSet, Quirk, Reason, Rejection, State,
};

use serde::Serialize;

use super::round_robin::moves_on;
use super::set_list::{SetList, fresh_pool, group_pool, list_order, own_nodes, own_nodes_queue};
use super::{PlacementPath, Probe, ProbeEvent, SetAttempts};

/// Maximum number of sets for which a recording names all that were skipped; with more sets it names only some.
const MAX_LINES: usize = 2000;

/// Number of objects that a decision examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ExaminedCounts {
    pub sets: u64,
    pub buckets: u64,
    pub nodes: u64,
}

/// The placement of a job.
#[derive(Clone, Debug)]
pub struct ProposedPlacement {
    /// The nodes.
    pub allocation: Arc<Allocation>,
    /// The set that contains them, if any.
    pub set: Option<Name>,
    /// The quirk without which the job would not have been placed there.
    pub by_quirk: Option<Quirk>,
}

/// The outcome of placing one job.
#[derive(Clone, Debug)]
pub struct PlacementAttempt {
    /// The placement, or the reason against it.
    pub result: Result<ProposedPlacement, Rejection>,
    /// The sets tried.
    pub tries: SetAttempts,
    /// Number of objects examined.
    pub examined: ExaminedCounts,
}

/// Places a job on the nodes it may use, by the given path.
pub fn place(
    state: &mut State,
    job: JobId,
    request: &JobRequest,
    path: PlacementPath,
    probe: &mut Probe,
) -> PlacementAttempt {
    let occupant = Occupant::Job(job, None);
    match state.reservation_of(occupant) {
        Some(reservation) => state.in_reservation(reservation, |state| {
            place_on_current_nodes(state, occupant, request, path, probe)
        }),
        None => place_on_current_nodes(state, occupant, request, path, probe),
    }
}

/// Places a reservation that waits to be confirmed, by the node path and with the server's sets (rule 6.9).
pub fn place_reservation(
    state: &mut State,
    id: ResvId,
    request: &JobRequest,
    probe: &mut Probe,
) -> PlacementAttempt {
    place_on_current_nodes(state, Occupant::Reservation(id), request, PlacementPath::Node, probe)
}

/// Places a job on the nodes as the current state shows them.
fn place_on_current_nodes(
    state: &mut State,
    occupant: Occupant,
    request: &JobRequest,
    path: PlacementPath,
    probe: &mut Probe,
) -> PlacementAttempt {
    let back = return_request(state, occupant, request);
    let request = back.as_ref().unwrap_or(request);
    let queue = own_nodes_queue(state, occupant);
    // The bucket path uses no list of nodes.
    let own = own_nodes(state, occupant).filter(|_| path == PlacementPath::Node);
    let group = match &own {
        Some(own) => request.place.group.as_ref().map(|key| {
            let order = list_order(state, occupant, queue, Some(own));
            fresh_pool(state, own, order.as_deref(), key)
        }),
        None => group_pool(state, queue, request),
    };
    let list = SetList::of(state, occupant, request, own.is_some(), group);
    let mut placing = PlacementSearch {
        occupant,
        request,
        queue,
        own_nodes: own,
        end: state.now + request.duration,
        list,
        tries: SetAttempts::default(),
        examined: ExaminedCounts::default(),
        sorted: Vec::new(),
        own_sorted_list: None,
        probe,
    };
    let result = match path {
        PlacementPath::Bucket => state.with_chunk_counts(|state, counts| placing.by_buckets(state, counts)),
        PlacementPath::Node => state.with_held_chunks(|state, counts| placing.by_nodes(state, counts)),
    };
    let examined = ExaminedCounts { sets: placing.tries.len() as u64, ..placing.examined };
    let sorted = std::mem::take(&mut placing.sorted);
    let beside = placing.own_sorted_list.take();
    let mut tries = placing.tries;
    tries.drop_untried();
    sorted.iter().for_each(|(list, nodes)| state.sort_list(*list, nodes));
    if let (Some((list, nodes)), Ok(placed)) = (&beside, &result) {
        state.sort_list_beside(*list, nodes, &placed.allocation);
    }
    if let (PlacementPath::Node, Ok(placed)) = (path, &result)
        && let Some(host) = moves_on(&state.plan, request, &placed.allocation)
    {
        state.set_last_host(Some(host));
    }
    PlacementAttempt { result, tries, examined }
}

/// Returns the request of a job that returns to its previous nodes; `None` for any other. Its chunks go where they
/// were, whatever the arrangement.
fn return_request(state: &State, occupant: Occupant, request: &JobRequest) -> Option<JobRequest> {
    let Occupant::Job(job, _) = occupant else { return None };
    let returns = state.ledger.returns(job);
    if !returns && !state.plan.previous.contains_key(&job) {
        return None;
    }
    let group = if returns { None } else { request.place.group.clone() };
    let place = Place { arrangement: Arrangement::Free, group, ..request.place.clone() };
    Some(JobRequest { place, ..request.clone() })
}

struct PlacementSearch<'a> {
    occupant: Occupant,
    request: &'a JobRequest,
    queue: Option<QueueId>,
    own_nodes: Option<NodeSet>,
    end: Epoch,
    /// The sets to try, in order; `None` if the job uses no sets.
    list: Option<SetList>,
    tries: SetAttempts,
    examined: ExaminedCounts,
    /// Lists of nodes that the job sorted in place.
    sorted: Vec<(NodeListId, Vec<Bit>)>,
    /// The list sorted in place with the job's own usage counted.
    own_sorted_list: Option<(NodeListId, Vec<Bit>)>,
    probe: &'a mut Probe,
}

impl PlacementSearch<'_> {
    fn tried(&mut self, set: &PlacementSet) {
        self.tries.add();
        self.probe.record(|| ProbeEvent::SetTried(set.shape.name.clone()));
    }
}

fn placed(allocation: Allocation, set: Option<&PlacementSet>) -> ProposedPlacement {
    ProposedPlacement {
        allocation: Arc::new(allocation),
        set: set.map(|set| set.shape.name.clone()),
        by_quirk: None,
    }
}

/// The reason reported: of the node examined last, else the first remembered, else none in particular. Too few nodes in
/// all never end by waiting.
fn rejected(last: Option<Reason>, first: Option<Reason>) -> Rejection {
    match last.or(first).unwrap_or(Reason::NoNodeResources) {
        Reason::NoTotalNodes => Reason::NoTotalNodes.never(),
        reason => reason.not_now(),
    }
}
