//! Jobs that run on nodes which do not list them: the dumps are of different moments.

use rustc_hash::FxHashMap;

use super::{Diagnostic, ExecVnode, Job, JobId, Node, NodeId, Snapshot};

/// The jobs that run on nodes which do not list them, each with these nodes; nothing is looked for where readers reported none.
pub fn not_listed(snap: &Snapshot) -> Vec<(JobId, Vec<NodeId>)> {
    if snap.reported(Diagnostic::NOT_ON_NODE).next().is_none() {
        return Vec::new();
    }
    let nodes: FxHashMap<&str, (NodeId, &Node)> =
        snap.nodes.enumerate().map(|(id, node)| (&*node.name, (id, node))).collect();
    let runs = snap.jobs.enumerate().filter(|(_, job)| job.state.has_nodes() && !job.is_array());
    let lacking = runs.map(|(id, job)| (id, not_listing(job, &nodes)));
    lacking.filter(|(_, nodes)| !nodes.is_empty()).collect()
}

/// The nodes of a job that do not list it.
fn not_listing(job: &Job, nodes: &FxHashMap<&str, (NodeId, &Node)>) -> Vec<NodeId> {
    let parts = job.exec_vnode.iter().flat_map(ExecVnode::parts);
    let known = parts.filter_map(|part| nodes.get(&*part.vnode));
    let mut found: Vec<NodeId> =
        known.filter(|(_, node)| !node.jobs.contains(&job.name)).map(|(id, _)| *id).collect();
    found.dedup();
    found
}
