//! Bin packing with time: how many nodes of each type would start these jobs by the target time.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Column, number_of};

use super::timeline::{CapacityTimeline, SliceId};
use super::window::Windows;
use super::{CapacityShape, CapacitySite, Measure, Room, ShapeKey};

qscope_engine::id!(
    /// One node type, by its place in the packer's order.
    TypeIx
);

/// How jobs are packed.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rules {
    /// Seconds: a job must begin by then.
    pub target: f64,
    /// Whether a job that finds no room on the nodes of its type may use room that stands idle on nodes
    /// of later types; the original does not look there (defect 13.9).
    pub overflow: bool,
    /// Whether types of one shape are one type that is counted twice, as in the original.
    pub merge_equal: bool,
}

/// Where a job went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placed<N> {
    /// To this node of this type, from this moment on.
    On {
        kind: TypeIx,
        /// Which node of the type, by order of creation.
        node: u32,
        /// When it begins.
        begin: N,
    },
    /// Nowhere: no type can hold it.
    Unfit,
}

/// Why packing cannot go on.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PackError {
    /// The wall time needs more slices than can be kept.
    #[error(
        "a wall time of {wall_time} s needs {slices} slices of {slice} s; the most are {MAX_PER_JOB} for one job"
    )]
    TooLong {
        /// Seconds.
        wall_time: f64,
        /// Seconds of one slice of the node type.
        slice: f64,
        /// How many it would need.
        slices: f64,
    },
    /// All jobs together need more slices than can be kept.
    #[error("the reservations need more than twenty million slices; take fewer jobs or longer slices")]
    TooMany,
}

/// The most slices of one job.
const MAX_PER_JOB: f64 = 1_000_000.0;

/// The nodes of one type.
#[derive(Clone, Debug)]
struct PackerPool<N> {
    shape: CapacityShape,
    slice: N,
    full: Room<N>,
    heads: Vec<SliceId>,
    windows: Windows<N>,
    /// The shape looked for last, and where the next search for it starts: the nodes before refused it and
    /// have not been touched since.
    resume: Option<(ShapeKey, usize)>,
    /// The node whose window is out of date; it is computed when windows are next read.
    stale: Option<usize>,
    /// At most so many nodes, while another type can take the job.
    most: u64,
}

/// Reservations under way.
#[derive(Clone, Debug)]
pub struct Packer<N> {
    rules: Rules,
    target: N,
    kinds: Column<TypeIx, PackerPool<N>>,
    /// Types of one shape share the nodes of the first.
    same_as: Column<TypeIx, TypeIx>,
    timeline: CapacityTimeline<N>,
    sites: Vec<Vec<bool>>,
}

impl<N: Measure> Packer<N> {
    /// A packer without nodes. The types are tried in the order of their shapes (kept where equal).
    pub fn new(mut types: Vec<CapacityShape>, rules: Rules) -> Self {
        types.sort_by(CapacityShape::order);
        Self::in_order(&types, rules)
    }

    /// A packer without nodes that tries the types in the order given.
    pub fn in_order(types: &[CapacityShape], rules: Rules) -> Self {
        let mut firsts: FxHashMap<ShapeKey, TypeIx> = FxHashMap::default();
        let mut same_as: Column<TypeIx, TypeIx> = Column::new();
        let mut kinds: Column<TypeIx, PackerPool<N>> = Column::new();
        for shape in types {
            let own = kinds.push(PackerPool {
                shape: *shape,
                slice: N::of(shape.wall_time),
                full: Room::of(shape),
                heads: Vec::new(),
                windows: Windows::new(N::of(shape.wall_time)),
                resume: None,
                stale: None,
                most: u64::MAX,
            });
            let first = *firsts.entry(shape.key()).or_insert(own);
            same_as.push(if rules.merge_equal { first } else { own });
        }
        Self {
            rules,
            target: N::of(rules.target),
            kinds,
            same_as,
            timeline: CapacityTimeline::new(),
            sites: Vec::new(),
        }
    }

    /// States which types the jobs of each [`CapacitySite`] may use: one list for each site from 1 on, one entry for
    /// each type in order.
    #[must_use]
    pub fn with_sites(mut self, sites: Vec<Vec<bool>>) -> Self {
        self.sites = sites;
        self
    }

    /// States how many nodes of each type there can be, in order: a job that needs a new node gets one of the
    /// first type that fits it and is not used up. When all are, the first type is used beyond its number.
    #[must_use]
    pub fn with_limits(mut self, most: &[u64]) -> Self {
        for (pool, most) in self.kinds.iter_mut().zip(most) {
            pool.most = *most;
        }
        self
    }

    /// Adds an empty node of a type.
    pub fn preseed(&mut self, kind: TypeIx) {
        let kind = self.same_as[kind];
        let (slice, full) = (self.kinds[kind].slice, self.kinds[kind].full);
        let head = self.timeline.node(slice, full);
        self.push_node(kind, head);
    }

    /// Adds a node that exists: what is free on it, in order of time. Returns its number.
    pub fn existing(&mut self, kind: TypeIx, slices: &[(N, Room<N>)]) -> u32 {
        let mut each = slices.iter();
        let (length, free) = each.next().copied().unwrap_or((self.kinds[kind].slice, self.kinds[kind].full));
        let head = self.timeline.node(length, free);
        let mut last = head;
        for (length, free) in each {
            last = self.timeline.insert_after(last, *length, *free);
        }
        self.push_node(kind, head);
        number_of(self.kinds[kind].heads.len() - 1)
    }

    /// Adds all jobs, largest first: non-preemptible ones, then by memory, cores, disk, wall time, each
    /// descending. The jobs are sorted in place; the answer has one entry for each, in that order.
    ///
    /// # Errors
    /// A wall time that needs more slices than can be kept.
    pub fn pack(&mut self, jobs: &mut [CapacityShape]) -> Result<Vec<Placed<N>>, PackError> {
        jobs.sort_by(|a, b| b.order(a));
        jobs.iter().map(|job| self.add(job)).collect()
    }

    /// Adds one job.
    ///
    /// # Errors
    /// A wall time that needs more slices than can be kept.
    pub fn add(&mut self, job: &CapacityShape) -> Result<Placed<N>, PackError> {
        let Some(kind) = self.first_fitting(job, None) else { return Ok(Placed::Unfit) };
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

    /// The first type that fits and of which there can be one more node.
    fn kind_to_open(&self, job: &CapacityShape) -> Option<TypeIx> {
        let open = |kind: &TypeIx| (self.kinds[*kind].heads.len() as u64) < self.kinds[*kind].most;
        self.kinds.ids().filter(|kind| self.type_fits(*kind, job)).find(open).map(|kind| self.same_as[kind])
    }

    /// The first type behind `after` that holds the job when empty. Wall times are not looked at.
    pub fn first_fitting(&self, job: &CapacityShape, after: Option<TypeIx>) -> Option<TypeIx> {
        let from = after.map_or(0, |kind| kind.0 as usize + 1);
        self.kinds.ids().skip(from).find(|kind| self.type_fits(*kind, job))
    }

    /// Whether an empty node of the type holds the job, and the job may go there.
    pub fn type_fits(&self, kind: TypeIx, job: &CapacityShape) -> bool {
        let pool = &self.kinds[kind];
        (job.preemptible || !pool.shape.preemptible)
            && self.site_allows(job.site, kind)
            && Room::of(job).fits(&pool.full)
    }

    /// Whether a node that exists has room for a job that begins at once, within the slices there are.
    pub fn has_room_at_once(&self, job: &CapacityShape) -> bool {
        let wall = N::of(job.wall_time);
        self.kinds.ids().filter(|kind| self.type_fits(*kind, job)).any(|kind| {
            let need = self.need(kind, job);
            let fits = |head: &SliceId| self.timeline.has_room_at(*head, N::default(), wall, &need);
            self.kinds[kind].heads.iter().any(fits)
        })
    }

    fn site_allows(&self, site: CapacitySite, kind: TypeIx) -> bool {
        let Some(list) = site.0.checked_sub(1).and_then(|ix| self.sites.get(ix as usize)) else {
            return true;
        };
        list.get(kind.0 as usize).copied().unwrap_or(false)
    }

    fn need(&self, kind: TypeIx, job: &CapacityShape) -> Room<N> {
        if job.exclusive { self.kinds[kind].full } else { Room::of(job) }
    }

    fn check_length(&self, kind: TypeIx, wall_time: f64) -> Result<(), PackError> {
        let slice = self.kinds[kind].shape.wall_time;
        let slices = (wall_time / slice).ceil();
        if slices > MAX_PER_JOB {
            return Err(PackError::TooLong { wall_time, slice, slices });
        }
        if self.timeline.has_space_for(slices as usize + 2) { Ok(()) } else { Err(PackError::TooMany) }
    }

    /// The types in order.
    pub fn types(&self) -> impl Iterator<Item = (TypeIx, &CapacityShape)> {
        self.kinds.enumerate().map(|(ix, pool)| (ix, &pool.shape))
    }

    /// How many nodes each type has, in order.
    pub fn counts(&self) -> Vec<u64> {
        self.same_as.iter().map(|kind| self.kinds[*kind].heads.len() as u64).collect()
    }

    /// The slices of one node: seconds and what is free, in order of time.
    pub fn slices(&self, kind: TypeIx, node: u32) -> impl Iterator<Item = (N, Room<N>)> {
        let head = self.kinds[self.same_as[kind]].heads.get(node as usize).copied();
        head.into_iter().flat_map(|head| self.timeline.of(head)).map(|slice| (slice.length, slice.free))
    }

    /// How often the original would have failed its assertion and lost the cycle (defect 13.1).
    pub fn assertions(&self) -> u64 {
        self.timeline.assertions
    }
}

mod gang;
mod nodes;

pub use gang::Gang;
