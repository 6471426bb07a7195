//! The existing nodes with what is free on them now and after each running job ends.

use rustc_hash::FxHashMap;

use crate::capacity::supply::{Dimensions, TypeSupply, is_up};
use crate::capacity::{CapacityShape, Packer, PackingAmounts, PackingNumber, TypeIx, VnodeOffers};
use qscope_engine::cluster::{
    Amount, ExecVnodePart, Job, JobState, Name, Node, NodeId, NodeState, ResourceId, Snapshot,
};

/// An existing node that is up.
#[derive(Clone, Debug)]
pub(super) struct ExistingNode {
    pub node: NodeId,
    /// Index of its type, in the order of the case.
    pub kind: usize,
    /// Whether a job runs there.
    pub busy: bool,
    /// Seconds from now until its last running job ends.
    pub last_end: f64,
    /// Slices in order of time: length in seconds and free amounts.
    pub slices: Vec<(f64, CapacityShape)>,
}

impl ExistingNode {
    pub(super) fn seed<N: PackingNumber>(&self, packer: &mut Packer<N>, type_ix: TypeIx) {
        let slices: Vec<(N, PackingAmounts<N>)> =
            self.slices.iter().map(|(length, free)| (N::of(*length), PackingAmounts::of(free))).collect();
        packer.existing(type_ix, &slices);
    }
}

/// The part of a running job on one node.
struct ExistingPart {
    node: NodeId,
    ends: f64,
    takes: CapacityShape,
}

/// Reads all nodes that are up, in the order of the dump.
pub(super) fn read(
    offers: &VnodeOffers<'_>,
    dimensions: &Dimensions,
    stocks: &[TypeSupply],
) -> Vec<ExistingNode> {
    let snap = offers.snapshot();
    let by_name: FxHashMap<Name, NodeId> =
        snap.nodes.enumerate().map(|(id, node)| (node.name.clone(), id)).collect();
    let mut units: Vec<(&[NodeId], usize)> = Vec::new();
    for (kind, stock) in stocks.iter().enumerate() {
        units.extend(stock.hosts.iter().map(|host| (host.as_slice(), kind)));
    }
    units.sort_by_key(|(host, _)| host.first().copied());
    let mut parts: Vec<ExistingPart> = Vec::new();
    for job in snap.jobs.iter().filter(|job| job.state.has_nodes()) {
        parts.extend(job_parts(snap, dimensions, job, &by_name));
    }
    let mut by_node: FxHashMap<NodeId, Vec<&ExistingPart>> = FxHashMap::default();
    for part in &parts {
        by_node.entry(part.node).or_default().push(part);
    }
    let mut all = Vec::new();
    for (host, kind) in units {
        let up: Vec<NodeId> = host.iter().copied().filter(|id| is_up(&snap.nodes[*id])).collect();
        let (Some(first), Some(stock)) = (up.first().copied(), stocks.get(kind)) else { continue };
        let mut own: Vec<&ExistingPart> =
            up.iter().filter_map(|id| by_node.get(id)).flatten().copied().collect();
        own.sort_by(|a, b| a.ends.total_cmp(&b.ends));
        let nodes: Vec<&Node> = up.iter().map(|id| &snap.nodes[*id]).collect();
        // Vnodes of the host that are down do not count.
        let full = match nodes.len() == host.len() {
            true => stock.node_type.shape,
            false => amounts(&stock.node_type.shape, |id| offers.total(&up, id), dimensions),
        };
        all.push(node_over_time(first, &nodes, kind, &full, dimensions, &own));
    }
    all
}

/// Sums an amount over vnodes.
fn total(nodes: &[&Node], amount: impl Fn(&Node) -> Option<Amount>) -> Option<Amount> {
    nodes.iter().filter_map(|node| amount(node)).reduce(|a, b| Amount(a.0 + b.0))
}

/// Returns the shape with other amounts.
fn amounts(
    like: &CapacityShape,
    amount: impl Fn(ResourceId) -> Option<Amount>,
    dimensions: &Dimensions,
) -> CapacityShape {
    let CapacityShape { memory, cores, disk, gpus, .. } = dimensions.shape(amount);
    CapacityShape { memory, cores, disk, gpus, ..*like }
}

fn job_parts(
    snap: &Snapshot,
    dimensions: &Dimensions,
    job: &Job,
    by_name: &FxHashMap<Name, NodeId>,
) -> Vec<ExistingPart> {
    let walltime = job.requested.amount(ResourceId::walltime()).map_or(HOLDS, |amount| amount.0.min(HOLDS));
    let elapsed = job.started.map_or(0, |started| (snap.now - started).0.max(0)) as f64;
    // An overdue or exiting job is assumed to end in one second.
    let ends = if job.state == JobState::Exiting { 1.0 } else { (walltime - elapsed).max(1.0) };
    let Some(placed) = &job.exec_vnode else { return Vec::new() };
    let part = |part: &ExecVnodePart| {
        let node = *by_name.get(&part.vnode)?;
        let takes = dimensions.shape(|id| amount_of_resource(snap, &part.resources, id));
        Some(ExistingPart { node, ends, takes })
    };
    placed.parts().filter_map(part).collect()
}

/// Seconds for which a running job without a walltime is assumed to hold its node: a year.
const HOLDS: f64 = 365.0 * 86_400.0;

fn amount_of_resource(snap: &Snapshot, resources: &[(Name, Name)], id: ResourceId) -> Option<Amount> {
    let name = snap.catalogue.name(id);
    let kind = snap.catalogue.kind(id);
    let (_, value) = resources.iter().find(|(have, _)| have == name)?;
    Amount::parse(kind, value).ok()
}

/// Returns what is free on a node: now, after the end of each running job, and then for a whole slice.
fn node_over_time(
    id: NodeId,
    vnodes: &[&Node],
    kind: usize,
    full: &CapacityShape,
    dimensions: &Dimensions,
    parts: &[&ExistingPart],
) -> ExistingNode {
    let assigned = dimensions.shape(|id| total(vnodes, |node| node.assigned.amount(id)));
    let is_taken =
        |node: &&Node| node.states.has(NodeState::JobExclusive) || node.states.has(NodeState::ResvExclusive);
    let taken = vnodes.iter().any(is_taken);
    let mut free = minus(full, &assigned);
    let mut slices = Vec::new();
    let mut now = 0.0;
    for part in parts {
        if part.ends > now {
            let open =
                if taken { CapacityShape { memory: 0, cores: 0.0, disk: 0, gpus: 0, ..free } } else { free };
            slices.push((part.ends - now, open));
            now = part.ends;
        }
        free = combine_amounts(&free, &part.takes, i64::saturating_add, |free, more| free + more);
        free = combine_amounts(&free, full, i64::min, f64::min);
    }
    // What no running job accounts for, such as a reservation, stays taken.
    slices.push((full.wall_time, if taken && parts.is_empty() { minus(full, full) } else { free }));
    ExistingNode { node: id, kind, busy: !parts.is_empty(), last_end: now, slices }
}

fn minus(a: &CapacityShape, b: &CapacityShape) -> CapacityShape {
    combine_amounts(a, b, |a, b| (a - b).max(0), |a, b| (a - b).max(0.0))
}

/// Combines each amount of one shape with that of another.
fn combine_amounts(
    a: &CapacityShape,
    b: &CapacityShape,
    whole: impl Fn(i64, i64) -> i64,
    cores: impl Fn(f64, f64) -> f64,
) -> CapacityShape {
    CapacityShape {
        memory: whole(a.memory, b.memory),
        cores: cores(a.cores, b.cores),
        disk: whole(a.disk, b.disk),
        gpus: whole(a.gpus, b.gpus),
        ..*a
    }
}
