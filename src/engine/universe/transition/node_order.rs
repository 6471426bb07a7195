//! The lists of nodes that starts sort again (rule 4.3).

use crate::cluster::NodeSortKey;
use crate::universe::{Allocation, Bit, NodeListId, Occupant, SortedNodes, State, StateChange, TakenAmounts};

impl State {
    /// Sorts the lists that a start sorts, if a key reads unused or assigned amounts (rule 4.3): the server's list,
    /// and that of the job's queue. Ends sort nothing.
    pub(super) fn resort_nodes(&mut self, occupant: Occupant) {
        if !self.sorts_nodes() || self.reservation_of(occupant).is_some() {
            return;
        }
        self.sort_list(NodeListId::Server, &self.lists.server.clone());
        if let Occupant::Job(job, _) = occupant
            && let Some(queue) = self.plan.queue_of(job)
            && self.plan.masks.owns_nodes(queue)
        {
            let nodes: Vec<Bit> = self.plan.nodes.ids().collect();
            self.sort_list(NodeListId::Queue(queue), &nodes);
        }
    }

    /// Whether a sort key in force reads unused or assigned amounts.
    pub fn sorts_nodes(&self) -> bool {
        let keys = self.plan.snap.policy.node_sort_key.get(self.plan.period);
        keys.iter().any(NodeSortKey::is_per_job)
    }

    /// Sorts one list of these nodes by current amounts.
    pub fn sort_list(&mut self, list: NodeListId, nodes: &[Bit]) {
        let order = self.sorted_now(nodes);
        self.put_list(list, nodes, order);
    }

    /// The same, as if a job had taken the amounts of `job` too.
    pub fn sort_list_beside(&mut self, list: NodeListId, nodes: &[Bit], job: &Allocation) {
        let mut taken = TakenAmounts::default();
        for piece in &job.pieces {
            for (ix, amount) in Allocation::consumables_of_piece(&self.plan, piece) {
                taken.add(ix, self.plan.capacity.keeper(ix, piece.bit), amount);
            }
        }
        let of = |ix, home| taken.of(ix, home);
        let order = SortedNodes::new(&self.plan, &self.occupancy, nodes.to_vec(), &of).into_nodes();
        self.put_list(list, nodes, order);
    }

    fn put_list(&mut self, list: NodeListId, nodes: &[Bit], order: Vec<Bit>) {
        let now = self.lists.order(list).map_or(nodes, |order| order);
        if *order != *now {
            self.change(StateChange::NodeOrder(list, Some(order.into())));
        }
    }
}
