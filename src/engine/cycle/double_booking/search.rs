//! Finds nodes that a cycle assigned twice.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{JobId, NodeState, found_or_added};
use crate::cycle::{DoubleBooking, QuirkOccurrence, Run, StepIx};
use crate::universe::Bit;

/// Returns all double bookings of a cycle, in the order in which the second jobs were considered.
pub(in crate::cycle) fn double_bookings(run: &Run) -> Vec<DoubleBooking> {
    let mut suspects: FxHashMap<JobId, Vec<&QuirkOccurrence>> = FxHashMap::default();
    for witness in run.witnesses.iter().filter(|witness| !witness.doubled.is_empty()) {
        suspects.entry(witness.job).or_default().push(witness);
    }
    let mut found = Vec::new();
    if suspects.is_empty() && run.held_nodes.is_empty() {
        return found;
    }
    let mut holders: FxHashMap<Bit, FirstOccupant> = FxHashMap::default();
    for (step, outcome) in run.steps.enumerate().map(|(ix, step)| (ix, &step.outcome)) {
        let Some(placed) = &outcome.placed else { continue };
        let nodes = placed.allocation.nodes();
        // Nodes taken before the cycle; what the books hold for a refused start is free at the server.
        for bit in run.held_nodes.get(&step).into_iter().flatten() {
            if run.plan.node(*bit).states.has(NodeState::JobExclusive) {
                let job = job_before(run, *bit);
                holders.entry(*bit).or_insert(FirstOccupant { job, is_exclusive: true });
            }
        }
        // An array is considered again for each subjob; find the witness for this start.
        let of_this_turn =
            |witness: &&&QuirkOccurrence| witness.doubled.iter().all(|bit| nodes.contains(bit));
        let witness = suspects.get(&outcome.job).and_then(|all| all.iter().find(of_this_turn));
        let is_exclusive = |bit: &Bit| holders.get(bit).is_some_and(|holder| holder.is_exclusive);
        let refused =
            (witness.is_some() || run.held_nodes.contains_key(&step)) && nodes.iter().any(is_exclusive);
        let doubled = match witness {
            Some(witness) => witness.doubled.clone(),
            None => nodes.iter().copied().filter(|bit| refused && is_exclusive(bit)).collect(),
        };
        let new = DoubleBooking {
            first: None,
            second_job: outcome.job,
            quirk: witness.map(|witness| witness.quirk),
            step,
            nodes: Vec::new(),
            refused,
        };
        found.extend(by_holder(&new, &doubled, &holders));
        if refused {
            continue;
        }
        for bit in nodes {
            let is_exclusive = is_requested_alone(run, outcome.job, bit);
            let first = FirstOccupant { job: Some(outcome.job), is_exclusive };
            holders.entry(bit).or_insert(first).is_exclusive |= is_exclusive;
        }
    }
    found
}

/// Returns the job that had a node before the cycle, if the dump names one that runs.
fn job_before(run: &Run, bit: Bit) -> Option<JobId> {
    let snap = &run.plan.snap;
    let mut listed = run.plan.node(bit).jobs.iter().filter_map(|name| snap.job_named(name));
    listed.find(|job| snap.jobs[*job].state.has_nodes())
}

/// Returns the steps whose starts the server refuses.
pub fn refused_steps(run: &Run) -> FxHashSet<StepIx> {
    run.double_bookings().iter().filter(|booking| booking.refused).map(|booking| booking.step).collect()
}

/// The first job on a node, and whether it uses the node exclusively.
#[derive(Clone, Copy)]
struct FirstOccupant {
    job: Option<JobId>,
    is_exclusive: bool,
}

fn is_requested_alone(run: &Run, job: JobId, bit: Bit) -> bool {
    let plan = &run.plan;
    let sharing = plan.node(bit).sharing;
    plan.job(job).place.as_ref().is_some_and(|place| sharing.is_exclusive(place.sharedness))
}

/// Groups the doubled nodes of a start by the job that had them.
fn by_holder(
    new: &DoubleBooking,
    doubled: &[Bit],
    holders: &FxHashMap<Bit, FirstOccupant>,
) -> Vec<DoubleBooking> {
    let mut found: Vec<DoubleBooking> = Vec::new();
    for bit in doubled {
        let first = holders.get(bit).and_then(|holder| holder.job);
        let new = || DoubleBooking { first, ..new.clone() };
        found_or_added(&mut found, |booking| booking.first == first, new).nodes.push(*bit);
    }
    // If the server refuses the start, list first the bookings that cause it: those with an exclusive holder.
    let is_shared = |booking: &DoubleBooking| {
        !booking.nodes.iter().any(|bit| holders.get(bit).is_some_and(|holder| holder.is_exclusive))
    };
    found.sort_by_key(is_shared);
    found
}
