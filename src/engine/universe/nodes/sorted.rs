//! Nodes sorted by unused or assigned amounts at one moment (rule 4.3), kept together with their key values: a start
//! or a chunk changes only a few nodes, and only those are moved.

mod terms;

use crate::universe::nodes::sorted::terms::ResolvedTerms;
use crate::universe::rows::{Rows, shift};
use crate::universe::{Bit, NodeOccupancy, Plan, TakenAmountFn};

/// Nodes in sorted order. Ties are broken by the order of the dump, so no two nodes are equal and every sorting
/// method gives the same result.
#[derive(Clone, Debug)]
pub struct SortedNodes {
    nodes: Vec<Bit>,
    /// One row of numbers per node that compares as the keys do; the last number is the node's position in the dump.
    rows: Rows<u64>,
}

impl SortedNodes {
    /// Sorts nodes by the current amounts. Fast if they are mostly in order already.
    pub fn new(plan: &Plan, floor: &NodeOccupancy, nodes: Vec<Bit>, taken: TakenAmountFn<'_>) -> Self {
        let terms = ResolvedTerms::new(plan, floor);
        let width = terms.width();
        let mut rows = Vec::with_capacity(nodes.len() * width);
        nodes.iter().for_each(|bit| terms.push_row(*bit, taken, &mut rows));
        let mut sorted = Self { nodes, rows: Rows::new(width, rows) };
        if let Some(order) = sorted.disorder() {
            sorted.arrange(&order);
        }
        sorted
    }

    /// Returns the nodes in order.
    pub fn nodes(&self) -> &[Bit] {
        &self.nodes
    }

    /// Returns the nodes in order.
    pub fn into_nodes(self) -> Vec<Bit> {
        self.nodes
    }

    /// Restores the order after more was taken of what one node keeps.
    pub fn follow(&mut self, plan: &Plan, occupancy: &NodeOccupancy, bit: Bit, taken: TakenAmountFn<'_>) {
        let terms = ResolvedTerms::new(plan, occupancy);
        if terms.are_kept_elsewhere() {
            *self = Self::new(plan, occupancy, std::mem::take(&mut self.nodes), taken);
            return;
        }
        let Some(was) = self.nodes.iter().position(|node| *node == bit) else { return };
        let mut row = Vec::with_capacity(terms.width());
        terms.push_row(bit, taken, &mut row);
        if self.rows.row(was) == row {
            return;
        }
        let up = self.first_not_below(0, was, &row);
        let to = if up < was { up } else { self.first_not_below(was + 1, self.nodes.len(), &row) - 1 };
        shift(&mut self.nodes, was, to, 1);
        self.rows.shift(was, to);
        self.rows.row_mut(to).copy_from_slice(&row);
    }

    /// Returns the first position in `from..to` whose node does not sort before a row.
    fn first_not_below(&self, mut from: usize, mut to: usize, row: &[u64]) -> usize {
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.rows.row(middle) < row {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// Returns the positions in sorted order, or `None` if they are sorted already. Positions that break the order
    /// are taken out, sorted, and merged with the rest.
    fn disorder(&self) -> Option<Vec<usize>> {
        let mut kept: Vec<usize> = Vec::with_capacity(self.nodes.len());
        let mut moved = Vec::new();
        for at in 0..self.nodes.len() {
            match kept.last() {
                Some(last) if self.rows.row(*last) > self.rows.row(at) => {
                    // Either of the two may be the one that changed.
                    moved.extend(kept.pop());
                    moved.push(at);
                }
                _ => kept.push(at),
            }
        }
        if moved.is_empty() {
            return None;
        }
        moved.sort_unstable_by(|a, b| self.rows.row(*a).cmp(self.rows.row(*b)));
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut kept = kept.into_iter().peekable();
        for at in moved {
            while let Some(before) = kept.next_if(|other| self.rows.row(*other) < self.rows.row(at)) {
                order.push(before);
            }
            order.push(at);
        }
        order.extend(kept);
        Some(order)
    }

    /// Rearranges nodes and rows into this order.
    fn arrange(&mut self, order: &[usize]) {
        self.rows = self.rows.arranged(order);
        self.nodes = order.iter().filter_map(|at| self.nodes.get(*at)).copied().collect();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::cluster::{Amount, Epoch, Id, Node, NodeSortKey, Period, ResourceId, Snapshot, Value};
    use crate::universe::{Quirks, State, compare_keys};

    /// Returns a state of nodes with the given cpus and memory (megabytes).
    fn state(nodes: &[(u8, u8)], keys: &[&str]) -> State {
        let mut snap = Snapshot::empty("t", Epoch(0));
        for (at, (cpus, mem)) in nodes.iter().enumerate() {
            let mut node = Node { name: format!("n{at}").into(), ..Node::default() };
            node.available.set(ResourceId::ncpus(), Value::Amount(Amount(f64::from(*cpus))));
            node.available.set(ResourceId::mem(), Value::Amount(Amount(f64::from(*mem) * 1024.0)));
            snap.nodes.push(node);
        }
        snap.policy.node_sort_key.prime = keys.iter().map(|key| NodeSortKey::parse(key).unwrap()).collect();
        State::new(Arc::new(Plan::new(Arc::new(snap), Quirks::default(), Period::Prime)), 0)
    }

    /// The rule in its simplest form.
    fn by_the_rule(state: &State, taken: TakenAmountFn<'_>) -> Vec<Bit> {
        let plan = &state.plan;
        let keys = plan.snap.policy.node_sort_key.get(plan.period);
        let left = |ix, bit: Bit| plan.capacity.available(ix, bit) - taken(ix, bit);
        let values = |bit: &Bit| {
            [ResourceId::ncpus(), ResourceId::mem()]
                .map(|resource| left(plan.consumables.ix(resource).unwrap(), *bit))
        };
        let mut nodes: Vec<Bit> = plan.nodes.ids().collect();
        nodes.sort_by_key(|bit| plan.nodes[*bit].id);
        nodes.sort_by(|a, b| compare_keys(keys, &values(a), &values(b)));
        nodes
    }

    proptest! {
        #[test]
        fn rule_4_3_chunk_after_chunk(
            nodes in prop::collection::vec((0u8..6, 0u8..3), 1..30),
            takes in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4), 0..12),
            directions in any::<(bool, bool)>(),
        ) {
            let word = |high| if high { "HIGH" } else { "LOW" };
            let keys = [
                format!("ncpus {} unused", word(directions.0)),
                format!("mem {} unused", word(directions.1)),
            ];
            let state = state(&nodes, &keys.each_ref().map(String::as_str));
            let cpus = state.plan.consumables.ix(ResourceId::ncpus()).unwrap();
            let mut used = vec![0.0; nodes.len()];
            let mut sorted = SortedNodes::new(&state.plan, &state.occupancy, state.plan.nodes.ids().collect(), &|_, _| 0.0);
            for (node, amount) in takes {
                let bit = Bit::at(node.index(nodes.len()));
                used[bit.ix()] += f64::from(amount);
                let taken = |ix, bit: Bit| if ix == cpus { used[bit.ix()] } else { 0.0 };
                sorted.follow(&state.plan, &state.occupancy, bit, &taken);
                prop_assert_eq!(sorted.nodes(), by_the_rule(&state, &taken));
                let anew = SortedNodes::new(&state.plan, &state.occupancy, state.plan.nodes.ids().collect(), &taken);
                prop_assert_eq!(sorted.nodes(), anew.nodes());
            }
        }
    }
}
