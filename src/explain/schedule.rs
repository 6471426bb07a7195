//! The occupants of every node over time, as the calendar has them at a moment of the cycle, and how many nodes are
//! free over that time.

mod chains;
mod edges;
mod free;
mod occupancy;

use std::cell::OnceCell;

use qscope_engine::cluster::{DedicatedSlot, Epoch, InsertionOrderMap, JobState, Name, Snapshot, short_id};
use qscope_engine::cycle::{Run, windows_of};
use qscope_engine::universe::{Bit, NodeSet, NodeUse, State};
use rustc_hash::FxHashMap;

use chains::{Chain, OccupantChains};
use edges::{dedicated, edges};
use free::{free_over_time, outside};
use occupancy::all_held;

pub use edges::TimeEdge;
pub(crate) use occupancy::occupants_of_node;
pub use occupancy::{Occupancy, OccupancyKind, occupant_id, occupant_name};

/// What the nodes of a lane have in common: their occupants, why they are closed, whether something that is no occupant
/// takes a part of them, and their queue.
type LaneKey<'s> = (Option<Chain>, Option<NodeClosure>, bool, Option<&'s Name>);

/// Why a node accepts no job, whatever ends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NodeClosure {
    pub reason: String,
    /// Whether it counts as out of service; otherwise it is full because of something that the calendar does not
    /// show.
    pub is_out_of_service: bool,
}

/// Nodes with the same occupants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// In the order of the dump.
    pub nodes: Vec<Bit>,
    /// By start, then by end.
    pub held: Vec<Occupancy>,
    /// Why they accept no job for as long as is known; `None` if they do.
    pub closed: Option<NodeClosure>,
    /// Whether a job that is in no dump takes a part of them, until an end that is not known.
    pub is_partly_taken: bool,
    /// The queue that they belong to.
    pub queue: Option<String>,
}

/// The nodes over time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    pub now: Epoch,
    /// Nodes with the same occupants, in the order of their first nodes.
    pub lanes: Vec<Lane>,
    /// Changes in the number of nodes without occupants; the first entry is now. In dedicated time, which only its own
    /// queues may use, no node is free.
    pub free: Vec<(Epoch, u64)>,
    /// All times at which something starts or ends, in order.
    pub events: Vec<Epoch>,
    /// Times at which prime and dedicated time begin and end (rule 6.7), in order.
    pub edges: Vec<TimeEdge>,
    /// The periods of dedicated time from now on, in order.
    pub dedicated: Vec<DedicatedSlot>,
}

/// Returns the nodes over time after a cycle. Jobs whose start the server refuses have no nodes then, although the
/// scheduler's own state differs.
pub fn schedule_after(run: &Run) -> Schedule {
    schedule(run.end_at_server())
}

/// Returns the nodes over time according to a state.
pub fn schedule(state: &State) -> Schedule {
    let plan = &state.plan;
    let mut events = Vec::new();
    let mut found = all_held(state);
    found.sort_by_key(|(one, _)| (one.start, one.end.map_or(i64::MAX, |to| to.0), one.occupant));
    let mut chains = OccupantChains::new(plan.nodes.len());
    let mut occupied = NodeSet::new(plan.nodes.len());
    for (at, (one, nodes)) in found.iter().enumerate() {
        events.extend([Some(one.start).filter(|from| *from > state.now), one.end].into_iter().flatten());
        for bit in nodes {
            chains.add_occupant(*bit, at);
            if one.start <= state.now {
                occupied.insert(*bit);
            }
        }
    }
    events.sort_unstable();
    events.dedup();
    let uses = state.node_uses();
    let listed = ListedJobStates::new(&plan.snap);
    let mut lanes: InsertionOrderMap<LaneKey<'_>, Vec<Bit>> = InsertionOrderMap::default();
    for bit in plan.snap.nodes.ids().filter_map(|id| plan.bit_of[id]) {
        let chain = chains.of(bit);
        let closed = closed(state, &listed, (uses[bit], chain.is_none()), bit);
        let is_partly_taken = uses[bit] == NodeUse::Part && !occupied.contains(bit);
        let queue = plan.node(bit).queue.as_ref();
        lanes.of((chain, closed, is_partly_taken, queue), Vec::new).push(bit);
    }
    let held = |chain| {
        let places = chains.places(chain).into_iter();
        places.filter_map(|at| Some(found.get(at)?.0.clone())).collect()
    };
    let lane = |((chain, closed, is_partly_taken, queue), nodes): (LaneKey<'_>, Vec<Bit>)| Lane {
        nodes,
        held: held(chain),
        closed,
        is_partly_taken,
        queue: queue.map(ToString::to_string),
    };
    let lanes: Vec<Lane> = lanes.into_pairs().map(lane).collect();
    let dedicated = dedicated(&plan.snap, state.now);
    let free = outside(&dedicated, free_over_time(state.now, &lanes));
    let edges = edges(&plan.snap, &windows_of(&plan.snap), state.now);
    Schedule { now: state.now, lanes, free, events, edges, dedicated }
}

/// Returns why a node accepts no job, whatever ends: it is out of service, or closed by something that the calendar
/// does not show.
fn closed(
    state: &State,
    listed: &ListedJobStates<'_>,
    (used, is_unheld): (NodeUse, bool),
    bit: Bit,
) -> Option<NodeClosure> {
    let node = state.plan.node(bit);
    let first = node.jobs.first();
    let why = match used {
        NodeUse::Out if state.is_kept(bit) => {
            let job = first.map_or("?, not in the job dump".to_owned(), |job| listed.words(job));
            Some(format!("kept by job {job}"))
        }
        NodeUse::Out if !state.plan.masks.licensed.contains(bit) => Some("no licence".to_owned()),
        NodeUse::Out => Some(state.state_word(bit).to_owned()),
        NodeUse::Full if is_unheld && state.is_cpuless(bit) => Some("no cpus".to_owned()),
        NodeUse::Full if is_unheld => match first {
            Some(job) => Some(format!("taken by job {}", listed.words(job))),
            None => Some(state.state_word(bit).to_owned()),
        },
        _ => None,
    };
    why.map(|why| NodeClosure { reason: why, is_out_of_service: used == NodeUse::Out })
}

/// The states of the jobs in the dump, for jobs that nodes list; taken from the dump on first use.
struct ListedJobStates<'s> {
    snap: &'s Snapshot,
    states: OnceCell<FxHashMap<&'s str, JobState>>,
}

/// Returns a job that a node lists and that does not run there, with what the job dump has of it, if that is known.
pub fn listed_words(job: &str, state: Option<JobState>) -> String {
    match state {
        Some(state) => format!("{}, {} in the job dump", short_id(job), state.letter()),
        None => format!("{}, not in the job dump", short_id(job)),
    }
}

impl<'s> ListedJobStates<'s> {
    fn new(snap: &'s Snapshot) -> Self {
        Self { snap, states: OnceCell::new() }
    }

    /// Returns a job that a node lists and that does not run there, with what the job dump has of it.
    fn words(&self, job: &str) -> String {
        let states =
            || self.snap.jobs.iter().map(|job| (&*job.name, job.state)).collect::<FxHashMap<&str, _>>();
        listed_words(job, self.states.get_or_init(states).get(job).copied())
    }
}

impl Schedule {
    /// Returns the number of nodes without occupants at a moment.
    pub fn free_at(&self, at: Epoch) -> u64 {
        free::free_at(&self.free, at)
    }

    /// Whether a moment is in dedicated time.
    pub fn is_dedicated_at(&self, at: Epoch) -> bool {
        self.dedicated.iter().any(|slot| slot.contains(at))
    }

    /// Returns the end of the calendar: the last known end, or now.
    pub fn last(&self) -> Epoch {
        self.events.last().copied().unwrap_or(self.now)
    }

    /// Returns the last end of a top job or reservation; `None` without any.
    pub fn last_planned(&self) -> Option<Epoch> {
        let planned = |occupancy: &&Occupancy| {
            matches!(occupancy.hold, OccupancyKind::Planned | OccupancyKind::Reserved)
        };
        let ends = self
            .lanes
            .iter()
            .flat_map(|lane| &lane.held)
            .filter(planned)
            .map(|held| held.end.unwrap_or(held.start));
        ends.max()
    }
}
