//! The distribution of the free nodes in the pools, as text and as JSON.

use serde::Serialize;

use qscope_engine::cluster::Snapshot;
use qscope_engine::universe::{Bit, Plan};
use qscope_exits::Lines;
use qscope_explain::words::{self, count};
use qscope_explain::{FragmentFit, Fragmentation, LargestFreeSet};

/// How the free nodes of a pool are distributed.
#[derive(Serialize)]
pub(super) struct PoolJson<'a> {
    /// `server`, or `queue:` and its name.
    pool: String,
    /// How many nodes it has.
    nodes: usize,
    /// How many of them are wholly free.
    free_nodes: usize,
    /// How many sets it has.
    sets: usize,
    /// The set with the most free nodes.
    largest_free_set: Option<&'a LargestFreeSet>,
    /// How many jobs of each size would find nodes now.
    sizes: &'a [FragmentFit],
    /// The smallest waiting job, by whole nodes.
    smallest_waiting: Option<SmallestJob<'a>>,
    /// The free nodes in no set that holds that job.
    stranded: Vec<&'a str>,
    /// The free nodes in no set at all.
    in_no_set: Vec<&'a str>,
}

/// A waiting job and the minimum number of whole nodes it takes.
#[derive(Serialize)]
struct SmallestJob<'a> {
    job: &'a str,
    nodes: u64,
}

/// Returns one object for each pool.
pub(super) fn to_json<'a>(plan: &'a Plan, found: &'a [Fragmentation]) -> Vec<PoolJson<'a>> {
    let names = |bits: &[Bit]| bits.iter().map(|bit| &**plan.node_name(*bit)).collect();
    let pool = |pool: &'a Fragmentation| PoolJson {
        pool: super::owner_name(&plan.snap, pool.owner),
        nodes: pool.nodes,
        free_nodes: pool.free,
        sets: pool.sets,
        largest_free_set: pool.largest.as_ref(),
        sizes: &pool.sizes,
        smallest_waiting: pool
            .smallest
            .map(|(job, nodes)| SmallestJob { job: &plan.snap.jobs[job].name, nodes }),
        stranded: names(&pool.stranded),
        in_no_set: names(&pool.in_no_set),
    };
    found.iter().map(pool).collect()
}

/// Returns a paragraph for each pool.
pub(super) fn to_text(plan: &Plan, found: &[Fragmentation]) -> Lines {
    let mut text = Lines::new();
    for (at, pool) in found.iter().enumerate() {
        if at > 0 {
            text.blank();
        }
        pool_text(plan, &plan.snap, pool, &mut text);
    }
    text
}

fn pool_text(plan: &Plan, snap: &Snapshot, pool: &Fragmentation, text: &mut Lines) {
    let free = format!(
        "{}: {} of {} free, in {}",
        super::owner_name(snap, pool.owner),
        pool.free,
        count(pool.nodes, "node"),
        count(pool.sets, "set")
    );
    match &pool.largest {
        Some(LargestFreeSet { name, nodes }) if *nodes > 0 => {
            text.line(format_args!("{free}; the largest free is {name} with {nodes}"));
        }
        _ => text.line(format_args!("{free}; none has a free node")),
    }
    if !pool.sizes.is_empty() {
        text.line("  whole nodes a job  jobs now, in one set  without sets  free nodes of no use");
    }
    for fit in &pool.sizes {
        text.line(format_args!(
            "  {:>17}  {:>20}  {:>12}  {:>20}",
            fit.nodes, fit.jobs_within_sets, fit.jobs_without_sets, fit.unusable_nodes
        ));
    }
    let names = |bits: &[Bit]| {
        let names: Vec<String> = bits.iter().map(|bit| plan.node_name(*bit).to_string()).collect();
        words::first_names(&names, 12)
    };
    if let Some((job, nodes)) = pool.smallest {
        let job = snap.jobs[job].short_name();
        let needs = count(nodes, "node");
        let stranded = if pool.stranded.is_empty() {
            "no free node is stranded by it".to_owned()
        } else {
            let them = count(pool.stranded.len(), "free node");
            format!("{them} in no set that holds it: {}", names(&pool.stranded))
        };
        text.line(format_args!("  smallest queued job: {job}, on {needs} or more; {stranded}"));
    }
    if !pool.in_no_set.is_empty() {
        let them = count(pool.in_no_set.len(), "free node");
        text.line(format_args!("  {them} in no set at all: {}", names(&pool.in_no_set)));
    }
}
