//! The question of how many nodes a cluster needs and its answer: from scratch, or on top of the running
//! jobs.

use qscope_engine::cluster::{Name, NodeId, Snapshot, number_of};

use super::demand::{self, Demand, Demands, WallTimeOptions};
use super::fit::{Lack, LackKind, lacks};
use super::packer::{Gang, PackError, Packer, PackerPlacement, PackingRules, TypeIx};
use super::supply::{self, Dimensions, TypeSupply};
use super::{CapacityShape, EstimateOptions, Fidelity, Milli, PackingNumber, VnodeOffers, WallTimeGuess};
use crate::farm::Criterion;

mod answer;
mod excluded;
mod existing_nodes;

use excluded::{MAX_NOTES, leave_out};

pub use answer::{CapacityAnswer, ChunkPlacement, TypeNeed, UnplaceableShape};

/// The question about one cluster.
#[derive(Clone, Debug, Default)]
pub struct CapacityQuestion {
    /// Target time, fidelity and the rest of the scaler's options.
    pub options: EstimateOptions,
    /// Whether running jobs stay where they are and the queue is packed around them.
    pub on_top: bool,
    /// Types defined by the operator, instead of the cluster's.
    pub types: Option<Vec<TypeSupply>>,
    /// Maximum numbers of nodes of types, by type name.
    pub max: Vec<(String, u64)>,
    /// Criteria that make a job a service: those under which its class is not `other`.
    pub services: Vec<Criterion>,
}

/// A cluster as jobs and types, from which an answer for any target time is packed.
#[derive(Clone, Debug)]
pub struct CapacityCase {
    /// The scaler's options.
    pub options: EstimateOptions,
    /// Types in the order in which they are tried.
    pub stocks: Vec<TypeSupply>,
    /// Amounts that a node of each type offers.
    pub shapes: Vec<CapacityShape>,
    pub demands: Demands,
    /// For each site, which types it may use.
    pub sites: Vec<Vec<bool>>,
    /// Whether the running jobs stay where they are.
    pub on_top: bool,
    existing: Vec<existing_nodes::ExistingNode>,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
}

/// Why a cluster cannot be packed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CapacityCaseError {
    /// No node may be used.
    #[error("no node is allowed: the cluster has no nodes")]
    NoNodes,
    /// No type has the name.
    #[error("no type is called `{name}`; there are {known}")]
    NoType {
        /// The name given.
        name: String,
        /// The names of the types.
        known: String,
    },
    /// A job cannot be packed.
    #[error("job {job}: {error}")]
    Pack {
        job: Name,
        /// The reason.
        error: PackError,
    },
}

/// Seconds of an hour: the billing unit of clouds, and the original's slice.
const HOUR: f64 = 3600.0;

impl CapacityCase {
    /// Reads a cluster.
    ///
    /// # Errors
    /// There are no nodes, or a maximum names an unknown type.
    pub fn new(snap: &Snapshot, question: &CapacityQuestion) -> Result<Self, CapacityCaseError> {
        let options = question.options;
        let compat = options.fidelity == Fidelity::Compat;
        let timing = WallTimeOptions {
            target: options.target,
            declared: !compat,
            remaining: !compat,
            guess: if compat { WallTimeGuess::OneSecond } else { WallTimeGuess::PastTarget },
            services: question.services.clone(),
        };
        let (dimensions, offers) = (Dimensions::of(snap), VnodeOffers::new(snap));
        let mut demands = demand::from_jobs(snap, &dimensions, &timing);
        let too_many = leave_out(&mut demands);
        let longest = demands.all.iter().map(Demand::wall_time).fold(0.0, f64::max);
        // Owned nodes are not billed by the hour: their slice covers the target time and the longest job.
        let slice = if compat { HOUR } else { ((longest + options.target) / HOUR).ceil().max(1.0) * HOUR };
        let mut stocks = match &question.types {
            Some(types) => types.clone(),
            None => supply::from_nodes(&offers, &dimensions, &demands.asked, slice),
        };
        if question.on_top && question.types.is_some() {
            stocks.extend(supply::from_nodes(&offers, &dimensions, &demands.asked, slice));
        }
        limit(&mut stocks, &question.max)?;
        if stocks.iter().all(|stock| stock.node_type.max == 0) {
            return Err(CapacityCaseError::NoNodes);
        }
        stocks.sort_by(|a, b| a.node_type.shape.order(&b.node_type.shape));
        let sites = sites(&offers, &demands, &stocks);
        let shapes = stocks.iter().map(|stock| stock.node_type.shape).collect();
        let existing =
            if question.on_top { existing_nodes::read(&offers, &dimensions, &stocks) } else { Vec::new() };
        let mut notes = demands.notes.clone();
        notes.extend(
            too_many.iter().take(MAX_NOTES).map(|left_out| left_out.note(snap, &stocks, options.target)),
        );
        if too_many.len() > MAX_NOTES {
            notes.push(format!(
                "{} more jobs are left out for the number of their chunks",
                too_many.len() - MAX_NOTES
            ));
        }
        Ok(Self { options, stocks, shapes, demands, sites, on_top: question.on_top, existing, notes })
    }

    /// Packs at the case's own target time.
    ///
    /// # Errors
    /// A job cannot be packed.
    pub fn answer(&self, snap: &Snapshot) -> Result<CapacityAnswer, CapacityCaseError> {
        self.answer_at(snap, self.options.target)
    }

    /// Packs at another target time.
    ///
    /// # Errors
    /// A job cannot be packed.
    pub fn answer_at(&self, snap: &Snapshot, target: f64) -> Result<CapacityAnswer, CapacityCaseError> {
        let by_shape = self.pack(snap, target, &self.by_shape())?;
        let Some(by_price) = self.by_price() else { return Ok(by_shape) };
        let mut by_price = self.pack(snap, target, &by_price)?;
        by_price.by_price = true;
        Ok(if by_price.cost() < by_shape.cost() { by_price } else { by_shape })
    }

    fn by_shape(&self) -> Vec<usize> {
        (0..self.stocks.len()).collect()
    }

    /// Returns the types cheapest first, if every type has a price and the original is not followed.
    fn by_price(&self) -> Option<Vec<usize>> {
        if self.options.fidelity == Fidelity::Compat {
            return None;
        }
        let prices: Vec<f64> =
            self.stocks.iter().map(|stock| stock.node_type.price).collect::<Option<_>>()?;
        let mut order = self.by_shape();
        let price = |ix: &usize| prices.get(*ix).copied().unwrap_or(f64::INFINITY);
        order.sort_by(|a, b| price(a).total_cmp(&price(b)));
        Some(order)
    }

    /// Returns the jobs to pack: all, or only the waiting ones.
    fn units(&self) -> impl Iterator<Item = (usize, &Demand)> {
        self.demands.all.iter().enumerate().filter(|(_, demand)| !(self.on_top && demand.running))
    }

    fn pack(
        &self,
        snap: &Snapshot,
        target: f64,
        order: &[usize],
    ) -> Result<CapacityAnswer, CapacityCaseError> {
        match self.options.fidelity {
            Fidelity::Compat => self.pack_in::<f64>(snap, target, order),
            Fidelity::Corrected => self.pack_in::<Milli>(snap, target, order),
        }
    }

    fn pack_in<N: PackingNumber>(
        &self,
        snap: &Snapshot,
        target: f64,
        order: &[usize],
    ) -> Result<CapacityAnswer, CapacityCaseError> {
        let compat = self.options.fidelity == Fidelity::Compat;
        let shapes: Vec<CapacityShape> =
            order.iter().filter_map(|ix| self.shapes.get(*ix).copied()).collect();
        let pick =
            |list: &Vec<bool>| order.iter().map(|ix| list.get(*ix).copied().unwrap_or(false)).collect();
        let rules = PackingRules { target, overflow: !compat, merge_equal: false };
        let mut packer =
            Packer::<N>::with_types(&shapes, rules).with_sites(self.sites.iter().map(pick).collect());
        if !compat {
            let most = order.iter().filter_map(|ix| self.stocks.get(*ix)).map(|stock| stock.node_type.max);
            packer = packer.with_limits(&most.collect::<Vec<_>>());
        }
        let rank = |kind: usize| order.iter().position(|ix| *ix == kind);
        for node in &self.existing {
            if let Some(kind) = rank(node.kind) {
                node.seed(&mut packer, TypeIx(number_of(kind)));
            }
        }
        let mut units: Vec<(usize, &Demand)> = self.units().collect();
        let largest = |demand: &Demand| {
            let biggest = |a: &&(CapacityShape, u32), b: &&(CapacityShape, u32)| a.0.order(&b.0);
            demand.chunks.iter().max_by(biggest).map(|(shape, _)| *shape).unwrap_or_default()
        };
        units.sort_by(|(_, a), (_, b)| largest(b).order(&largest(a)));
        let mut answer = CapacityAnswer::new(self, target);
        for (ix, demand) in units {
            for _ in 0..demand.copies {
                let placed = place(&mut packer, demand, compat).map_err(|error| CapacityCaseError::Pack {
                    job: demand::short_name(snap, demand.job),
                    error,
                })?;
                answer.take(self, ix, demand, &placed, order);
            }
        }
        answer.finish(self, &packer);
        Ok(answer)
    }

    /// Returns what a chunk lacks on a type, conditions included.
    fn missing(&self, ix: usize, kind: &CapacityShape, chunk: &CapacityShape) -> Vec<Lack> {
        let mut found = lacks(chunk, kind);
        let list = chunk.site.0.checked_sub(1).and_then(|site| self.sites.get(site as usize));
        if list.is_some_and(|list| !list.get(ix).copied().unwrap_or(false)) {
            found.push(Lack { what: LackKind::Site, asked: 1.0, limit: 0.0 });
        }
        found
    }

    /// Returns the existing nodes of a type, in order, each with its slices: length in seconds and free
    /// amounts.
    pub fn existing_of(&self, kind: usize) -> impl Iterator<Item = (NodeId, &[(f64, CapacityShape)])> {
        self.existing.iter().filter(move |node| node.kind == kind).map(|node| (node.node, &*node.slices))
    }
}

/// Places one copy. A running job has its nodes already: conditions that it no longer meets are ignored.
fn place<N: PackingNumber>(
    packer: &mut Packer<N>,
    demand: &Demand,
    compat: bool,
) -> Result<Vec<PackerPlacement<N>>, PackError> {
    let placed = place_one(packer, demand, compat)?;
    let fits = placed.iter().all(|placed| matches!(placed, PackerPlacement::On { .. }));
    if fits || compat || !demand.running {
        return Ok(placed);
    }
    place_one(packer, &demand.without_conditions(), compat)
}

/// Places one copy: a gang together, or each chunk on its own as the original does.
fn place_one<N: PackingNumber>(
    packer: &mut Packer<N>,
    demand: &Demand,
    compat: bool,
) -> Result<Vec<PackerPlacement<N>>, PackError> {
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

/// Sets other maximum counts of types, and lowers minimums that are above them.
fn limit(stocks: &mut [TypeSupply], most: &[(String, u64)]) -> Result<(), CapacityCaseError> {
    for (name, count) in most {
        let known: Vec<String> = stocks.iter().map(|stock| stock.node_type.name.to_string()).collect();
        let Some(stock) = stocks.iter_mut().find(|stock| *stock.node_type.name == **name) else {
            return Err(CapacityCaseError::NoType { name: name.clone(), known: known.join(", ") });
        };
        (stock.node_type.max, stock.node_type.min) = (*count, stock.node_type.min.min(*count));
    }
    Ok(())
}

/// Returns, for each site, which types its jobs may use.
fn sites(offers: &VnodeOffers<'_>, demands: &Demands, stocks: &[TypeSupply]) -> Vec<Vec<bool>> {
    let each = demands.conditions.iter().map(|conditions| {
        let owned = conditions.queue_has_nodes(offers.snapshot());
        stocks.iter().map(|stock| stock.allows(conditions, owned, offers)).collect()
    });
    each.collect()
}
