//! Whether a job that found no placement set finds one after a few nodes were given back (rules 5.4, 6.10). All other
//! sets are as they were, so only those with these nodes are examined again.

use crate::cluster::{JobId, ResourceId};
use crate::universe::{
    Against, Allocation, Bit, BitSet, JobRequest, NodeSet, Occupant, Reason, SetIx, State,
};

use super::candidates::{Candidates, NodeFailure, goes_by_host};
use super::quick_check::SumCheck;
use super::ruling::{Ruling, answers_alone};
use super::set_list::{SetList, nodes_of, own_nodes_queue, pool_of};
use super::{NodeFilter, Probe, TimeCheck, place_on_nodes};

/// A job that found no set by the node path, though one could hold it when empty: so it never spans.
#[derive(Debug)]
pub struct SetsAgain<'a> {
    job: JobId,
    request: &'a JobRequest,
    /// The sets that it tries.
    tried: BitSet<SetIx>,
    /// What the nodes of each set hold, where each answers for itself; none until the first set is examined.
    ruling: Option<Ruling>,
    /// Nodes that were given back since it was found out.
    changed: Vec<Bit>,
    /// Nodes that were given back since all sets were examined; none before that was done once.
    unexamined: Option<Vec<Bit>>,
    /// The last set and the reason that it gave: the same as long as none of its nodes is given back and it stays the last.
    of_last: Option<(SetIx, Reason)>,
}

impl<'a> SetsAgain<'a> {
    /// None where a set without these nodes might hold the job afterwards, or the job goes elsewhere than to a set.
    pub fn new(state: &State, job: JobId, request: &'a JobRequest) -> Option<Self> {
        let plan = &state.plan;
        let occupant = Occupant::Job(job, None);
        pool_of(state, occupant, request)?;
        let list = SetList::of(state, occupant, request, false, None).filter(SetList::is_lasting)?;
        let empty = SumCheck::new(state, &list, request, Against::Total);
        let never_spans = list.numbers.iter().any(|set| empty.holds(*set));
        // Nor does a node refuse it for what is no amount and no condition of a chunk.
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
            of_last: None,
        })
    }

    /// Takes in that these nodes were given back.
    pub fn give_back(&mut self, state: &State, given_back: &Allocation) {
        let nodes = || given_back.pieces.iter().map(|piece| piece.bit);
        self.of_last.take_if(|(set, _)| nodes().any(|bit| state.sets[*set].shape.nodes.contains(bit)));
        if self.ruling.is_some() {
            self.changed.extend(nodes());
        }
        if let Some(unexamined) = &mut self.unexamined {
            unexamined.extend(nodes());
        }
    }

    /// Takes in that all sets were examined, and none holds the job.
    pub fn examined_all(&mut self) {
        self.unexamined = Some(Vec::new());
    }

    /// Whether a set may hold the job, now that nodes were given back.
    pub fn is_held(&mut self, state: &State) -> bool {
        let Some(unexamined) = self.unexamined.take() else { return true };
        let around = state.sets.by_node();
        let met = unexamined.iter().flat_map(|bit| &around[*bit]).copied();
        let mut met: Vec<SetIx> = met.filter(|set| self.tried.contains(*set)).collect();
        met.sort_unstable();
        met.dedup();
        self.count_anew(state);
        met.retain(|set| self.ruling.as_ref().is_none_or(|ruling| ruling.out(*set).is_none()));
        let is_held = !met.is_empty() && self.is_held_by(state, &met);
        if !is_held {
            self.examined_all();
        }
        is_held
    }

    /// Whether any of these sets holds the job.
    fn is_held_by(&self, state: &State, sets: &[SetIx]) -> bool {
        let Some(list) = self.list(state) else { return true };
        let sums = SumCheck::new(state, &list, self.request, Against::Now);
        let (nodes, eligible) = (self.nodes(state), self.eligible(state).nodes);
        let everywhere = Candidates::all(nodes, &eligible);
        sets.iter().any(|set| sums.holds(*set) && self.place_in(state, everywhere, *set).is_ok())
    }

    /// Why the job finds no room, where no set holds it: what the last set gives, or else the first that
    /// gives a reason. None where more than that counts.
    pub fn reason(&mut self, state: &State) -> Option<Reason> {
        // The reason of a job of one chunk is that of the nodes that no set has checked; one that goes back to its nodes
        // asks for others than it requests.
        if self.request.total_chunks() == 1 || state.goes_back(self.job) {
            return None;
        }
        let list = self.list(state)?;
        let last = *list.numbers.last()?;
        if let Some((_, reason)) = self.of_last.as_ref().filter(|(set, _)| *set == last) {
            debug_assert_eq!(
                Some(reason),
                self.reason_of(state, &list, last).0.as_ref(),
                "the last set gives the same reason"
            );
            return Some(reason.clone());
        }
        let (given, otherwise) = self.reason_of(state, &list, last);
        self.of_last = given.clone().map(|reason| (last, reason));
        given.or(otherwise)
    }

    /// The reason that the last set gives. Without a node of it that was examined, the filter's reason stands, or else the
    /// first reason of a set.
    fn reason_of(&self, state: &State, list: &SetList, last: SetIx) -> (Option<Reason>, Option<Reason>) {
        let NodeFilter { nodes: eligible, first, .. } = self.eligible(state);
        let everywhere = Candidates::all(self.nodes(state), &eligible);
        let sums = SumCheck::new(state, list, self.request, Against::Now);
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

    /// The sets in the order tried.
    fn list(&self, state: &State) -> Option<SetList> {
        SetList::of(state, self.occupant(), self.request, false, None)
    }

    /// The nodes that the job may use.
    fn nodes<'s>(&self, state: &'s State) -> &'s NodeSet {
        nodes_of(state, own_nodes_queue(state, self.occupant()))
    }

    /// Places the job on the nodes of one set.
    fn place_in(
        &self,
        state: &State,
        everywhere: Candidates<'_>,
        set: SetIx,
    ) -> Result<Allocation, NodeFailure> {
        let nodes = everywhere.within(&state.sets[set].shape, Some(set));
        let (time, mut examined, mut probe) = (TimeCheck::default(), 0, Probe::off());
        place_on_nodes(state, self.request, nodes, &time, &mut examined, &mut probe)
    }

    /// The nodes that it may examine.
    fn eligible(&self, state: &State) -> NodeFilter {
        NodeFilter::new(state, self.nodes(state), self.occupant(), self.request.place.sharedness)
    }

    /// Counts what the nodes hold, each for itself: all of them once, then those that were given back since.
    fn count_anew(&mut self, state: &State) {
        // By host a node is examined for the whole job.
        if goes_by_host(state, self.request) {
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
            Some(ruling) => ruling.again(state, self.request, &changed, admits),
            None => {
                let eligible = self.eligible(state).nodes;
                self.ruling = Ruling::new(state, self.request, &eligible, &TimeCheck::default());
            }
        }
    }
}
