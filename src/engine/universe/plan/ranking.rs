//! A custom order of nodes for single jobs, which replaces the scheduler's own.
//!
//! The plan holds it because it is part of the question asked. Ranking needs a state, so this is the only place where
//! the plan refers to a type that is derived from it.

use std::fmt::Debug;
use std::sync::Arc;

use crate::cluster::{JobId, Snapshot};

use crate::universe::{Bit, State};

/// Orders the nodes that a job is offered on the node path, instead of `node_sort_key`. A job whose nodes are ranked
/// does not take the bucket path, because buckets do not distinguish between their nodes.
pub trait NodeRanking: Send + Sync + Debug {
    /// Returns the display name.
    fn name(&self) -> &str;

    /// Whether it ranks the nodes of this job; other jobs keep the scheduler's order and path.
    fn ranks(&self, job: JobId) -> bool;

    /// Returns the same ranking for another version of the cluster, or `None` if it ranks nothing there.
    fn over(&self, snap: &Snapshot) -> Option<Arc<dyn NodeRanking>>;

    /// Returns the nodes, best first, without those that it denies the job.
    fn rank(&self, state: &State, job: JobId, nodes: Vec<Bit>) -> Vec<Bit>;
}
