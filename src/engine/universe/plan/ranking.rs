//! An order of nodes job by job, put in the place of the scheduler's own.
//!
//! The plan carries it, since it is part of what is asked, and only a state can be ranked: the one name in the plan of
//! something that is derived from it.

use std::fmt::Debug;
use std::sync::Arc;

use crate::cluster::{JobId, Snapshot};

use crate::universe::{Bit, State};

/// Orders the nodes that a job is offered on the node path, in the place of `node_sort_key`. A job whose nodes are
/// ranked does not take the bucket path, since a bucket's nodes are all the same to it.
pub trait NodeRanking: Send + Sync + Debug {
    /// Its name, for people.
    fn name(&self) -> &str;

    /// Whether it orders the nodes of this job; others keep the scheduler's order and path.
    fn ranks(&self, job: JobId) -> bool;

    /// The same ranking over another version of the cluster; none where it orders nothing there.
    fn over(&self, snap: &Snapshot) -> Option<Arc<dyn NodeRanking>>;

    /// The nodes, the best first, without those that it keeps the job out of.
    fn rank(&self, state: &State, job: JobId, nodes: Vec<Bit>) -> Vec<Bit>;
}
