//! Derivation of a plan from a snapshot, alone or from the plan of the previous snapshot.

use std::sync::{Arc, OnceLock};

use crate::cluster::{Column, JobId, NodeId, Period, ResourceId, ResourceType, Snapshot, run_both};
use crate::universe::nodes::hosts::multi_vnode;
use crate::universe::nodes::order::{sorted_nodes, sorts_per_job};
use crate::universe::plan::job_plan::{JobMembership, RequestsAndReturns};
use crate::universe::plan::node_plan::{ComparedResources, NodePlan, PlanNodeOrder, changed_nodes};
use crate::universe::plan::{Plan, PlanDiff};
use crate::universe::preempt::has_soft_limits;
use crate::universe::request::requests::{PreviousPlan, Requests};
use crate::universe::sets::group_order::{GroupOrder, group_sort_keys};
use crate::universe::{
    Bit, ChunkShape, ChunkShapes, ConsIx, Consumables, EnforcedResources, Meters, PreemptLevels, Quirks,
    ShapeId,
};
impl Plan {
    /// Derives the plan of a snapshot.
    pub fn new(snap: Arc<Snapshot>, quirks: Quirks, period: Period) -> Self {
        Self::following(None, snap, quirks, period).0
    }

    /// The same, reusing from the plan of the previous snapshot what cannot differ.
    pub(crate) fn following(
        before: Option<&Self>,
        snap: Arc<Snapshot>,
        quirks: Quirks,
        period: Period,
    ) -> (Self, PlanDiff) {
        let enforced = EnforcedResources::new(&snap.policy, &snap.catalogue);
        let changed = before.and_then(|before| changed_nodes(before, &snap, quirks, period));
        let places = before.map_or_else(Column::new, |before| places_in(before, &snap));
        let SnapshotParts { requested, belonging, meters, placed } =
            SnapshotParts::read(before, &places, changed.is_some(), &snap, &enforced, period);
        let RequestsAndReturns { requests: all, returns } = requested;
        let checked = all.checked_resources(&snap, &enforced, quirks, |job| belonging.is_read(&snap, job));
        let Requests { shapes, requests, numbers, previous, reserved } = all;
        let booleans = boolean_resources(&snap);
        let consumables = Consumables::new(&snap, &checked, period, group_sort_keys(&snap, quirks, period));
        let is_same = |before: &&Self| before.checked == checked && before.consumables == consumables;
        let kept = before.filter(is_same).zip(changed);
        let compared =
            ComparedResources { checked: &checked, booleans: &booleans, consumables: &consumables };
        let of_nodes = node_plan(kept.as_ref(), &snap, placed, compared, (quirks, period));
        let plan = Self {
            returns,
            joins_unlike: of_nodes.joins_unlike,
            multi_vnode: of_nodes.multi_vnode,
            queue_and_reservation: belonging.queue_and_reservation,
            restricted_jobs: belonging.restricted_jobs,
            fits: empty_cells(&shapes),
            fit_nodes: empty_cells(&shapes),
            could_hold_nodes: empty_cells(&shapes),
            needs: shapes.iter().map(|(_, shape)| needs_of(shape, &consumables)).collect(),
            group_order: GroupOrder::of(&snap, quirks, period, &consumables, set_order(&consumables)),
            set_order: set_order(&consumables),
            meters,
            levels: PreemptLevels::read(&snap.scheduler.preempt_prio),
            has_soft_limits: has_soft_limits(&snap),
            sorts_per_job: sorts_per_job(&snap, quirks, period),
            over_share: Column::new(),
            running_subjobs: belonging.running_subjobs,
            array_of: belonging.array_of,
            has_arrays: belonging.has_arrays,
            bit_named: of_nodes.bit_named,
            unset_ok: unset_ok(&snap),
            hosts: of_nodes.hosts,
            masks: of_nodes.masks,
            ranking: None,
            snap,
            quirks,
            period,
            enforced,
            checked,
            booleans,
            shapes,
            requests,
            request_numbers: numbers,
            previous,
            reserved,
            consumables,
            capacity: of_nodes.capacity,
            nodes: of_nodes.nodes,
            bit_of: of_nodes.bit_of,
            signatures: of_nodes.signatures,
            sig_nodes: OnceLock::new(),
            asked: OnceLock::new(),
        };
        (plan, PlanDiff { changed: kept.map(|(_, changed)| changed), places })
    }
}

/// Returns what follows from the nodes: from the previous plan if it is kept, with the bits of the changed nodes.
/// `placed` is the order of the nodes, if it was determined.
fn node_plan(
    kept: Option<&(&Plan, Vec<Bit>)>,
    snap: &Snapshot,
    placed: Option<PlanNodeOrder>,
    compared: ComparedResources<'_>,
    (quirks, period): (Quirks, Period),
) -> NodePlan {
    match kept {
        Some((before, changed)) => NodePlan::following(before, snap, changed),
        None => {
            let placed = placed.unwrap_or_else(|| node_order(snap, period));
            NodePlan::read(snap, placed, compared, quirks)
        }
    }
}

/// Returns the columns by which sets are ordered: cpus and memory, where they are requested.
fn set_order(consumables: &Consumables) -> [Option<ConsIx>; 2] {
    [ResourceId::ncpus(), ResourceId::mem()]
        .map(|resource| consumables.ix(resource).filter(|ix| consumables.is_checked(*ix)))
}

/// Returns an empty cell for each shape, filled on first use.
fn empty_cells<T>(shapes: &ChunkShapes) -> Column<ShapeId, OnceLock<T>> {
    shapes.iter().map(|_| OnceLock::new()).collect()
}

/// Returns the index of each job in the snapshot of the previous plan.
fn places_in(before: &Plan, snap: &Snapshot) -> Column<JobId, Option<JobId>> {
    snap.jobs.places_in(&before.snap.jobs, |one, other| one.name == other.name)
}

/// What follows from the snapshot alone.
struct SnapshotParts {
    requested: RequestsAndReturns,
    belonging: JobMembership,
    meters: Meters,
    /// The order of the nodes, unless that is known.
    placed: Option<PlanNodeOrder>,
}

impl SnapshotParts {
    /// Reads what jobs request and everything else in parallel.
    fn read(
        before: Option<&Plan>,
        places: &Column<JobId, Option<JobId>>,
        is_order_known: bool,
        snap: &Snapshot,
        enforced: &EnforcedResources,
        period: Period,
    ) -> Self {
        let before = before.map(|plan| PreviousPlan { plan, places });
        let before = before.and_then(|before| before.of_same_resources(snap));
        let meanwhile = || {
            let placed = (!is_order_known).then(|| node_order(snap, period));
            (JobMembership::read(snap), Meters::new(snap), placed)
        };
        let requested = || RequestsAndReturns::read(snap, enforced, before);
        let (nodes, jobs) = (snap.nodes.len(), snap.jobs.len());
        // The calling thread takes the larger part: the other one starts later.
        let (requested, (belonging, meters, placed)) = if nodes > jobs {
            run_both(nodes + jobs, requested, meanwhile)
        } else {
            let (meanwhile, requested) = run_both(nodes + jobs, meanwhile, requested);
            (requested, meanwhile)
        };
        Self { requested, belonging, meters, placed }
    }
}

/// Determines the order of the nodes.
fn node_order(snap: &Snapshot, period: Period) -> PlanNodeOrder {
    let order = sorted_nodes(snap, period);
    let bit_of = positions(&order, snap.nodes.len());
    PlanNodeOrder { order, bit_of, multi_vnode: multi_vnode(snap) }
}

/// Returns what a shape takes of each consumable that has a column.
fn needs_of(shape: &ChunkShape, consumables: &Consumables) -> Vec<(ConsIx, f64)> {
    shape.amounts().filter_map(|(resource, amount)| Some((consumables.ix(resource)?, amount.0))).collect()
}

/// Returns all boolean resources.
fn boolean_resources(snap: &Snapshot) -> Vec<ResourceId> {
    snap.catalogue.iter().filter(|(_, def)| def.kind == ResourceType::Boolean).map(|(id, _)| id).collect()
}

/// Returns the bit of each node of the snapshot.
fn positions(order: &[NodeId], len: usize) -> Column<NodeId, Option<Bit>> {
    let mut at = Column::filled(len, None);
    for (position, id) in order.iter().enumerate() {
        at[*id] = Some(crate::cluster::Id::at(position));
    }
    at
}

/// Returns the resources that are unlimited where a node does not have them (rule 2.4).
fn unset_ok(snap: &Snapshot) -> Vec<ResourceId> {
    let listed = snap.policy.resource_unset_infinite.iter().filter_map(|name| snap.catalogue.id(name));
    [ResourceId::mpiprocs(), ResourceId::ompthreads()].into_iter().chain(listed).collect()
}
