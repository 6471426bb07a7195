//! The universe at the start of a cycle, before the first job. If only some nodes differ in the next snapshot, the
//! next start is derived from this one.

use std::sync::Arc;

use crate::cluster::{Column, JobId, ResvId};

use crate::universe::bucket::of_complex::ComplexBuckets;
use crate::universe::nodes::occupancy::{NodeJobIndex, NodeOccupancy};
use crate::universe::nodes::reservation_nodes::{ReservationNodes, reservation_nodes};
use crate::universe::sets::arrangement::SetsAtStart;
use crate::universe::state::NodeEvent;
use crate::universe::timeline::planned::{plan_job_ends, plan_reservations};
use crate::universe::transition::hosts::hosts_as_made;
use crate::universe::{Allocation, Bit, NodeLists, Plan, SetBuilder, Timeline};

/// Everything that a cycle changes, at its start, except jobs and counts.
#[derive(Clone, Debug)]
pub struct StateAtStart {
    pub(super) occupancy: NodeOccupancy,
    listed: NodeJobIndex,
    pub(super) reservation_nodes: Column<ResvId, Option<ReservationNodes>>,
    pub(super) events: Column<Bit, Option<Arc<[NodeEvent]>>>,
    pub(super) complex_buckets: ComplexBuckets,
    pub(super) sets: SetsAtStart,
    pub(super) lists: NodeLists,
    pub(super) timeline: Timeline,
    /// The allocation of each running job.
    allocations: Column<JobId, Option<Arc<Allocation>>>,
}

/// The previous plan with its start, and the nodes whose records differ in the new plan.
pub(crate) struct PreviousStart<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) start: &'a StateAtStart,
    pub(crate) changed: Vec<Bit>,
    /// Index of each job in the previous snapshot.
    pub(crate) places: &'a Column<JobId, Option<JobId>>,
}

impl StateAtStart {
    /// Derives the start from scratch.
    pub(crate) fn new(plan: &Plan) -> Self {
        let (floor, listed) = NodeOccupancy::new(plan);
        let mut timeline = Timeline::default();
        let events = plan_reservations(plan, &mut timeline);
        let allocations = plan_job_ends(plan, &mut timeline, |_| None);
        let of_complex = ComplexBuckets::of(&SetBuilder { plan, occupancy: &floor, events: &events });
        let sets = SetsAtStart::new(&SetBuilder { plan, occupancy: &floor, events: &events });
        Self {
            reservation_nodes: reservation_nodes(plan, &floor),
            occupancy: floor,
            listed,
            events,
            complex_buckets: of_complex,
            sets,
            lists: NodeLists {
                server: plan.nodes.ids().collect::<Vec<_>>().into(),
                queues: Column::filled(plan.snap.queues.len(), None),
                sets: rustc_hash::FxHashMap::default(),
                hosts: hosts_as_made(plan).into(),
            },
            timeline,
            allocations,
        }
    }

    /// Derives the start from the previous one; the result equals one derived from scratch.
    pub(crate) fn following(plan: &Plan, before: Option<PreviousStart<'_>>) -> Self {
        let same_reservations =
            |before: &PreviousStart<'_>| before.plan.snap.reservations == plan.snap.reservations;
        match before.filter(same_reservations) {
            Some(before) => before.start.updated(plan, before),
            None => Self::new(plan),
        }
    }

    fn updated(&self, plan: &Plan, previous: PreviousStart<'_>) -> Self {
        let PreviousStart { plan: before, mut changed, places, .. } = previous;
        let (occupancy, listed) = self.occupancy.following(plan, &self.listed, &mut changed);
        let mut timeline = Timeline::default();
        let events = plan_reservations(plan, &mut timeline);
        let known = |job: JobId| {
            let was = places[job]?;
            let placements =
                [&before.snap.jobs[was], &plan.snap.jobs[job]].map(|job| job.exec_vnode.as_ref());
            let [Some(old), Some(new)] = placements else { return None };
            self.allocations[was].clone().filter(|_| Arc::ptr_eq(&old.chunks, &new.chunks) || old == new)
        };
        let allocations = plan_job_ends(plan, &mut timeline, known);
        if !plan.snap.reservations.is_empty() {
            changed.extend(events.ids().filter(|bit| events[*bit] != self.events[*bit]));
        }
        let builder = SetBuilder { plan, occupancy: &occupancy, events: &events };
        let was = SetBuilder { plan, occupancy: &self.occupancy, events: &self.events };
        let crossed: Vec<Bit> =
            changed.iter().copied().filter(|bit| builder.has_bucket(*bit) != was.has_bucket(*bit)).collect();
        let complex_buckets = self.complex_buckets.after(&builder, &changed, &crossed);
        Self {
            sets: self.sets.following(&builder, &changed, &crossed),
            reservation_nodes: reservation_nodes(plan, &occupancy),
            occupancy,
            listed,
            events,
            complex_buckets,
            lists: self.lists.clone(),
            timeline,
            allocations,
        }
    }
}
