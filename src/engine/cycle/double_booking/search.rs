//! Finds nodes that a cycle assigned twice.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{JobId, found_or_added};
use crate::cycle::{DoubleBooking, QuirkOccurrence, Run, StepIx};
use crate::universe::Bit;

/// Returns all double bookings of a cycle, in the order in which the second jobs were considered.
pub(in crate::cycle) fn double_bookings(run: &Run) -> Vec<DoubleBooking> {
    let mut suspects: FxHashMap<JobId, Vec<&QuirkOccurrence>> = FxHashMap::default();
    for witness in run.witnesses.iter().filter(|witness| !witness.doubled.is_empty()) {
        suspects.entry(witness.job).or_default().push(witness);
    }
    let mut found = Vec::new();
    if suspects.is_empty() {
        return found;
    }
    let mut holders: FxHashMap<Bit, FirstOccupant> = FxHashMap::default();
    for (step, outcome) in run.steps.enumerate().map(|(ix, step)| (ix, &step.outcome)) {
        let Some(placed) = &outcome.placed else { continue };
        let nodes = placed.allocation.nodes();
        let mut refused = false;
        // An array is considered again for each subjob; find the witness for this start.
        let of_this_turn =
            |witness: &&&QuirkOccurrence| witness.doubled.iter().all(|bit| nodes.contains(bit));
        if let Some(witness) = suspects.get(&outcome.job).and_then(|all| all.iter().find(of_this_turn)) {
            refused = nodes.iter().any(|bit| holders.get(bit).is_some_and(|holder| holder.is_exclusive));
            found.extend(by_holder(step, witness, &holders, refused));
        }
        if refused {
            continue;
        }
        for bit in nodes {
            let is_exclusive = is_requested_alone(run, outcome.job, bit);
            let holder = holders.entry(bit).or_insert(FirstOccupant { job: outcome.job, is_exclusive });
            holder.is_exclusive |= is_exclusive;
        }
    }
    found
}

/// Returns the steps whose starts the server refuses.
pub fn refused_steps(run: &Run) -> FxHashSet<StepIx> {
    run.double_bookings().iter().filter(|booking| booking.refused).map(|booking| booking.step).collect()
}

/// The first job on a node, and whether it uses the node exclusively.
#[derive(Clone, Copy)]
struct FirstOccupant {
    job: JobId,
    is_exclusive: bool,
}

fn is_requested_alone(run: &Run, job: JobId, bit: Bit) -> bool {
    let plan = &run.plan;
    let sharing = plan.node(bit).sharing;
    plan.job(job).place.as_ref().is_some_and(|place| sharing.is_exclusive(place.sharedness))
}

/// Groups the nodes of a witness by the job that had them.
fn by_holder(
    step: StepIx,
    occurrence: &QuirkOccurrence,
    holders: &FxHashMap<Bit, FirstOccupant>,
    refused: bool,
) -> Vec<DoubleBooking> {
    let mut found: Vec<DoubleBooking> = Vec::new();
    for bit in &occurrence.doubled {
        let first = holders.get(bit).map(|holder| holder.job);
        let QuirkOccurrence { job: second_job, quirk, .. } = *occurrence;
        let new = || DoubleBooking { first, second_job, quirk, step, nodes: Vec::new(), refused };
        found_or_added(&mut found, |booking| booking.first == first, new).nodes.push(*bit);
    }
    // If the server refuses the start, list first the bookings that cause it: those with an exclusive holder.
    let is_shared = |booking: &DoubleBooking| {
        !booking.nodes.iter().any(|bit| holders.get(bit).is_some_and(|holder| holder.is_exclusive))
    };
    found.sort_by_key(is_shared);
    found
}
