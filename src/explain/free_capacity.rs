//! Free capacity of a whole cluster at one time: what a simulation samples, in the terms of the fragmentation of pools.

use qscope_engine::cluster::{JobId, ResourceId};
use qscope_engine::universe::{AmountBasis, Bit, ConsIx, NodeSet, PoolOwner, State};
use rustc_hash::FxHashSet;

use super::fit_analysis::FitAnalysis;
use super::fragmentation::{LargestFreeSet, nodes_of, whole_nodes_in, wholly_free};

/// What is free in a cluster.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FreeCapacity {
    /// Number of wholly free nodes: up, without occupants.
    pub whole_nodes: usize,
    /// That of all pools; `None` without placement sets.
    pub largest_set: Option<LargestFreeSet>,
    /// Free cores of nodes on which no chunk of a queued job fits now; 0 if no job is queued.
    pub stranded_cores: f64,
}

/// Returns what is free at the start of a cycle.
pub fn free_capacity(state: &State) -> FreeCapacity {
    FreeCapacity {
        whole_nodes: wholly_free(state).count(),
        largest_set: largest_set(state),
        stranded_cores: stranded_cores(state),
    }
}

fn largest_set(state: &State) -> Option<LargestFreeSet> {
    let sets = state.pools.iter().flat_map(|pool| pool.order.iter());
    sets.map(|set| (&state.sets[*set], whole_nodes_in(state, &state.sets[*set])))
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map(LargestFreeSet::new)
}

/// Returns the free cores of nodes that no chunk of a queued job fits on.
fn stranded_cores(state: &State) -> f64 {
    let plan = &state.plan;
    let Some(cores) = plan.consumables.ix(ResourceId::ncpus()) else { return 0.0 };
    let mut left = with_free_cores(state, cores);
    let mut known = FxHashSet::default();
    let mut is_any_queued = false;
    for (id, job) in plan.snap.jobs.enumerate() {
        if !job.state.is_queued() || job.is_all_started() || job.is_subjob() {
            continue;
        }
        let Ok(request) = plan.requests[id].as_ref() else { continue };
        is_any_queued = true;
        let list = list_of(state, id);
        for spec in request.specs.iter() {
            let is_new = known.insert((spec.shape, request.place.sharedness, plan.queue_of(id)));
            if left.is_empty() || !is_new {
                continue;
            }
            // Chunks may be broken over the vnodes of a host, so all of its vnodes count.
            let among = if plan.multi_vnode.exists { list.clone() } else { list.common(&left) };
            let room = FitAnalysis::new(state, request, &among, AmountBasis::Now);
            room.nodes_holding(spec).for_each(|bit| left.remove(bit));
        }
    }
    if !is_any_queued {
        return 0.0;
    }
    let free = left.iter().map(|bit| state.occupancy.left(plan, cores, bit));
    // An empty floating-point sum would be negative zero.
    free.filter(|cores| cores.is_finite()).fold(0.0, |sum, cores| sum + cores)
}

/// Returns the nodes that accept jobs and have free cores of their own.
fn with_free_cores(state: &State, cores: ConsIx) -> NodeSet {
    let plan = &state.plan;
    let is_free = |bit: &Bit| {
        plan.capacity.keeper(cores, *bit) == *bit && state.occupancy.left(plan, cores, *bit) > 0.0
    };
    NodeSet::of(plan.nodes.len(), state.occupancy.open_nodes.iter().filter(is_free))
}

/// Returns the nodes that a job may use: those of its queue if it has any.
fn list_of(state: &State, job: JobId) -> &NodeSet {
    nodes_of(state, state.plan.queue_of(job).map_or(PoolOwner::Server, PoolOwner::Queue))
}
