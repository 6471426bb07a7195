//! The rows that a cycle works on: nodes, jobs, reservations, events. A simulation works on a copy of all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use qscope_engine::cluster::{
    Arrangement, Name, NodeSortKey, NodeState, NodeStates, Period, ResourceId, Sharedness, Sharing, Snapshot,
};

use super::buckets::Bucket;
use super::limits::Counts;
use super::sets::{Pools, Set};
use super::shares::Shares;

/// What a job without any walltime takes (rule 0).
pub(crate) const FIVE_YEARS: i64 = 157_680_000;

/// Amounts by resource.
pub(crate) type Amounts = BTreeMap<ResourceId, f64>;

/// What a node has of a resource.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Have {
    Amount(f64),
    Bool(bool),
    Texts(Vec<Name>),
    /// It is another node's (rule 2.4.4).
    Away(Name),
}

/// What a chunk requests of a resource.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Want {
    Amount(f64),
    Bool(bool),
    Text(Name),
}

/// Requests in the order in which they are compared (rule 2.3).
pub(crate) type Wants = Vec<(ResourceId, Want)>;

/// One part of a select: so many chunks of the same requests.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Spec {
    pub(crate) count: usize,
    pub(crate) wants: Wants,
}

/// What is requested of nodes, by a job or a reservation.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Ask {
    pub(crate) specs: Vec<Spec>,
    pub(crate) arrangement: Arrangement,
    pub(crate) sharedness: Sharedness,
    pub(crate) group: Option<Name>,
}

impl Ask {
    pub(crate) fn chunks(&self) -> usize {
        self.specs.iter().map(|spec| spec.count).sum()
    }

    pub(crate) fn is_scattered(&self) -> bool {
        matches!(self.arrangement, Arrangement::Scatter | Arrangement::Vscatter)
    }

    pub(crate) fn names(&self, resource: ResourceId) -> bool {
        self.specs.iter().any(|spec| spec.wants.iter().any(|(id, _)| *id == resource))
    }
}

/// What one vnode gives to one chunk, resources in the order written.
pub(crate) type Part = (usize, Vec<(ResourceId, f64)>);

/// Chunks, each over one or several vnodes.
pub(crate) type Allocation = Vec<Vec<Part>>;

/// What each node gives in all, nodes in the order of first mention.
pub(crate) fn by_node(allocation: &Allocation) -> Vec<(usize, Amounts)> {
    let mut nodes: Vec<(usize, Amounts)> = Vec::new();
    for (node, amounts) in allocation.iter().flatten() {
        if !nodes.iter().any(|(have, _)| have == node) {
            nodes.push((*node, Amounts::new()));
        }
        for (_, mine) in nodes.iter_mut().filter(|(have, _)| have == node) {
            for (id, amount) in amounts {
                *mine.entry(*id).or_default() += amount;
            }
        }
    }
    nodes
}

/// One vnode, of the server or a reservation's copy of it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its place among the nodes read; copies have that of their original.
    pub(crate) read_at: usize,
    pub(crate) name: Name,
    pub(crate) host: Name,
    pub(crate) available: Rc<BTreeMap<ResourceId, Have>>,
    pub(crate) assigned: Amounts,
    pub(crate) states: NodeStates,
    pub(crate) licensed: bool,
    /// Jobs running here.
    pub(crate) jobs: Vec<usize>,
    /// Reservations running here.
    pub(crate) reservations: usize,
    /// What starts here, in order of time (rule 3.4).
    pub(crate) events: Vec<(i64, Who)>,
    pub(crate) queue: Option<usize>,
    pub(crate) priority: i64,
    pub(crate) last_used: i64,
    pub(crate) sharing: Sharing,
    pub(crate) max_running: Option<u32>,
    pub(crate) max_user_run: Option<u32>,
    pub(crate) max_group_run: Option<u32>,
    pub(crate) no_multinode: bool,
    pub(crate) resv_enable: bool,
    /// The server's node of which this is a reservation's copy.
    pub(crate) copy_of: Option<usize>,
    /// The number of its bucket, as it remembers it.
    pub(crate) bucket: Option<usize>,
    /// The sets that it remembers (quirk B1).
    pub(crate) sets: Vec<usize>,
}

impl Node {
    pub(crate) fn is_free(&self) -> bool {
        self.states.is_free()
    }

    /// Down or offline: in no bucket, and nothing changes there.
    pub(crate) fn is_gone(&self) -> bool {
        self.states.is_gone()
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.states.has(NodeState::Stale)
    }
}

/// Whose event it is, or whose allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(crate) enum Who {
    Job(usize),
    Resv(usize),
}

/// What a planned event does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    End,
    Start,
    DedicatedEnd,
    DedicatedStart,
    NodeUp(usize),
}

/// One entry of the calendar.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) at: i64,
    pub(crate) what: What,
    /// Whose start or end; no one's for dedicated time.
    pub(crate) who: Option<Who>,
    pub(crate) allocation: Rc<Allocation>,
    pub(crate) nodes: Rc<Vec<(usize, Amounts)>>,
}

/// What a job does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Doing {
    /// It could start: queued, an array with something left, or suspended by the scheduler.
    Waits,
    Runs,
    Exits,
    /// Held, suspended by a user, over.
    Rests,
}

/// What only an array has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Array {
    pub(crate) remaining: Vec<u32>,
    pub(crate) running: u32,
    pub(crate) max_running: Option<u32>,
    pub(crate) begun: bool,
}

/// What a priority is made of (rule 6.10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Level {
    /// The number by which jobs are compared.
    pub(crate) priority: i64,
    /// The entry of `preempt_prio`; that of normal jobs if none was met.
    pub(crate) entry: usize,
    pub(crate) express: bool,
    pub(crate) normal: bool,
}

/// One job, array or subjob.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) name: Name,
    pub(crate) user: Name,
    pub(crate) group: Name,
    pub(crate) project: Name,
    pub(crate) queue: usize,
    pub(crate) priority: i64,
    pub(crate) ask: Rc<Ask>,
    /// Its old placement as a request: it goes back to its own nodes (rule 4.1).
    pub(crate) back: Option<Rc<Ask>>,
    /// `Resource_List`, consumables only.
    pub(crate) requested: Rc<Amounts>,
    /// The same in the order of their names.
    pub(crate) job_wide: Rc<Vec<(ResourceId, f64)>>,
    /// What a suspended job released and gets back, where it kept a part of what it had (rule M45).
    pub(crate) released: Option<Released>,
    pub(crate) doing: Doing,
    /// Suspended or checkpointed: it has nodes.
    pub(crate) suspended: bool,
    pub(crate) allocation: Rc<Allocation>,
    pub(crate) preempted: Option<i64>,
    pub(crate) started: i64,
    /// What it used of its time before it starts again.
    pub(crate) used: i64,
    /// What it has used as the dump says.
    pub(crate) used_running: i64,
    /// When it starts again its chunks are those of before; else one for each vnode.
    pub(crate) keeps_chunks: bool,
    pub(crate) soft: Option<i64>,
    pub(crate) hard: Option<i64>,
    pub(crate) min: Option<i64>,
    pub(crate) max: Option<i64>,
    pub(crate) cput: Option<i64>,
    pub(crate) reservation: Option<usize>,
    pub(crate) array: Option<Array>,
    pub(crate) parent: Option<usize>,
    pub(crate) rank: (i64, usize),
    pub(crate) rerunable: bool,
    pub(crate) checkpointable: bool,
    pub(crate) topjob_ineligible: bool,
    pub(crate) eligible_time: i64,
    pub(crate) accrue_type: i64,
    pub(crate) targets: Option<Vec<Name>>,
    pub(crate) runone: Vec<Name>,
    pub(crate) account: Name,
    /// The only nodes that it may use, unless it names none (rule 4.1).
    pub(crate) node_set: Vec<Name>,
    /// The scheduler reads it at all (rule 6.2).
    pub(crate) read: bool,
    // ---- what the cycle adds
    pub(crate) level: Level,
    /// Its entity in the fair share tree.
    pub(crate) entity: usize,
    pub(crate) over_share: bool,
    pub(crate) formula: f32,
    /// The class; none once it was preempted.
    pub(crate) class: Option<usize>,
    /// Not to be considered any more.
    pub(crate) done: bool,
    /// Could not be given back its priority by preempting (rule 6.10).
    pub(crate) preempt_failed: bool,
    /// Has a place in the calendar.
    pub(crate) planned: bool,
    /// How long it will run, for shrink-to-fit jobs under trial and jobs that were shrunk.
    pub(crate) length: Option<i64>,
}

/// What a suspended job released.
#[derive(Clone, Debug)]
pub(crate) struct Released {
    pub(crate) allocation: Rc<Allocation>,
    pub(crate) job_wide: Rc<Vec<(ResourceId, f64)>>,
}

impl Job {
    /// The nodes that a preempted job has to get back.
    pub(crate) fn to_get(&self) -> &Allocation {
        self.released.as_ref().map_or(&self.allocation, |part| &part.allocation)
    }

    /// What it requests in all now.
    pub(crate) fn wide(&self) -> &Rc<Vec<(ResourceId, f64)>> {
        self.released.as_ref().map_or(&self.job_wide, |part| &part.job_wide)
    }

    /// How long it is expected to run: soft walltime first (rule 6.8).
    pub(crate) fn duration(&self) -> i64 {
        let shrinks = self.min.is_some() && !self.runs();
        let waiting = shrinks.then(|| self.max.or(self.hard)).flatten();
        self.length.or(self.soft).or(waiting).or(self.hard).unwrap_or(FIVE_YEARS)
    }

    /// How long it is planned for from its start on: if it was preempted at this moment, and overdue, until it was expected
    /// to end (rule M23); a soft walltime was extended when it was read.
    pub(crate) fn planned_length(&self, now: i64) -> i64 {
        let was_running = self.preempted == Some(now) && self.soft.is_none();
        let is_overdue = was_running && self.started + self.duration() < now;
        if is_overdue { now - self.started + 1 } else { self.duration() }
    }

    /// How long at most.
    pub(crate) fn hard_duration(&self) -> i64 {
        self.length.or(self.hard).unwrap_or(FIVE_YEARS)
    }

    /// What the request for nodes is now.
    pub(crate) fn wish(&self) -> &Rc<Ask> {
        self.back.as_ref().unwrap_or(&self.ask)
    }

    pub(crate) fn runs(&self) -> bool {
        matches!(self.doing, Doing::Runs | Doing::Exits)
    }
}

/// One queue.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) name: Name,
    pub(crate) priority: i64,
    pub(crate) has_nodes: bool,
    pub(crate) started: bool,
    pub(crate) executes: bool,
    pub(crate) dedicated: bool,
    pub(crate) prime: bool,
    pub(crate) non_prime: bool,
    pub(crate) depth: Option<u32>,
    pub(crate) available: Amounts,
    pub(crate) assigned: Amounts,
    pub(crate) reservation: Option<usize>,
}

/// One reservation.
#[derive(Clone, Debug)]
pub(crate) struct Resv {
    pub(crate) name: Name,
    pub(crate) ask: Rc<Ask>,
    pub(crate) requested: Rc<Amounts>,
    pub(crate) job_wide: Rc<Vec<(ResourceId, f64)>>,
    pub(crate) running: bool,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) allocation: Rc<Allocation>,
    /// Its copies of nodes, in the order that its jobs try.
    pub(crate) nodes: Vec<usize>,
}

/// What never changes in a cycle.
pub(crate) struct Given {
    pub(crate) snap: Snapshot,
    /// Without the bugs B1 to B4.
    pub(crate) fixed: bool,
    /// Requested resources (rule 3.2).
    pub(crate) checked: BTreeSet<ResourceId>,
    pub(crate) booleans: BTreeSet<ResourceId>,
    /// Resources that match where they are unset (rule 2.4.2).
    pub(crate) infinite: BTreeSet<ResourceId>,
    /// Some host has several vnodes (rule 3.1.9).
    pub(crate) multi_vnode: bool,
    /// The order of nodes depends on what is used (rule 4.3).
    pub(crate) sorts_per_job: bool,
    pub(crate) dedicated: Vec<(i64, i64)>,
}

/// The cluster in the course of a cycle.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) given: Rc<Given>,
    pub(crate) now: i64,
    pub(crate) period: Period,
    /// The one change of period after the last event was made (rule 6.8).
    pub(crate) last_change: bool,
    /// When the period ends.
    pub(crate) period_end: Option<i64>,
    /// The job that an operator starts (rule 6.11).
    pub(crate) qrun: Option<usize>,
    pub(crate) simulated: bool,
    pub(crate) nodes: Vec<Node>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) queues: Vec<Queue>,
    pub(crate) resvs: Vec<Resv>,
    /// The server's list of nodes, and that of nodes bound to no queue, as they are sorted now.
    pub(crate) all: Vec<usize>,
    pub(crate) unbound: Vec<usize>,
    /// The list of each queue's own nodes.
    pub(crate) of_queue: Vec<Vec<usize>>,
    pub(crate) buckets: Vec<Bucket>,
    pub(crate) sets: Vec<Set>,
    pub(crate) pools: Pools,
    /// Something ended since the sums of sets were made (rule 3.4).
    pub(crate) stale: bool,
    pub(crate) calendar: Vec<Event>,
    /// The moment for which the start of a top job never comes: that of the cycle, unless something was known as it began to
    /// happen by then (rule M11).
    pub(crate) missed_at: Option<i64>,
    pub(crate) counts: Counts,
    pub(crate) shares: Shares,
    /// How many running jobs each entry of `preempt_prio` has, as counted last.
    pub(crate) level_counts: BTreeMap<usize, usize>,
    pub(crate) server_assigned: Amounts,
    /// The host that a pack job went to last (rule 11.7).
    pub(crate) last_host: Option<Name>,
    /// A reservation begins and is not confirmed yet: hard durations count (rule 6.8).
    pub(crate) hard_ends: bool,
    /// What is asked of the server besides starting jobs.
    pub(crate) actions: Vec<String>,
}

impl World {
    pub(crate) fn snap(&self) -> &Snapshot {
        &self.given.snap
    }

    /// The `node_sort_key` of the period in force.
    pub(crate) fn node_keys(&self) -> &[NodeSortKey] {
        self.snap().policy.node_sort_key.get(self.period)
    }

    /// What a node has of a resource, references followed; and the node that has it (rule 2.4.4).
    pub(crate) fn have(&self, node: usize, resource: ResourceId) -> Option<(usize, &Have)> {
        let mut at = node;
        for _ in 0..10 {
            match self.nodes[at].available.get(&resource) {
                Some(Have::Away(name)) => at = self.nodes.iter().position(|node| node.name == *name)?,
                Some(have) => return Some((at, have)),
                None => return None,
            }
        }
        None
    }

    /// What there is of a consumable on a node in all.
    pub(crate) fn total(&self, node: usize, resource: ResourceId) -> Option<f64> {
        match self.have(node, resource) {
            Some((_, Have::Amount(amount))) => Some(*amount),
            _ => None,
        }
    }

    /// What of it is assigned.
    pub(crate) fn assigned(&self, node: usize, resource: ResourceId) -> f64 {
        let at = self.have(node, resource).map_or(node, |(at, _)| at);
        self.nodes[at].assigned.get(&resource).copied().unwrap_or(0.0)
    }

    /// Whether a job in the calendar, or a reservation, would have a node for itself (rule 2.5).
    pub(crate) fn sharedness(&self, who: Who) -> Sharedness {
        match who {
            Who::Job(job) => self.jobs[job].ask.sharedness,
            Who::Resv(resv) => self.resvs[resv].ask.sharedness,
        }
    }

    pub(crate) fn ncpus() -> ResourceId {
        ResourceId::ncpus()
    }
}

/// The table of rule 2.5.
pub(crate) fn exclusive(sharing: Sharing, place: Sharedness) -> bool {
    let column = match place {
        Sharedness::Excl | Sharedness::Exclhost => 0,
        Sharedness::Shared => 1,
        Sharedness::Unsaid => 2,
    };
    let row = match sharing {
        Sharing::DefaultShared => [true, false, false],
        Sharing::DefaultExcl | Sharing::DefaultExclhost => [true, false, true],
        Sharing::IgnoreExcl => [false, false, false],
        Sharing::ForceExcl | Sharing::ForceExclhost => [true, true, true],
    };
    row[column]
}

/// Whether a job would have the whole host of a vnode (rule 2.5).
pub(crate) fn whole_host(sharing: Sharing, place: Sharedness) -> bool {
    match sharing {
        Sharing::ForceExclhost => true,
        Sharing::IgnoreExcl => false,
        Sharing::DefaultExclhost => place != Sharedness::Shared && place != Sharedness::Excl,
        _ => place == Sharedness::Exclhost,
    }
}
