//! Bin packing with time: the number of nodes of each type that would start these jobs by the target time.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Column, number_of};

use super::timeline::{CapacityTimeline, SliceId};
use super::window::NodeWindows;
use super::{CapacityShape, PackingAmounts, PackingNumber, ShapeKey, TypeSetIx};

qscope_engine::id!(
    /// A node type, by its position in the packer's order.
    TypeIx
);

/// How jobs are packed.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PackingRules {
    /// Target time in seconds by which a job must begin.
    pub target: f64,
    /// Whether a job that finds no room on the nodes of its type may use idle room on nodes of later types;
    /// the original does not search there (defect 13.9).
    pub overflow: bool,
    /// Whether types of equal shape are one type that is counted twice, as in the original.
    pub merge_equal: bool,
}

/// Where a job was placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackerPlacement<N> {
    /// On a node.
    On {
        kind: TypeIx,
        /// Number of the node within its type, in order of creation.
        node: u32,
        /// Start time.
        begin: N,
    },
    /// Nowhere: no type can hold it.
    Unfit,
}

/// Why packing failed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PackError {
    /// The wall time needs more slices than allowed for one job.
    #[error(
        "a wall time of {wall_time} s needs {slices} slices of {slice} s; the most are {MAX_PER_JOB} for one job"
    )]
    TooLong {
        /// Wall time in seconds.
        wall_time: f64,
        /// Length in seconds of one slice of the node type.
        slice: f64,
        /// Number of slices needed.
        slices: f64,
    },
    /// All jobs together need more slices than the timeline can hold.
    #[error("the reservations need more than twenty million slices; take fewer jobs or longer slices")]
    TooMany,
}

/// Maximum number of slices of one job.
const MAX_PER_JOB: f64 = 1_000_000.0;

/// The nodes of one type.
#[derive(Clone, Debug)]
struct PackerPool<N> {
    shape: CapacityShape,
    slice: N,
    total_amounts: PackingAmounts<N>,
    first_slices: Vec<SliceId>,
    windows: NodeWindows<N>,
    /// The shape last searched for, and the node where the next search for it starts: the nodes before it
    /// refused the shape and have not changed since.
    resume: Option<(ShapeKey, usize)>,
    /// The node whose window is out of date; it is recomputed when windows are next read.
    stale: Option<usize>,
    /// Maximum number of nodes, while another type can take the job.
    max_nodes: u64,
}

/// The nodes and their reservations.
#[derive(Clone, Debug)]
pub struct Packer<N> {
    rules: PackingRules,
    target: N,
    pools: Column<TypeIx, PackerPool<N>>,
    /// For each type, the one that has its nodes: types of equal shape may share those of the first.
    same_as: Column<TypeIx, TypeIx>,
    timeline: CapacityTimeline<N>,
    sites: Vec<Vec<bool>>,
}

impl<N: PackingNumber> Packer<N> {
    /// Creates a packer without nodes. The types are tried in the order of their shapes (equal ones in the
    /// order given).
    pub fn new(mut types: Vec<CapacityShape>, rules: PackingRules) -> Self {
        types.sort_by(CapacityShape::order);
        Self::with_types(&types, rules)
    }

    /// Creates a packer without nodes that tries the types in the order given.
    pub fn with_types(types: &[CapacityShape], rules: PackingRules) -> Self {
        let mut firsts: FxHashMap<ShapeKey, TypeIx> = FxHashMap::default();
        let mut same_as: Column<TypeIx, TypeIx> = Column::new();
        let mut pools: Column<TypeIx, PackerPool<N>> = Column::new();
        for shape in types {
            let own = pools.push(PackerPool {
                shape: *shape,
                slice: N::of(shape.wall_time),
                total_amounts: PackingAmounts::of(shape),
                first_slices: Vec::new(),
                windows: NodeWindows::new(N::of(shape.wall_time)),
                resume: None,
                stale: None,
                max_nodes: u64::MAX,
            });
            let first = *firsts.entry(shape.key()).or_insert(own);
            same_as.push(if rules.merge_equal { first } else { own });
        }
        Self {
            rules,
            target: N::of(rules.target),
            pools,
            same_as,
            timeline: CapacityTimeline::new(),
            sites: Vec::new(),
        }
    }

    /// Sets which types the jobs of each [`TypeSetIx`] may use: one list for each site from 1 on, with one
    /// entry for each type in order.
    #[must_use]
    pub fn with_sites(mut self, sites: Vec<Vec<bool>>) -> Self {
        self.sites = sites;
        self
    }

    /// Sets the maximum number of nodes of each type, in order: a job that needs a new node gets one of the
    /// first type that fits it and is below its maximum. When all are at it, the first type exceeds its own.
    #[must_use]
    pub fn with_limits(mut self, most: &[u64]) -> Self {
        for (pool, most) in self.pools.iter_mut().zip(most) {
            pool.max_nodes = *most;
        }
        self
    }

    /// Adds an empty node of a type.
    pub fn preseed(&mut self, kind: TypeIx) {
        let kind = self.same_as[kind];
        let (slice, full) = (self.pools[kind].slice, self.pools[kind].total_amounts);
        let head = self.timeline.node(slice, full);
        self.push_node(kind, head);
    }

    /// Adds an existing node with what is free on it, in order of time. Returns its number.
    pub fn existing(&mut self, kind: TypeIx, slices: &[(N, PackingAmounts<N>)]) -> u32 {
        let mut each = slices.iter();
        let (length, free) =
            each.next().copied().unwrap_or((self.pools[kind].slice, self.pools[kind].total_amounts));
        let head = self.timeline.node(length, free);
        let mut last = head;
        for (length, free) in each {
            last = self.timeline.insert_after(last, *length, *free);
        }
        self.push_node(kind, head);
        number_of(self.pools[kind].first_slices.len() - 1)
    }

    /// Adds all jobs, largest first: non-preemptible ones, then by memory, cores, disk, wall time, each
    /// descending. The jobs are sorted in place; the result has one entry for each, in that order.
    ///
    /// # Errors
    /// A wall time needs too many slices.
    pub fn pack(&mut self, jobs: &mut [CapacityShape]) -> Result<Vec<PackerPlacement<N>>, PackError> {
        jobs.sort_by(|a, b| b.order(a));
        jobs.iter().map(|job| self.add(job)).collect()
    }

    /// Adds one job.
    ///
    /// # Errors
    /// The wall time needs too many slices.
    pub fn add(&mut self, job: &CapacityShape) -> Result<PackerPlacement<N>, PackError> {
        let Some(kind) = self.first_fitting(job, None) else { return Ok(PackerPlacement::Unfit) };
        let kind = self.same_as[kind];
        self.check_length(kind, job.wall_time)?;
        if let Some(placed) = self.on_nodes_of(kind, job, true) {
            return Ok(placed);
        }
        if self.rules.overflow {
            let mut later = self.first_fitting(job, Some(kind));
            while let Some(other) = later {
                if let Some(placed) = self.on_nodes_of(other, job, false) {
                    return Ok(placed);
                }
                later = self.first_fitting(job, Some(other));
            }
        }
        let kind = self.kind_to_open(job).unwrap_or(kind);
        self.check_length(kind, job.wall_time)?;
        Ok(self.on_new_node(kind, job))
    }

    /// Returns the first type that fits and is below its maximum number of nodes.
    fn kind_to_open(&self, job: &CapacityShape) -> Option<TypeIx> {
        let open =
            |kind: &TypeIx| (self.pools[*kind].first_slices.len() as u64) < self.pools[*kind].max_nodes;
        self.pools.ids().filter(|kind| self.type_fits(*kind, job)).find(open).map(|kind| self.same_as[kind])
    }

    /// Returns the first type after `after` that holds the job when empty, whatever the wall time.
    pub fn first_fitting(&self, job: &CapacityShape, after: Option<TypeIx>) -> Option<TypeIx> {
        let from = after.map_or(0, |kind| kind.0 as usize + 1);
        self.pools.ids().skip(from).find(|kind| self.type_fits(*kind, job))
    }

    /// Returns whether an empty node of the type holds the job and the job may use the type.
    pub fn type_fits(&self, kind: TypeIx, job: &CapacityShape) -> bool {
        let pool = &self.pools[kind];
        (job.preemptible || !pool.shape.preemptible)
            && self.site_allows(job.site, kind)
            && PackingAmounts::of(job).fits(&pool.total_amounts)
    }

    /// Returns whether an existing node has room, within its present slices, for a job that begins at once.
    pub fn has_room_at_once(&self, job: &CapacityShape) -> bool {
        let wall = N::of(job.wall_time);
        self.pools.ids().filter(|kind| self.type_fits(*kind, job)).any(|kind| {
            let need = self.need(kind, job);
            let fits = |head: &SliceId| self.timeline.has_room_at(*head, N::default(), wall, &need);
            self.pools[kind].first_slices.iter().any(fits)
        })
    }

    fn site_allows(&self, site: TypeSetIx, kind: TypeIx) -> bool {
        let Some(list) = site.0.checked_sub(1).and_then(|ix| self.sites.get(ix as usize)) else {
            return true;
        };
        list.get(kind.0 as usize).copied().unwrap_or(false)
    }

    fn need(&self, kind: TypeIx, job: &CapacityShape) -> PackingAmounts<N> {
        if job.exclusive { self.pools[kind].total_amounts } else { PackingAmounts::of(job) }
    }

    fn check_length(&self, kind: TypeIx, wall_time: f64) -> Result<(), PackError> {
        let slice = self.pools[kind].shape.wall_time;
        let slices = (wall_time / slice).ceil();
        if slices > MAX_PER_JOB {
            return Err(PackError::TooLong { wall_time, slice, slices });
        }
        if self.timeline.has_space_for(slices as usize + 2) { Ok(()) } else { Err(PackError::TooMany) }
    }

    /// Returns the types in order.
    pub fn types(&self) -> impl Iterator<Item = (TypeIx, &CapacityShape)> {
        self.pools.enumerate().map(|(ix, pool)| (ix, &pool.shape))
    }

    /// Returns the number of nodes of each type, in order.
    pub fn counts(&self) -> Vec<u64> {
        self.same_as.iter().map(|kind| self.pools[*kind].first_slices.len() as u64).collect()
    }

    /// Returns the slices of one node in order of time: length in seconds and free amounts.
    pub fn slices(&self, type_ix: TypeIx, node: u32) -> impl Iterator<Item = (N, PackingAmounts<N>)> {
        let head = self.pools[self.same_as[type_ix]].first_slices.get(node as usize).copied();
        head.into_iter().flat_map(|head| self.timeline.of(head)).map(|slice| (slice.length, slice.free))
    }

    /// Returns how often the original would have failed its assertion and lost the cycle (defect 13.1).
    pub fn assertions(&self) -> u64 {
        self.timeline.assertions
    }
}

mod gang;
mod nodes;

pub use gang::Gang;
