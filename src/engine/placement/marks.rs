//! Marks on nodes that outlast a placement set (rule 4.5, measured): a lone chunk that is searched for node by node, or
//! packed, does not check a node again that refused it in an earlier set, so that a set of such nodes leaves no reason.

use crate::cluster::{Arrangement, Id};
use crate::universe::{Bit, JobRequest, NodeSet, Occupant, PoolIx, SetIx, State};

use super::candidates::goes_by_host;
use super::quick_check::SumCheck;
use super::set_list::{SetList, pool_of};

/// Which nodes of a list of sets were checked, once all sets that could hold the job by their sums were tried.
pub(super) struct Marks<'a> {
    state: &'a State,
    list: &'a SetList,
    sums: &'a SumCheck<'a>,
    /// The pool of the sets, where they are the state's.
    pool: Option<PoolIx>,
}

impl<'a> Marks<'a> {
    /// Of a job whose marks are not cleared from set to set; none for any other.
    pub(super) fn of(
        state: &'a State,
        list: &'a SetList,
        sums: &'a SumCheck<'a>,
        occupant: Occupant,
        request: &JobRequest,
    ) -> Option<Self> {
        // Host by host only packing leaves every reason to the vnodes (measured).
        let is_by_vnode = !goes_by_host(state, request) || request.place.arrangement == Arrangement::Pack;
        let is_lone = request.total_chunks() == 1 && is_by_vnode;
        let pool = pool_of(state, occupant, request);
        let is_ranked = matches!(occupant, Occupant::Job(job, _) if state.plan.ranking_of(job).is_some());
        (is_lone && !is_ranked).then_some(Self { state, list, sums, pool })
    }

    /// Those of these nodes that no set has checked; of the sets, one may be left out.
    pub(super) fn unasked(&self, nodes: impl Iterator<Item = Bit>, but: Option<SetIx>) -> NodeSet {
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
        // Sets of a pool are made one after another.
        let Some(pool) = self.pool.map(|pool| &self.state.pools[pool].sets) else { return false };
        let (Some(first), Some(last)) = (pool.first(), pool.last()) else { return false };
        let of_pool = |set: &&SetIx| (first.ix()..=last.ix()).contains(&set.ix());
        self.state.sets.by_node()[bit].iter().filter(of_pool).any(was_tried)
    }
}
