//! Which nodes and which sets a job may use, before anything is tried.

use std::borrow::Cow;
use std::sync::Arc;

use crate::cluster::{ExecVnode, Id, JobId, Name, NodeSortTerm, QueueId};
use crate::universe::{
    Allocation, Bit, GroupPool, JobRequest, ListId, NodeSet, Occupant, PlacementSet, PoolIx, SetBuilder,
    SetIx, State, Tallies,
};

use super::named_nodes::{are_listed, named_nodes};
use super::tries::Order;
use super::way_back::order_back;

/// The sets that a job tries one after the other.
pub(super) struct SetList {
    /// Their numbers, in the state or in the pool made for the job.
    pub numbers: Arc<[SetIx]>,
    group: Option<Arc<GroupPool>>,
    /// The pool that they are, where they stay.
    pub pool: Option<PoolIx>,
}

impl SetList {
    /// The sets of an occupant; none if it uses no sets at all.
    pub(super) fn of(
        state: &State,
        occupant: Occupant,
        request: &JobRequest,
        has_own_nodes: bool,
        group: Option<Arc<GroupPool>>,
    ) -> Option<Self> {
        if request.place.group.is_some() {
            // The resource may be unknown: then there are no sets to try.
            let sets = group.as_ref().map_or(0, |pool| pool.sets.len());
            return Some(Self { numbers: (0..sets).map(SetIx::at).collect(), group, pool: None });
        }
        if has_own_nodes {
            return None;
        }
        let pool = lasting_pool(state, occupant)?;
        Some(Self { numbers: state.pools[pool].order.clone(), group: None, pool: Some(pool) })
    }

    /// A set by its number.
    #[inline]
    pub(super) fn set<'s>(&'s self, state: &'s State, number: SetIx) -> Option<&'s PlacementSet> {
        match &self.group {
            Some(pool) => pool.sets.get(number.ix()),
            None => state.sets.checked(number),
        }
    }

    /// Whether the sets are those of the state, and stay when the job is done.
    pub(super) fn is_lasting(&self) -> bool {
        self.group.is_none()
    }

    /// The sums of the sets.
    pub(super) fn tallies<'s>(&'s self, state: &'s State) -> &'s Tallies {
        self.group.as_ref().map_or(state.sets.tallies(), |pool| &pool.tallies)
    }

    /// The order, as it is written down.
    pub(super) fn order(&self) -> Order {
        match &self.group {
            Some(pool) => Order::Names(pool.names.clone()),
            None => Order::Sets(self.numbers.clone()),
        }
    }
}

/// The queue of a job; reservations have none.
fn queue_of(state: &State, occupant: Occupant) -> Option<QueueId> {
    let Occupant::Job(job, _) = occupant else { return None };
    state.plan.queue_of(job)
}

/// The pool whose sets an occupant tries: that of its queue, or the server's.
fn lasting_pool(state: &State, occupant: Occupant) -> Option<PoolIx> {
    queue_of(state, occupant).and_then(|queue| state.queue_pools[queue]).or(state.server_pool)
}

/// The pool of the state whose sets an occupant tries; none if it tries no sets, or only those made for it.
pub fn pool_of(state: &State, occupant: Occupant, request: &JobRequest) -> Option<PoolIx> {
    if request.place.group.is_some() || own_nodes(state, occupant).is_some() {
        return None;
    }
    lasting_pool(state, occupant)
}

/// The job's queue, if nodes are bound to it.
pub(super) fn own_nodes_queue(state: &State, occupant: Occupant) -> Option<QueueId> {
    queue_of(state, occupant).filter(|queue| state.plan.masks.owns_nodes(*queue))
}

/// The nodes that a job has to itself: those of the running reservation it is in, those it goes back to, or those that its
/// `node_set` names (rule 4.1). Such jobs use no placement sets but those of `place=group=`.
pub(super) fn own_nodes(state: &State, occupant: Occupant) -> Option<NodeSet> {
    let Occupant::Job(job, _) = occupant else { return None };
    if let Some(inside) = state.inside_of(occupant).and_then(|id| state.insides[id].as_ref()) {
        return named_nodes(state, job, &inside.members).or_else(|| Some(inside.members.clone()));
    }
    let plan = &state.plan;
    if let Some(left) = left_in_this_cycle(state, job) {
        return Some(NodeSet::of(plan.nodes.len(), left.nodes()));
    }
    let Some(placement) = placement_before(state, job) else {
        return named_nodes(state, job, nodes_of(state, own_nodes_queue(state, occupant)));
    };
    let known = placement.parts().filter_map(|part| plan.bit_named.get(&part.vnode).copied());
    Some(NodeSet::of(plan.nodes.len(), known))
}

/// Where a job ran that started in this cycle, was preempted in it and has to go back.
pub(super) fn left_in_this_cycle(state: &State, job: JobId) -> Option<&Arc<Allocation>> {
    state.ledger.left[job].as_ref().filter(|_| state.ledger.returns(job))
}

/// The placement in the dump that a job has to go back to.
fn placement_before(state: &State, job: JobId) -> Option<&ExecVnode> {
    let plan = &state.plan;
    let dumped = || plan.job(job).previous_placement().filter(|_| plan.previous.contains_key(&job));
    let preempted = plan.job(job).exec_vnode.as_ref().filter(|_| state.ledger.returns(job));
    preempted.or_else(dumped)
}

/// The nodes that a job goes back to in the order in which it looks at them; none for jobs that go anywhere, or that are
/// in a reservation.
pub(super) fn nodes_back(state: &State, occupant: Occupant) -> Option<Vec<Bit>> {
    let Occupant::Job(job, _) = occupant else { return None };
    let plan = &state.plan;
    if state.inside_of(occupant).is_some() {
        return None;
    }
    if let Some(left) = left_in_this_cycle(state, job) {
        return Some(order_back(plan, left.pieces.iter().map(|piece| plan.node_name(piece.bit))));
    }
    Some(order_back(plan, placement_before(state, job)?.parts().map(|part| &part.vnode)))
}

/// The order in which an occupant's list of nodes stands, where that is not the order of their bits: that of the nodes it
/// goes back to, or as the list was sorted last, a reservation's after every start in it (rules 4.1, 4.3). It may have more
/// nodes than the list.
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

/// Whether the nodes that a job sees in its reservation stand in an order of their own: what the reservation has of a
/// resource is less than what the node has, so that a key of totals sorts them otherwise too (rule M46).
fn sorts_copies(state: &State, occupant: Occupant) -> bool {
    let keys = state.plan.snap.policy.node_sort_key.get(state.plan.period);
    state.inside_of(occupant).is_some()
        && keys.iter().any(|key| matches!(key.term, NodeSortTerm::Resource(..)))
}

/// The list of the nodes of a queue, or of no queue, as it was sorted last; none where the order of the bits is that.
fn sorted_list(state: &State, queue: Option<QueueId>) -> Option<&[Bit]> {
    let order = state.sorts_nodes().then(|| state.lists.order(ListId::of_queue(queue)));
    order.flatten().map(|order| &**order)
}

/// The nodes that an occupant may use at all: those of the reservation it is in, those it goes back to, those
/// of their queue, or those of no queue (rule 4.1).
pub fn nodes_for(state: &State, occupant: Occupant) -> NodeSet {
    own_nodes(state, occupant).unwrap_or_else(|| nodes_of(state, own_nodes_queue(state, occupant)).clone())
}

/// The sets that a job tries, by name with their nodes; none if it uses no sets.
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

/// The sets of a list of nodes by one key, sorted. Its order, where it has one, decides which set is made first and which
/// node its sums begin with (rules 5.1, 5.2).
pub(super) fn fresh_pool(state: &State, list: &NodeSet, order: Option<&[Bit]>, key: &Name) -> Arc<GroupPool> {
    let list: Vec<Bit> = match order {
        Some(order) => order.iter().copied().filter(|bit| list.contains(*bit)).collect(),
        None => list.iter().collect(),
    };
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
    let pool = fresh_pool(state, nodes_of(state, queue), sorted_list(state, queue), &key);
    let mut pools = (*state.group_pools).clone();
    pools.insert((queue, resource), pool.clone());
    state.keep_group_pools(Arc::new(pools));
    Some(pool)
}

/// The nodes a job of this queue may use.
pub(super) fn nodes_of(state: &State, queue: Option<QueueId>) -> &NodeSet {
    match queue {
        Some(queue) => &state.plan.masks.queue_nodes[queue],
        None => &state.plan.masks.unbound,
    }
}
