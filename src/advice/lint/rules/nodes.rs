//! Rules on vnodes that no job can use.

use qscope_engine::placement::PlacementPath;
use std::collections::BTreeMap;

use qscope_engine::cluster::{
    GhostKind, Name, Node, NodeId, NodeStates, ResourceId, Value, ghosts, short_id,
};

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::place::LintObject;
use crate::lint::site::LintContext;

pub(super) const RULES: &[LintRule] = &[
    LintRule {
        id: "vnode-of-unknown-queue",
        level: LintLevel::Error,
        summary: "Vnodes bound to a queue that does not exist",
        explain: "Only jobs of that queue may use them, so no job does.",
        find: |site| {
            let snap = site.snap();
            let seen = snap.queues.iter().any(|queue| !queue.assumed);
            let what = |nodes, queue: &Name| {
                format!("{nodes} bound to {queue}, which is no queue: no job can take them")
            };
            let is_lost = |queue: &Name| seen && snap.queue_named(queue).is_none();
            drafts_for_bound_vnodes(site, is_lost, what, "unset their queue, or create it")
        },
    },
    LintRule {
        id: "vnode-of-closed-queue",
        level: LintLevel::Warning,
        summary: "Vnodes bound to a queue that is stopped",
        explain: "They stay idle for as long as the queue is stopped, since no other queue may use them.",
        find: |site| {
            let snap = site.snap();
            let is_closed = |queue: &Name| {
                let queue = snap.queue_named(queue).map(|id| &snap.queues[id]);
                queue.is_some_and(|queue| !queue.started && !queue.assumed)
            };
            let what = |nodes, queue: &Name| format!("{nodes} bound to queue {queue}, which is stopped");
            drafts_for_bound_vnodes(site, is_closed, what, "start the queue, or unset their queue")
        },
    },
    LintRule {
        id: "vnode-without-cpus",
        level: LintLevel::Note,
        summary: "A vnode in service that has no cpus, alone on its host",
        explain: "Every chunk asks for ncpus, 1 by default, so none fits. A vnode of 0 cpus beside others of its host is \
                  usual and not reported.",
        find: without_cpus,
    },
    LintRule {
        id: "vnode-of-lone-partition",
        level: LintLevel::Error,
        summary: "Vnodes of a partition in which there is no queue",
        explain: "Only jobs of queues of the same partition may use them.",
        find: |site| {
            let snap = site.snap();
            let is_lone = |partition: &Name| {
                !snap.queues.iter().any(|queue| queue.partition.as_ref() == Some(partition))
            };
            by_value(site, |node| node.partition.as_ref(), is_lone)
                .into_iter()
                .map(|(partition, nodes)| {
                    let what =
                        format!("{} of partition {partition}, which no queue is of", names(site, &nodes));
                    let claim = Claim::Counts(Vec::new(), cores(site, &nodes));
                    draft(site, &nodes, "partition", what, "unset the partition, or give it a queue", claim)
                        .with_objects([&partition])
                })
                .collect()
        },
    },
    LintRule {
        id: "vnode-kept-by-dead-job",
        level: LintLevel::Warning,
        summary: "Vnodes that are taken by a job that does not run",
        explain: "After a refused second start a vnode can keep the job's name: it is job-exclusive with nothing assigned \
                  until the server restarts.",
        find: kept_by_dead_job,
    },
    LintRule {
        id: "vnode-limits-passed-over",
        level: LintLevel::Warning,
        summary: "max_running, max_user_run, max_group_run or no_multinode_jobs on vnodes",
        explain: "Exclusive jobs go by node buckets, where the limits of a vnode are not checked: they hold for jobs \
                  that share vnodes only.",
        find: limits_passed_over,
    },
];

/// Creates a draft for each queue of a kind that has vnodes bound to it.
fn drafts_for_bound_vnodes(
    site: &LintContext<'_>,
    is_wrong: impl Fn(&Name) -> bool,
    what: impl Fn(String, &Name) -> String,
    fix: &str,
) -> Vec<FindingDraft> {
    let of_queue = |(queue, nodes): (Name, Vec<NodeId>)| {
        let edits = site.edit_nodes(|node| node.queue.as_ref() == Some(&queue), |node| node.queue = None);
        let what = what(names(site, &nodes), &queue);
        draft(site, &nodes, "queue", what, fix, Claim::AffectsCycle(edits)).with_objects([&queue])
    };
    by_value(site, |node| node.queue.as_ref(), is_wrong).into_iter().map(of_queue).collect()
}

fn draft(
    site: &LintContext<'_>,
    nodes: &[NodeId],
    attribute: &str,
    what: String,
    fix: &str,
    claim: Claim,
) -> FindingDraft {
    let first = nodes.first().map(|node| &site.snap().nodes[*node].name);
    let place = first.and_then(|name| site.attribute(LintObject::Node(name), attribute));
    FindingDraft::new(what, fix, claim).at(place)
}

/// Lists nodes as `n[1-4]`, or the first few with a count of the rest, followed by `is` or `are`.
fn names(site: &LintContext<'_>, nodes: &[NodeId]) -> String {
    let text = qscope_explain::words::compact(nodes.iter().map(|node| &*site.snap().nodes[*node].name));
    let parts: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let verb = if nodes.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", qscope_explain::words::first_names(&parts, 4))
}

fn cores(site: &LintContext<'_>, nodes: &[NodeId]) -> f64 {
    nodes.iter().map(|node| site.snap().nodes[*node].available.cpus()).sum()
}

/// Groups the vnodes concerned by a value.
fn by_value(
    site: &LintContext<'_>,
    value: fn(&Node) -> Option<&Name>,
    is_wrong: impl Fn(&Name) -> bool,
) -> BTreeMap<Name, Vec<NodeId>> {
    let mut found: BTreeMap<Name, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in site.snap().nodes.enumerate() {
        if let Some(value) = value(node).filter(|value| is_wrong(value)) {
            found.entry(value.clone()).or_default().push(id);
        }
    }
    found
}

fn without_cpus(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = site.snap();
    let host = |node: &Node| match node.available.get(ResourceId::host()).map(Value::texts) {
        Some([host]) => host.clone(),
        _ => node.moms.first().unwrap_or(&node.name).clone(),
    };
    let mut of_host: BTreeMap<Name, usize> = BTreeMap::new();
    for node in &snap.nodes {
        *of_host.entry(host(node)).or_default() += 1;
    }
    let is_alone = |node: &Node| of_host.get(&host(node)) == Some(&1);
    let empty =
        |node: &Node| node.available.cpus() <= 0.0 && node.states == NodeStates::FREE && is_alone(node);
    let nodes: Vec<NodeId> =
        snap.nodes.enumerate().filter(|(_, node)| empty(node)).map(|(id, _)| id).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let what = format!("{} in service and without cpus: no chunk fits", names(site, &nodes));
    let claim = Claim::Counts(Vec::new(), 0.0);
    let about = snap.nodes[nodes.first().copied().unwrap_or(NodeId(0))].name.clone();
    vec![
        draft(
            site,
            &nodes,
            "resources_available.ncpus",
            what,
            "set resources_available.ncpus, or take them out",
            claim,
        )
        .with_objects([about]),
    ]
}

fn kept_by_dead_job(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = site.snap();
    let dead = ghosts(snap)
        .into_iter()
        .filter(|ghost| matches!(ghost.kind, GhostKind::Dead | GhostKind::NotRunning(_)));
    let found = dead.map(|ghost| {
        let is_kept = |node: &Node| node.jobs.contains(&ghost.job);
        let edits = site.edit_nodes(is_kept, |node| {
            node.jobs.retain(|job| *job != ghost.job);
            if node.jobs.is_empty() {
                node.states = node.states.without_occupancy();
            }
        });
        let short = short_id(&ghost.job);
        let what = format!("{} kept by job {short}, which does not run", names(site, &ghost.nodes));
        draft(
            site,
            &ghost.nodes,
            "jobs",
            what,
            "restart the server, or clear the job by hand",
            Claim::AffectsCycle(edits),
        )
        .with_objects([&ghost.job])
    });
    found.collect()
}

fn limits_passed_over(context: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = context.snap();
    let limited = |node: &Node| {
        let limits = [node.max_running, node.max_user_run, node.max_group_run];
        limits.iter().any(Option::is_some) || node.no_multinode_jobs
    };
    let nodes: Vec<NodeId> =
        snap.nodes.enumerate().filter(|(_, node)| limited(node)).map(|(id, _)| id).collect();
    let Some(first) = nodes.first().map(|id| &snap.nodes[*id]) else { return Vec::new() };
    let by_bucket: Vec<_> = context
        .run
        .outcomes()
        .filter(|outcome| outcome.would_use.is_some_and(|use_of| use_of.path == PlacementPath::Bucket))
        .map(|outcome| outcome.job)
        .collect();
    if by_bucket.is_empty() {
        return Vec::new();
    }
    let attribute = match first {
        Node { max_running: Some(_), .. } => "max_running",
        Node { max_user_run: Some(_), .. } => "max_user_run",
        Node { max_group_run: Some(_), .. } => "max_group_run",
        _ => "no_multinode_jobs",
    };
    let count = qscope_explain::words::count(by_bucket.len(), "job");
    let what = format!(
        "{} limited by {attribute}, which {count} on the bucket path pass over",
        names(context, &nodes)
    );
    let fix = "use limits of queues, or let jobs share vnodes";
    vec![
        draft(context, &nodes, attribute, what, fix, Claim::Counts(by_bucket, 0.0)).with_objects([attribute]),
    ]
}
