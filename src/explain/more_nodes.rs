//! Nodes that a cluster does not have: of which kinds they could be, and how far so many of them would bring the queue.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use qscope_engine::cluster::{Edit, FirstMet, JobId, Name, Node, NodeId, ResourceId, Snapshot, Value};
use qscope_engine::cycle::Run;
use qscope_engine::universe::{Bit, Plan};

use super::board::{core_hours, waiting};
use super::turn::starting;
use super::words;

/// Nodes that are alike for the scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeKind {
    /// One of them.
    pub model: NodeId,
    /// How many there are.
    pub count: usize,
}

/// The kinds of nodes among some, the most frequent first: of one signature, priority and queue.
pub fn node_kinds(plan: &Plan, among: impl Iterator<Item = Bit>) -> Vec<NodeKind> {
    let mut kinds = FirstMet::default();
    for bit in among {
        let node = &plan.nodes[bit];
        let new = || NodeKind { model: node.id, count: 0 };
        kinds.of((node.bucket_sig, node.queue, node.priority), new).count += 1;
    }
    let mut kinds: Vec<NodeKind> = kinds.into_all();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    kinds
}

/// So many more vnodes like one.
pub fn more_nodes(snap: &Snapshot, model: &Node, count: usize) -> Vec<Edit> {
    let taken: FxHashSet<&Name> = snap.nodes.iter().map(|node| &node.name).collect();
    let names = (1_u32..).map(|number| Name::from(format!("{}-new{number}", model.name)));
    let names = names.filter(|name| !taken.contains(name)).take(count);
    names.map(|name| Edit::NewNode(Box::new(model.another(name)))).collect()
}

/// A node by what it has: `n3 (16 cpus, 64gb)`.
pub fn like(snap: &Snapshot, node: &Node) -> String {
    let catalogue = &snap.catalogue;
    let amount_of = |id| node.available.amount(id).map(|amount| amount.show(catalogue.kind(id)));
    let cpus = amount_of(ResourceId::ncpus())
        .map(|cpus| if cpus == "1" { "1 cpu".to_owned() } else { format!("{cpus} cpus") });
    // What else makes it a kind of its own.
    let queue = node.queue.as_ref().map(|queue| format!("queue {queue}"));
    let priority =
        node.priority.filter(|priority| *priority != 0).map(|priority| format!("priority {priority}"));
    let more = switches(snap, node).into_iter().chain(queue).chain(priority);
    let has: Vec<String> = cpus.into_iter().chain(amount_of(ResourceId::mem())).chain(more).collect();
    if has.is_empty() { node.name.to_string() } else { format!("{} ({})", node.name, has.join(", ")) }
}

/// What a node has besides cpus and memory, and not every node has the same: `ngpus=4`, `fast=True`.
fn switches(snap: &Snapshot, node: &Node) -> Vec<String> {
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

/// What so many more nodes of one kind would start.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// The node that they are like.
    pub model: NodeId,
    /// How many more.
    pub nodes: usize,
    /// How many of the jobs that wait would start in this cycle.
    pub starts: usize,
    /// The share of the waiting cpu time that these request.
    pub share: f64,
}

/// The numbers of nodes that are tried.
const STEPS: [usize; 5] = [1, 2, 4, 8, 16];

/// The kinds that are tried, the most frequent.
const KINDS: usize = 3;

/// For the kinds of nodes that the cluster has most of: what 1, 2, 4 … more of them would start, as far as that changes
/// and anything is left. Each number is a whole cycle.
pub fn growth(run: &Arc<Run>) -> Vec<Growth> {
    let waiting: Vec<_> = waiting(run).iter().map(|outcome| outcome.job).collect();
    let hours: f64 = waiting.iter().map(|job| core_hours(run.plan.job(*job))).sum();
    let snap = &run.plan.snap;
    let mut found: Vec<Growth> = Vec::new();
    for kind in node_kinds(&run.plan, run.plan.nodes.ids()).into_iter().take(KINDS) {
        let grown = |nodes: usize| {
            let edits = more_nodes(snap, &snap.nodes[kind.model], nodes);
            let grown = run.over(Arc::new(snap.with(&edits)));
            let starts =
                |job: &&JobId| starting(&grown, **job).is_some_and(|outcome| outcome.placed.is_some());
            let started: Vec<_> = waiting.iter().filter(starts).collect();
            let share = started.iter().map(|job| core_hours(run.plan.job(**job))).sum::<f64>()
                / hours.max(f64::MIN_POSITIVE);
            Growth { model: kind.model, nodes, starts: started.len(), share }
        };
        let (mut before, mut tried) = (0, 0);
        for nodes in STEPS {
            let mut growth = grown(nodes);
            if growth.starts > before {
                // Fewer than the step may do.
                let (mut too_few, most) = (tried, growth.starts);
                while growth.nodes - too_few > 1 {
                    let half = grown(usize::midpoint(too_few, growth.nodes));
                    if half.starts < most { too_few = half.nodes } else { growth = half }
                }
                before = most;
                found.push(growth);
            }
            tried = nodes;
            if before == waiting.len() {
                break;
            }
        }
    }
    found
}

impl Growth {
    /// In one line.
    pub fn words(&self, snap: &Snapshot) -> String {
        format!(
            "{} like {} would start {}, {:.0} % of the core-hours that wait",
            words::count(self.nodes, "more node"),
            like(snap, &snap.nodes[self.model]),
            words::count(self.starts, "job"),
            self.share * 100.0
        )
    }
}
