//! Marks on nodes that outlast a placement set (rule 4.5, measured). A single chunk that is placed node by node or
//! packed does not check a node again that refused it in an earlier set, so a set of only such nodes leaves no
//! reason.

use crate::cluster::{Arrangement, Id};
use crate::universe::{Bit, JobRequest, NodeSet, Occupant, PoolIx, SetIx, State};

use super::candidates::is_placed_by_host;
use super::quick_check::SumCheck;
use super::set_list::{SetList, pool_of};

/// The nodes of a list of sets that were checked, given that all sets whose sums could hold the job were tried.
pub(super) struct CheckedNodes<'a> {
    state: &'a State,
    list: &'a SetList,
    sums: &'a SumCheck<'a>,
    /// The pool of the sets, if they belong to the state.
    pool: Option<PoolIx>,
}

impl<'a> CheckedNodes<'a> {
    /// Creates the marks of a job that keeps them from set to set; `None` for any other.
    pub(super) fn of(
        state: &'a State,
        list: &'a SetList,
        sums: &'a SumCheck<'a>,
        occupant: Occupant,
        request: &JobRequest,
    ) -> Option<Self> {
        // Host by host, only packing leaves every reason to the vnodes (measured).
        let is_by_vnode =
            !is_placed_by_host(state, request) || request.place.arrangement == Arrangement::Pack;
        let is_lone = request.total_chunks() == 1 && is_by_vnode;
        let pool = pool_of(state, occupant, request);
        let is_ranked = matches!(occupant, Occupant::Job(job, _) if state.plan.ranking_of(job).is_some());
        (is_lone && !is_ranked).then_some(Self { state, list, sums, pool })
    }

    /// Returns those of `nodes` that no set has checked, optionally ignoring the set `but`.
    pub(super) fn unchecked_nodes(&self, nodes: impl Iterator<Item = Bit>, but: Option<SetIx>) -> NodeSet {
        NodeSet::of(self.state.plan.nodes.len(), nodes.filter(|bit| !self.was_examined(*bit, but)))
    }

    fn was_examined(&self, bit: Bit, but: Option<SetIx>) -> bool {
        let was_tried = |set: &SetIx| Some(*set) != but && self.sums.holds(*set);
        if !self.list.is_lasting() {
            let has = |set: &SetIx| {
                self.list.set(self.state, *set).is_some_and(|set| set.shape.nodes.contains(bit))
            };
            return self.list.numbers.iter().any(|set| has(set) && was_tried(set));
        }
        // The sets of a pool have consecutive indices.
        let Some(pool) = self.pool.map(|pool| &self.state.pools[pool].sets) else { return false };
        let (Some(first), Some(last)) = (pool.first(), pool.last()) else { return false };
        let of_pool = |set: &&SetIx| (first.ix()..=last.ix()).contains(&set.ix());
        self.state.sets.by_node()[bit].iter().filter(of_pool).any(was_tried)
    }
}
