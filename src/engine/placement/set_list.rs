//! The nodes and sets that a job may use, determined before anything is tried.

use std::borrow::Cow;
use std::sync::Arc;

use crate::cluster::{ExecVnode, Id, JobId, Name, NodeSortTerm, QueueId};
use crate::universe::{
    Allocation, Bit, GroupPool, JobRequest, NodeListId, NodeSet, Occupant, PlacementSet, PoolIx, SetBuilder,
    SetIx, State, Tallies,
};

use super::named_nodes::{are_listed, named_nodes};
use super::return_order::order_back;
use super::set_attempts::SetOrder;

/// The sets that a job tries, in order.
pub(super) struct SetList {
    /// Their indices, in the state or in the pool created for the job.
    pub numbers: Arc<[SetIx]>,
    group: Option<Arc<GroupPool>>,
    /// The pool they belong to, if it is one of the state.
    pub pool: Option<PoolIx>,
}

impl SetList {
    /// Returns the sets of an occupant; `None` if it uses no sets.
    pub(super) fn of(
        state: &State,
        occupant: Occupant,
        request: &JobRequest,
        has_own_nodes: bool,
        group: Option<Arc<GroupPool>>,
    ) -> Option<Self> {
        if request.place.group.is_some() {
            // If the resource is unknown, there are no sets to try.
            let sets = group.as_ref().map_or(0, |pool| pool.sets.len());
            return Some(Self { numbers: (0..sets).map(SetIx::at).collect(), group, pool: None });
        }
        if has_own_nodes {
            return None;
        }
        let pool = lasting_pool(state, occupant)?;
        Some(Self { numbers: state.pools[pool].order.clone(), group: None, pool: Some(pool) })
    }

    /// Returns a set by its index.
    #[inline]
    pub(super) fn set<'s>(&'s self, state: &'s State, number: SetIx) -> Option<&'s PlacementSet> {
        match &self.group {
            Some(pool) => pool.sets.get(number.ix()),
            None => state.sets.checked(number),
        }
    }

    /// Whether the sets belong to the state and persist after the job.
    pub(super) fn is_lasting(&self) -> bool {
        self.group.is_none()
    }

    /// The sums of the sets.
    pub(super) fn tallies<'s>(&'s self, state: &'s State) -> &'s Tallies {
        self.group.as_ref().map_or(state.sets.tallies(), |pool| &pool.tallies)
    }

    /// Returns the order in the form used in records.
    pub(super) fn order(&self) -> SetOrder {
        match &self.group {
            Some(pool) => SetOrder::Names(pool.names.clone()),
            None => SetOrder::Sets(self.numbers.clone()),
        }
    }
}

/// Returns the queue of a job; reservations have none.
fn queue_of(state: &State, occupant: Occupant) -> Option<QueueId> {
    let Occupant::Job(job, _) = occupant else { return None };
    state.plan.queue_of(job)
}

/// Returns the pool whose sets an occupant tries: that of its queue, or the server's.
fn lasting_pool(state: &State, occupant: Occupant) -> Option<PoolIx> {
    queue_of(state, occupant).and_then(|queue| state.queue_pools[queue]).or(state.server_pool)
}

/// Returns the pool of the state whose sets an occupant tries; `None` if it tries no sets or only those created for
/// it.
pub fn pool_of(state: &State, occupant: Occupant, request: &JobRequest) -> Option<PoolIx> {
    if request.place.group.is_some() || own_nodes(state, occupant).is_some() {
        return None;
    }
    lasting_pool(state, occupant)
}

/// Returns the job's queue, if nodes are bound to it.
pub(super) fn own_nodes_queue(state: &State, occupant: Occupant) -> Option<QueueId> {
    queue_of(state, occupant).filter(|queue| state.plan.masks.owns_nodes(*queue))
}

/// Returns the nodes that a job is restricted to: those of its running reservation, those it returns to, or those
/// named in its `node_set` (rule 4.1). Such jobs use no placement sets other than those of `place=group=`.
pub(super) fn own_nodes(state: &State, occupant: Occupant) -> Option<NodeSet> {
    let Occupant::Job(job, _) = occupant else { return None };
    if let Some(inside) = state.reservation_of(occupant).and_then(|id| state.reservation_nodes[id].as_ref()) {
        return named_nodes(state, job, &inside.members).or_else(|| Some(inside.members.clone()));
    }
    let plan = &state.plan;
    if let Some(left) = left_in_this_cycle(state, job) {
        return Some(NodeSet::of(plan.nodes.len(), left.nodes()));
    }
    // Most jobs have no nodes of their own, and their records are not read.
    if !plan.is_restricted(job) && !state.ledger.returns(job) {
        return None;
    }
    let Some(placement) = placement_before(state, job) else {
        return named_nodes(state, job, nodes_of(state, own_nodes_queue(state, occupant)));
    };
    let known = placement.parts().filter_map(|part| plan.bit_named.get(&part.vnode).copied());
    Some(NodeSet::of(plan.nodes.len(), known))
}

/// Returns the allocation of a job that was started and preempted in this cycle and must return to it.
pub(super) fn left_in_this_cycle(state: &State, job: JobId) -> Option<&Arc<Allocation>> {
    state.ledger.former_allocations[job].as_ref().filter(|_| state.ledger.returns(job))
}

/// Returns the placement in the dump that a job must return to.
fn placement_before(state: &State, job: JobId) -> Option<&ExecVnode> {
    let plan = &state.plan;
    // The records of most jobs are not read, as they lie far apart in memory.
    let returns = state.ledger.returns(job);
    let preempted = returns.then(|| plan.job(job).exec_vnode.as_ref()).flatten();
    let dumped = || plan.previous.contains_key(&job).then(|| plan.job(job).previous_placement()).flatten();
    preempted.or_else(dumped)
}

/// Returns the nodes that a job returns to, in the order it examines them; `None` for jobs that return to no nodes or
/// are in a reservation.
pub(super) fn nodes_back(state: &State, occupant: Occupant) -> Option<Vec<Bit>> {
    let Occupant::Job(job, _) = occupant else { return None };
    let plan = &state.plan;
    if state.reservation_of(occupant).is_some() {
        return None;
    }
    if let Some(left) = left_in_this_cycle(state, job) {
        return Some(order_back(plan, left.pieces.iter().map(|piece| plan.node_name(piece.bit))));
    }
    Some(order_back(plan, placement_before(state, job)?.parts().map(|part| &part.vnode)))
}

/// Returns the order of an occupant's list of nodes if it differs from bit order: that of the nodes it returns to, or
/// the last sorted order; the list of a reservation is sorted after every start in it (rules 4.1, 4.3). The order may
/// contain more nodes than the list.
pub(super) fn list_order<'s>(
    state: &'s State,
    occupant: Occupant,
    queue: Option<QueueId>,
    own: Option<&NodeSet>,
) -> Option<Cow<'s, [Bit]>> {
    if let Some(back) = nodes_back(state, occupant) {
        return Some(Cow::Owned(back));
    }
    match own {
        None => sorted_list(state, queue).map(Cow::Borrowed),
        Some(_) if are_listed(state, occupant) => sorted_list(state, queue).map(Cow::Borrowed),
        Some(own) => {
            let sorts = state.sorts_nodes() || sorts_copies(state, occupant);
            sorts.then(|| Cow::Owned(state.sorted_now(&own.iter().collect::<Vec<_>>())))
        }
    }
}

/// Whether the nodes that a job sees in its reservation have an order of their own. The reservation has less of a
/// resource than the node, so a sort key of totals gives another order too (rule M46).
fn sorts_copies(state: &State, occupant: Occupant) -> bool {
    let keys = state.plan.snap.policy.node_sort_key.get(state.plan.period);
    state.reservation_of(occupant).is_some()
        && keys.iter().any(|key| matches!(key.term, NodeSortTerm::Resource(..)))
}

/// Returns the last sorted order of the nodes of a queue, or of no queue; `None` if that is bit order.
fn sorted_list(state: &State, queue: Option<QueueId>) -> Option<&[Bit]> {
    let order = state.sorts_nodes().then(|| state.lists.order(NodeListId::of_queue(queue)));
    order.flatten().map(|order| &**order)
}

/// Returns the nodes that an occupant may use at all: those of its reservation, those it returns to, those of its
/// queue, or those of no queue (rule 4.1).
pub fn nodes_for(state: &State, occupant: Occupant) -> NodeSet {
    own_nodes(state, occupant).unwrap_or_else(|| nodes_of(state, own_nodes_queue(state, occupant)).clone())
}

/// Returns the sets that a job tries, by name with their nodes; `None` if it uses no sets.
pub fn sets_for(state: &State, job: JobId, request: &JobRequest) -> Option<Vec<(Name, Arc<[Bit]>)>> {
    let occupant = Occupant::Job(job, None);
    let own = own_nodes(state, occupant);
    let order = list_order(state, occupant, own_nodes_queue(state, occupant), own.as_ref());
    let fresh = |key| fresh_pool(state, &nodes_for(state, occupant), order.as_deref(), key);
    let group = request.place.group.as_ref().map(fresh);
    let list = SetList::of(state, occupant, request, own.is_some(), group)?;
    let named = |number: &SetIx| {
        let set = list.set(state, *number)?;
        Some((set.shape.name.clone(), set.shape.members.clone()))
    };
    Some(list.numbers.iter().filter_map(named).collect())
}

/// Creates the sorted sets of a list of nodes for one key. The order of the list, if it has one, decides which set is
/// created first and with which node its sums begin (rules 5.1, 5.2).
pub(super) fn fresh_pool(state: &State, list: &NodeSet, order: Option<&[Bit]>, key: &Name) -> Arc<GroupPool> {
    let list: Vec<Bit> = match order {
        Some(order) => order.iter().copied().filter(|bit| list.contains(*bit)).collect(),
        None => list.iter().collect(),
    };
    let builder = SetBuilder { plan: &state.plan, occupancy: &state.occupancy, events: &state.node_events };
    Arc::new(GroupPool::new(&builder, &list, key))
}

/// Returns the pool created by `place=group=`, which is kept until anything starts or ends (rule 5.1).
pub(super) fn group_pool(
    state: &mut State,
    queue: Option<QueueId>,
    request: &JobRequest,
) -> Option<Arc<GroupPool>> {
    let key = request.place.group.clone()?;
    let plan = state.plan.clone();
    let resource = plan.snap.catalogue.id(&key)?;
    if let Some(known) = state.group_pools.get(&(queue, resource)) {
        return Some(known.clone());
    }
    let pool = fresh_pool(state, nodes_of(state, queue), sorted_list(state, queue), &key);
    let mut pools = (*state.group_pools).clone();
    pools.insert((queue, resource), pool.clone());
    state.keep_group_pools(Arc::new(pools));
    Some(pool)
}

/// Returns the nodes that a job of this queue may use.
pub(super) fn nodes_of(state: &State, queue: Option<QueueId>) -> &NodeSet {
    match queue {
        Some(queue) => &state.plan.masks.queue_nodes[queue],
        None => &state.plan.masks.unbound,
    }
}
