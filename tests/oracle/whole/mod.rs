//! The rules to the letter: slow, plain, and independent of the engine that is checked against them.
//!
//! Implements a whole cycle, from the input types alone: nodes are rows, bitmaps are lists of booleans, every
//! search starts at the beginning, and a simulation works on a copy of the whole cluster.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::match_same_arms,
    clippy::needless_pass_by_value,
    reason = "rules stand one by one, to the letter; more of a cycle is kept than is compared"
)]

mod buckets;
mod by_host;
mod calendar;
mod check;
mod classes;
mod compare;
mod confirm;
mod cycle;
mod formula;
pub mod generate;
mod hash_order;
mod levels;
mod limits;
mod node_path;
mod node_sort;
mod nodes_step;
mod order;
pub mod outcome;
mod pools;
mod preempt;
mod read;
mod read_jobs;
mod read_nodes;
mod reason;
mod sets;
mod shares;
mod shrink;
mod starts;
mod times;
mod top_jobs;
mod world;

use qscope_engine::cluster::{Name, Snapshot};

pub use nodes_step::Path;
pub use outcome::Outcome;
pub use read::Preempted;

/// The result of a cycle.
pub struct Answer {
    /// Jobs in the order considered, then those that were not considered.
    pub jobs: Vec<Outcome>,
    pub started: Vec<Name>,
    pub actions: Vec<String>,
    /// The answers to reservations.
    pub confirms: Vec<String>,
    /// The sets at the beginning, pool by pool in the order tried.
    pub sets: Vec<SetRow>,
}

/// One placement set: name, nodes, free nodes, and ncpus in total and assigned.
pub type SetRow = (String, Vec<Name>, i64, Option<(f64, f64)>);

fn set_rows(world: &world::World) -> Vec<SetRow> {
    let ncpus = world::World::ncpus();
    let pools = world.pools.server.iter().chain(world.pools.queues.iter().map(|(_, order, _)| order));
    let row = |set: &usize| {
        let set = &world.sets[*set];
        let names = set.members.iter().map(|node| world.nodes[*node].name.clone()).collect();
        let sum = match set.sums.get(&ncpus) {
            Some(sets::Sum::Amount { total, assigned }) => Some((*total, *assigned)),
            _ => None,
        };
        (set.name.clone(), names, set.free_nodes, sum)
    };
    pools.flatten().map(row).collect()
}

/// Runs one cycle; without the bugs B1 to B4 if `fixed`.
pub fn run(snap: &Snapshot, fixed: bool, preempted: &Preempted) -> Answer {
    let mut world = world::World::read(snap, fixed, preempted);
    let (ends, confirms) =
        if world.qrun.is_some() { (false, Vec::new()) } else { world.confirm_reservations() };
    let sets = set_rows(&world);
    let mut cycle = cycle::Cycle::new(world, ends);
    // A confirmed reservation ends the cycle.
    if !ends {
        cycle.run();
    }
    let mut jobs = cycle.outcomes;
    jobs.sort_by_key(|outcome| outcome.order.unwrap_or(usize::MAX));
    Answer { jobs, started: cycle.started, actions: cycle.world.actions, sets, confirms }
}
