//! Fragmentation: how much of what is free in a pool is of use to a job that has to stay within one set.

use qscope_engine::cluster::{Arrangement, Column, JobId, Name};
use qscope_engine::universe::{
    Against, Bit, ConsIx, JobRequest, JobStatus, NodeSet, PlacementSet, Plan, PoolIx, PoolOwner, Spec, State,
};

use super::room::{Room, touched_by};

/// How the free nodes of one pool lie.
#[derive(Clone, Debug)]
pub struct Fragmentation {
    /// Whose pool it is.
    pub owner: PoolOwner,
    /// How many nodes its jobs may use.
    pub nodes: usize,
    /// How many of them are wholly free: up, with no occupant.
    pub free: usize,
    /// How many sets there are.
    pub sets: usize,
    /// The set with the most nodes wholly free, and how many; the first tried of several.
    pub largest: Option<(Name, usize)>,
    /// For each size, how many jobs of so many whole nodes would find them now.
    pub sizes: Vec<FragmentFit>,
    /// The waiting job that needs the fewest whole nodes of those that a set could ever hold, and how many.
    pub smallest: Option<(JobId, u64)>,
    /// Nodes wholly free, but in no set that holds the smallest waiting job now; without one that waits, none.
    pub stranded: Vec<Bit>,
    /// Nodes wholly free and in no set at all.
    pub in_no_set: Vec<Bit>,
}

/// How many jobs of one size there is room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FragmentFit {
    /// Whole nodes for each job.
    pub nodes: usize,
    /// Jobs that find them within one set each. Where sets overlap, so many at least.
    pub in_sets: usize,
    /// Jobs that would find them if sets did not matter.
    pub anywhere: usize,
    /// Nodes wholly free that are in no set with room for even one such job.
    pub useless: usize,
}

/// How the free nodes lie in every pool, for jobs of these sizes; without sizes for 1, 2, 4 … up to the largest set.
pub fn fragmentation(state: &State, sizes: &[usize]) -> Vec<Fragmentation> {
    state.pools.ids().map(|pool| pool_fragmentation(state, pool, sizes)).collect()
}

/// How the free nodes lie in one pool.
pub fn pool_fragmentation(state: &State, at: PoolIx, sizes: &[usize]) -> Fragmentation {
    let pool = &state.pools[at];
    let sets: Vec<&PlacementSet> = pool.order.iter().map(|set| &state.sets[*set]).collect();
    let list = nodes_of(state, pool.owner);
    let mut free = wholly_free(state);
    free.intersect(list);
    let inside = FreeInside::new(&sets, &free);
    let most = inside.sets.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or(0);
    let first = inside.sets.iter().find(|(_, nodes)| nodes.len() == most);
    let largest_set = sets.iter().map(|set| set.total_nodes()).max().unwrap_or(0);
    let smallest = smallest_waiting(state, at);
    Fragmentation {
        owner: pool.owner,
        nodes: list.count(),
        free: free.count(),
        sets: sets.len(),
        largest: first.map(|(set, nodes)| (set.shape.name.clone(), nodes.len())),
        sizes: usual(sizes, largest_set).into_iter().map(|size| inside.fit(size, &free)).collect(),
        stranded: smallest.map_or_else(Vec::new, |(job, _)| stranded(state, job, &inside, &free)),
        smallest,
        in_no_set: free.iter().filter(|bit| !inside.covered.contains(*bit)).collect(),
    }
}

/// Whether jobs could have a node for themselves: it is up, with no occupant.
fn wholly_free(state: &State) -> NodeSet {
    let mut free = state.floor.open.clone();
    free.subtract(&state.floor.occupied);
    free
}

/// The largest job of whole nodes that would start in a set now: how many of its nodes are up, with no occupant.
pub fn whole_nodes_in(state: &State, set: &PlacementSet) -> usize {
    let floor = &state.floor;
    set.shape
        .members
        .iter()
        .filter(|bit| floor.open.contains(**bit) && !floor.occupied.contains(**bit))
        .count()
}

/// The nodes that jobs of an owner's pool may use.
fn nodes_of(state: &State, owner: PoolOwner) -> &NodeSet {
    let of_queue = |queue| &state.plan.masks.queue_nodes[queue];
    match owner {
        PoolOwner::Queue(queue) if !of_queue(queue).is_empty() => of_queue(queue),
        _ => &state.plan.masks.unbound,
    }
}

/// The sizes requested, or doubling ones up to the largest set.
fn usual(sizes: &[usize], largest: usize) -> Vec<usize> {
    if sizes.is_empty() {
        return (0..usize::BITS).map(|power| 1 << power).take_while(|size| *size <= largest).collect();
    }
    sizes.iter().copied().filter(|size| *size > 0).collect()
}

/// The free nodes of each set.
struct FreeInside<'s> {
    /// In the order tried.
    sets: Vec<(&'s PlacementSet, Vec<Bit>)>,
    /// The places of sets, those with the fewest free nodes first.
    by_room: Vec<usize>,
    covered: NodeSet,
}

impl<'s> FreeInside<'s> {
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
        // Nodes of few sets are given away first, since they are of the least use to other sets.
        for (_, nodes) in &mut inside {
            nodes.sort_by_key(|bit| (often[*bit], *bit));
        }
        let mut by_room: Vec<usize> = (0..inside.len()).collect();
        by_room.sort_by_key(|at| inside.get(*at).map(|(_, nodes)| nodes.len()));
        Self { sets: inside, by_room, covered }
    }

    /// Fills the sets, small ones first: what those leave over is still there for sets that contain them. Sets
    /// that do not overlap otherwise hold no more.
    fn fit(&self, size: usize, free: &NodeSet) -> FragmentFit {
        let mut left = free.clone();
        let mut of_use = NodeSet::new(free.capacity());
        let mut jobs = 0;
        for (_, nodes) in self.by_room.iter().filter_map(|at| self.sets.get(*at)) {
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
        FragmentFit { nodes: size, in_sets: jobs, anywhere: free / size, useless: free - of_use.count() }
    }
}

/// Of so many waiting jobs it is checked whether any set could ever hold them.
const MAX_TRIED: usize = 32;

/// The job that waits for nodes of this pool, needs the fewest of them whole, and could be held by some set if that
/// were empty; the first of several.
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
        let tried = TriedJob::new(state, job, Against::Total);
        tried.is_some_and(|tried| sets.any(|set| tried.fits_in(&state.sets[*set])))
    };
    waiting.into_iter().take(MAX_TRIED).find(|(job, _)| fits(*job))
}

/// A job that is tried in one set after the other, now or when they are empty.
struct TriedJob<'s> {
    state: &'s State,
    request: &'s JobRequest,
    against: Against,
    touched: NodeSet,
}

impl<'s> TriedJob<'s> {
    /// None where the request cannot be read: no set holds it.
    fn new(state: &'s State, job: JobId, against: Against) -> Option<Self> {
        let request: &JobRequest = state.plan.requests[job].as_ref().ok()?;
        // Of all nodes at once: there may be very many sets.
        let touched = touched_by(state, request, &NodeSet::full(state.plan.nodes.len()), against);
        Some(Self { state, request, against, touched })
    }

    fn fits_in(&self, set: &PlacementSet) -> bool {
        let members = &set.shape.members;
        Room::in_set(self.state, self.request, members, self.against, &self.touched).holds_all()
    }
}

fn most_on_a_node(plan: &Plan, ix: ConsIx) -> f64 {
    plan.nodes.ids().map(|bit| plan.capacity.available(ix, bit)).fold(0.0, f64::max)
}

/// So many nodes are needed at least, were all as large as the largest.
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

/// Free nodes that are in no set which holds this job now.
fn stranded(state: &State, job: JobId, inside: &FreeInside<'_>, free: &NodeSet) -> Vec<Bit> {
    let mut of_use = NodeSet::new(free.capacity());
    let tried = TriedJob::new(state, job, Against::Now);
    for (set, nodes) in &inside.sets {
        let known = nodes.iter().all(|bit| of_use.contains(*bit));
        if !known && tried.as_ref().is_some_and(|tried| tried.fits_in(set)) {
            nodes.iter().for_each(|bit| of_use.insert(*bit));
        }
    }
    free.iter().filter(|bit| inside.covered.contains(*bit) && !of_use.contains(*bit)).collect()
}
