//! Whether a job that found no placement set finds one after a few nodes were given back (rules 5.4, 6.10). All other
//! sets are as they were, so only those with these nodes are examined again.

use crate::cluster::JobId;
use crate::universe::{Against, Allocation, Bit, JobRequest, NodeSet, Occupant, Reason, SetIx, State};

use super::candidates::{Candidates, NodeFailure, goes_by_host};
use super::quick_check::SumCheck;
use super::ruling::{Ruling, answers_alone};
use super::set_list::{SetList, nodes_of, own_nodes_queue, pool_of};
use super::{NodeFilter, Probe, TimeCheck, place_on_nodes, refusing};

/// A job that found no set by the node path, though one could hold it when empty: so it never spans.
#[derive(Debug)]
pub struct SetsAgain<'a> {
    job: JobId,
    request: &'a JobRequest,
    /// What the nodes of each set hold, where each answers for itself; none until the first set is examined.
    ruling: Option<Ruling>,
    /// Nodes that were given back since it was found out.
    changed: Vec<Bit>,
    /// Nodes that were given back since all sets were examined; none before that was done once.
    unexamined: Option<Vec<Bit>>,
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
        let each_for_itself =
            answers_alone(state, request) && plan.masks.limited.is_empty() && !state.timeline.has_runs();
        (each_for_itself && never_spans).then(|| Self {
            job,
            request,
            ruling: None,
            changed: Vec::new(),
            unexamined: None,
        })
    }

    /// Takes in that these nodes were given back.
    pub fn give_back(&mut self, given_back: &Allocation) {
        let nodes = || given_back.pieces.iter().map(|piece| piece.bit);
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
        let Some(list) = self.list(state) else { return true };
        let around = state.sets.by_node();
        let mut met: Vec<SetIx> = unexamined.iter().flat_map(|bit| &around[*bit]).copied().collect();
        met.sort_unstable();
        met.dedup();
        let sums = SumCheck::new(state, &list, self.request, Against::Now);
        met.retain(|set| sums.holds(*set));
        let is_held = !met.is_empty() && {
            let nodes = self.nodes(state);
            let eligible =
                NodeFilter::new(state, nodes, self.occupant(), self.request.place.sharedness).nodes;
            let everywhere = Candidates::all(nodes, &eligible);
            met.into_iter().any(|set| {
                !self.is_ruled_out(state, &eligible, set)
                    && list.numbers.contains(&set)
                    && self.place_in(state, everywhere, set).is_ok()
            })
        };
        if !is_held {
            self.examined_all();
        }
        is_held
    }

    /// Why the job finds no room, where no set holds it: what the last set gives, or else the first that
    /// gives a reason. None where more than that counts.
    pub fn reason(&self, state: &State) -> Option<Reason> {
        // The reason of a job of one chunk is that of the nodes that no set has checked; one that goes back to its nodes
        // asks for others than it requests.
        if self.request.total_chunks() == 1 || state.goes_back(self.job) {
            return None;
        }
        let list = self.list(state)?;
        let nodes = self.nodes(state);
        let NodeFilter { nodes: eligible, first, .. } =
            NodeFilter::new(state, nodes, self.occupant(), self.request.place.sharedness);
        if !refusing(state, &eligible, self.occupant(), self.request).is_empty() {
            return None;
        }
        let everywhere = Candidates::all(nodes, &eligible);
        let sums = SumCheck::new(state, &list, self.request, Against::Now);
        let of_set = |set: &SetIx| match sums.holds(*set) {
            true => self.place_in(state, everywhere, *set).err()?.reason,
            false => Some(Reason::SetTooSmall(state.sets[*set].shape.name.clone())),
        };
        // Without a node of the last set that was examined, the filter's reason stands, or else the first reason of a set.
        let last = list.numbers.last().and_then(of_set);
        last.or(first.map(|(_, reason)| reason)).or_else(|| list.numbers.iter().find_map(of_set))
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

    /// Whether the nodes of a set hold too few chunks, each for itself.
    fn is_ruled_out(&mut self, state: &State, eligible: &NodeSet, set: SetIx) -> bool {
        // By host a node is examined for the whole job.
        if goes_by_host(state, self.request) {
            return false;
        }
        match &mut self.ruling {
            Some(_) if self.changed.is_empty() => {}
            Some(ruling) => {
                let mut changed = std::mem::take(&mut self.changed);
                changed.sort_unstable();
                changed.dedup();
                ruling.again(state, self.request, eligible, &changed);
            }
            None => self.ruling = Ruling::new(state, self.request, eligible, &TimeCheck::default()),
        }
        self.ruling.as_ref().is_some_and(|ruling| ruling.out(set).is_some())
    }
}
