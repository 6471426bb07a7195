//! A cluster's question to the packer, and its answer: from scratch, or on top of what runs.

use std::collections::BTreeMap;

use crate::cluster::{JobId, Name, NodeId, Snapshot};

use super::demand::{self, Demand, Demands, Timing};
use super::estimate::{Fidelity, Options};
use super::fit::{Lack, What, lacks};
use super::measure::{Measure, Milli};
use super::packer::{Gang, PackError, Packer, Placed, Rules, TypeIx};
use super::runtime::Guess;
use super::shape::Shape;
use super::supply::{self, Dimensions, Stock};
use super::volume;

mod existing;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// Target time, fidelity and the rest of the scaler's options.
    pub options: Options,
    /// Whether running jobs stay where they are and the queue is packed around them.
    pub on_top: bool,
    /// Types of the operator's own, instead of the cluster's.
    pub types: Option<Vec<Stock>>,
}

/// A cluster as jobs and types, ready to be packed at any target time.
#[derive(Clone, Debug)]
pub struct Case {
    /// The scaler's options.
    pub options: Options,
    /// Types in the order in which they are tried.
    pub stocks: Vec<Stock>,
    /// What each of them offers.
    pub shapes: Vec<Shape>,
    /// The jobs.
    pub demands: Demands,
    /// Which types each site may use.
    pub sites: Vec<Vec<bool>>,
    /// Whether the running jobs stay where they are.
    pub on_top: bool,
    existing: Vec<existing::ExistingNode>,
    /// Chunks that no type holds cost the whole job; counted here as sentences.
    pub notes: Vec<String>,
}

/// Why a cluster cannot be packed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CaseError {
    /// There is nothing to run on.
    #[error("no node is allowed: the cluster has no nodes")]
    NoNodes,
    /// Jobs that cannot be packed.
    #[error("job {job}: {error}")]
    Pack {
        /// Which.
        job: Name,
        /// Why.
        error: PackError,
    },
}

/// The most copies of one array that are packed one by one.
const MOST_UNITS: u64 = 2_000_000;

/// One hour: what clouds bill by, and the original's slice.
const HOUR: f64 = 3600.0;

impl Case {
    /// Reads a cluster.
    ///
    /// # Errors
    /// No nodes.
    pub fn new(snap: &Snapshot, question: &Question) -> Result<Self, CaseError> {
        let options = question.options;
        let compat = options.fidelity == Fidelity::Compat;
        let timing = Timing {
            target: options.target,
            declared: !compat,
            remaining: !compat,
            guess: if compat { Guess::OneSecond } else { Guess::PastTarget },
        };
        let dimensions = Dimensions::of(snap);
        let demands = demand::from_jobs(snap, &dimensions, &timing);
        let longest = demands.all.iter().map(Demand::wall_time).fold(0.0, f64::max);
        // Owned nodes are not billed by the hour: planned for as long as anything lasts.
        let slice = if compat { HOUR } else { ((longest + options.target) / HOUR).ceil().max(1.0) * HOUR };
        let mut stocks = match &question.types {
            Some(types) => types.clone(),
            None => supply::from_nodes(snap, &dimensions, &demands.asked, slice),
        };
        if question.on_top && question.types.is_some() {
            stocks.extend(supply::from_nodes(snap, &dimensions, &demands.asked, slice));
        }
        if stocks.iter().all(|stock| stock.kind.max == 0) {
            return Err(CaseError::NoNodes);
        }
        stocks.sort_by(|a, b| a.kind.shape.order(&b.kind.shape));
        let sites = sites(snap, &demands, &stocks);
        let shapes = stocks.iter().map(|stock| stock.kind.shape).collect();
        let existing = if question.on_top { existing::read(snap, &dimensions, &stocks) } else { Vec::new() };
        let notes = demands.notes.clone();
        Ok(Self { options, stocks, shapes, demands, sites, on_top: question.on_top, existing, notes })
    }

    /// Packs at the case's own target time.
    ///
    /// # Errors
    /// A wall time that cannot be packed.
    pub fn answer(&self, snap: &Snapshot) -> Result<Answer, CaseError> {
        self.answer_at(snap, self.options.target)
    }

    /// Packs at another target time.
    ///
    /// # Errors
    /// A wall time that cannot be packed.
    pub fn answer_at(&self, snap: &Snapshot, target: f64) -> Result<Answer, CaseError> {
        let by_shape = self.pack(snap, target, &self.by_shape())?;
        let Some(by_price) = self.by_price() else { return Ok(by_shape) };
        let by_price = self.pack(snap, target, &by_price)?;
        let cheaper = by_price.cost() < by_shape.cost();
        Ok(if cheaper { Answer { by_price: true, ..by_price } } else { by_shape })
    }

    fn by_shape(&self) -> Vec<usize> {
        (0..self.stocks.len()).collect()
    }

    /// Cheapest first, if every type has a price and the original is not followed.
    fn by_price(&self) -> Option<Vec<usize>> {
        if self.options.fidelity == Fidelity::Compat {
            return None;
        }
        let prices: Vec<f64> = self.stocks.iter().map(|stock| stock.kind.price).collect::<Option<_>>()?;
        let mut order = self.by_shape();
        let price = |ix: &usize| prices.get(*ix).copied().unwrap_or(f64::INFINITY);
        order.sort_by(|a, b| price(a).total_cmp(&price(b)));
        Some(order)
    }

    /// The jobs that are packed: all of them, or only those that wait.
    fn units(&self) -> impl Iterator<Item = (usize, &Demand)> {
        self.demands.all.iter().enumerate().filter(|(_, demand)| !(self.on_top && demand.running))
    }

    fn pack(&self, snap: &Snapshot, target: f64, order: &[usize]) -> Result<Answer, CaseError> {
        match self.options.fidelity {
            Fidelity::Compat => self.pack_in::<f64>(snap, target, order),
            Fidelity::Corrected => self.pack_in::<Milli>(snap, target, order),
        }
    }

    fn pack_in<N: Measure>(
        &self,
        snap: &Snapshot,
        target: f64,
        order: &[usize],
    ) -> Result<Answer, CaseError> {
        let compat = self.options.fidelity == Fidelity::Compat;
        let shapes: Vec<Shape> = order.iter().filter_map(|ix| self.shapes.get(*ix).copied()).collect();
        let pick =
            |list: &Vec<bool>| order.iter().map(|ix| list.get(*ix).copied().unwrap_or(false)).collect();
        let rules = Rules { target, overflow: !compat, merge_equal: false };
        let mut packer =
            Packer::<N>::in_order(&shapes, rules).with_sites(self.sites.iter().map(pick).collect());
        if !compat {
            let most = order.iter().filter_map(|ix| self.stocks.get(*ix)).map(|stock| stock.kind.max);
            packer = packer.with_limits(&most.collect::<Vec<_>>());
        }
        let place = |kind: usize| order.iter().position(|ix| *ix == kind);
        for node in &self.existing {
            if let Some(kind) = place(node.kind) {
                node.seed(&mut packer, TypeIx(u32::try_from(kind).unwrap_or(u32::MAX)));
            }
        }
        let mut units: Vec<(usize, &Demand)> = self.units().collect();
        let largest = |demand: &Demand| {
            let biggest = |a: &&(Shape, u32), b: &&(Shape, u32)| a.0.order(&b.0);
            demand.chunks.iter().max_by(biggest).map(|(shape, _)| *shape).unwrap_or_default()
        };
        units.sort_by(|(_, a), (_, b)| largest(b).order(&largest(a)));
        let mut answer = Answer::new(self, target);
        let mut left = MOST_UNITS;
        for (ix, demand) in units {
            for _ in 0..demand.copies.min(left) {
                let placed = place_one(&mut packer, demand, compat)
                    .map_err(|error| CaseError::Pack { job: demand::short_name(snap, demand.job), error })?;
                answer.take(ix, demand, &placed, order);
            }
            left = left.saturating_sub(demand.copies);
        }
        answer.finish(self, &packer);
        Ok(answer)
    }

    /// Nodes that exist, of a type in order: seconds from the one before, and what is free then.
    pub fn existing_of(&self, kind: usize) -> impl Iterator<Item = (NodeId, &[(f64, Shape)])> {
        self.existing.iter().filter(move |node| node.kind == kind).map(|node| (node.node, &*node.slices))
    }
}

/// Places one copy: a gang together, or in the original's way each chunk by itself.
fn place_one<N: Measure>(
    packer: &mut Packer<N>,
    demand: &Demand,
    compat: bool,
) -> Result<Vec<Placed<N>>, PackError> {
    if demand.is_gang() && !compat {
        return packer.add_gang(&Gang { chunks: demand.chunks.clone(), scatter: demand.scatter });
    }
    let mut all = Vec::new();
    for (chunk, count) in &demand.chunks {
        for _ in 0..*count {
            all.push(packer.add(chunk)?);
        }
    }
    Ok(all)
}

/// For each site which types its jobs may use.
fn sites(snap: &Snapshot, demands: &Demands, stocks: &[Stock]) -> Vec<Vec<bool>> {
    let each = demands.conditions.iter().map(|conditions| {
        let owned = snap.nodes.iter().any(|node| node.queue.as_ref() == Some(&conditions.queue));
        stocks.iter().map(|stock| stock.allows(conditions, owned, snap)).collect()
    });
    each.collect()
}

/// One chunk of one job on one node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seat {
    /// Which of the demands.
    pub demand: usize,
    /// Which type, in the order of the case.
    pub kind: usize,
    /// Which node of the type.
    pub node: u32,
    /// When it begins, in seconds from now.
    pub begin: f64,
    /// How long it runs.
    pub wall: f64,
    /// Which of the job's chunks.
    pub chunk: usize,
}

/// What one type needs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TypeNeed {
    /// Nodes that packing needs; on top of what runs, those in use included.
    pub need: u64,
    /// No packing of the jobs that went to this type can do with fewer.
    pub bound: u64,
    /// Node-hours: each node until its last job ends.
    pub hours: f64,
    /// Nodes beyond those that exist.
    pub beyond: u64,
}

/// Jobs of one shape that no type holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Never {
    /// The chunk.
    pub shape: Shape,
    /// How many jobs have it.
    pub jobs: u64,
    /// One of them.
    pub example: JobId,
    /// By type in order, what is missing there.
    pub lacks: Vec<Vec<Lack>>,
    /// The type that comes closest.
    pub closest: Option<usize>,
}

/// The answer at one target time.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Seconds.
    pub target: f64,
    /// By type, in the order of the case.
    pub types: Vec<TypeNeed>,
    /// Where every chunk went, in the order packed.
    pub seats: Vec<Seat>,
    /// What fits nowhere.
    pub never: Vec<Never>,
    /// Seconds until the last job ends.
    pub makespan: f64,
    /// What an hour costs of each type, where every type has a price.
    prices: Option<Vec<f64>>,
    /// Whether the types were tried cheapest first.
    pub by_price: bool,
    /// How often the original would have failed (defect 13.1).
    pub assertions: u64,
}

impl Answer {
    fn new(case: &Case, target: f64) -> Self {
        Self {
            target,
            types: vec![TypeNeed::default(); case.stocks.len()],
            seats: Vec::new(),
            never: Vec::new(),
            makespan: 0.0,
            prices: case.stocks.iter().map(|stock| stock.kind.price).collect(),
            by_price: false,
            assertions: 0,
        }
    }

    /// Nodes over all types.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.types.iter().map(|kind| kind.need).sum()
    }

    /// Node-hours over all types.
    #[must_use]
    pub fn hours(&self) -> f64 {
        self.types.iter().map(|kind| kind.hours).sum()
    }

    /// What the node-hours cost, if every type has a price.
    #[must_use]
    pub fn cost(&self) -> Option<f64> {
        let prices = self.prices.as_ref()?;
        Some(self.types.iter().zip(prices).map(|(kind, price)| kind.hours * price).sum())
    }

    fn take<N: Measure>(&mut self, ix: usize, demand: &Demand, placed: &[Placed<N>], order: &[usize]) {
        let each = demand.chunks.iter().enumerate();
        let chunks = each.flat_map(|(ix, (chunk, count))| std::iter::repeat_n((ix, chunk), *count as usize));
        let mut unfit = false;
        for ((at, chunk), placed) in chunks.zip(placed) {
            let Placed::On { kind, node, begin } = placed else {
                unfit = true;
                continue;
            };
            let Some(kind) = order.get(kind.0 as usize) else { continue };
            self.seats.push(Seat {
                demand: ix,
                kind: *kind,
                node: *node,
                begin: begin.value(),
                wall: chunk.wall_time,
                chunk: at,
            });
        }
        if unfit {
            self.add_never(demand);
        }
    }

    /// Notes the job under its chunk; which chunk it is turns out when the types are at hand.
    fn add_never(&mut self, demand: &Demand) {
        for (chunk, _) in &demand.chunks {
            match self.never.iter_mut().find(|never| never.shape == *chunk) {
                Some(never) => never.jobs += 1,
                None => self.never.push(Never {
                    shape: *chunk,
                    jobs: 1,
                    example: demand.job,
                    lacks: Vec::new(),
                    closest: None,
                }),
            }
        }
    }

    fn finish<N: Measure>(&mut self, case: &Case, packer: &Packer<N>) {
        self.assertions = packer.assertions();
        self.never.retain(|never| packer.first_fitting(&never.shape, None).is_none());
        for never in &mut self.never {
            never.lacks = case
                .shapes
                .iter()
                .enumerate()
                .map(|(ix, kind)| case.missing(ix, kind, &never.shape))
                .collect();
            never.closest = never.closest_first().first().copied();
        }
        let ends = self.ends(case);
        let mut jobs: BTreeMap<usize, Vec<(Shape, u64)>> = BTreeMap::new();
        for seat in &self.seats {
            let demand = case.demands.all.get(seat.demand);
            if let Some((chunk, _)) = demand.and_then(|demand| demand.chunks.get(seat.chunk)) {
                jobs.entry(seat.kind).or_default().push((*chunk, 1));
            }
        }
        for (ix, kind) in self.types.iter_mut().enumerate() {
            let used = ends.range((ix, 0)..(ix + 1, 0));
            (kind.need, kind.hours) = used.fold((0, 0.0), |(n, hours), (_, end)| (n + 1, hours + end / HOUR));
            if let (Some(jobs), Some(shape)) = (jobs.get(&ix), case.shapes.get(ix)) {
                kind.bound = volume::lower_bound(jobs, shape, self.target);
            }
            let exist = case.stocks.get(ix).map_or(0, |stock| stock.kind.max);
            kind.beyond = kind.need.saturating_sub(exist);
        }
        self.makespan = ends.values().copied().fold(0.0, f64::max);
    }

    /// When the last job of each node ends: of those packed, and of those that run there already.
    fn ends(&self, case: &Case) -> BTreeMap<(usize, u32), f64> {
        let mut ends: BTreeMap<(usize, u32), f64> = BTreeMap::new();
        for kind in 0..case.stocks.len() {
            let of_kind = case.existing.iter().filter(|node| node.kind == kind);
            for (number, node) in of_kind.enumerate().filter(|(_, node)| node.busy) {
                ends.insert((kind, u32::try_from(number).unwrap_or(u32::MAX)), node.last_end);
            }
        }
        for seat in &self.seats {
            let end = ends.entry((seat.kind, seat.node)).or_insert(0.0);
            *end = end.max(seat.begin + seat.wall);
        }
        ends
    }
}

impl Case {
    /// What a chunk lacks on a type, the conditions included.
    fn missing(&self, ix: usize, kind: &Shape, chunk: &Shape) -> Vec<Lack> {
        let mut found = lacks(chunk, kind);
        let list = chunk.site.0.checked_sub(1).and_then(|site| self.sites.get(site as usize));
        if list.is_some_and(|list| !list.get(ix).copied().unwrap_or(false)) {
            found.push(Lack { what: What::Site, asked: 1.0, limit: 0.0 });
        }
        found
    }
}

impl Never {
    /// The types by how close they come: fewest shortfalls, then the smallest.
    #[must_use]
    pub fn closest_first(&self) -> Vec<usize> {
        let mut order: Vec<(usize, usize, f64)> = (self.lacks.iter().enumerate())
            .map(|(ix, list)| (ix, list.len(), list.iter().map(Lack::share).sum()))
            .collect();
        order.sort_by(|a, b| a.1.cmp(&b.1).then(a.2.total_cmp(&b.2)));
        order.into_iter().map(|(ix, ..)| ix).collect()
    }
}
