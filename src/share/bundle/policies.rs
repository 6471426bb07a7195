//! What a bundle holds for the allocation policies, and what it leaves out: facts that no decision of the scheduler
//! rests on, but that `policies`, `elim` and what-ifs read.

use qscope_engine::cluster::{Job, NodeExtra, Snapshot};
use qscope_explain::words;

/// Carries over what the allocation policies read, if its names may stay; returns what is left out, one sentence for
/// each kind.
pub(super) fn carry_over(snap: &Snapshot, bundled: &mut Snapshot, anonymous: bool) -> Vec<String> {
    let mut left_out = Vec::new();
    if anonymous {
        left_out.extend((!snap.maui.is_empty()).then(|| {
            format!(
                "{} of allocation policies, which may hold names",
                words::count(snap.maui.len(), "option")
            )
        }));
        let extra = snap.nodes.iter().filter(|node| unpublished(&node.extra) != NodeExtra::default()).count();
        left_out.extend(of_nodes(extra, "attributes that only allocation policies read"));
    } else {
        bundled.maui.clone_from(&snap.maui);
        for (to, from) in bundled.nodes.ids().zip(snap.nodes.iter()) {
            if from.extra != NodeExtra::default() {
                bundled.nodes[to].extra = unpublished(&from.extra);
            }
        }
    }
    let published = snap.nodes.iter().filter(|node| node.extra.published.is_some()).count();
    left_out.extend(of_nodes(published, "attributes published by elim"));
    let jobs = snap.jobs.iter().filter(|job| asks_policies(job)).count();
    left_out.extend(
        (jobs > 0).then(|| format!("the requests of {} to allocation policies", words::count(jobs, "job"))),
    );
    left_out
}

/// Returns the attributes without those that the node publishes itself.
fn unpublished(extra: &NodeExtra) -> NodeExtra {
    NodeExtra { published: None, ..extra.clone() }
}

fn of_nodes(nodes: usize, what: &str) -> Option<String> {
    (nodes > 0).then(|| format!("{what}, of {}", words::count(nodes, "node")))
}

/// Whether a job states anything for the allocation policies.
fn asks_policies(job: &Job) -> bool {
    job.policy.is_some()
        || !job.prefer.is_empty()
        || job.nodes.is_some()
        || job.tasks_per_node.is_some()
        || job.service
        || job.preemptible
}
