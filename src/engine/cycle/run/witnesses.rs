//! What a start does that the scheduler's design or the server rules out: nodes assigned twice, or beyond the planned
//! start of a top job.

use crate::cluster::{Epoch, JobId, NodeState, deduplicated, value_of};
use crate::cycle::top_jobs::length_of;
use crate::cycle::{Outcome, QuirkOccurrence, Verdict};
use crate::placement::PlacementPath;
use crate::universe::{Bit, Occupant, Quirk, State, within_reservation};

/// Returns the effect of a quirk in this step, if there was one.
pub(super) fn quirk_occurrence(state: &State, outcome: &Outcome) -> Option<QuirkOccurrence> {
    let placed = outcome.placed.as_ref().filter(|_| outcome.verdict == Verdict::Run)?;
    let plan = &state.plan;
    if let Some(quirk) = placed.by_quirk {
        let what = "it spans placement sets although one of them could hold it later".to_owned();
        return Some(QuirkOccurrence { quirk, job: outcome.job, what, doubled: Vec::new(), delayed: None });
    }
    // Only the bucket path assigns nodes twice. A job in a reservation rightly finds its nodes taken by the
    // reservation.
    let by_buckets = outcome.path == Some(PlacementPath::Bucket) && !outcome.by_preemption;
    if !by_buckets || plan.reservation_of(outcome.job).is_some() {
        return None;
    }
    // A node with a job that leaves room for others is open, but a bucket must not assign it.
    let taken =
        |bit: &Bit| !state.occupancy.open_nodes.contains(*bit) || state.occupancy.occupied.contains(*bit);
    let doubled: Vec<Bit> = placed.allocation.nodes().into_iter().filter(taken).collect();
    let first = *doubled.first()?;
    let quirk = if outcome.tries.is_empty() { Quirk::StaleBucketIndex } else { Quirk::LastSetOnly };
    let what = format!("{} was given to it although it was not free", plan.node_name(first));
    Some(QuirkOccurrence { quirk, job: outcome.job, what, doubled, delayed: None })
}

/// Returns the top jobs that cannot start as planned because this start has their nodes beyond then (quirk B4).
pub(super) fn overrun_plans(state: &State, outcome: &Outcome) -> Vec<QuirkOccurrence> {
    let (plan, job) = (&state.plan, outcome.job);
    let by_sets = outcome.path == Some(PlacementPath::Bucket) && !outcome.tries.is_empty();
    let Some(placed) = outcome.placed.as_ref().filter(|_| by_sets && state.timeline.has_runs()) else {
        return Vec::new();
    };
    if !plan.has(Quirk::CalendarNotInSets) || plan.reservation_of(job).is_some() {
        return Vec::new();
    }
    let Some(end) = end_of_start(state, outcome) else { return Vec::new() };
    let mut delayed: Vec<(JobId, Vec<Bit>)> = Vec::new();
    for bit in placed.allocation.nodes() {
        for event in state.node_events[bit].iter().flat_map(|events| events.iter()) {
            if let Occupant::Job(top, _) = event.occupant
                && top != job
                && event.at < end
            {
                value_of(&mut delayed, top).push(bit);
            }
        }
    }
    let occurrence = |(top, nodes): (JobId, Vec<Bit>)| {
        let more = if nodes.len() > 1 { format!(" and {} more", nodes.len() - 1) } else { String::new() };
        let first = nodes.first().map(|bit| plan.node_name(*bit).to_string()).unwrap_or_default();
        let what = format!(
            "it has {first}{more} beyond the planned start there of top job {}",
            plan.job(top).short_name()
        );
        let quirk = Quirk::CalendarNotInSets;
        QuirkOccurrence { quirk, job, what, doubled: Vec::new(), delayed: Some(top) }
    };
    delayed.into_iter().map(occurrence).collect()
}

/// Returns the nodes of a start that another job has exclusively: those that exclhost adds without a look at them
/// (rule 4.4), and those of a quirk. A job in a reservation rightly finds its nodes taken by the reservation.
pub(super) fn held_nodes(state: &State, outcome: &Outcome) -> Vec<Bit> {
    let placed = outcome.placed.as_ref().filter(|_| state.plan.reservation_of(outcome.job).is_none());
    let is_held = |bit: &Bit| state.occupancy.states[*bit].has(NodeState::JobExclusive);
    let pieces = placed.iter().flat_map(|placed| &placed.allocation.pieces);
    deduplicated(pieces.map(|piece| piece.bit).filter(is_held))
}

/// Returns when a job that starts now would end; `None` if its request is invalid.
pub(super) fn end_of_start(state: &State, outcome: &Outcome) -> Option<Epoch> {
    let (plan, job) = (&state.plan, outcome.job);
    let request = plan.request(job, state.ledger.preempted[job]).ok()?;
    let length = || length_of(state, job, &state.capped(job, request));
    Some(within_reservation(plan, job, state.now + outcome.shrunk_to.unwrap_or_else(length)))
}
