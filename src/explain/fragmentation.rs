//! Fragmentation: how much of the free nodes of a pool is usable by a job that must stay within one set.

use qscope_engine::cluster::{Arrangement, Column, JobId, Name};
use qscope_engine::universe::{
    AmountBasis, Bit, ConsIx, JobRequest, JobStatus, NodeSet, NodeUse, PlacementSet, Plan, PoolIx, PoolOwner,
    Spec, State,
};

use serde::Serialize;

use super::fit_analysis::{FitAnalysis, touched_by};

/// Fragmentation of the free nodes of one pool.
#[derive(Clone, Debug)]
pub struct Fragmentation {
    pub owner: PoolOwner,
    /// Number of nodes that its jobs may use.
    pub nodes: usize,
    /// Number of wholly free nodes: up, with cpus, without occupants.
    pub free: usize,
    pub sets: usize,
    pub largest: Option<LargestFreeSet>,
    /// For each size, how many jobs of that many whole nodes fit now.
    pub sizes: Vec<FragmentFit>,
    /// The waiting job that needs the fewest whole nodes, of those that some set could ever hold, and that number.
    pub smallest: Option<(JobId, u64)>,
    /// Wholly free nodes in no set that holds the smallest waiting job now; empty without such a job.
    pub stranded: Vec<Bit>,
    /// Wholly free nodes that are in no set at all.
    pub in_no_set: Vec<Bit>,
}

/// The placement set with the most wholly free nodes; of several the first tried.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LargestFreeSet {
    pub name: Name,
    pub nodes: usize,
}

impl LargestFreeSet {
    pub(super) fn new((set, nodes): (&PlacementSet, usize)) -> Self {
        Self { name: set.shape.name.clone(), nodes }
    }
}

/// Number of jobs of one size that fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct FragmentFit {
    /// Whole nodes per job.
    pub nodes: usize,
    /// Number of jobs that fit within one set each; a lower bound if sets overlap.
    #[serde(rename = "jobs")]
    pub jobs_within_sets: usize,
    /// Number of jobs that would fit if sets did not matter.
    #[serde(rename = "jobs_anywhere")]
    pub jobs_without_sets: usize,
    /// Number of wholly free nodes in no set with room for even one such job.
    #[serde(rename = "useless")]
    pub unusable_nodes: usize,
}

/// Returns the fragmentation of every pool for jobs of these sizes, by default 1, 2, 4 … up to the largest set.
pub fn fragmentation(state: &State, sizes: &[usize]) -> Vec<Fragmentation> {
    state.pools.ids().map(|pool| pool_fragmentation(state, pool, sizes)).collect()
}

/// Returns the fragmentation of one pool.
pub fn pool_fragmentation(state: &State, at: PoolIx, sizes: &[usize]) -> Fragmentation {
    let pool = &state.pools[at];
    let sets: Vec<&PlacementSet> = pool.order.iter().map(|set| &state.sets[*set]).collect();
    let list = nodes_of(state, pool.owner);
    let mut free = wholly_free(state);
    free.intersect(list);
    let inside = FreeNodesBySet::new(&sets, &free);
    let most = inside.sets.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or(0);
    let first = inside.sets.iter().find(|(_, nodes)| nodes.len() == most);
    let largest_set = sets.iter().map(|set| set.total_nodes()).max().unwrap_or(0);
    let smallest = smallest_waiting(state, at);
    Fragmentation {
        owner: pool.owner,
        nodes: list.count(),
        free: free.count(),
        sets: sets.len(),
        largest: first.map(|(set, nodes)| LargestFreeSet::new((set, nodes.len()))),
        sizes: sizes_or_default(sizes, largest_set).into_iter().map(|size| inside.fit(size, &free)).collect(),
        stranded: smallest.map_or_else(Vec::new, |(job, _)| unusable_nodes(state, job, &inside, &free)),
        smallest,
        in_no_set: free.iter().filter(|bit| !inside.covered.contains(*bit)).collect(),
    }
}

/// Returns the nodes that a job could have exclusively: up, with cpus, without occupants.
pub(super) fn wholly_free(state: &State) -> NodeSet {
    let mut free = state.occupancy.open_nodes.clone();
    free.subtract(&state.occupancy.occupied);
    free.subtract(&state.plan.masks.cpuless);
    free
}

/// Returns the size of the largest whole-node job that would start in a set now: its number of nodes that are up, with
/// cpus, without occupants.
pub fn whole_nodes_in(state: &State, set: &PlacementSet) -> usize {
    set.shape.members.iter().filter(|bit| state.node_use(**bit) == NodeUse::Free).count()
}

/// Returns the nodes that jobs of an owner's pool may use.
pub(super) fn nodes_of(state: &State, owner: PoolOwner) -> &NodeSet {
    let of_queue = |queue| &state.plan.masks.queue_nodes[queue];
    match owner {
        PoolOwner::Queue(queue) if !of_queue(queue).is_empty() => of_queue(queue),
        _ => &state.plan.masks.unbound,
    }
}

/// Returns the requested sizes, or by default powers of two up to the largest set.
fn sizes_or_default(sizes: &[usize], largest: usize) -> Vec<usize> {
    if sizes.is_empty() {
        return (0..usize::BITS).map(|power| 1 << power).take_while(|size| *size <= largest).collect();
    }
    sizes.iter().copied().filter(|size| *size > 0).collect()
}

/// The free nodes of each set.
struct FreeNodesBySet<'s> {
    /// In the order tried.
    sets: Vec<(&'s PlacementSet, Vec<Bit>)>,
    /// Indices of the sets, those with the fewest free nodes first.
    by_free_nodes: Vec<usize>,
    covered: NodeSet,
}

impl<'s> FreeNodesBySet<'s> {
    fn new(sets: &[&'s PlacementSet], free: &NodeSet) -> Self {
        let mut covered = NodeSet::new(free.capacity());
        let mut often: Column<Bit, u32> = Column::filled(free.capacity(), 0);
        let mut inside: Vec<(&PlacementSet, Vec<Bit>)> = Vec::with_capacity(sets.len());
        for set in sets {
            let nodes: Vec<Bit> =
                set.shape.members.iter().copied().filter(|bit| free.contains(*bit)).collect();
            for bit in &nodes {
                covered.insert(*bit);
                often[*bit] += 1;
            }
            inside.push((set, nodes));
        }
        // Nodes in few sets are used first, because they are least useful to other sets.
        for (_, nodes) in &mut inside {
            nodes.sort_by_key(|bit| (often[*bit], *bit));
        }
        let mut by_free_nodes: Vec<usize> = (0..inside.len()).collect();
        by_free_nodes.sort_by_key(|at| inside.get(*at).map(|(_, nodes)| nodes.len()));
        Self { sets: inside, by_free_nodes, covered }
    }

    /// Fills the sets, small ones first, so that what they leave remains for sets that contain them. If sets do not
    /// overlap otherwise, this is the maximum.
    fn fit(&self, size: usize, free: &NodeSet) -> FragmentFit {
        let mut left = free.clone();
        let mut of_use = NodeSet::new(free.capacity());
        let mut jobs = 0;
        for (_, nodes) in self.by_free_nodes.iter().filter_map(|at| self.sets.get(*at)) {
            if nodes.len() < size {
                continue;
            }
            nodes.iter().for_each(|bit| of_use.insert(*bit));
            let found = nodes.iter().filter(|bit| left.contains(**bit)).count() / size;
            let mut taken = 0;
            for bit in nodes {
                if taken == found * size {
                    break;
                }
                taken += usize::from(left.contains(*bit));
                left.remove(*bit);
            }
            jobs += found;
        }
        let free = free.count();
        FragmentFit {
            nodes: size,
            jobs_within_sets: jobs,
            jobs_without_sets: free / size,
            unusable_nodes: free - of_use.count(),
        }
    }
}

/// Maximum number of waiting jobs that are tested for fitting in any set.
const MAX_TRIED: usize = 32;

/// Returns the job waiting for nodes of this pool that needs the fewest whole nodes and that some set could hold when
/// empty; the first one wins a tie.
fn smallest_waiting(state: &State, pool: PoolIx) -> Option<(JobId, u64)> {
    let plan = &state.plan;
    let tries =
        |job: JobId| plan.queue_of(job).and_then(|queue| state.queue_pools[queue]).or(state.server_pool);
    let largest: Column<ConsIx, f64> = plan.consumables.ids().map(|ix| most_on_a_node(plan, ix)).collect();
    let mut waiting: Vec<(JobId, u64)> = Vec::new();
    for (id, job) in plan.snap.jobs.enumerate() {
        let waits =
            job.state.is_queued() && matches!(state.ledger.jobs[id], JobStatus::Waiting | JobStatus::Refused);
        let Some(request) = plan.requests[id].as_ref().ok().filter(|_| waits) else { continue };
        if tries(id) == Some(pool) && request.place.group.is_none() {
            waiting.push((id, whole_nodes(plan, request, &largest)));
        }
    }
    waiting.sort_by_key(|(_, needs)| *needs);
    let fits = |job: JobId| {
        let mut sets = state.pools[pool].order.iter();
        let tried = TriedJob::new(state, job, AmountBasis::Total);
        tried.is_some_and(|tried| sets.any(|set| tried.fits_in(&state.sets[*set])))
    };
    waiting.into_iter().take(MAX_TRIED).find(|(job, _)| fits(*job))
}

/// A job to be tested in one set after the other, now or when they are empty.
struct TriedJob<'s> {
    state: &'s State,
    request: &'s JobRequest,
    against: AmountBasis,
    touched: NodeSet,
}

impl<'s> TriedJob<'s> {
    /// Returns `None` if the request cannot be read.
    fn new(state: &'s State, job: JobId, basis: AmountBasis) -> Option<Self> {
        let request: &JobRequest = state.plan.requests[job].as_ref().ok()?;
        // Computed for all nodes at once, because there may be very many sets.
        let touched = touched_by(state, request, &NodeSet::full(state.plan.nodes.len()), basis);
        Some(Self { state, request, against: basis, touched })
    }

    fn fits_in(&self, set: &PlacementSet) -> bool {
        let members = &set.shape.members;
        FitAnalysis::in_set(self.state, self.request, members, self.against, &self.touched).holds_all_chunks()
    }
}

fn most_on_a_node(plan: &Plan, ix: ConsIx) -> f64 {
    plan.nodes.ids().map(|bit| plan.capacity.available(ix, bit)).fold(0.0, f64::max)
}

/// Returns the minimum number of nodes needed if all were as large as the largest.
fn whole_nodes(plan: &Plan, request: &JobRequest, largest: &Column<ConsIx, f64>) -> u64 {
    let spread = request.is_spread();
    if spread {
        return request.total_chunks();
    }
    if request.place.arrangement == Arrangement::Pack {
        return 1;
    }
    let mut most = 1.0_f64;
    for ix in plan.consumables.ids() {
        let taken = |spec: &Spec| {
            let need = plan.needs[spec.shape].iter().find(|(have, _)| *have == ix);
            need.map_or(0.0, |(_, amount)| amount * f64::from(spec.count))
        };
        let requested: f64 = request.specs.iter().map(taken).sum();
        if requested > 0.0 && largest[ix] > 0.0 {
            most = most.max((requested / largest[ix]).ceil());
        }
    }
    most as u64
}

/// Returns free nodes that are in no set holding this job now.
fn unusable_nodes(state: &State, job: JobId, inside: &FreeNodesBySet<'_>, free: &NodeSet) -> Vec<Bit> {
    let mut of_use = NodeSet::new(free.capacity());
    let tried = TriedJob::new(state, job, AmountBasis::Now);
    for (set, nodes) in &inside.sets {
        let known = nodes.iter().all(|bit| of_use.contains(*bit));
        if !known && tried.as_ref().is_some_and(|tried| tried.fits_in(set)) {
            nodes.iter().for_each(|bit| of_use.insert(*bit));
        }
    }
    free.iter().filter(|bit| inside.covered.contains(*bit) && !of_use.contains(*bit)).collect()
}
