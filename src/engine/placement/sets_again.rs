//! Whether a job that found no placement set finds one after a few nodes were given back (rules 5.4, 6.10). All other
//! sets are as they were, so only those with these nodes are examined again.

use rustc_hash::FxHashSet;

use crate::cluster::JobId;
use crate::universe::{Against, Allocation, Bit, JobRequest, NodeSet, Occupant, Reason, SetIx, State};

use super::node_filter::NodeFilter;
use super::node_limits::refusing;
use super::node_path::{Candidates, goes_by_host, place_on_nodes};
use super::probe::Probe;
use super::quick_check::SumCheck;
use super::ruling::{Ruling, answers_alone};
use super::set_list::{SetList, nodes_of, own_nodes_queue, pool_of};
use super::time_check::TimeCheck;

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
        if self.ruling.is_some() {
            self.changed.extend(given_back.nodes());
        }
        if let Some(unexamined) = &mut self.unexamined {
            unexamined.extend(given_back.nodes());
        }
    }

    /// Takes in that all sets were examined, and none holds the job.
    pub fn examined_all(&mut self) {
        self.unexamined = Some(Vec::new());
    }

    /// Whether a set may hold the job, now that nodes were given back.
    pub fn is_held(&mut self, state: &State) -> bool {
        let Some(unexamined) = self.unexamined.take() else { return true };
        let occupant = Occupant::Job(self.job, None);
        let nodes = nodes_of(state, own_nodes_queue(state, occupant));
        let eligible = NodeFilter::new(state, nodes, self.request.place.sharedness).nodes;
        let everywhere = Candidates::all(nodes, &eligible);
        let around = state.sets.by_node();
        let met: FxHashSet<SetIx> = unexamined.iter().flat_map(|bit| &around[*bit]).copied().collect();
        let Some(list) = SetList::of(state, occupant, self.request, false, None) else { return true };
        let sums = SumCheck::new(state, &list, self.request, Against::Now);
        let time = TimeCheck::default();
        let (mut examined, mut probe) = (0, Probe::off());
        let is_held = list.numbers.iter().copied().any(|set| {
            let shape = &state.sets[set].shape;
            let nodes = everywhere.within(shape, Some(set));
            met.contains(&set)
                && sums.holds(set)
                && !self.is_ruled_out(state, &eligible, set)
                && place_on_nodes(state, self.request, nodes, &time, &mut examined, &mut probe).is_ok()
        });
        if !is_held {
            self.examined_all();
        }
        is_held
    }

    /// Why the job finds no room, where no set holds it: what the last set gives, or else the first that
    /// gives a reason. None where more than that counts.
    pub fn reason(&self, state: &State) -> Option<Reason> {
        let occupant = Occupant::Job(self.job, None);
        // The reason of a job of one chunk is that of the nodes that no set has checked; one that goes back to its nodes
        // asks for others than it requests.
        if self.request.total_chunks() == 1 || state.goes_back(self.job) {
            return None;
        }
        let list = SetList::of(state, occupant, self.request, false, None).filter(SetList::is_lasting)?;
        let nodes = nodes_of(state, own_nodes_queue(state, occupant));
        let NodeFilter { nodes: eligible, first } =
            NodeFilter::new(state, nodes, self.request.place.sharedness);
        if !refusing(state, &eligible, occupant, self.request).is_empty() {
            return None;
        }
        let everywhere = Candidates::all(nodes, &eligible);
        let sums = SumCheck::new(state, &list, self.request, Against::Now);
        let of_set = |number: &SetIx| {
            let set = list.set(state, *number)?;
            if !sums.holds(*number) {
                return Some(Reason::SetTooSmall(set.shape.name.clone()));
            }
            let nodes = everywhere.within(&set.shape, Some(*number));
            let (mut examined, mut probe) = (0, Probe::off());
            place_on_nodes(state, self.request, nodes, &TimeCheck::default(), &mut examined, &mut probe)
                .err()?
                .reason
        };
        // Where no node of the last set was examined, what the filter turned away counts, or the first reason of a set.
        let last = list.numbers.last().and_then(of_set);
        last.or(first.map(|(_, reason)| reason)).or_else(|| list.numbers.iter().find_map(of_set))
    }

    /// Whether the nodes of a set hold too few chunks, each for itself.
    fn is_ruled_out(&mut self, state: &State, eligible: &NodeSet, set: SetIx) -> bool {
        // By host a node is examined for the whole job.
        if goes_by_host(state, self.request) {
            return false;
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        match &mut self.ruling {
            Some(ruling) => ruling.again(state, self.request, eligible, &changed),
            None => self.ruling = Ruling::new(state, self.request, eligible, &TimeCheck::default()),
        }
        self.ruling.as_ref().is_some_and(|ruling| ruling.out(set).is_some())
    }
}
