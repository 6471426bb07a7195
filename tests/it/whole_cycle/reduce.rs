//! Reduces a cluster on which the engine and the oracle differ, so that a person can find the cause.

use std::path::Path;

use qscope::cluster::{JobId, JobState, NodeId, NodeState, Snapshot};
use qscope::share::dump;

use super::{differences_on, kind, report, report_whole, seeds};

/// One reduction of a cluster to try.
type Change = Box<dyn Fn(&mut Snapshot)>;

/// Returns the cluster without the settings, waiting jobs and nodes that make no difference.
fn reduced(mut snap: Snapshot) -> Snapshot {
    let jobs = snap.jobs.ids().map(held).collect::<Vec<_>>();
    let nodes = snap.nodes.ids().map(offline).collect::<Vec<_>>();
    for change in jobs.into_iter().chain(settings()).chain(nodes) {
        let mut smaller = snap.clone();
        change(&mut smaller);
        if !differences_on(smaller.clone()).is_empty() {
            snap = smaller;
        }
    }
    snap
}

fn held(job: JobId) -> Change {
    Box::new(move |snap| {
        let waiting = snap.jobs.checked_mut(job).filter(|job| job.state == JobState::Queued);
        waiting.into_iter().for_each(|job| job.state = JobState::Held);
    })
}

fn offline(node: NodeId) -> Change {
    Box::new(move |snap| {
        let node = snap.nodes.checked_mut(node);
        node.into_iter().for_each(|node| node.states = node.states.with(NodeState::Offline));
    })
}

fn settings() -> Vec<Change> {
    vec![
        Box::new(|snap| snap.dedicated_time.clear()),
        Box::new(|snap| snap.holidays = None),
        Box::new(|snap| snap.server.job_sort_formula = None),
        Box::new(|snap| snap.server.limits = Default::default()),
        Box::new(|snap| snap.queues.iter_mut().for_each(|queue| queue.limits = Default::default())),
        Box::new(|snap| snap.server.node_group_key.clear()),
        Box::new(|snap| snap.server.backfill_depth = None),
        Box::new(|snap| snap.policy.job_sort_key = Default::default()),
        Box::new(|snap| snap.policy.node_sort_key = Default::default()),
        Box::new(|snap| snap.policy.fair_share = Default::default()),
        Box::new(|snap| snap.policy.by_queue = Default::default()),
        Box::new(|snap| snap.policy.round_robin = Default::default()),
        Box::new(|snap| snap.policy.preemptive_sched = Default::default()),
        Box::new(|snap| snap.policy.strict_ordering = Default::default()),
        Box::new(|snap| snap.policy.smp_cluster_dist = Default::default()),
        Box::new(|snap| snap.policy.resource_unset_infinite.clear()),
        Box::new(|snap| snap.policy.prime_spill = Default::default()),
        Box::new(|snap| snap.policy.backfill_prime = Default::default()),
    ]
}

/// Writes reduced clusters into folders below `QSCOPE_WRITE_TO`, one for each seed of `QSCOPE_SEEDS=FROM..TO` (and
/// `QSCOPE_KIND`) on which the two differ.
#[test]
#[ignore = "by hand, on clusters on which engine and oracle differ: QSCOPE_WRITE_TO names a folder"]
fn writes_reduced_clusters() {
    let Some(folder) = std::env::var_os("QSCOPE_WRITE_TO") else { return };
    let make = kind();
    for seed in seeds() {
        if differences_on(make(seed)).is_empty() {
            continue;
        }
        let snap = reduced(make(seed));
        let folder = Path::new(&folder).join(seed.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in dump::files(&snap) {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        report_whole(&snap);
        differences_on(snap).iter().for_each(|line| report(&format!("{seed}: {line}")));
    }
}
