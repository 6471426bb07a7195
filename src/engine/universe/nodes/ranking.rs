//! An order of nodes job by job, put in the place of the scheduler's own.

use std::fmt::Debug;

use crate::cluster::JobId;

use crate::universe::nodes::node_set::Bit;
use crate::universe::state::State;

/// Orders the nodes that a job is offered on the node path, in the place of `node_sort_key`. With a ranking
/// there is no bucket path, since a bucket's nodes are all the same to it.
pub trait NodeRanking: Send + Sync + Debug {
    /// Its name, for people.
    fn name(&self) -> &str;

    /// The same nodes, the best first.
    fn rank(&self, state: &State, job: JobId, nodes: Vec<Bit>) -> Vec<Bit>;
}
