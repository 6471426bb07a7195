//! Events planned at the start of the cycle: ends of running jobs, and future reservations.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{
    Amount, Column, Epoch, ExecVnode, Job, JobId, JobState, Name, ReservationState, ResourceId, ResvId,
    Seconds, number_of,
};

use crate::universe::request::soft_walltime::{extended_soft, extended_soft_walltime};
use crate::universe::{
    Allocation, AllocationPiece, Bit, EventKind, JobRequest, NodeEvent, Occupant, PieceResources, Plan,
    TimedEvent, Timeline,
};

/// Converts a dumped placement to pieces; unknown nodes are left out.
pub fn read_allocation(plan: &Plan, placement: &ExecVnode) -> Allocation {
    let mut allocation = Allocation::default();
    // Most parts of a placement have the resources of the part before.
    let mut last: Option<(&[(Name, Name)], PieceResources)> = None;
    for (chunk, parts) in placement.chunks.iter().enumerate() {
        for part in parts {
            let Some(&bit) = plan.bit_named.get(&part.vnode) else { continue };
            let gives = match &last {
                Some((resources, gives)) if *resources == part.resources => gives.clone(),
                _ => amounts_of(plan, &part.resources),
            };
            last = Some((&part.resources, gives.clone()));
            let chunk = number_of(chunk);
            allocation.pieces.push(AllocationPiece { bit, chunk, times: 1, spec: chunk, gives });
        }
    }
    allocation
}

/// Returns the amounts that a part of a placement gives, for the consumables that have columns.
fn amounts_of(plan: &Plan, resources: &[(Name, Name)]) -> PieceResources {
    let amounts = resources.iter().filter_map(|(name, text)| {
        let resource = plan.snap.catalogue.id(name)?;
        let amount = Amount::parse(plan.snap.catalogue.kind(resource), text).ok()?;
        Some((plan.consumables.ix(resource)?, amount.0))
    });
    PieceResources::Amounts(amounts.collect())
}

/// Adds future reservations to the timeline, and returns the events of each node (rule 10.2).
pub(in crate::universe) fn plan_reservations(
    plan: &Plan,
    timeline: &mut Timeline,
) -> Column<Bit, Option<Arc<[NodeEvent]>>> {
    let mut by_node: FxHashMap<Bit, Vec<NodeEvent>> = FxHashMap::default();
    for (id, reservation) in plan.snap.reservations.enumerate() {
        let (Some(start), Some(nodes)) = (reservation.start, &reservation.nodes) else { continue };
        let end = reservation.end.or_else(|| reservation.duration.map(|span| start + span));
        let allocation = Arc::new(read_allocation(plan, nodes));
        let occupant = Occupant::Reservation(id);
        if is_planned(plan, id) {
            for bit in allocation.nodes() {
                by_node.entry(bit).or_default().push(NodeEvent { at: start, occupant });
            }
            let key = timeline.fresh_key(start, EventKind::Run);
            timeline.put(key, Some(TimedEvent { occupant, allocation: allocation.clone() }));
        }
        if let Some(end) = end.filter(|_| is_planned(plan, id) || reservation.is_running()) {
            let key = timeline.fresh_key(end, EventKind::End);
            timeline.put(key, Some(TimedEvent { occupant, allocation }));
        }
    }
    // Few nodes have events.
    let mut all = Column::filled(plan.nodes.len(), None);
    for (bit, mut events) in by_node {
        events.sort_by_key(|event| event.at);
        all[bit] = Some(events.into());
    }
    all
}

/// Whether a reservation has nodes and starts in the future.
fn is_planned(plan: &Plan, id: ResvId) -> bool {
    let reservation = &plan.snap.reservations[id];
    reservation.keeps_nodes() && reservation.start.is_some_and(|start| start > plan.snap.now)
}

/// Adds the ends of running jobs to the timeline (rule 6.8), by hard walltimes if a reservation is unconfirmed.
/// Returns the allocation of each such job; `known` supplies those already read.
pub(in crate::universe) fn plan_job_ends(
    plan: &Plan,
    timeline: &mut Timeline,
    known: impl Fn(JobId) -> Option<Arc<Allocation>>,
) -> Column<JobId, Option<Arc<Allocation>>> {
    let mut allocations = Column::filled(plan.snap.jobs.len(), None);
    let by_hard = ends_by_hard(plan);
    for (id, job) in plan.snap.jobs.enumerate().filter(|(_, job)| job.state.has_nodes()) {
        let Some(placement) = &job.exec_vnode else { continue };
        let Ok(request) = &plan.requests[id] else { continue };
        let at = expected_end(plan, job, request, by_hard);
        let key = timeline.fresh_key(within_reservation(plan, id, at), EventKind::End);
        let allocation = known(id).unwrap_or_else(|| Arc::new(read_allocation(plan, placement)));
        allocations[id] = Some(allocation.clone());
        timeline.put(key, Some(TimedEvent { occupant: Occupant::Job(id, None), allocation }));
    }
    allocations
}

/// Whether running jobs are expected to end by their hard walltimes, which is so while a reservation is unconfirmed
/// (rule 6.8).
fn ends_by_hard(plan: &Plan) -> bool {
    plan.snap.reservations.iter().any(|one| one.state == ReservationState::Unconfirmed)
}

/// Returns the end of a running job on the timeline; `None` if its request is invalid.
pub fn planned_end(plan: &Plan, id: JobId) -> Option<Epoch> {
    let request = plan.requests.checked(id)?.as_ref().ok()?;
    let end = expected_end(plan, plan.job(id), request, ends_by_hard(plan));
    Some(within_reservation(plan, id, end))
}

/// Returns the expected end of a running job: with `by_hard` start plus hard walltime, even if that has passed,
/// otherwise by its soft walltime if it has one.
pub fn expected_end(plan: &Plan, job: &Job, request: &JobRequest, by_hard: bool) -> Epoch {
    if let Some(started) = job.started.filter(|_| by_hard && job.state != JobState::Exiting) {
        return started + request.hard_duration;
    }
    let length = if by_hard { request.hard_duration } else { request.duration };
    let is_soft = !by_hard && soft_walltime(job) == Some(length);
    let hard = is_soft.then_some(request.hard_duration);
    job_end(job.state, job.started, length, hard, plan.snap.now)
}

/// Limits the end of a job to that of the reservation it is in, even if that has passed already.
pub fn within_reservation(plan: &Plan, job: JobId, end: Epoch) -> Epoch {
    let reservation = plan.reservation_of(job).map(|id| &plan.snap.reservations[id]);
    reservation.and_then(|of| of.end).map_or(end, |last| end.min(last))
}

/// Returns the soft walltime that a job requests.
fn soft_walltime(job: &Job) -> Option<Seconds> {
    job.requested.amount(ResourceId::soft_walltime()).map(|amount| Seconds(amount.0 as i64))
}

/// Returns the expected end of a running job of this length (rule 6.8; rule 11 item 2 for jobs past both walltimes).
/// If the length is a soft walltime, `hard` is the walltime up to which it is extended; the two may be equal.
pub fn job_end(
    state: JobState,
    started: Option<Epoch>,
    length: Seconds,
    hard: Option<Seconds>,
    now: Epoch,
) -> Epoch {
    if state == JobState::Exiting {
        return now + Seconds::EXITING;
    }
    let Some(started) = started else { return now + length };
    let end = started + length;
    if end >= now {
        return end;
    }
    let Some(hard) = hard.filter(|_| length.0 > 0) else { return now + Seconds::EXITING };
    started + extended_soft_walltime(length, hard, Seconds(now.0 - started.0))
}

/// Returns the running jobs whose soft walltime has passed with the extended one, in the order in which queues and
/// their jobs are read.
pub fn extended_softs(plan: &Plan) -> Vec<(JobId, Seconds)> {
    let snap = &plan.snap;
    let of = |(id, job): (JobId, &Job)| {
        Some((id, extended_soft(job, plan.requests[id].as_ref().ok()?, snap.now)?))
    };
    let running = snap.jobs.enumerate().filter(|(_, job)| job.state == JobState::Running);
    let mut found: Vec<(JobId, Seconds)> = running.filter_map(of).collect();
    found.sort_by_key(|(id, _)| (plan.queue_of(*id), *id));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule 6.8: a soft end that has passed is extended by the soft walltime, up to the hard end; an end at exactly
    /// the current time has not passed.
    #[test]
    fn soft_ends_are_put_off_once_they_have_passed() {
        let end = |began: i64, soft: i64, hard: i64| {
            let started = Some(Epoch(10_000 - began));
            let hard = (hard > 0).then_some(Seconds(hard));
            job_end(JobState::Running, started, Seconds(soft), hard, Epoch(10_000)).0 - 10_000
        };
        assert_eq!([end(500, 600, 3600), end(600, 600, 3600), end(601, 600, 3600)], [100, 0, 599]);
        assert_eq!(end(3599, 600, 3600), 1);
        assert_eq!([end(600, 600, 0), end(601, 600, 0)], [0, 1]);
        assert_eq!([end(600, 600, 600), end(900, 600, 600)], [0, -300]);
    }
}
