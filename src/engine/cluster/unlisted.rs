//! Jobs that run on nodes which do not list them: the dumps are of different moments.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Diagnostic, ExecVnode, Job, JobId, Node, NodeId, Snapshot};

/// Which jobs nodes list.
#[derive(Debug)]
pub struct NodeListing<'s> {
    listed: FxHashSet<(&'s str, &'s str)>,
}

impl<'s> NodeListing<'s> {
    /// Of these nodes; of others nothing is known to be listed.
    pub fn of(nodes: impl Iterator<Item = &'s Node>) -> Self {
        let listed = nodes.flat_map(|node| node.jobs.iter().map(|job| (&*node.name, &**job)));
        Self { listed: listed.collect() }
    }

    /// The vnodes of a job that do not list it, by name; none of a job that is on none.
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

/// Whether a job is on nodes by the dump of jobs; an array's subjobs are, and not the array.
pub fn is_on_nodes(job: &Job) -> bool {
    job.state.has_nodes() && !job.is_array()
}

/// The jobs that run on nodes which do not list them, each with those of these nodes that are there; nothing is looked for
/// where readers reported none.
pub fn not_listed(snap: &Snapshot) -> Vec<(JobId, Vec<NodeId>)> {
    if snap.reported(Diagnostic::NOT_ON_NODE).next().is_none() {
        return Vec::new();
    }
    let listing = NodeListing::of(snap.nodes.iter());
    let ids: FxHashMap<&str, NodeId> = snap.nodes.enumerate().map(|(id, node)| (&*node.name, id)).collect();
    let known =
        |job: &Job| listing.lacking(job).into_iter().filter_map(|vnode| ids.get(vnode).copied()).collect();
    let lacking = snap.jobs.enumerate().map(|(id, job)| (id, known(job)));
    lacking.filter(|(_, nodes): &(_, Vec<NodeId>)| !nodes.is_empty()).collect()
}
