//! The nodes that a job may examine on the node path, in which order, and why they would not do (rules 4.3, 4.4).

use std::borrow::Cow;

use crate::cluster::{Arrangement, ProvisionPolicy};
use crate::universe::{Bit, JobRequest, ListId, NodeSet, Reason, SetIx, SetShape, State};

use super::round_robin::{goes_round, round_from_last};

/// The nodes that a job may examine: a list, and those of it that may be used.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    pub(super) list: List<'a>,
    pub(super) eligible: &'a NodeSet,
    /// The list whose order counts where nodes are sorted job by job; none if it stands as it was made.
    pub(super) id: Option<ListId>,
    /// Whose list it is.
    pub(super) owner: ListOwner,
    /// Whether it is made of copies in a reservation.
    pub(super) is_inside: bool,
    /// The reason of the last placement set, where the job spans sets after it.
    pub(super) left_over: Option<&'a Reason>,
}

/// Which nodes are on the list.
#[derive(Clone, Copy, Debug)]
pub(super) enum List<'a> {
    /// Any of the complex.
    All(&'a NodeSet),
    /// Those of a set.
    Set(&'a SetShape),
    /// Some of them, in an order of their own.
    Ranked(&'a [Bit]),
}

/// Whose list of nodes it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListOwner {
    /// Any job's: a list of the server, a queue or a set, or one that a policy ordered.
    Shared,
    /// The job's: the nodes that it had, or those of its reservation.
    Job,
    /// The job's too, as the nodes that it names: they stand in the order of the list that they are a part of.
    Named,
}

impl<'a> Candidates<'a> {
    /// The eligible ones of a list, which holds all of them.
    pub fn all(list: &'a NodeSet, eligible: &'a NodeSet) -> Self {
        Self {
            list: List::All(list),
            eligible,
            id: Some(ListId::Server),
            owner: ListOwner::Shared,
            is_inside: false,
            left_over: None,
        }
    }

    /// The same list after placement sets of which the last left this reason.
    #[must_use]
    pub fn after(self, left_over: Option<&'a Reason>) -> Self {
        Self { left_over, ..self }
    }

    /// The same list, of this owner.
    #[must_use]
    pub(super) fn owned_by(self, owner: ListOwner) -> Self {
        Self { owner, ..self }
    }

    /// Whether the list is made of the copies of nodes in the job's reservation.
    #[must_use]
    pub fn inside(self, is_inside: bool) -> Self {
        Self { is_inside, ..self }
    }

    /// The same nodes in the order of another list.
    #[must_use]
    pub fn listed(self, id: ListId) -> Self {
        Self { id: Some(id), ..self }
    }

    /// Those among the members of a set, with its number unless it was made for the job.
    pub fn within<'b>(&self, set: &'b SetShape, number: Option<SetIx>) -> Candidates<'b>
    where
        'a: 'b,
    {
        let list = List::Set(set);
        let id = number.map(ListId::Set);
        let owner = if self.owner == ListOwner::Named { ListOwner::Shared } else { self.owner };
        Candidates { list, id, owner, left_over: None, ..*self }
    }

    /// Those of these nodes, to be examined in this order.
    pub fn ranked<'b>(&self, nodes: &'b [Bit]) -> Candidates<'b>
    where
        'a: 'b,
    {
        let list = List::Ranked(nodes);
        Candidates {
            list,
            eligible: self.eligible,
            id: None,
            owner: ListOwner::Shared,
            is_inside: false,
            left_over: None,
        }
    }

    /// Whether the nodes are sorted anew for the job; what an allocation policy ordered stays as it is. Nodes that the job
    /// had, or of its reservation, are in an order of their own too, and that follows the sort.
    pub(super) fn is_sorted_per_job(&self, state: &State) -> bool {
        let is_by_policy = matches!(self.list, List::Ranked(_)) && self.owner != ListOwner::Job;
        state.plan.sorts_per_job && !is_by_policy
    }

    /// The whole list in the order in which it is walked.
    pub(super) fn in_order(&self, state: &State) -> Cow<'a, [Bit]> {
        if !self.is_sorted_per_job(state) {
            return self.members();
        }
        if self.is_made_for_job() {
            return Cow::Owned(state.sorted_now(&self.members()));
        }
        let Some(order) = self.id.and_then(|id| state.lists.order(id)) else { return self.members() };
        let members = match self.list {
            List::All(list) => Cow::Borrowed(list),
            _ => Cow::Owned(NodeSet::of(self.eligible.capacity(), self.members().iter().copied())),
        };
        Cow::Owned(order.iter().copied().filter(|bit| members.contains(*bit)).collect())
    }

    /// The list that a job sorts in place once its first chunk is placed, and the nodes of it: scattered chunks do, where
    /// there are several; not host by host (rule 4.3).
    pub(super) fn sorted_in_place(&self, state: &State, request: &JobRequest) -> Option<(ListId, Vec<Bit>)> {
        let sorts = request.is_spread()
            && request.total_chunks() > 1
            && sorts_between_chunks(state)
            && !goes_by_host(state, request);
        if sorts { self.listed_nodes(state) } else { None }
    }

    /// The same for a job of several chunks that are placed freely, where hosts have several vnodes: it counts what its chunks
    /// take (rule M37).
    pub(super) fn sorted_beside(&self, state: &State, request: &JobRequest) -> Option<(ListId, Vec<Bit>)> {
        let sorts = request.place.arrangement == Arrangement::Free
            && request.total_chunks() > 1
            && state.plan.multi_vnode.found
            && sorts_between_chunks(state);
        if sorts { self.listed_nodes(state) } else { None }
    }

    /// The list whose order counts, and its nodes.
    fn listed_nodes(&self, state: &State) -> Option<(ListId, Vec<Bit>)> {
        let id = self.id.filter(|_| self.owner != ListOwner::Named)?;
        let nodes = match id {
            ListId::Set(_) => self.members().into_owned(),
            _ => state.plan.nodes.ids().collect(),
        };
        Some((id, nodes))
    }

    /// Whether the list is a set's that was made for the job: it was sorted then.
    fn is_made_for_job(&self) -> bool {
        self.id.is_none() && matches!(self.list, List::Set(_))
    }

    /// The eligible nodes; they may be more than the list has.
    pub fn eligible(&self) -> &'a NodeSet {
        self.eligible
    }

    /// The same list with other eligible nodes.
    pub fn among<'b>(&self, eligible: &'b NodeSet) -> Candidates<'b>
    where
        'a: 'b,
    {
        Candidates { eligible, ..*self }
    }

    /// The whole list for a job of one packed chunk, where such jobs go round the hosts.
    pub(super) fn round(&self, state: &State, request: &JobRequest) -> Option<Vec<Bit>> {
        goes_round(&state.plan, request).then(|| round_from_last(state, &self.in_order(state)))
    }

    /// The whole list in the order of the bits, or in its own.
    pub fn members(&self) -> Cow<'a, [Bit]> {
        match self.list {
            List::All(list) => Cow::Owned(list.iter().collect()),
            List::Set(set) => Cow::Borrowed(&set.members),
            List::Ranked(nodes) => Cow::Borrowed(nodes),
        }
    }
}

/// Why a list of nodes would not do.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeFailure {
    /// The reason of the node examined last, or of the first host that gave one; none if no node was left to be
    /// examined.
    pub reason: Option<Reason>,
    /// Vnodes that took their one chunk before another found none: they keep that mark.
    pub taken: Vec<Bit>,
    /// Whether some chunk found a place all the same.
    pub placed_some: bool,
}

/// Whether a job is placed host by host: several packed chunks, or anything where hosts have several vnodes.
pub(super) fn goes_by_host(state: &State, request: &JobRequest) -> bool {
    let packed = request.place.arrangement == Arrangement::Pack && request.total_chunks() > 1;
    packed || state.plan.multi_vnode.found
}

/// Whether nodes are sorted anew after every chunk (rule 4.3).
pub(super) fn sorts_between_chunks(state: &State) -> bool {
    state.sorts_nodes() && state.plan.snap.policy.provision != ProvisionPolicy::Avoid
}
