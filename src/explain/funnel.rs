//! The funnel: how many nodes remain after every condition, which ones are lost at each, and which come closest.

mod pour;

use serde::Serialize;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Arrangement, NodeId, deduplicated, short_id};
use qscope_engine::universe::{AmountBasis, Bit, JobRequest, NodeSet, Spec, State};

use super::cause::partition_elsewhere;
use super::fit_analysis::FitAnalysis;
use super::node_check::{Condition, FailedCondition, checked};
use super::sets::BestSet;
use super::turn::JobTurn;
use super::undone_starts::standing_starts;
use super::words;
use pour::{NodeWords, build_funnel};

/// One condition and the nodes before and after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FunnelStep {
    pub condition: Condition,
    /// Nodes that met all conditions before it.
    pub before: u64,
    /// Nodes that meet it as well.
    pub after: u64,
    /// Number of nodes lost here.
    pub lost: u64,
    /// Some of the lost nodes.
    pub sample: Vec<NodeMismatch>,
    /// All lost nodes, grouped by what they have instead.
    #[serde(skip)]
    pub groups: Vec<LostNodes>,
}

/// Nodes lost at a condition for the same reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostNodes {
    /// What they have instead: `0 left`, `offline`, `queue special`.
    pub found: String,
    /// In the order of the dump.
    pub nodes: Vec<String>,
    /// Short ids of the jobs on them, each once.
    pub jobs: Vec<String>,
}

impl LostNodes {
    /// Describes the reason and the jobs causing it: `0 left: jobs 50 51 52`.
    pub fn words(&self) -> String {
        self.words_of(&self.found)
    }

    /// Describes the same with the number of nodes: `0 left on 8: jobs 50 51 52`.
    pub fn counted_words(&self) -> String {
        let comma = if self.found.contains(',') { "," } else { "" };
        self.words_of(&format!("{}{comma} on {}", self.found, self.nodes.len()))
    }

    fn words_of(&self, has: &str) -> String {
        const MAX_JOBS: usize = 4;
        let first: Vec<&str> = self.jobs.iter().take(MAX_JOBS).map(String::as_str).collect();
        let shown = words::first_of(&first, self.jobs.len());
        match self.jobs.len() {
            0 => has.to_owned(),
            // What they have may name the job, as `kept by job 40` does.
            1 if self.found.contains(&format!("job {shown}")) => has.to_owned(),
            1 => format!("{has}: job {shown}"),
            _ => format!("{has}: jobs {shown}"),
        }
    }
}

/// A node, and what it has instead of what the chunk requests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeMismatch {
    /// Name of the vnode.
    pub node: String,
    /// What it has instead.
    pub has: String,
}

/// Nodes that fail exactly one condition.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct NearMiss {
    pub lacks: String,
    /// Number of nodes that fail only this one.
    pub nodes: u64,
    /// Some of them, the closest first.
    pub sample: Vec<NodeMismatch>,
    /// What would have to be different for one of them to pass; only for the most common condition.
    #[serde(skip)]
    pub would_pass: Option<PassRequirement>,
    /// How close each node of the sample comes, in thousandths.
    #[serde(skip)]
    close: Vec<u32>,
}

/// What would have to be different for a node to pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassRequirement {
    pub node: String,
    /// For example `ncpus ≤ 8`.
    pub text: String,
    /// Whether it is what ends on the node, not what the job requests.
    pub is_by_end: bool,
}

/// The funnel of one chunk spec of the select.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Funnel {
    /// The chunk spec as written.
    pub part: String,
    /// Number of chunks requested.
    #[serde(rename = "wanted")]
    pub requested: u32,
    /// All nodes of the dump.
    pub nodes: u64,
    /// The conditions in order.
    pub steps: Vec<FunnelStep>,
    /// Number of nodes that meet every condition, each counted on its own.
    pub left: u64,
    /// The chunks that these nodes hold together.
    #[serde(flatten)]
    pub held: ChunkCapacity,
    /// Nodes that fail exactly one condition, most common condition first.
    #[serde(rename = "nearest")]
    pub near: Vec<NearMiss>,
}

/// Number of chunks that the remaining nodes hold; a node may hold several, or several nodes only one together.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ChunkCapacity {
    /// Number of chunks.
    #[serde(rename = "holds")]
    pub chunks: u64,
    /// Where they fit, if that is not all remaining nodes: `one node`, `the best set, switch=sw2`.
    #[serde(skip)]
    pub by: Option<String>,
    /// The condition that they are to be there together.
    #[serde(skip)]
    pub together: &'static str,
}

impl Funnel {
    /// Returns how many chunks are missing; `None` if the nodes hold all requested ones.
    pub fn missing_chunks(&self) -> Option<u64> {
        u64::from(self.requested).checked_sub(self.held.chunks).filter(|short| *short > 0)
    }

    /// Whether every node is accounted for: each step begins with the nodes left by the one before, none are added,
    /// and the last one leaves exactly those that fail nothing.
    pub fn adds_up(&self) -> bool {
        let starts = self.steps.first().is_none_or(|step| step.before == self.nodes);
        let chained = self.steps.windows(2).all(|pair| match pair {
            [one, next] => one.after == next.before,
            _ => true,
        });
        let falling = self.steps.iter().all(|step| step.after <= step.before);
        starts && chained && falling && self.steps.last().map_or(self.nodes, |step| step.after) == self.left
    }

    /// Describes the closest misses in one sentence.
    pub fn nearest(&self) -> Option<String> {
        let first = self.near.first()?;
        let NodeMismatch { node, has } = first.sample.first()?;
        let have = first.sample.iter().filter(|one| one.has == *has);
        let names = words::folded_within(have.map(|one| one.node.as_str()), 40);
        let what = if has.is_empty() { String::new() } else { format!(": {has}") };
        let pass = |count: u64| if count == 1 { "passes" } else { "pass" };
        // If all of them have the same, all are named.
        if first.sample.len() as u64 == first.nodes && first.sample.iter().all(|one| one.has == *has) {
            return Some(format!("{names} {} all but {}{what}", pass(first.nodes), first.lacks));
        }
        let count = words::count(first.nodes, "node");
        Some(format!("{count} {} all but {} (such as {node}{what})", pass(first.nodes), first.lacks))
    }
}

/// Returns the funnel of every chunk spec of a job's select; empty for a job that found nodes but is refused by the
/// server, and for one that another scheduler places, on nodes of its own.
pub fn funnels(turn: &mut JobTurn) -> Vec<Funnel> {
    let is_refused = turn.outcome().is_some_and(|outcome| turn.run.is_refused(outcome));
    if is_refused || partition_elsewhere(&turn.run, turn.job).is_some() {
        return Vec::new();
    }
    let ahead = started_ahead(turn);
    checked(turn, |state, request, check| {
        let snap = &state.plan.snap;
        let parts = request.specs.iter().map(|spec| {
            let mut usable = Vec::new();
            let failures = snap.nodes.ids().map(|id| {
                let failed = check.failures(spec, id);
                // What a vnode lacks may be available on another vnode of its host.
                if failed.iter().all(|failure| failure.condition.is_amount()) {
                    usable.extend(state.plan.bit_of[id]);
                }
                (id, failed)
            });
            let about = NodeWords {
                name: &|id| snap.nodes[id].name.to_string(),
                jobs: &|id| on_node(state, &ahead, id),
            };
            let mut funnel =
                build_funnel(check.conditions(spec), failures, &about, spec.chunk_text(), spec.count);
            debug_assert!(funnel.adds_up(), "{funnel:?}");
            funnel.held = held_chunks(state, request, spec, &usable, check.best_set());
            // Only the most common condition is shown.
            if let Some(near) = funnel.near.first_mut() {
                let nearest = near.sample.first().and_then(|one| snap.node_named(&one.node));
                near.would_pass = nearest.and_then(|id| {
                    let id = check.on_best_host(spec, id, &usable).unwrap_or(id);
                    let failures = check.failures(spec, id);
                    let text = check.would_pass(spec, id, &failures)?;
                    let is_by_end = failures.iter().any(FailedCondition::is_until_end);
                    Some(PassRequirement { node: snap.nodes[id].name.to_string(), text, is_by_end })
                });
            }
            funnel
        });
        parts.collect()
    })
}

/// Returns how many chunks of a chunk spec these nodes hold: in the best set if the job must stay in one set and none
/// is large enough now, on one host if the chunks are packed.
fn held_chunks(
    state: &State,
    request: &JobRequest,
    spec: &Spec,
    usable: &[Bit],
    best: Option<&BestSet>,
) -> ChunkCapacity {
    if let Some(best) = best.filter(|best| !best.holds_job && request.specs.len() == 1) {
        let by = Some(format!("the best set, {}", best.name));
        return ChunkCapacity { chunks: best.chunks, by, together: "one set" };
    }
    let nodes = NodeSet::of(state.plan.nodes.len(), usable.iter().copied());
    let room = FitAnalysis::new(state, request, &nodes, AmountBasis::Now);
    match request.place.arrangement == Arrangement::Pack && request.total_chunks() > 1 {
        true => {
            let by = Some(format!("one {}", room.unit()));
            ChunkCapacity { chunks: room.most_on_a_unit(spec), by, together: "place=pack" }
        }
        false => ChunkCapacity { chunks: room.chunks(spec, None, false), ..ChunkCapacity::default() },
    }
}

/// Returns the jobs that the cycle started before the turn, by node.
fn started_ahead(turn: &JobTurn) -> FxHashMap<Bit, Vec<String>> {
    let run = &turn.run;
    let mut ahead: FxHashMap<Bit, Vec<String>> = FxHashMap::default();
    for step in standing_starts(run, turn.position()) {
        let refused = if run.is_refused(&step.outcome) { " (refused)" } else { "" };
        let name = step.outcome.name(&run.plan.snap);
        let nodes = step.outcome.placed.iter().flat_map(|placed| placed.allocation.nodes());
        for bit in nodes {
            ahead.entry(bit).or_default().push(format!("{}{refused}", short_id(&name)));
        }
    }
    ahead
}

/// Returns the jobs on a node: those in the dump, and those that the cycle started there. Starts refused by the
/// server are marked.
fn on_node(state: &State, ahead: &FxHashMap<Bit, Vec<String>>, id: NodeId) -> Vec<String> {
    let plan = &state.plan;
    let listed = plan.snap.nodes[id].jobs.iter().map(|job| short_id(job).to_owned());
    let started = plan.bit_of[id].and_then(|bit| ahead.get(&bit)).into_iter().flatten().cloned();
    deduplicated(listed.chain(started))
}
