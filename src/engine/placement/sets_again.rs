//! Whether a job that found no placement set finds one after a few nodes were given back (rules 5.4, 6.10). All other
//! sets are as they were, so only those with these nodes are examined again.

use crate::cluster::JobId;
use crate::universe::{Against, Allocation, JobRequest, NodeSet, Occupant, State};

use super::node_filter::NodeFilter;
use super::node_path::{Candidates, place_on_nodes};
use super::probe::Probe;
use super::quick_check::SumCheck;
use super::ruling::answers_alone;
use super::set_list::{SetList, nodes_of, own_nodes_queue, pool_of};
use super::time_check::TimeCheck;

/// A job that found no set by the node path, though one could hold it when empty: so it never spans.
#[derive(Debug)]
pub struct SetsAgain<'a> {
    job: JobId,
    request: &'a JobRequest,
}

impl<'a> SetsAgain<'a> {
    /// None where a set without these nodes might hold the job afterwards, or the job goes elsewhere than to a set.
    pub fn new(state: &State, job: JobId, request: &'a JobRequest) -> Option<Self> {
        let plan = &state.plan;
        let occupant = Occupant::Job(job, None);
        pool_of(state, occupant, request)?;
        let list = SetList::of(state, occupant, request, false, None)?;
        let empty = SumCheck::new(state, &list, request, Against::Total);
        let never_spans = list.numbers.iter().any(|set| empty.holds(*set));
        let each_for_itself =
            answers_alone(state, request) && plan.masks.limited.is_empty() && !state.timeline.has_runs();
        (each_for_itself && never_spans).then_some(Self { job, request })
    }

    /// Whether a set holds the job now that these nodes were given back; if not, none does.
    pub fn is_held(&self, state: &State, given_back: &Allocation) -> bool {
        let occupant = Occupant::Job(self.job, None);
        let nodes = nodes_of(state, own_nodes_queue(state, occupant));
        let eligible = NodeFilter::new(state, nodes, self.request.place.sharedness).nodes;
        let everywhere = Candidates::all(nodes, &eligible);
        let changed = NodeSet::of(nodes.capacity(), given_back.pieces.iter().map(|piece| piece.bit));
        let Some(list) = SetList::of(state, occupant, self.request, false, None) else { return true };
        let sums = SumCheck::new(state, &list, self.request, Against::Now);
        let time = TimeCheck::default();
        let (mut examined, mut probe) = (0, Probe::off());
        let mut changed =
            list.numbers.iter().copied().filter(|set| state.sets[*set].shape.nodes.meets(&changed));
        changed.any(|set| {
            let nodes = everywhere.within(&state.sets[set].shape, Some(set));
            sums.holds(set)
                && place_on_nodes(state, self.request, nodes, &time, &mut examined, &mut probe).is_ok()
        })
    }
}
