//! Which nodes and which sets a job may use, before anything is tried.

use std::sync::Arc;

use crate::cluster::{Name, QueueId};
use crate::universe::{
    Bit, GroupPool, JobRequest, NodeSet, Party, PlacementSet, SetBuilder, SetIx, State, Tallies,
};

use super::tries::Order;

/// The sets that a job tries one after the other.
pub(super) enum SetList {
    /// Those of a pool of the state.
    Sets(Arc<[SetIx]>),
    /// Those of a pool made for the job.
    Group(Arc<GroupPool>),
    /// None, since nobody knows the resource of `place=group=`.
    Nothing,
}

impl SetList {
    /// The sets of a party; none if it uses no sets at all.
    pub(super) fn of(
        state: &State,
        party: Party,
        request: &JobRequest,
        has_own_nodes: bool,
        group: Option<&Arc<GroupPool>>,
    ) -> Option<Self> {
        if let Some(pool) = group {
            return Some(Self::Group(pool.clone()));
        }
        if request.place.group.is_some() {
            return Some(Self::Nothing);
        }
        if has_own_nodes {
            return None;
        }
        let pool = queue_of(state, party).and_then(|queue| state.queue_pools[queue]).or(state.server_pool)?;
        Some(Self::Sets(state.pools[pool].order.clone()))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Sets(sets) => sets.len(),
            Self::Group(pool) => pool.sets.len(),
            Self::Nothing => 0,
        }
    }

    /// The set tried at a place of the order, and its number in the tallies.
    #[inline]
    pub(super) fn at<'s>(&'s self, state: &'s State, place: usize) -> Option<(usize, &'s PlacementSet)> {
        match self {
            Self::Sets(sets) => {
                let set = sets.get(place)?;
                Some((set.0 as usize, &state.sets[*set]))
            }
            Self::Group(pool) => Some((place, pool.sets.get(place)?)),
            Self::Nothing => None,
        }
    }

    /// The set of the state at a place of the order.
    #[inline]
    pub(super) fn lasting(&self, place: usize) -> Option<SetIx> {
        match self {
            Self::Sets(sets) => sets.get(place).copied(),
            Self::Group(_) | Self::Nothing => None,
        }
    }

    /// The sums of the sets.
    pub(super) fn tallies<'s>(&'s self, state: &'s State) -> &'s Tallies {
        match self {
            Self::Group(pool) => &pool.tallies,
            Self::Sets(_) | Self::Nothing => &state.tallies,
        }
    }

    /// The order, as it is written down.
    pub(super) fn order(&self) -> Order {
        match self {
            Self::Sets(sets) => Order::Sets(sets.clone()),
            Self::Group(pool) => Order::Names(pool.names.clone()),
            Self::Nothing => Order::Names(Arc::default()),
        }
    }
}

/// The queue of a job; reservations have none.
fn queue_of(state: &State, party: Party) -> Option<QueueId> {
    let Party::Job(job, _) = party else { return None };
    state.plan.snap.queue_named(&state.plan.job(job).queue)
}

/// The job's queue, if nodes are bound to it.
pub(super) fn own_nodes_queue(state: &State, party: Party) -> Option<QueueId> {
    queue_of(state, party).filter(|queue| !state.plan.queue_nodes[*queue].is_empty())
}

/// The nodes that a job has to itself: those of the running reservation it is in, or those it goes back
/// to (rule 4.1). Such jobs use no placement sets but those of `place=group=`.
pub(super) fn own_nodes(state: &State, party: Party) -> Option<NodeSet> {
    let Party::Job(job, _) = party else { return None };
    if let Some(inside) = state.inside_of(party).and_then(|id| state.insides[id].as_ref()) {
        return Some(inside.members.clone());
    }
    let plan = &state.plan;
    let dumped = || plan.job(job).previous_placement().filter(|_| plan.previous.contains_key(&job));
    let preempted = plan.job(job).exec_vnode.as_ref().filter(|_| state.ledger.returns(job));
    let placement = preempted.or_else(dumped)?;
    let known = placement.parts().filter_map(|part| plan.bit_named.get(&part.vnode).copied());
    Some(NodeSet::of(plan.nodes.len(), known))
}

/// The sets of a list of nodes by one key, sorted.
pub(super) fn fresh_pool(state: &State, list: &NodeSet, key: &Name) -> Arc<GroupPool> {
    let list: Vec<Bit> = list.iter().collect();
    let builder = SetBuilder { plan: &state.plan, floor: &state.floor, events: &state.node_events };
    Arc::new(GroupPool::new(&builder, &list, key))
}

/// The pool that `place=group= makes, kept until anything starts or ends (rule 5.1).
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
    let pool = fresh_pool(state, nodes_of(state, queue), &key);
    let mut pools = (*state.group_pools).clone();
    pools.insert((queue, resource), pool.clone());
    state.keep_group_pools(Arc::new(pools));
    Some(pool)
}

/// The nodes a job of this queue may use.
pub(super) fn nodes_of(state: &State, queue: Option<QueueId>) -> &NodeSet {
    match queue {
        Some(queue) => &state.plan.queue_nodes[queue],
        None => &state.plan.unbound,
    }
}
