//! Facts about a cluster without any verdict: what is free, where jobs run, how long jobs have waited, and what the
//! batch system's own scheduler states.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Job, JobState, Seconds, Snapshot, count};
use qscope_explain::words;

/// Whether a job is queued and has not started.
pub fn waits(job: &Job) -> bool {
    matches!(job.state, JobState::Queued | JobState::Held | JobState::Waiting)
}

/// Returns the vnodes of a running job.
pub fn vnodes_of(job: &Job) -> Vec<&str> {
    let mut nodes: Vec<&str> =
        job.exec_vnode.iter().flat_map(|exec| exec.parts().map(|part| &*part.vnode)).collect();
    nodes.dedup();
    nodes
}

/// Returns how long a job has waited or run.
pub fn elapsed(snap: &Snapshot, job: &Job) -> Option<Seconds> {
    let from = if waits(job) { job.waits_since() } else { job.started };
    from.map(|from| snap.now - from).filter(|span| span.0 >= 0)
}

/// Returns a job in one line: state, owner, queue, how long it has waited or run, where it runs or the scheduler's
/// comment.
pub fn job_line(snap: &Snapshot, job: &Job) -> String {
    let span = elapsed(snap, job).map_or_else(|| "-".to_owned(), words::span);
    let rest = match (vnodes_of(job), &job.comment) {
        (nodes, _) if !nodes.is_empty() => nodes.join(" "),
        (_, Some(comment)) => comment.clone(),
        _ => String::new(),
    };
    let letter = job.state.letter();
    format!("{:<14} {letter}  {:<10} {:<10} {span:>12}  {rest}", job.name, job.user, job.queue)
}

/// Returns `3 nodes: 2 free, 1 down; 12 of 24 ncpus unused on those that are up`; `None` without nodes.
fn nodes_line(snap: &Snapshot) -> Option<String> {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    let (mut left, mut all) = (0.0, 0.0);
    for node in &snap.nodes {
        *states.entry(node.states.to_string()).or_default() += 1;
        if !node.states.is_gone() {
            all += node.available.cpus();
            left += (node.available.cpus() - node.assigned.cpus()).max(0.0);
        }
    }
    let states: Vec<String> = states.iter().map(|(state, nodes)| format!("{nodes} {state}")).collect();
    let nodes = count(snap.nodes.len(), "node");
    let cpus = format!("{left} of {all} ncpus free on those that are up");
    (!snap.nodes.is_empty()).then(|| format!("{nodes}: {}; {cpus}", states.join(", ")))
}

/// Returns all facts, one per line.
pub fn plain_facts(snap: &Snapshot) -> Vec<String> {
    let running = snap.jobs.iter().filter(|job| job.state == JobState::Running).count();
    let waiting = snap.jobs.iter().filter(|job| waits(job)).count();
    let jobs = format!("{}: {running} running, {waiting} waiting", count(snap.jobs.len(), "job"));
    let rows = snap.jobs.iter().map(|job| job_line(snap, job));
    nodes_line(snap).into_iter().chain([jobs]).chain(rows).collect()
}
