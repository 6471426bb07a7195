//! The node path: the nodes that a job may examine, and placing it on one list of them (rules 4.2, 5.4).

use crate::universe::{
    Allocation, Bit, HeldChunkCache, NodeListId, NodeSet, Occupant, Reason, Rejection, State,
};

use super::job_return::former_allocation;
use super::rules::SetPruner;
use super::{PlacementSearch, ProposedPlacement, placed, rejected};
use crate::placement::candidates::{Candidates, ListOwner, NodePathFailure, is_placed_by_host};
use crate::placement::named_nodes::are_listed;
use crate::placement::node_limits::{refusing, single_node_job_nodes};
use crate::placement::set_list::{list_order, nodes_of};
use crate::placement::{NodeFilter, ProbeEvent, TimeCheck, place_on_nodes};

impl PlacementSearch<'_> {
    /// Places the job node by node.
    pub(super) fn by_nodes(
        &mut self,
        state: &State,
        counts: &mut HeldChunkCache,
    ) -> Result<ProposedPlacement, Rejection> {
        let own = self.own_nodes.take();
        let list = own.as_ref().unwrap_or_else(|| nodes_of(state, self.queue));
        let mut eligible = NodeFilter::new(state, list, self.occupant, self.request.place.sharedness);
        if matches!(self.occupant, Occupant::Reservation(_)) {
            let plan = &state.plan;
            let closed = |bit: &Bit| !plan.node(*bit).resv_enable;
            eligible.nodes.subtract(&NodeSet::of(plan.nodes.len(), plan.nodes.ids().filter(closed)));
        }
        let order = list_order(state, self.occupant, self.queue, own.as_ref());
        let refused = refusing(state, &eligible.nodes, self.occupant, self.request);
        eligible.leave_out(&refused, order.as_deref());
        self.probe.record(|| ProbeEvent::Eligible {
            candidates: eligible.nodes.count(),
            refused: list.count() - eligible.nodes.count(),
        });
        let time = TimeCheck::new(state, self.occupant, self.request);
        let owner = match own {
            None => ListOwner::Shared,
            Some(_) if are_listed(state, self.occupant) => ListOwner::Named,
            Some(_) => ListOwner::Job,
        };
        let own_order = order.as_deref().filter(|_| owner == ListOwner::Job);
        let nodes = Candidates::of_complex(list, &eligible.nodes).listed(NodeListId::of_queue(self.queue));
        let is_inside = state.reservation_of(self.occupant).is_some();
        let nodes = own_order.map_or(nodes, |order| nodes.ranked(order));
        let nodes = nodes.owned_by(owner).set_in_reservation(is_inside);
        match self.list.take() {
            Some(sets) => {
                let first = eligible.first.map(|(_, reason)| reason);
                let rules = SetPruner::new(&sets, self.probe.is_on());
                let is_job = matches!(self.occupant, Occupant::Job(..));
                let is_like_others = is_job && refused.is_empty() && own.is_none() && !is_inside;
                let rules = match is_like_others {
                    true => rules.with_counts(state, self.request, self.queue, &time, counts),
                    false => rules,
                };
                self.on_sets(state, &sets, nodes, &time, rules, first)
            }
            None => {
                let mut first = eligible.first.map(|(_, reason)| reason);
                if let Some(left) = former_allocation(state, self.occupant) {
                    return self.on_way_back(state, left, nodes, &time, first);
                }
                self.on_list(state, nodes, &time, &mut first).map_err(|no| rejected(no.reason, first))
            }
        }
    }

    /// Places the job on one list of nodes.
    pub(super) fn on_list(
        &mut self,
        state: &State,
        nodes: Candidates<'_>,
        time: &TimeCheck,
        first: &mut Option<Reason>,
    ) -> Result<ProposedPlacement, NodePathFailure> {
        let ranked = self.ranked(state, &nodes);
        let nodes = ranked.as_ref().map_or(nodes, |ranked| nodes.ranked(ranked));
        let mut found =
            place_on_nodes(state, self.request, nodes, time, &mut self.examined.nodes, self.probe);
        if found.as_ref().map_or_else(|failure| failure.placed_some, |_| true)
            && let Some(sorted) = nodes.sorted_in_place(state, self.request)
        {
            self.sorted.push(sorted);
        }
        if let Ok(allocation) = &found
            && let Some(rest) = self.left_to_spanning(state, &nodes, allocation)
        {
            let nodes = nodes.with_eligible(&rest);
            found = place_on_nodes(state, self.request, nodes, time, &mut self.examined.nodes, self.probe);
        }
        match found {
            Ok(allocation) => {
                self.own_sorted_list = nodes.sorted_beside(state, self.request);
                Ok(placed(allocation, None))
            }
            Err(failure) => {
                if first.is_none() {
                    first.clone_from(&failure.reason);
                }
                Err(failure)
            }
        }
    }

    /// Returns the nodes on which to place a job again after it turned out to span nodes of which some accept no
    /// multi-node job. Jobs placed host by host are not placed again.
    fn left_to_spanning(
        &self,
        state: &State,
        nodes: &Candidates<'_>,
        allocation: &Allocation,
    ) -> Option<NodeSet> {
        if state.plan.masks.limited.is_empty() || is_placed_by_host(state, self.request) {
            return None;
        }
        let taken = NodeSet::of(nodes.eligible().capacity(), allocation.nodes());
        let alone = single_node_job_nodes(state, nodes.eligible());
        (taken.count() > 1 && taken.intersects(&alone)).then(|| {
            let mut rest = nodes.eligible().clone();
            rest.subtract(&alone);
            rest
        })
    }

    /// Returns the nodes in the order of an allocation policy, if one replaces the scheduler's order.
    fn ranked(&self, state: &State, nodes: &Candidates<'_>) -> Option<Vec<Bit>> {
        let Occupant::Job(job, _) = self.occupant else { return None };
        let ranking = state.plan.ranking_of(job)?;
        Some(ranking.rank(state, job, nodes.members().into_owned()))
    }
}
