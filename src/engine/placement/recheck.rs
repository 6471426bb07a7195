//! Checks whether a job that fitted in no placement set fits after a few nodes were released (rules 5.4, 6.10). All
//! other sets are unchanged, so only sets with these nodes are examined again.

use crate::cluster::{JobId, ResourceId};
use crate::universe::{
    Allocation, AmountBasis, Bit, BitSet, JobRequest, NodeSet, Occupant, Reason, SetIx, State,
};

use super::candidates::{Candidates, NodePathFailure, is_placed_by_host};
use super::capacities::{SetCapacities, answers_alone};
use super::quick_check::SumCheck;
use super::set_list::{SetList, nodes_of, own_nodes_queue, pool_of};
use super::{NodeFilter, Probe, TimeCheck, place_on_nodes};

/// A job that fitted in no set on the node path although one could hold it when empty, so that it never spans sets.
#[derive(Debug)]
pub struct SetRecheck<'a> {
    job: JobId,
    request: &'a JobRequest,
    /// The sets that it tries.
    tried: BitSet<SetIx>,
    /// The capacity of the nodes of each set, if nodes are independent; `None` until the first set is examined.
    ruling: Option<SetCapacities>,
    /// Nodes released since the capacity was computed.
    changed: Vec<Bit>,
    /// Nodes released since all sets were examined; `None` before that was done once.
    unexamined: Option<Vec<Bit>>,
    /// The last set and its reason, valid as long as none of its nodes is released and it remains the last set.
    last_set: Option<(SetIx, Reason)>,
}

impl<'a> SetRecheck<'a> {
    /// Creates the check; `None` if a set without the released nodes might hold the job, or if the job does not use
    /// sets of the state.
    pub fn new(state: &State, job: JobId, request: &'a JobRequest) -> Option<Self> {
        let plan = &state.plan;
        let occupant = Occupant::Job(job, None);
        pool_of(state, occupant, request)?;
        let list = SetList::of(state, occupant, request, false, None).filter(SetList::is_lasting)?;
        let empty = SumCheck::new(state, &list, request, AmountBasis::Total);
        let never_spans = list.numbers.iter().any(|set| empty.holds(*set));
        // Nor may a node refuse it for anything other than amounts and conditions of a chunk.
        let each_for_itself = answers_alone(state, request)
            && plan.masks.limited.is_empty()
            && !request.has_requirement(&plan.shapes, ResourceId::eoe())
            && !state.timeline.has_runs();
        (each_for_itself && never_spans).then(|| Self {
            job,
            request,
            tried: BitSet::of(state.sets.len(), list.numbers.iter().copied()),
            ruling: None,
            changed: Vec::new(),
            unexamined: None,
            last_set: None,
        })
    }

    /// Records that the nodes of an allocation were released.
    pub fn give_back(&mut self, state: &State, given_back: &Allocation) {
        let nodes = || given_back.pieces.iter().map(|piece| piece.bit);
        self.last_set.take_if(|(set, _)| nodes().any(|bit| state.sets[*set].shape.nodes.contains(bit)));
        if self.ruling.is_some() {
            self.changed.extend(nodes());
        }
        if let Some(unexamined) = &mut self.unexamined {
            unexamined.extend(nodes());
        }
    }

    /// Records that all sets were examined and none holds the job.
    pub fn examined_all(&mut self) {
        self.unexamined = Some(Vec::new());
    }

    /// Whether a set may hold the job after the nodes released so far.
    pub fn is_held(&mut self, state: &State) -> bool {
        let Some(unexamined) = self.unexamined.take() else { return true };
        let around = state.sets.by_node();
        let met = unexamined.iter().flat_map(|bit| &around[*bit]).copied();
        let mut met: Vec<SetIx> = met.filter(|set| self.tried.contains(*set)).collect();
        met.sort_unstable();
        met.dedup();
        self.count_anew(state);
        met.retain(|set| self.ruling.as_ref().is_none_or(|ruling| ruling.nodes_if_ruled_out(*set).is_none()));
        let is_held = !met.is_empty() && self.is_held_by(state, &met);
        if !is_held {
            self.examined_all();
        }
        is_held
    }

    /// Whether any of these sets holds the job.
    fn is_held_by(&self, state: &State, sets: &[SetIx]) -> bool {
        let Some(list) = self.list(state) else { return true };
        let sums = SumCheck::new(state, &list, self.request, AmountBasis::Now);
        let (nodes, eligible) = (self.nodes(state), self.eligible(state).nodes);
        let everywhere = Candidates::of_complex(nodes, &eligible);
        sets.iter().any(|set| sums.holds(*set) && self.place_in(state, everywhere, *set).is_ok())
    }

    /// Returns why no set holds the job: the reason of the last set, or else the first set that gives one; `None` if
    /// the reason depends on more than that.
    pub fn reason(&mut self, state: &State) -> Option<Reason> {
        // For a job of one chunk the reason comes from the nodes that no set has checked; a job that returns to its
        // nodes requests other chunks than its own.
        if self.request.total_chunks() == 1 || state.must_return(self.job) {
            return None;
        }
        let list = self.list(state)?;
        let last = *list.numbers.last()?;
        if let Some((_, reason)) = self.last_set.as_ref().filter(|(set, _)| *set == last) {
            debug_assert_eq!(
                Some(reason),
                self.reason_of(state, &list, last).0.as_ref(),
                "the last set gives the same reason"
            );
            return Some(reason.clone());
        }
        let (given, otherwise) = self.reason_of(state, &list, last);
        self.last_set = given.clone().map(|reason| (last, reason));
        given.or(otherwise)
    }

    /// Returns the reason of the last set. If none of its nodes was examined, returns instead the reason of the
    /// filter, or else the first reason of a set.
    fn reason_of(&self, state: &State, list: &SetList, last: SetIx) -> (Option<Reason>, Option<Reason>) {
        let NodeFilter { nodes: eligible, first, .. } = self.eligible(state);
        let everywhere = Candidates::of_complex(self.nodes(state), &eligible);
        let sums = SumCheck::new(state, list, self.request, AmountBasis::Now);
        let of_set = |set: &SetIx| match sums.holds(*set) {
            true => self.place_in(state, everywhere, *set).err()?.reason,
            false => Some(Reason::SetTooSmall(state.sets[*set].shape.name.clone())),
        };
        match of_set(&last) {
            Some(given) => (Some(given), None),
            None => (None, first.map(|(_, reason)| reason).or_else(|| list.numbers.iter().find_map(of_set))),
        }
    }

    fn occupant(&self) -> Occupant {
        Occupant::Job(self.job, None)
    }

    /// Returns the sets in the order tried.
    fn list(&self, state: &State) -> Option<SetList> {
        SetList::of(state, self.occupant(), self.request, false, None)
    }

    /// Returns the nodes that the job may use.
    fn nodes<'s>(&self, state: &'s State) -> &'s NodeSet {
        nodes_of(state, own_nodes_queue(state, self.occupant()))
    }

    /// Places the job on the nodes of one set.
    fn place_in(
        &self,
        state: &State,
        everywhere: Candidates<'_>,
        set: SetIx,
    ) -> Result<Allocation, NodePathFailure> {
        let nodes = everywhere.within(&state.sets[set].shape, Some(set));
        let (time, mut examined, mut probe) = (TimeCheck::default(), 0, Probe::off());
        place_on_nodes(state, self.request, nodes, &time, &mut examined, &mut probe)
    }

    /// Returns the nodes that the job may examine.
    fn eligible(&self, state: &State) -> NodeFilter {
        NodeFilter::new(state, self.nodes(state), self.occupant(), self.request.place.sharedness)
    }

    /// Updates the capacity of the nodes: at first of all of them, then of those released since.
    fn count_anew(&mut self, state: &State) {
        // Host by host, a node is examined for the whole job.
        if is_placed_by_host(state, self.request) {
            return;
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        let (nodes, sharedness) = (self.nodes(state), self.request.place.sharedness);
        let admits = |bit| NodeFilter::admits(state, nodes, sharedness, bit);
        debug_assert!(
            changed.iter().all(|bit| admits(*bit) == self.eligible(state).nodes.contains(*bit)),
            "a node is let pass alone and not among all, or the other way round"
        );
        match &mut self.ruling {
            Some(ruling) => ruling.recheck_nodes(state, self.request, &changed, admits),
            None => {
                let eligible = self.eligible(state).nodes;
                self.ruling = SetCapacities::new(state, self.request, &eligible, &TimeCheck::default());
            }
        }
    }
}
