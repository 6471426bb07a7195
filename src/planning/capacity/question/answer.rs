//! The answer: the place of every chunk, the number of nodes of each type, and what fits nowhere.

use std::collections::BTreeMap;

use super::{CapacityCase, HOUR};
use crate::capacity::{
    CapacityShape, Demand, Fidelity, Lack, Packer, PackerPlacement, PackingNumber, volume,
};
use qscope_engine::cluster::{JobId, found_or_added, number_of};

/// One chunk of one job on one node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChunkPlacement {
    pub demand: usize,
    /// Index of the type, in the order of the case.
    pub type_index: usize,
    /// Number of the node within its type.
    pub node: u32,
    /// Start time, in seconds from now.
    pub begin: f64,
    /// Run time in seconds.
    pub wall: f64,
    /// Index of the chunk in the job's list.
    pub chunk: usize,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct TypeNeed {
    /// Number of nodes needed; on top of running jobs, nodes in use included.
    pub need: u64,
    /// Lower bound of `need` for the jobs placed on this type, from their volume alone.
    pub lower_bound: u64,
    /// Node-hours, each node counted from now until its last job ends.
    pub hours: f64,
    /// Needed nodes in excess of those that exist.
    pub excess: u64,
}

/// Jobs of one shape that no type holds.
#[derive(Clone, PartialEq, Debug)]
pub struct UnplaceableShape {
    pub shape: CapacityShape,
    /// Number of jobs with this chunk.
    pub jobs: u64,
    /// One of these jobs.
    pub example: JobId,
    /// What is missing on each type, in order.
    pub lacks: Vec<Vec<Lack>>,
    /// The type that comes closest.
    pub closest: Option<usize>,
}

impl UnplaceableShape {
    /// Returns the types by how close they come: fewest shortfalls, then the smallest sum of their shares.
    pub fn closest_first(&self) -> Vec<usize> {
        let mut order: Vec<(usize, usize, f64)> = (self.lacks.iter().enumerate())
            .map(|(ix, list)| (ix, list.len(), list.iter().map(Lack::share).sum()))
            .collect();
        order.sort_by(|a, b| a.1.cmp(&b.1).then(a.2.total_cmp(&b.2)));
        order.into_iter().map(|(ix, ..)| ix).collect()
    }
}

/// The answer at one target time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CapacityAnswer {
    /// Target time in seconds.
    pub target: f64,
    /// By type, in the order of the case.
    pub types: Vec<TypeNeed>,
    /// The place of every chunk, in packing order.
    pub placements: Vec<ChunkPlacement>,
    /// The shapes that fit no type.
    pub unplaceable: Vec<UnplaceableShape>,
    /// Seconds from now until the last job ends.
    pub makespan: f64,
    /// Price of an hour of each type, if every type has one.
    prices: Option<Vec<f64>>,
    /// Whether the types were tried cheapest first.
    pub by_price: bool,
    /// How often the original would have failed its assertion (defect 13.1).
    pub assertions: u64,
}

impl CapacityAnswer {
    pub(super) fn new(case: &CapacityCase, target: f64) -> Self {
        Self {
            target,
            types: vec![TypeNeed::default(); case.stocks.len()],
            prices: case.stocks.iter().map(|stock| stock.node_type.price).collect(),
            ..Self::default()
        }
    }

    /// Returns the number of nodes over all types.
    pub fn nodes(&self) -> u64 {
        self.types.iter().map(|kind| kind.need).sum()
    }

    /// Returns the node-hours over all types.
    pub fn hours(&self) -> f64 {
        self.types.iter().map(|kind| kind.hours).sum()
    }

    /// Returns the price of the node-hours, if every type has a price.
    pub fn cost(&self) -> Option<f64> {
        let prices = self.prices.as_ref()?;
        Some(self.types.iter().zip(prices).map(|(kind, price)| kind.hours * price).sum())
    }

    pub(super) fn take<N: PackingNumber>(
        &mut self,
        case: &CapacityCase,
        ix: usize,
        demand: &Demand,
        placed: &[PackerPlacement<N>],
        order: &[usize],
    ) {
        let each = demand.chunks.iter().enumerate();
        let chunks = each.flat_map(|(ix, (chunk, count))| std::iter::repeat_n((ix, chunk), *count as usize));
        let mut unfit = false;
        for ((at, chunk), placed) in chunks.zip(placed) {
            let PackerPlacement::On { kind, node, begin } = placed else {
                unfit = true;
                continue;
            };
            let Some(kind) = order.get(kind.0 as usize) else { continue };
            self.placements.push(ChunkPlacement {
                demand: ix,
                type_index: *kind,
                node: *node,
                begin: begin.value(),
                wall: chunk.wall_time,
                chunk: at,
            });
        }
        // A running job fits by definition, even where it uses more than its nodes are listed with.
        if unfit && (!demand.running || case.options.fidelity == Fidelity::Compat) {
            self.add_never(demand);
        }
    }

    /// Counts the job under each of its chunks; `finish` removes the chunks that do fit a type.
    fn add_never(&mut self, demand: &Demand) {
        for (chunk, _) in &demand.chunks {
            let (shape, example) = (*chunk, demand.job);
            let new = || UnplaceableShape { shape, jobs: 0, example, lacks: Vec::new(), closest: None };
            found_or_added(&mut self.unplaceable, |never| never.shape == shape, new).jobs += 1;
        }
    }

    pub(super) fn finish<N: PackingNumber>(&mut self, case: &CapacityCase, packer: &Packer<N>) {
        self.assertions = packer.assertions();
        self.unplaceable.retain(|never| packer.first_fitting(&never.shape, None).is_none());
        for never in &mut self.unplaceable {
            never.lacks = case
                .shapes
                .iter()
                .enumerate()
                .map(|(ix, kind)| case.missing(ix, kind, &never.shape))
                .collect();
            never.closest = never.closest_first().first().copied();
        }
        let ends = self.ends(case);
        let mut jobs: BTreeMap<usize, Vec<(CapacityShape, u64)>> = BTreeMap::new();
        for seat in &self.placements {
            let demand = case.demands.all.get(seat.demand);
            if let Some((chunk, _)) = demand.and_then(|demand| demand.chunks.get(seat.chunk)) {
                jobs.entry(seat.type_index).or_default().push((*chunk, 1));
            }
        }
        for (ix, kind) in self.types.iter_mut().enumerate() {
            let used = ends.range((ix, 0)..(ix + 1, 0));
            (kind.need, kind.hours) = used.fold((0, 0.0), |(n, hours), (_, end)| (n + 1, hours + end / HOUR));
            if let (Some(jobs), Some(shape)) = (jobs.get(&ix), case.shapes.get(ix)) {
                kind.lower_bound = volume::lower_bound(jobs, shape, self.target);
            }
            let exist = case.stocks.get(ix).map_or(0, |stock| stock.node_type.max);
            kind.excess = kind.need.saturating_sub(exist);
        }
        self.makespan = ends.values().copied().fold(0.0, f64::max);
    }

    /// Returns when the last job of each used node ends, among the packed jobs and those that run there
    /// already.
    fn ends(&self, case: &CapacityCase) -> BTreeMap<(usize, u32), f64> {
        let mut ends: BTreeMap<(usize, u32), f64> = BTreeMap::new();
        for kind in 0..case.stocks.len() {
            let of_kind = case.existing.iter().filter(|node| node.kind == kind);
            for (number, node) in of_kind.enumerate().filter(|(_, node)| node.busy) {
                ends.insert((kind, number_of(number)), node.last_end);
            }
        }
        for seat in &self.placements {
            let end = ends.entry((seat.type_index, seat.node)).or_insert(0.0);
            *end = end.max(seat.begin + seat.wall);
        }
        ends
    }
}
