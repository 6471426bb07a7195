//! Nodes that a cluster does not have: their possible kinds, and how far a number of them would advance the queue.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use qscope_engine::cluster::{
    Edit, InsertionOrderMap, JobId, Name, Node, NodeId, ResourceId, Snapshot, Value,
};
use qscope_engine::cycle::Run;
use qscope_engine::universe::{Bit, Plan};

use super::board::{hours_of_one, waiting, waiting_core_hours};
use super::undone_starts::standing_starts;
use super::words;

/// Nodes that are equal to the scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeKind {
    /// One of them.
    pub model: NodeId,
    /// Number of such nodes.
    pub count: usize,
}

/// Returns the kinds of nodes among some, most frequent first. Nodes of a kind have the same signature, priority and
/// queue.
pub fn node_kinds(plan: &Plan, among: impl Iterator<Item = Bit>) -> Vec<NodeKind> {
    let mut kinds = InsertionOrderMap::default();
    for bit in among {
        let node = &plan.nodes[bit];
        let new = || NodeKind { model: node.id, count: 0 };
        kinds.of((node.bucket_sig, node.queue, node.priority), new).count += 1;
    }
    let mut kinds: Vec<NodeKind> = kinds.into_all();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    kinds
}

/// Returns the edits that add `count` vnodes like one.
pub fn more_nodes(snap: &Snapshot, model: &Node, count: usize) -> Vec<Edit> {
    let taken: FxHashSet<&Name> = snap.nodes.iter().map(|node| &node.name).collect();
    let names = (1_u32..).map(|number| Name::from(format!("{}-new{number}", model.name)));
    let names = names.filter(|name| !taken.contains(name)).take(count);
    names.map(|name| Edit::NewNode(Box::new(model.idle_copy(name)))).collect()
}

/// Describes a node by its resources: `n3 (16 cpus, 64gb)`.
pub fn node_description(snap: &Snapshot, node: &Node) -> String {
    let catalogue = &snap.catalogue;
    let amount_of = |id| node.available.amount(id).map(|amount| amount.show(catalogue.kind(id)));
    let cpus = amount_of(ResourceId::ncpus())
        .map(|cpus| if cpus == "1" { "1 cpu".to_owned() } else { format!("{cpus} cpus") });
    // Other properties that distinguish its kind.
    let queue = node.queue.as_ref().map(|queue| format!("queue {queue}"));
    let priority =
        node.priority.filter(|priority| *priority != 0).map(|priority| format!("priority {priority}"));
    let more = special_resources(snap, node).into_iter().chain(queue).chain(priority);
    let has: Vec<String> = cpus.into_iter().chain(amount_of(ResourceId::mem())).chain(more).collect();
    if has.is_empty() { node.name.to_string() } else { format!("{} ({})", node.name, has.join(", ")) }
}

/// Returns resources of a node other than cpus and memory that not every node has equally: `ngpus=4`, `fast=True`.
fn special_resources(snap: &Snapshot, node: &Node) -> Vec<String> {
    const MOST: usize = 2;
    const PLAIN: [&str; 5] = ["ncpus", "mem", "host", "vnode", "arch"];
    let is_plain = |id| PLAIN.contains(&snap.catalogue.name(id).as_ref());
    let differs =
        |id: ResourceId, value: &Value| snap.nodes.iter().any(|other| other.available.get(id) != Some(value));
    let is_shown = |value: &Value| match value {
        Value::Amount(amount) => amount.0 > 0.0,
        Value::Bool(on) => *on,
        Value::Texts(_) | Value::Indirect(_) => false,
    };
    let own =
        node.available.iter().filter(|(id, value)| !is_plain(*id) && is_shown(value) && differs(*id, value));
    let words = |(id, value): (ResourceId, &Value)| {
        format!("{}={}", snap.catalogue.name(id), value.show(snap.catalogue.kind(id)))
    };
    own.take(MOST).map(words).collect()
}

/// What further nodes of one kind would start, found by running the cycle with them. Starts that the server refuses
/// do not count.
#[derive(Clone, PartialEq, Debug)]
pub struct AddedNodesEffect {
    /// A node of this kind.
    pub model: NodeId,
    pub nodes: usize,
    /// Number of waiting jobs that would start in this cycle; an array with further started subjobs counts once.
    pub starts: usize,
    /// Number of subjobs among the starts, of all arrays.
    pub subjobs: usize,
    /// Share of the waiting core-hours that these request, 0 to 1.
    pub share: f64,
    /// Jobs that start in this cycle without the nodes and would wait with them; an array only if none of it starts.
    pub displaced_jobs: Vec<String>,
}

/// The numbers of nodes tried.
const STEPS: [usize; 5] = [1, 2, 4, 8, 16];

/// Maximum number of kinds tried, most frequent first.
const KINDS: usize = 3;

/// Number of starts of each job that still has its nodes in the end; an array counts once per subjob.
type StartCounts = FxHashMap<JobId, usize>;

fn starts_of(run: &Run) -> StartCounts {
    let mut starts = StartCounts::default();
    for step in standing_starts(run, usize::MAX).filter(|step| !run.is_refused(&step.outcome)) {
        *starts.entry(step.outcome.job).or_default() += 1;
    }
    starts
}

/// Returns the jobs that start more often in `after`, in the order of the dump, and the difference.
fn more_of(before: &StartCounts, after: &StartCounts) -> Vec<(JobId, usize)> {
    let more = |(job, count): (&JobId, &usize)| {
        let more = count.saturating_sub(before.get(job).copied().unwrap_or_default());
        (more > 0).then_some((*job, more))
    };
    let mut found: Vec<(JobId, usize)> = after.iter().filter_map(more).collect();
    found.sort_unstable();
    found
}

/// A cycle with its starts and the core-hours that wait after it.
struct BaselineCycle<'r> {
    run: &'r Arc<Run>,
    starts: StartCounts,
    hours: f64,
    /// Number of waiting jobs.
    waiting: usize,
}

impl<'r> BaselineCycle<'r> {
    fn new(run: &'r Arc<Run>) -> Self {
        let waiting = waiting(run);
        let hours = waiting.iter().map(|outcome| waiting_core_hours(run, outcome.job)).sum();
        Self { run, starts: starts_of(run), hours, waiting: waiting.len() }
    }

    /// Returns what further nodes like one start that does not start without them.
    fn effect_of_nodes(&self, model: NodeId, nodes: usize) -> AddedNodesEffect {
        let plan = &self.run.plan;
        let edits = more_nodes(&plan.snap, &plan.snap.nodes[model], nodes);
        let then = starts_of(&self.run.over(Arc::new(plan.snap.with(&edits))));
        let started = more_of(&self.starts, &then);
        let of_arrays = started.iter().filter(|(job, _)| plan.job(*job).is_array());
        let hours: f64 = started.iter().map(|(job, more)| hours_of_one(self.run, *job) * *more as f64).sum();
        let is_kept = |(job, _): &(JobId, usize)| !then.contains_key(job);
        let waits = more_of(&then, &self.starts).into_iter().filter(is_kept);
        AddedNodesEffect {
            model,
            nodes,
            starts: started.len(),
            subjobs: of_arrays.map(|(_, more)| more).sum(),
            share: if self.hours > 0.0 { hours / self.hours } else { 0.0 },
            displaced_jobs: waits.map(|(job, _)| plan.job(job).name.to_string()).collect(),
        }
    }
}

/// Returns what 1, 2, 4 … further nodes of the most frequent kinds would start, as long as more nodes change the
/// result and jobs are left. Each number takes a whole cycle.
pub fn added_nodes_effects(run: &Arc<Run>) -> Vec<AddedNodesEffect> {
    let base = BaselineCycle::new(run);
    let mut found: Vec<AddedNodesEffect> = Vec::new();
    for kind in node_kinds(&run.plan, run.plan.nodes.ids()).into_iter().take(KINDS) {
        let (mut before, mut tried) = ((0, 0), 0);
        for nodes in STEPS {
            let mut growth = base.effect_of_nodes(kind.model, nodes);
            if growth.started_counts() > before {
                // Fewer nodes than this step may be enough.
                let (mut too_few, most) = (tried, growth.started_counts());
                while growth.nodes - too_few > 1 {
                    let half = base.effect_of_nodes(kind.model, usize::midpoint(too_few, growth.nodes));
                    if half.started_counts() < most { too_few = half.nodes } else { growth = half }
                }
                before = growth.started_counts();
                found.push(growth);
            }
            tried = nodes;
            if before.0 == base.waiting && found.last().is_none_or(|last| last.subjobs == 0) {
                break;
            }
        }
    }
    found
}

impl AddedNodesEffect {
    /// Numbers of jobs and subjobs started, for comparison.
    fn started_counts(&self) -> (usize, usize) {
        (self.starts, self.subjobs)
    }

    /// Describes it in one line.
    pub fn words(&self, snap: &Snapshot) -> String {
        format!(
            "{} like {} would start {}, {:.0} % of the core-hours that wait{}",
            words::count(self.nodes, "more node"),
            node_description(snap, &snap.nodes[self.model]),
            self.started(),
            self.share * 100.0,
            self.displaced_text(),
        )
    }

    /// Describes the number of jobs and, for arrays, of subjobs.
    fn started(&self) -> String {
        let jobs = words::count(self.starts, "job");
        match self.subjobs {
            0 => jobs,
            _ => format!("{jobs} ({} of arrays)", words::count(self.subjobs, "more subjob")),
        }
    }

    fn displaced_text(&self) -> String {
        const MOST: usize = 4;
        match self.displaced_jobs.as_slice() {
            [] => String::new(),
            [_] => format!("; {} then waits", words::some_jobs(&self.displaced_jobs, MOST)),
            _ => format!("; {} then wait", words::some_jobs(&self.displaced_jobs, MOST)),
        }
    }
}
