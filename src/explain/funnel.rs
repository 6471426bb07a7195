//! The funnel: how many nodes are left after every condition, which ones are lost where, and which come
//! closest.

use serde::Serialize;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Id, NodeId, short_id};
use qscope_engine::universe::{Bit, State};

use super::node_check::{Condition, Failure, checked};
use super::turn::{Turn, last_step};
use super::words;

/// One condition and the nodes before and after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FunnelStep {
    pub condition: Condition,
    /// Nodes that met all conditions before it.
    pub before: u64,
    /// Nodes that meet it as well.
    pub after: u64,
    /// How many are lost here.
    pub lost: u64,
    /// Some of these.
    pub sample: Vec<NodeHas>,
    /// All of these, by what they have instead.
    #[serde(skip)]
    pub groups: Vec<LostNodes>,
}

/// Nodes that a condition loses for the same reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostNodes {
    /// What they have instead: `0 left`, `offline`, `queue special`.
    pub has: String,
    /// In the order of the dump.
    pub nodes: Vec<String>,
    /// Who is on them, by short ids, each once.
    pub jobs: Vec<String>,
}

impl LostNodes {
    /// The cause in a few words with who causes it: `0 left: jobs 50 51 52`.
    pub fn words(&self) -> String {
        const MAX_JOBS: usize = 4;
        let shown = self.jobs.iter().take(MAX_JOBS).cloned().collect::<Vec<_>>().join(" ");
        let more = match self.jobs.len().saturating_sub(MAX_JOBS) {
            0 => String::new(),
            more => format!(" +{more}"),
        };
        match self.jobs.len() {
            0 => self.has.clone(),
            1 => format!("{}: job {shown}", self.has),
            _ => format!("{}: jobs {shown}{more}", self.has),
        }
    }
}

/// A node, and what it has where the chunk requests something else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeHas {
    /// Its name.
    pub node: String,
    /// What it has instead.
    pub has: String,
}

/// Nodes that fail a single condition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NearMiss {
    /// The condition.
    pub lacks: String,
    /// How many fail just this one.
    pub nodes: u64,
    /// Some of them, the closest first.
    pub sample: Vec<NodeHas>,
    /// What would have to be different for the first of them to pass; of the nearest kind only.
    #[serde(skip)]
    pub would_pass: Option<String>,
    /// How close each of these comes, in thousandths.
    #[serde(skip)]
    close: Vec<u32>,
}

/// The funnel of one part of the select.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Funnel {
    /// The part as written.
    pub part: String,
    /// How many chunks it requests.
    #[serde(rename = "wanted")]
    pub requested: u32,
    /// All nodes of the dump.
    pub nodes: u64,
    /// The conditions in order.
    pub steps: Vec<FunnelStep>,
    /// Nodes that meet every condition, counted by themselves.
    pub left: u64,
    /// Nodes that fail just one, the commonest first.
    #[serde(rename = "nearest")]
    pub near: Vec<NearMiss>,
}

/// How many nodes are named at each condition.
const SAMPLE: usize = 3;

impl Funnel {
    /// Whether every node is accounted for: each step begins where the one before it ended, none appears, and
    /// the last one leaves just those that fail nothing.
    pub fn adds_up(&self) -> bool {
        let starts = self.steps.first().is_none_or(|step| step.before == self.nodes);
        let chained = self.steps.windows(2).all(|pair| match pair {
            [one, next] => one.after == next.before,
            _ => true,
        });
        let falling = self.steps.iter().all(|step| step.after <= step.before);
        starts && chained && falling && self.steps.last().map_or(self.nodes, |step| step.after) == self.left
    }

    /// The closest misses in one sentence.
    pub fn nearest(&self) -> Option<String> {
        let first = self.near.first()?;
        let NodeHas { node, has } = first.sample.first()?;
        let have = first.sample.iter().filter(|one| one.has == *has);
        let names = words::folded_within(have.map(|one| one.node.as_str()), 40);
        let what = if has.is_empty() { String::new() } else { format!(": {has}") };
        let pass = |count: u64| if count == 1 { "passes" } else { "pass" };
        // All of them are named where they have the same.
        if first.sample.len() as u64 == first.nodes && first.sample.iter().all(|one| one.has == *has) {
            return Some(format!("{names} {} all but {}{what}", pass(first.nodes), first.lacks));
        }
        let count = words::count(first.nodes, "node");
        Some(format!("{count} {} all but {} (such as {node}{what})", pass(first.nodes), first.lacks))
    }
}

/// The funnel of every part of a job's select.
pub fn funnels(turn: &mut Turn) -> Vec<Funnel> {
    let ahead = started_ahead(turn);
    checked(turn, |state, request, check| {
        let snap = &state.plan.snap;
        let parts = request.specs.iter().map(|spec| {
            let failures = snap.nodes.ids().map(|id| (id, check.failures(spec, id)));
            let about =
                About { name: &|id| snap.nodes[id].name.to_string(), jobs: &|id| on_node(state, &ahead, id) };
            let mut funnel = pour(check.conditions(spec), failures, &about, spec.chunk_text(), spec.count);
            debug_assert!(funnel.adds_up(), "{funnel:?}");
            // The nearest kind is the one that is shown.
            if let Some(near) = funnel.near.first_mut() {
                let node = near.sample.first().and_then(|one| snap.node_named(&one.node));
                near.would_pass = node.and_then(|id| check.would_pass(spec, id, &check.failures(spec, id)));
            }
            funnel
        });
        parts.collect()
    })
}

/// What is known of nodes: their names, and who is on them.
struct About<'a> {
    name: &'a dyn Fn(NodeId) -> String,
    jobs: &'a dyn Fn(NodeId) -> Vec<String>,
}

/// The jobs that the cycle started before the turn, by the nodes that they got.
fn started_ahead(turn: &Turn) -> FxHashMap<Bit, Vec<String>> {
    let run = &turn.run;
    let mut ahead: FxHashMap<Bit, Vec<String>> = FxHashMap::default();
    let until = last_step(run, turn.job).map_or(usize::MAX, Id::ix);
    for step in run.steps.iter().take(until) {
        let name = step.outcome.name(&run.plan.snap);
        let nodes = step.outcome.placed.iter().flat_map(|placed| placed.allocation.nodes());
        for bit in nodes {
            ahead.entry(bit).or_default().push(short_id(&name).to_owned());
        }
    }
    ahead
}

/// Who is on a node: as dumped, and those that the cycle started there. A job that no dump shows running is named with
/// that.
fn on_node(state: &State, ahead: &FxHashMap<Bit, Vec<String>>, id: NodeId) -> Vec<String> {
    let plan = &state.plan;
    let mut jobs: Vec<String> = Vec::new();
    let listed = plan.snap.nodes[id].jobs.iter().map(|job| short_id(job).to_owned());
    let started = plan.bit_of[id].and_then(|bit| ahead.get(&bit)).into_iter().flatten().cloned();
    for job in listed.chain(started) {
        if !jobs.contains(&job) {
            jobs.push(job);
        }
    }
    jobs
}

fn pour(
    conditions: Vec<Condition>,
    failures: impl Iterator<Item = (NodeId, Vec<Failure>)>,
    about: &About<'_>,
    part: &str,
    requested: u32,
) -> Funnel {
    let mut lost: Vec<(u64, Vec<NodeHas>, Vec<LostNodes>)> =
        conditions.iter().map(|_| (0, Vec::new(), Vec::new())).collect();
    let mut near: Vec<NearMiss> = Vec::new();
    let (mut nodes, mut left) = (0, 0);
    for (id, failed) in failures {
        nodes += 1;
        let Some(first) = failed.first() else {
            left += 1;
            continue;
        };
        let at = conditions.iter().position(|condition| *condition == first.condition);
        if let Some((count, sample, groups)) = at.and_then(|at| lost.get_mut(at)) {
            *count += 1;
            if sample.len() < SAMPLE {
                sample.push(NodeHas { node: (about.name)(id), has: first.has.clone() });
            }
            lose(groups, first, (about.name)(id), (about.jobs)(id));
        }
        // A node never becomes the one that is asked for by its name.
        if failed.len() == 1 && !first.condition.is_name() {
            miss(&mut near, first, || (about.name)(id));
        }
    }
    near.sort_by_key(|miss| std::cmp::Reverse(miss.nodes));
    let mut before = nodes;
    let steps = conditions.into_iter().zip(lost).map(|(condition, (count, sample, mut groups))| {
        groups.sort_by_key(|group| std::cmp::Reverse(group.nodes.len()));
        let step = FunnelStep { condition, before, after: before - count, lost: count, sample, groups };
        before = step.after;
        step
    });
    Funnel { part: part.to_owned(), requested, nodes, steps: steps.collect(), left, near }
}

/// Puts a node with those that are lost for the same reason. How much a node has in all does not matter where nothing of
/// it is left.
fn lose(groups: &mut Vec<LostNodes>, failure: &Failure, node: String, jobs: Vec<String>) {
    let has = failure.has.split_once(" left of ").map_or(&*failure.has, |(left, _)| left);
    let has = match failure.has.as_str() {
        // Each of the others has its own name instead.
        _ if failure.condition.is_name() => "others".to_owned(),
        _ if has.len() < failure.has.len() => format!("{has} left"),
        in_use if in_use.ends_with(" on it") => "in use".to_owned(),
        other => other.to_owned(),
    };
    // What a node has of a word or a list is not in the hands of its jobs.
    let of_amount = failure.has.contains(" left of ") || failure.has.ends_with(" on it");
    let by_jobs = match failure.condition {
        Condition::Resource(..) => of_amount,
        Condition::Sharing | Condition::NotExclusive => true,
        _ => false,
    };
    let at = groups.iter().position(|group| group.has == has).unwrap_or_else(|| {
        groups.push(LostNodes { has, nodes: Vec::new(), jobs: Vec::new() });
        groups.len() - 1
    });
    let Some(group) = groups.get_mut(at) else { return };
    group.nodes.push(node);
    for job in jobs.into_iter().filter(|_| by_jobs) {
        if !group.jobs.contains(&job) {
            group.jobs.push(job);
        }
    }
}

fn miss(near: &mut Vec<NearMiss>, failure: &Failure, name: impl FnOnce() -> String) {
    let lacks = failure.condition.label();
    let at = near.iter().position(|miss| miss.lacks == lacks);
    let at = at.unwrap_or_else(|| {
        near.push(NearMiss { lacks, nodes: 0, sample: Vec::new(), would_pass: None, close: Vec::new() });
        near.len() - 1
    });
    if let Some(miss) = near.get_mut(at) {
        miss.nodes += 1;
        let at = miss.close.iter().position(|have| *have < failure.close).unwrap_or(miss.close.len());
        if at < SAMPLE {
            miss.sample.insert(at, NodeHas { node: name(), has: failure.has.clone() });
            miss.close.insert(at, failure.close);
            miss.sample.truncate(SAMPLE);
            miss.close.truncate(SAMPLE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(condition: Condition, has: &str) -> Failure {
        Failure { condition, has: has.to_owned(), close: 0 }
    }

    #[test]
    fn lost_nodes_are_grouped_by_what_they_have_with_who_is_there() {
        let mut groups = Vec::new();
        let cpus = || Condition::Resource(0, "ncpus=8".to_owned());
        for (node, has, job) in
            [("n1", "0 left of 16", "50"), ("n2", "0 left of 32", "51"), ("n3", "4 left of 16", "52")]
        {
            lose(&mut groups, &failure(cpus(), has), node.to_owned(), vec![job.to_owned()]);
        }
        let words: Vec<String> = groups.iter().map(LostNodes::words).collect();
        assert_eq!(words, ["0 left: jobs 50 51", "4 left: job 52"]);
        assert_eq!(groups[0].nodes, ["n1", "n2"]);
        // Who is on a node has nothing to do with its state.
        let mut groups = Vec::new();
        lose(&mut groups, &failure(Condition::State, "offline"), "n4".to_owned(), vec!["53".to_owned()]);
        assert_eq!(groups[0].words(), "offline");
        assert_eq!(cpus().label(), "ncpus ≥ 8 left");
        assert_eq!(Condition::Resource(1, "host=n1".to_owned()).label(), "host=n1");
    }
}
