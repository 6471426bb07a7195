//! The buckets as bitmaps over the node array, for the complex or one placement set, at one moment or before and
//! after a step (rules 3.2 to 3.4).

use qscope_engine::cluster::{Epoch, Id, JobId, Name, ResourceId, short_id};
use qscope_engine::universe::{
    Availability, Bit, Bucket, NodeEvent, NodeUse, Occupant, PlacementSet, SigValue, Slot, State,
};

use super::words;

/// The buckets of the complex or of one set.
#[derive(Clone, PartialEq, Debug)]
pub struct BucketMap {
    /// The set; `None` for the complex.
    pub set: Option<Name>,
    /// The nodes of the bits, by index. It does not change during a cycle.
    pub array: Vec<Bit>,
    /// The buckets in the order tried.
    pub buckets: Vec<MappedBucket>,
}

/// One bucket, with nodes given by their index in the array.
#[derive(Clone, PartialEq, Debug)]
pub struct MappedBucket {
    /// Its name: the signature, the priority, the queue.
    pub name: String,
    pub resources: Vec<(ResourceId, SigValue)>,
    pub priority: i64,
    pub queue: Option<Name>,
    /// All its nodes in ascending order, as in the lists below.
    pub all: Vec<usize>,
    /// Free nodes with nothing planned.
    pub free: Vec<usize>,
    /// Nodes that are free now, with something planned.
    pub busy_later: Vec<usize>,
    /// Nodes that are not free.
    pub busy: Vec<usize>,
    /// Number of busy nodes that are partly free, that is, open to jobs that share.
    pub part: usize,
}

/// Why a node is busy later, and what that means for a job.
#[derive(Clone, PartialEq, Debug)]
pub struct BusyLaterReason {
    /// The first event planned there.
    pub event: NodeEvent,
    /// The event in words.
    pub text: String,
    /// When the job would end and whether that is in time; `None` without a job.
    pub job: Option<(Epoch, bool)>,
}

impl BucketMap {
    /// Returns the buckets in a state; `None` if no placement set has this name.
    pub fn of(state: &State, set: Option<&str>) -> Option<Self> {
        let Some(name) = set else {
            let bits = |bucket: &Bucket<Bit>| MappedBucket::of(state, bucket, |bit| bit);
            return Some(Self {
                set: None,
                array: state.plan.nodes.ids().collect(),
                buckets: state.buckets.iter().map(bits).collect(),
            });
        };
        let set = set_named(state, name)?;
        let members = &set.shape.members;
        let node = |slot: Slot| set.shape.member(slot);
        Some(Self {
            set: Some(set.shape.name.clone()),
            array: members.iter().copied().collect(),
            buckets: set
                .buckets(&state.plan)
                .iter()
                .map(|bucket| MappedBucket::of(state, bucket, node))
                .collect(),
        })
    }

    /// Returns the names of nodes given by index.
    pub fn names<'s>(&'s self, state: &'s State, of: &'s [usize]) -> impl Iterator<Item = &'s Name> {
        of.iter().filter_map(|at| self.array.get(*at)).map(|bit| state.plan.node_name(*bit))
    }
}

impl MappedBucket {
    fn of<I: Id>(state: &State, bucket: &Bucket<I>, node: impl Fn(I) -> Bit) -> Self {
        let plan = &state.plan;
        let list = |set: &mut dyn Iterator<Item = I>| set.map(Id::ix).collect::<Vec<usize>>();
        let is_part = |id: &I| state.node_use(node(*id)) == NodeUse::Part;
        Self {
            name: bucket.name(plan),
            resources: plan.signatures[bucket.sig].values.clone(),
            priority: bucket.priority,
            queue: bucket.queue.map(|queue| plan.snap.queues[queue].name.clone()),
            all: list(&mut bucket.members.iter()),
            free: list(&mut bucket.free.iter()),
            busy_later: list(&mut bucket.later.iter()),
            busy: list(&mut bucket.busy.iter()),
            part: bucket.members.iter().filter(is_part).count(),
        }
    }

    /// Returns the bitmap that a node is in.
    pub fn availability(&self, at: usize) -> Availability {
        match () {
            () if self.free.binary_search(&at).is_ok() => Availability::Free,
            () if self.busy_later.binary_search(&at).is_ok() => Availability::Later,
            () if self.busy.binary_search(&at).is_ok() => Availability::Busy,
            () => Availability::Out,
        }
    }

    /// Returns the nodes that are in another bitmap in `after`, each with both bitmaps.
    pub fn moved(&self, after: &Self) -> Vec<(usize, Availability, Availability)> {
        let both = |at: &usize| (*at, self.availability(*at), after.availability(*at));
        self.all.iter().map(both).filter(|(_, before, after)| before != after).collect()
    }
}

/// Returns the buckets of a placement set over the nodes of the complex, in the order tried; `None` if no set has
/// this name.
pub fn set_buckets(state: &State, name: &str) -> Option<Vec<Bucket<Bit>>> {
    let set = set_named(state, name)?;
    let node = |slot: Slot| set.shape.member(slot);
    let over = |bucket: &Bucket<Slot>| bucket.over(state.plan.nodes.len(), node);
    Some(set.buckets(&state.plan).iter().map(over).collect())
}

/// Returns the set with this name, the first one if several pools have it.
pub fn set_named<'s>(state: &'s State, name: &str) -> Option<&'s PlacementSet> {
    let groups = state.group_pools.values().flat_map(|pool| &pool.sets);
    state.sets.iter().chain(groups).find(|set| *set.shape.name == *name)
}

/// Returns why a node is busy later, if it is, and whether a job that started now would end in time.
pub fn busy_later(state: &State, bit: Bit, job: Option<JobId>) -> Option<BusyLaterReason> {
    let plan = &state.plan;
    let event = state.first_event(bit)?;
    let text = match event.occupant {
        Occupant::Job(job, _) => format!("top job {} is planned there", plan.job(job).short_name()),
        Occupant::Reservation(id) => {
            format!("reservation {} starts there", short_id(&plan.snap.reservations[id].name))
        }
    };
    let request = job.and_then(|job| plan.request(job, state.ledger.preempted[job]).ok());
    let end = request.map(|request| state.now + request.duration);
    Some(BusyLaterReason { event, text, job: end.map(|end| (end, end <= event.at)) })
}

/// Returns the word for a bitmap.
pub fn bitmap_word(availability: Availability) -> &'static str {
    match availability {
        Availability::Free => "free",
        Availability::Later => "busy-later",
        Availability::Busy => "busy",
        Availability::Out => "none",
    }
}

/// Describes why a node is busy later.
pub fn busy_later_words(state: &State, later: &BusyLaterReason, job: Option<JobId>) -> String {
    let (snap, at) = (&state.plan.snap, later.event.at);
    let when = words::clock(snap, at);
    match (later.job, job) {
        (Some((end, in_time)), Some(job)) => {
            let job = state.plan.job(job).short_name();
            let end = words::clock(snap, end);
            let so = if in_time { "so it may use the node" } else { "so it leaves the node alone" };
            format!("{} at {when}; job {job} would end at {end}, {so}", later.text)
        }
        _ => format!("{} at {when}", later.text),
    }
}
