//! Ruling out sets without examining them.

use crate::cluster::QueueId;
use crate::universe::{
    HeldChunkCache, HeldChunkCount, HeldChunksKey, JobRequest, NodeSet, SetCacheRow, SetIx, State,
};

use super::MAX_LINES;
use crate::placement::TimeCheck;
use crate::placement::candidates::is_placed_by_host;
use crate::placement::capacities::{SetCapacities, answers_alone, is_worthwhile, nodes_to_check};
use crate::placement::chunk::PreparedChunk;
use crate::placement::set_list::SetList;

/// Decides which sets of a list need not be examined, from known capacities of their nodes or once many sets have
/// failed. With a recording all sets are examined, unless there are very many.
pub(super) struct SetPruner<'a> {
    allowed: bool,
    /// Number of sets examined.
    examined: usize,
    /// Number of nodes that a ruling would check, computed once.
    nodes: Option<usize>,
    capacities: Option<SetCapacities>,
    known: Option<CachedSetCounts<'a>>,
}

impl<'a> SetPruner<'a> {
    /// Creates the rules, with nothing ruled out yet.
    pub(super) fn new(list: &SetList, is_recorded: bool) -> Self {
        let allowed = list.is_lasting() && !(is_recorded && list.numbers.len() <= MAX_LINES);
        Self { allowed, examined: 0, nodes: None, capacities: None, known: None }
    }

    /// Also uses cached counts. Only for a job that no node refuses for its own reasons, outside reservations and not
    /// restricted to its own nodes: the capacity of a set for it is then the same for all jobs like it.
    pub(super) fn with_counts(
        self,
        state: &'a State,
        request: &'a JobRequest,
        queue: Option<QueueId>,
        time: &TimeCheck,
        counts: &'a mut HeldChunkCache,
    ) -> Self {
        let known = CachedSetCounts::of(state, request, queue, counts);
        Self { known: known.filter(|_| self.allowed && time.is_empty()), ..self }
    }

    /// Returns how many nodes would be examined in vain in a set that cannot hold the job; `None` if it may hold it.
    #[inline]
    pub(super) fn out(&mut self, set: SetIx, question: PlacementQuery<'_>) -> Option<u64> {
        if let Some(known) = &mut self.known {
            return known.nodes_if_ruled_out(set, question.eligible);
        }
        if self.capacities.is_none() && self.allowed {
            self.ask(question);
        }
        self.capacities.as_ref()?.nodes_if_ruled_out(set)
    }

    /// Checks all nodes, if that pays off by now.
    fn ask(&mut self, PlacementQuery { state, request, eligible, time }: PlacementQuery<'_>) {
        let nodes = *self.nodes.get_or_insert_with(|| nodes_to_check(state, request, eligible));
        if is_worthwhile(self.examined, nodes) {
            self.capacities = SetCapacities::new(state, request, eligible, time);
            self.allowed = self.capacities.is_some();
        }
        self.examined += 1;
    }
}

/// The job to place and the nodes it may use.
#[derive(Clone, Copy)]
pub(super) struct PlacementQuery<'a> {
    pub state: &'a State,
    pub request: &'a JobRequest,
    pub eligible: &'a NodeSet,
    pub time: &'a TimeCheck,
}

/// Cached counts of the job's only chunk spec on the nodes of each set, valid until one of its nodes changes.
struct CachedSetCounts<'a> {
    state: &'a State,
    counts: &'a mut HeldChunkCache,
    row: SetCacheRow,
    chunk: PreparedChunk<'a>,
    is_spread: bool,
    /// Number of chunks requested.
    requested: u32,
}

impl<'a> CachedSetCounts<'a> {
    /// Returns `None` if nodes are not independent of each other or counts cannot be computed by division.
    fn of(
        state: &'a State,
        request: &'a JobRequest,
        queue: Option<QueueId>,
        counts: &'a mut HeldChunkCache,
    ) -> Option<Self> {
        let [part] = &*request.specs else { return None };
        if !answers_alone(state, request) || is_placed_by_host(state, request) {
            return None;
        }
        let (shape, is_spread) = (part.shape, request.is_spread());
        let kind = HeldChunksKey { shape, is_spread, sharedness: request.place.sharedness, queue };
        let chunk = PreparedChunk::new(state, shape);
        let row = counts.row(kind, state.sets.len()).filter(|_| !chunk.has_names && !chunk.has_aoe)?;
        Some(Self { state, counts, row, chunk, is_spread, requested: part.count })
    }

    /// Returns how many nodes would be examined in vain in a set that cannot hold the job; `None` if it may hold it.
    fn nodes_if_ruled_out(&mut self, set: SetIx, eligible: &NodeSet) -> Option<u64> {
        let Self { state, chunk, is_spread, .. } = self;
        let anew = || count(state, chunk, *is_spread, set, eligible);
        let held = self.counts.value(self.row, set, anew);
        debug_assert_eq!(held, anew(), "what is known of a set holds until one of its nodes changes");
        held.chunks.is_some_and(|chunks| chunks < self.requested).then_some(u64::from(held.examined))
    }
}

/// Counts the chunks that the eligible nodes of a set hold.
fn count(
    state: &State,
    chunk: &PreparedChunk<'_>,
    is_spread: bool,
    set: SetIx,
    eligible: &NodeSet,
) -> HeldChunkCount {
    let fitting = state.plan.fit_nodes(chunk.shape);
    let members = state.sets[set].shape.members.iter().copied();
    let mut held = HeldChunkCount { chunks: Some(0), examined: 0 };
    for bit in members.filter(|bit| eligible.contains(*bit) && fitting.contains(*bit)) {
        let Some(times) = chunk.times_on(bit) else { return HeldChunkCount { chunks: None, examined: 0 } };
        let (times, examined) = if is_spread { (times.min(1), 1) } else { (times, 1 + u32::from(times > 0)) };
        held.chunks = held.chunks.map(|chunks| chunks.saturating_add(times));
        held.examined += examined;
    }
    held
}
