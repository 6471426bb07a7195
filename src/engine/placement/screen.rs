//! Checks whether the buckets of a set have room for a job without looking at nodes, because hundreds of sets are
//! tried for every job and few change from one job to the next.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id, QueueId};
use crate::universe::{
    AmountBasis, ChunkCount, ChunkCountCache, ChunkCountKey, ChunkFit, JobRequest, NoRoom, PlacementSet,
    Plan, Quirk, SetCacheRow, SetIx, SigId, SignatureCount, Spec, State,
};

use super::capacities::is_worthwhile;
use super::chunk_map::times;
use super::set_list::SetList;

/// One job's check of many sets.
pub(super) struct SetPrefilter<'a> {
    state: &'a State,
    list: &'a SetList,
    queue: Option<QueueId>,
    spread: bool,
    counts: &'a mut ChunkCountCache,
    parts: Vec<SetPrefilterSpec<'a>>,
    /// Number of sets examined.
    examined: usize,
    /// Minimum number of nodes for the largest chunk spec; then, for each chunk spec, the total it takes of a
    /// consumable.
    nodes: u32,
    amounts: Vec<(&'a [f64], f64)>,
    /// Whether a skipped set has enough nodes, but not now.
    pub could_run: bool,
    /// Number of buckets in the skipped sets.
    pub buckets: u64,
}

/// A chunk spec of the select.
struct SetPrefilterSpec<'a> {
    spec: &'a Spec,
    /// Whether its room is independent of the number of chunks requested.
    fixed: bool,
    /// The row with its cached room, if it is cached.
    row: Option<SetCacheRow>,
    /// The room on all nodes of every set, once computed.
    all: Option<Arc<[u32]>>,
}

impl SetPrefilterSpec<'_> {
    fn is_too_much_for(&self, set: usize) -> bool {
        let all = self.all.as_ref().and_then(|all| all.get(set));
        all.is_some_and(|all| *all == 0 || *all < self.spec.count)
    }
}

impl<'a> SetPrefilter<'a> {
    /// Creates the check; `queue` is the job's queue if that has nodes of its own.
    pub(super) fn new(
        state: &'a State,
        list: &'a SetList,
        request: &'a JobRequest,
        queue: Option<QueueId>,
        counts: &'a mut ChunkCountCache,
    ) -> Self {
        let spread = request.is_spread();
        let sets = state.sets.len();
        let mut part = |spec: &'a Spec| {
            let fixed = list.is_lasting() && (spread || !depends_on_count(&state.plan, spec));
            let row = fixed
                .then(|| counts.row(ChunkCountKey { shape: spec.shape, is_spread: spread, queue }, sets))
                .flatten();
            SetPrefilterSpec {
                spec,
                fixed,
                row,
                all: row.and_then(|row| counts.counts_of_sets(row).cloned()),
            }
        };
        let parts = request.specs.iter().map(&mut part).collect();
        let nodes = request.specs.iter().map(|spec| if spread { spec.count } else { 1 }).max().unwrap_or(1);
        let tallies = list.tallies(state);
        let plan = &state.plan;
        let all = |spec: &'a Spec| {
            // A node on which such a resource is unset counts as infinite, which the sums do not show.
            let is_summed = |ix| !plan.unset_ok.contains(&plan.consumables.resource(ix));
            let needs = plan.needs[spec.shape].iter().filter(move |(ix, _)| is_summed(*ix));
            // Slightly less, because sums of fractions are not exact.
            let requested = move |each: f64| each * f64::from(spec.count) * (1.0 - 1e-9);
            needs.map(move |(ix, each)| (tallies.amounts(AmountBasis::Total, *ix), requested(*each)))
        };
        let amounts = request.specs.iter().flat_map(all).filter(|(_, requested)| *requested > 0.0).collect();
        Self {
            state,
            list,
            queue,
            spread,
            parts,
            examined: 0,
            nodes,
            amounts,
            counts,
            could_run: false,
            buckets: 0,
        }
    }

    /// Returns the index of the first set from `from` on that may hold the job now, or the length of the list if
    /// there is none.
    pub(super) fn next(&mut self, from: usize) -> usize {
        if from == 0
            && let Some(lack) = self.known_no_room()
        {
            return self.pass_all(lack);
        }
        let found = self.find(from);
        if from == 0 && found == self.list.numbers.len() {
            self.note_lack();
        }
        found
    }

    /// Returns for how long it is known that no set of the list has enough room for some chunk spec.
    fn known_no_room(&self) -> Option<NoRoom> {
        let pool = self.list.pool?;
        let lacks = |part: &SetPrefilterSpec<'_>| self.counts.lacks(part.row?, pool, part.spec.count);
        let mut known = self.parts.iter().filter_map(lacks);
        let first = known.next()?;
        Some(known.find(|lack| *lack == NoRoom::Permanent).unwrap_or(first))
    }

    /// Records that no set has room for a job with a single chunk spec, now or ever.
    fn note_lack(&mut self) {
        let lack = if self.could_run { NoRoom::Temporary } else { NoRoom::Permanent };
        if let (Some(pool), [SetPrefilterSpec { row: Some(row), spec, .. }]) = (self.list.pool, &*self.parts)
        {
            self.counts.note_lack(*row, pool, spec.count, lack);
        }
    }

    /// Skips all sets, none of which can hold the job now; looks for one that could hold it later.
    fn pass_all(&mut self, lack: NoRoom) -> usize {
        let list = self.list;
        for number in list.numbers.iter().filter(|_| lack == NoRoom::Temporary) {
            let set = list.set(self.state, *number).filter(|_| self.could_hold(*number));
            if let Some(open) = set.and_then(|set| self.check(*number, set)) {
                debug_assert!(!open, "a set that was known to lack room has it");
                self.could_run = true;
                break;
            }
        }
        let buckets = list.tallies(self.state).buckets();
        let counted = list.numbers.iter().filter_map(|number| buckets.get(number.ix()));
        self.buckets += counted.map(|count| u64::from(*count)).sum::<u64>();
        list.numbers.len()
    }

    /// Whether a set may hold the job at all, judged by its number of nodes and its sums.
    #[inline]
    fn could_hold(&self, set: SetIx) -> bool {
        let at = set.ix();
        let nodes = self.list.tallies(self.state).nodes(AmountBasis::Total).get(at);
        nodes.is_some_and(|nodes| u32::try_from(*nodes).is_ok_and(|nodes| nodes >= self.nodes))
            && self.amounts.iter().all(|(have, requested)| have.get(at).is_some_and(|have| have >= requested))
            && !self.parts.iter().any(|part| part.is_too_much_for(at))
    }

    fn find(&mut self, from: usize) -> usize {
        let rest = self.list.numbers.get(from..).unwrap_or_default();
        let tallies = self.list.tallies(self.state);
        let (open, buckets) = (tallies.open(), tallies.buckets());
        for (place, number) in (from..).zip(rest) {
            let at = number.ix();
            let (Some(open), Some(count)) = (open.get(at), buckets.get(at)) else { return place };
            // Once a set is known that could hold the job later, only sets that hold it now matter.
            let is_passed = self.could_run && *open < self.nodes;
            if !is_passed && self.could_hold(*number) {
                let Some(set) = self.list.set(self.state, *number) else { return place };
                match self.check(*number, set) {
                    Some(true) => return place,
                    Some(false) => self.could_run = true,
                    None => {}
                }
            }
            self.buckets += u64::from(*count);
        }
        from + rest.len()
    }

    /// Whether a set has room for every chunk spec on its open nodes; `None` if it is too small in total.
    #[inline]
    fn check(&mut self, number: SetIx, set: &PlacementSet) -> Option<bool> {
        self.examined += 1;
        if is_worthwhile(self.examined, self.state.plan.nodes.len()) {
            self.add_up();
        }
        let (state, queue, spread) = (self.state, self.queue, self.spread);
        let mut open = true;
        for SetPrefilterSpec { spec, row, .. } in &self.parts {
            let check = || chunk_count(&state.plan, queue, spread, spec, set);
            let room = match row {
                Some(row) => self.counts.count_of(*row, number, check),
                None => check(),
            };
            if room.all == 0 || room.all < spec.count {
                return None;
            }
            open &= room.open >= spec.count;
        }
        Some(open)
    }

    /// Adds up the room in every set for each chunk spec, if buckets are determined by their nodes alone.
    fn add_up(&mut self) {
        let (state, plan, queue) = (self.state, &*self.state.plan, self.queue);
        let unknown =
            |part: &&mut SetPrefilterSpec<'_>| part.all.is_none() && part.fixed && !plan.joins_unlike;
        for part in self.parts.iter_mut().filter(unknown) {
            let fits = plan.fits(part.spec.shape);
            let mut all: Column<SetIx, u32> = Column::filled(state.sets.len(), 0);
            for SignatureCount { set, sig, count } in self.counts.kinds(queue, || kinds(state, queue)).iter()
            {
                let times = times(plan, self.spread, part.spec, &fits[*sig]).unwrap_or(0);
                all[*set] = all[*set].saturating_add(times.saturating_mul(*count));
            }
            let all: Arc<[u32]> = all.into_iter().collect();
            if let Some(row) = part.row {
                self.counts.keep_all(row, all.clone());
            }
            part.all = Some(all);
        }
    }
}

/// Counts the nodes of each signature in the buckets of every set, for the nodes of a queue.
fn kinds(state: &State, queue: Option<QueueId>) -> Arc<[SignatureCount]> {
    let nodes = &state.plan.nodes;
    let around = state.sets.by_node();
    let mut counts: FxHashMap<(SetIx, SigId), u32> = FxHashMap::default();
    for bit in nodes.ids().filter(|bit| state.bucket_of[*bit].is_some() && nodes[*bit].queue == queue) {
        for set in &around[bit] {
            *counts.entry((*set, nodes[bit].bucket_sig)).or_default() += 1;
        }
    }
    counts.into_iter().map(|((set, sig), count)| SignatureCount { set, sig, count }).collect()
}

/// Whether some node holds any number of chunks of a chunk spec.
fn depends_on_count(plan: &Plan, spec: &Spec) -> bool {
    let is_endless = |sig: SigId| matches!(plan.fit(spec.shape, sig), ChunkFit::Unlimited);
    !plan.has(Quirk::UnlimitedChunk) && plan.signatures.ids().any(is_endless)
}

/// Returns how many chunks of a chunk spec the buckets of a set hold.
pub(super) fn chunk_count(
    plan: &Plan,
    queue: Option<QueueId>,
    spread: bool,
    spec: &Spec,
    set: &PlacementSet,
) -> ChunkCount {
    set.chunk_count(plan, |sig, of| {
        let times = if of == queue { times(plan, spread, spec, plan.fit(spec.shape, sig)) } else { None };
        times.unwrap_or(0).into()
    })
}
