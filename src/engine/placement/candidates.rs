//! The nodes that a job may examine on the node path, their order, and failures (rules 4.3, 4.4).

use std::borrow::Cow;

use crate::cluster::{Arrangement, ProvisionPolicy};
use crate::universe::{Bit, JobRequest, NodeListId, NodeSet, Reason, SetDefinition, SetIx, State};

use super::round_robin::{rotates_over_hosts, round_from_last};

/// The nodes that a job may examine: a list, and the nodes that may be used.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    pub(super) list: CandidateList<'a>,
    pub(super) eligible: &'a NodeSet,
    /// The list whose order applies when nodes are sorted job by job; `None` if its order is fixed.
    pub(super) id: Option<NodeListId>,
    /// Owner of the list.
    pub(super) owner: ListOwner,
    /// Whether the nodes are copies in a reservation.
    pub(super) is_in_reservation: bool,
    /// The reason of the last placement set, if the job spans sets after it.
    pub(super) set_reason: Option<&'a Reason>,
}

/// The nodes of the list.
#[derive(Clone, Copy, Debug)]
pub(super) enum CandidateList<'a> {
    /// Any nodes of the complex.
    All(&'a NodeSet),
    /// The nodes of a set.
    Set(&'a SetDefinition),
    /// A selection of nodes in an order of its own.
    Ordered(&'a [Bit]),
}

/// Owner of a list of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListOwner {
    /// Shared by all jobs: a list of the server, a queue or a set, or one ordered by a policy.
    Shared,
    /// The job's own: its previous nodes, or those of its reservation.
    Job,
    /// The job's own as well: nodes that it names, in the order of the list they are part of.
    Named,
}

impl<'a> Candidates<'a> {
    /// Creates candidates from a list that contains all eligible nodes.
    pub fn of_complex(list: &'a NodeSet, eligible: &'a NodeSet) -> Self {
        Self {
            list: CandidateList::All(list),
            eligible,
            id: Some(NodeListId::Server),
            owner: ListOwner::Shared,
            is_in_reservation: false,
            set_reason: None,
        }
    }

    /// Returns the same list with the reason that the last placement set left.
    #[must_use]
    pub fn after(self, set_reason: Option<&'a Reason>) -> Self {
        Self { set_reason, ..self }
    }

    /// Returns the same list with this owner.
    #[must_use]
    pub(super) fn owned_by(self, owner: ListOwner) -> Self {
        Self { owner, ..self }
    }

    /// Sets whether the nodes are copies in the job's reservation.
    #[must_use]
    pub fn set_in_reservation(self, is_in_reservation: bool) -> Self {
        Self { is_in_reservation, ..self }
    }

    /// Returns the same nodes in the order of another list.
    #[must_use]
    pub fn listed(self, id: NodeListId) -> Self {
        Self { id: Some(id), ..self }
    }

    /// Restricts the list to the members of a set; `number` is its index unless it was created for the job.
    pub fn within<'b>(&self, set: &'b SetDefinition, number: Option<SetIx>) -> Candidates<'b>
    where
        'a: 'b,
    {
        let list = CandidateList::Set(set);
        let id = number.map(NodeListId::Set);
        let owner = if self.owner == ListOwner::Named { ListOwner::Shared } else { self.owner };
        Candidates { list, id, owner, set_reason: None, ..*self }
    }

    /// Restricts the list to these nodes, to be examined in this order.
    pub fn ranked<'b>(&self, nodes: &'b [Bit]) -> Candidates<'b>
    where
        'a: 'b,
    {
        let list = CandidateList::Ordered(nodes);
        Candidates {
            list,
            eligible: self.eligible,
            id: None,
            owner: ListOwner::Shared,
            is_in_reservation: false,
            set_reason: None,
        }
    }

    /// Whether the nodes are re-sorted for the job. The order of an allocation policy is kept. Previous nodes of the
    /// job and nodes of its reservation have an order of their own, to which the sort applies.
    pub(super) fn is_sorted_per_job(&self, state: &State) -> bool {
        let is_by_policy = matches!(self.list, CandidateList::Ordered(_)) && self.owner != ListOwner::Job;
        state.plan.sorts_per_job && !is_by_policy
    }

    /// Returns the whole list in the order in which it is examined.
    pub(super) fn in_order(&self, state: &State) -> Cow<'a, [Bit]> {
        if !self.is_sorted_per_job(state) {
            return self.members();
        }
        if self.is_made_for_job() {
            return Cow::Owned(state.sorted_now(&self.members()));
        }
        let Some(order) = self.id.and_then(|id| state.lists.order(id)) else { return self.members() };
        let members = match self.list {
            CandidateList::All(list) => Cow::Borrowed(list),
            _ => Cow::Owned(NodeSet::of(self.eligible.capacity(), self.members().iter().copied())),
        };
        Cow::Owned(order.iter().copied().filter(|bit| members.contains(*bit)).collect())
    }

    /// Returns the list that a job sorts in place once its first chunk is placed, with its nodes. This applies to
    /// several scattered chunks that are not placed host by host (rule 4.3).
    pub(super) fn sorted_in_place(
        &self,
        state: &State,
        request: &JobRequest,
    ) -> Option<(NodeListId, Vec<Bit>)> {
        let sorts = request.is_spread()
            && request.total_chunks() > 1
            && sorts_between_chunks(state)
            && !is_placed_by_host(state, request);
        if sorts { self.listed_nodes(state) } else { None }
    }

    /// Returns the list that a job of several freely placed chunks sorts in place if hosts have several vnodes; that
    /// sort counts what the job's chunks take (rule M37).
    pub(super) fn sorted_beside(
        &self,
        state: &State,
        request: &JobRequest,
    ) -> Option<(NodeListId, Vec<Bit>)> {
        let sorts = request.place.arrangement == Arrangement::Free
            && request.total_chunks() > 1
            && state.plan.multi_vnode.exists
            && sorts_between_chunks(state);
        if sorts { self.listed_nodes(state) } else { None }
    }

    /// Returns the list whose order applies, and its nodes.
    fn listed_nodes(&self, state: &State) -> Option<(NodeListId, Vec<Bit>)> {
        let id = self.id.filter(|_| self.owner != ListOwner::Named)?;
        let nodes = match id {
            NodeListId::Set(_) => self.members().into_owned(),
            _ => state.plan.nodes.ids().collect(),
        };
        Some((id, nodes))
    }

    /// Whether the list is a set created for this job, which was sorted on creation.
    fn is_made_for_job(&self) -> bool {
        self.id.is_none() && matches!(self.list, CandidateList::Set(_))
    }

    /// Returns the nodes that may be used; may contain nodes that are not on the list.
    pub fn eligible(&self) -> &'a NodeSet {
        self.eligible
    }

    /// Returns the same list with other eligible nodes.
    pub fn with_eligible<'b>(&self, eligible: &'b NodeSet) -> Candidates<'b>
    where
        'a: 'b,
    {
        Candidates { eligible, ..*self }
    }

    /// Returns the whole list starting after the last host, for a job of one packed chunk under round robin.
    pub(super) fn round(&self, state: &State, request: &JobRequest) -> Option<Vec<Bit>> {
        rotates_over_hosts(&state.plan, request).then(|| round_from_last(state, &self.in_order(state)))
    }

    /// Returns the whole list, in its own order or otherwise in bit order.
    pub fn members(&self) -> Cow<'a, [Bit]> {
        match self.list {
            CandidateList::All(list) => Cow::Owned(list.iter().collect()),
            CandidateList::Set(set) => Cow::Borrowed(&set.members),
            CandidateList::Ordered(nodes) => Cow::Borrowed(nodes),
        }
    }
}

/// The failure of a placement on a list of nodes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodePathFailure {
    /// The reason of the node examined last, or of the first host that gave one; `None` if there was no node to
    /// examine.
    pub reason: Option<Reason>,
    /// Vnodes that took their one chunk before another chunk did not fit; they keep that mark.
    pub marked_vnodes: Vec<Bit>,
    /// Whether some chunk was placed nevertheless.
    pub placed_some: bool,
}

/// Whether a job is placed host by host: several packed chunks, or any job if hosts have several vnodes.
pub(super) fn is_placed_by_host(state: &State, request: &JobRequest) -> bool {
    let packed = request.place.arrangement == Arrangement::Pack && request.total_chunks() > 1;
    packed || state.plan.multi_vnode.exists
}

/// Whether nodes are re-sorted after every chunk (rule 4.3).
pub(super) fn sorts_between_chunks(state: &State) -> bool {
    state.sorts_nodes() && state.plan.snap.policy.provision != ProvisionPolicy::Avoid
}
