//! Jobs that run on nodes which do not list them, because the dumps were made at different times.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Diagnostic, ExecVnode, Job, JobId, Node, NodeId, Snapshot};

/// The jobs that nodes list.
#[derive(Debug)]
pub struct NodeJobSet<'s> {
    listed: FxHashSet<(&'s str, &'s str)>,
}

impl<'s> NodeJobSet<'s> {
    /// Reads the lists of these nodes; other nodes are treated as listing nothing.
    pub fn of(nodes: impl Iterator<Item = &'s Node>) -> Self {
        let listed = nodes.flat_map(|node| node.jobs.iter().map(|job| (&*node.name, &**job)));
        Self { listed: listed.collect() }
    }

    /// Returns the names of a job's vnodes that do not list it; empty for a job that is not on nodes.
    pub fn lacking<'j>(&self, job: &'j Job) -> Vec<&'j str> {
        if !is_on_nodes(job) {
            return Vec::new();
        }
        let parts = job.exec_vnode.iter().flat_map(ExecVnode::parts).map(|part| &*part.vnode);
        let mut lacking: Vec<&str> =
            parts.filter(|vnode| !self.listed.contains(&(*vnode, &*job.name))).collect();
        lacking.dedup();
        lacking
    }
}

/// Whether a job is on nodes according to the job dump; for an array that is its subjobs, not the array.
pub fn is_on_nodes(job: &Job) -> bool {
    job.state.has_nodes() && !job.is_array()
}

/// Returns the jobs that run on nodes which do not list them, each with these nodes. Searches only if readers
/// reported such a job.
pub fn not_listed(snap: &Snapshot) -> Vec<(JobId, Vec<NodeId>)> {
    if snap.reported(Diagnostic::NOT_ON_NODE).next().is_none() {
        return Vec::new();
    }
    let listing = NodeJobSet::of(snap.nodes.iter());
    let ids: FxHashMap<&str, NodeId> = snap.nodes.enumerate().map(|(id, node)| (&*node.name, id)).collect();
    let known =
        |job: &Job| listing.lacking(job).into_iter().filter_map(|vnode| ids.get(vnode).copied()).collect();
    let lacking = snap.jobs.enumerate().map(|(id, job)| (id, known(job)));
    lacking.filter(|(_, nodes): &(_, Vec<NodeId>)| !nodes.is_empty()).collect()
}
