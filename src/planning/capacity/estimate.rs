//! How many nodes to ask for in this cycle: the packed need, smoothed, compensated and clamped.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{InsertionOrderMap, Name};

use super::fit::{self, Lack};
use super::node_type::{self, NodeType};
use super::rounding::round_half_away;
use super::{
    CapacityShape, Milli, PackError, Packer, PackerPlacement, PackingNumber, PackingRules, ShapeKey,
};

/// Whether to follow the original with its defects or without.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Fidelity {
    /// As the original does it, defects included.
    Compat,
    /// With the defects corrected.
    #[default]
    Corrected,
}

/// The scaler's options.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EstimateOptions {
    /// Whether the original's defects are followed.
    pub fidelity: Fidelity,
    /// Target time in seconds by which all queued jobs should begin.
    pub target: f64,
    /// Inertia of the moving average, from 0 (follow the need at once) to 0.9.
    pub beta: f64,
    /// Number of on-demand nodes that replace one preemptible node that could not be obtained, from 0 to 1.
    pub compensation: f64,
    /// Whether jobs can use the whole of a node.
    pub zero_overhead: bool,
}

impl Default for EstimateOptions {
    fn default() -> Self {
        Self {
            fidelity: Fidelity::Corrected,
            target: 1800.0,
            beta: 0.1,
            compensation: 0.0,
            zero_overhead: true,
        }
    }
}

/// Why options cannot be used.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum EstimateOptionsError {
    /// The target time is not a positive number.
    #[error("the target time must be more than 0 s and finite, found {0}")]
    Target(f64),
    /// The inertia is out of its range.
    #[error("beta must be between 0.0 and 0.9, found {0}")]
    Beta(f64),
    /// The compensation is out of its range.
    #[error("the preemptible compensation must be between 0.0 and 1.0, found {0}")]
    Compensation(f64),
}

impl EstimateOptions {
    /// Checks every option.
    ///
    /// # Errors
    /// The first option that is out of range.
    pub fn checked(self) -> Result<Self, EstimateOptionsError> {
        if !(self.target > 0.0 && self.target <= 1e12) {
            return Err(EstimateOptionsError::Target(self.target));
        }
        if !(0.0..=0.9).contains(&self.beta) {
            return Err(EstimateOptionsError::Beta(self.beta));
        }
        if !(0.0..=1.0).contains(&self.compensation) {
            return Err(EstimateOptionsError::Compensation(self.compensation));
        }
        Ok(self)
    }
}

/// A job shape that fits no type.
#[derive(Clone, PartialEq, Debug)]
pub struct UnfitShape {
    pub shape: CapacityShape,
    /// Number of jobs of this shape.
    pub count: u64,
    /// The amounts reported as missing.
    pub lacks: Vec<Lack>,
}

/// The answer of one cycle, in the order of the types.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeEstimate {
    /// Nodes that the packing needs.
    pub need: Vec<u64>,
    /// The moving average after this cycle.
    pub weighted: Vec<f64>,
    /// Nodes to ask for.
    pub counts: Vec<i64>,
    /// The shapes that fit no type, each once, in packing order.
    pub unfit: Vec<UnfitShape>,
}

/// Why a cycle has no answer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LostCycle {
    /// The original's assertion on the length of a slice fails (defect 13.1).
    #[error("AssertionError")]
    Assertion,
    /// Two types are equal after the overhead is subtracted (defect 13.4).
    #[error("KeyError")]
    SameUsableShape,
    /// The jobs cannot be packed.
    #[error(transparent)]
    Pack(#[from] PackError),
}

/// The estimator with its state from earlier cycles.
#[derive(Clone, Debug)]
pub struct Estimator {
    options: EstimateOptions,
    types: Vec<NodeType>,
    usable: Vec<CapacityShape>,
    weighted: Vec<f64>,
}

impl Estimator {
    /// Creates an estimator without history. `types` are in the order of [`super::node_type::sort_types`].
    pub fn new(types: Vec<NodeType>, options: EstimateOptions) -> Self {
        let usable = node_type::usable_shapes(&types, options.zero_overhead);
        let weighted = vec![0.0; types.len()];
        Self { options, types, usable, weighted }
    }

    /// Returns what jobs can use of a node of each type.
    pub fn usable(&self) -> &[CapacityShape] {
        &self.usable
    }

    /// Returns the nodes needed of each type, and the shapes that fit no type.
    ///
    /// # Errors
    /// The cycle is lost: only with the original's defects, or when the jobs need too many slices.
    pub fn need(&self, jobs: &[CapacityShape]) -> Result<(Vec<u64>, Vec<UnfitShape>), LostCycle> {
        match self.options.fidelity {
            Fidelity::Compat => self.need_in::<f64>(jobs),
            Fidelity::Corrected => self.need_in::<Milli>(jobs),
        }
    }

    fn need_in<N: PackingNumber>(
        &self,
        jobs: &[CapacityShape],
    ) -> Result<(Vec<u64>, Vec<UnfitShape>), LostCycle> {
        let compat = self.options.fidelity == Fidelity::Compat;
        // Overhead can change the order, so the usable shapes are sorted on their own.
        let mut order: Vec<usize> = (0..self.usable.len()).collect();
        order.sort_by(|a, b| match (self.usable.get(*a), self.usable.get(*b)) {
            (Some(a), Some(b)) => a.order(b),
            _ => std::cmp::Ordering::Equal,
        });
        let sorted: Vec<CapacityShape> =
            order.iter().filter_map(|ix| self.usable.get(*ix).copied()).collect();
        let rules = PackingRules { target: self.options.target, overflow: !compat, merge_equal: compat };
        let mut packer = Packer::<N>::with_types(&sorted, rules);
        if !compat {
            let most = order.iter().filter_map(|ix| self.types.get(*ix)).map(|kind| kind.max);
            packer = packer.with_limits(&most.collect::<Vec<_>>());
        }
        let mut jobs = jobs.to_vec();
        let placed = packer.pack(&mut jobs)?;
        if compat && packer.assertions() > 0 {
            return Err(LostCycle::Assertion);
        }
        if compat && sorted.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            return Err(LostCycle::SameUsableShape);
        }
        let mut need = vec![0; self.usable.len()];
        for (ix, count) in order.iter().zip(packer.counts()) {
            if let Some(slot) = need.get_mut(*ix) {
                *slot = count;
            }
        }
        let unfit = unfit(&jobs, &placed, &sorted, self.options.fidelity);
        Ok((need, unfit))
    }

    /// Runs one cycle. `deficits` has, by type name, the preemptible nodes that could not be obtained.
    ///
    /// # Errors
    /// As for [`need`](Self::need); the averages stay as they were.
    pub fn cycle(
        &mut self,
        jobs: &[CapacityShape],
        deficits: &FxHashMap<Name, i64>,
    ) -> Result<NodeEstimate, LostCycle> {
        let (need, unfit) = self.need(jobs)?;
        Ok(self.smooth_need(need, unfit, deficits))
    }

    /// Smooths, compensates and clamps a need.
    pub fn smooth_need(
        &mut self,
        need: Vec<u64>,
        unfit: Vec<UnfitShape>,
        deficits: &FxHashMap<Name, i64>,
    ) -> NodeEstimate {
        let mut counts = Vec::with_capacity(need.len());
        for ((kind, weighted), need) in self.types.iter().zip(&mut self.weighted).zip(&need) {
            // The original's average includes a need beyond the largest count (defect 13.5).
            let seen = match self.options.fidelity {
                Fidelity::Compat => *need,
                Fidelity::Corrected => (*need).min(kind.max),
            };
            *weighted = smooth(self.options.beta, seen as f64, *weighted);
            let mut count = round_half_away(*weighted);
            if !kind.shape.preemptible {
                let deficit = deficits.get(&kind.name).copied().unwrap_or(0);
                count = count.saturating_add(round_half_away(deficit as f64 * self.options.compensation));
            }
            counts.push(clamp(count, kind.min, kind.max));
        }
        NodeEstimate { need, weighted: self.weighted.clone(), counts, unfit }
    }
}

/// Returns the next value of the moving average.
pub fn smooth(beta: f64, need: f64, before: f64) -> f64 {
    (1.0 - beta) * need + beta * before
}

/// Clamps a count to `min..=max`; where `min` is above `max`, `max` wins.
fn clamp(count: i64, min: u64, max: u64) -> i64 {
    let whole = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    if count > whole(max) { whole(max) } else { count.max(whole(min)) }
}

/// Returns each distinct shape that was not placed, in packing order, with what is missing: on the last type
/// as the original reports it (defect 13.2), or on the closest.
pub fn unfit<N>(
    jobs: &[CapacityShape],
    placed: &[PackerPlacement<N>],
    types: &[CapacityShape],
    fidelity: Fidelity,
) -> Vec<UnfitShape> {
    let mut all: InsertionOrderMap<ShapeKey, UnfitShape> = InsertionOrderMap::default();
    for (job, placed) in jobs.iter().zip(placed) {
        if !matches!(placed, PackerPlacement::Unfit) {
            continue;
        }
        let new = || UnfitShape { shape: *job, count: 0, lacks: reported(job, types, fidelity) };
        all.of(job.key(), new).count += 1;
    }
    all.into_all()
}

/// Returns the amounts reported as missing for a job that fits nowhere.
pub fn reported(job: &CapacityShape, types: &[CapacityShape], fidelity: Fidelity) -> Vec<Lack> {
    match fidelity {
        Fidelity::Compat => types.last().map(|kind| fit::lacks(job, kind)).unwrap_or_default(),
        Fidelity::Corrected => fit::closest_type(job, types).map(|(_, lacks)| lacks).unwrap_or_default(),
    }
}
