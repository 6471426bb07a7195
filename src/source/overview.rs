//! Facts about all vnodes for cluster-wide checks, page by page: an unchanged page is not examined again.

use qscope_engine::cluster::{ColumnPage, Id, Name, Node, NodeId, SharedColumn, Value};

/// Facts about the vnodes of a snapshot.
#[derive(Default)]
pub(crate) struct Overview {
    pages: Vec<(ColumnPage<Node>, OverviewFacts)>,
    /// Facts about vnodes after the last full page.
    partial_page: OverviewFacts,
}

/// Facts about consecutive vnodes.
#[derive(Default)]
struct OverviewFacts {
    /// Vnodes with a negative amount.
    with_negative_amount: Vec<NodeId>,
    /// Vnodes that list jobs.
    with_jobs: Vec<NodeId>,
    /// Partitions, including none, with their number of vnodes, in the order of the dump.
    partitions: Vec<(Option<Name>, usize)>,
}

impl OverviewFacts {
    fn of<'n>(first: usize, nodes: impl Iterator<Item = &'n Node>) -> Self {
        let mut facts = Self::default();
        for (at, node) in nodes.enumerate() {
            let id = NodeId::at(first + at);
            let mut amounts = node.assigned.iter().chain(node.available.iter());
            facts.with_negative_amount.extend(amounts.any(|(_, amount)| is_negative(amount)).then_some(id));
            facts.with_jobs.extend((!node.jobs.is_empty()).then_some(id));
            count(&mut facts.partitions, node.partition.as_ref(), 1);
        }
        facts
    }
}

/// Whether an amount is negative, as servers keep sums after lost updates.
pub(crate) fn is_negative(amount: &Value) -> bool {
    amount.amount().is_some_and(|amount| amount.0 < 0.0)
}

/// Adds to the number of vnodes of a partition.
fn count(all: &mut Vec<(Option<Name>, usize)>, partition: Option<&Name>, nodes: usize) {
    match all.iter_mut().find(|(have, _)| have.as_ref() == partition) {
        Some((_, count)) => *count += nodes,
        None => all.push((partition.cloned(), nodes)),
    }
}

impl Overview {
    /// Examines the vnodes of a snapshot that changed.
    pub(crate) fn follow(&mut self, nodes: &SharedColumn<NodeId, Node>) {
        let pages = nodes.pages();
        self.pages.truncate(pages.len());
        for (nth, page) in pages.iter().enumerate() {
            let known = self.pages.get_mut(nth);
            if known.as_ref().is_some_and(|(known, _)| known.is_same(page)) {
                continue;
            }
            let looked_at = (page.clone(), OverviewFacts::of(nth * ColumnPage::<Node>::ROWS, page.rows()));
            match known {
                Some(known) => *known = looked_at,
                None => self.pages.push(looked_at),
            }
        }
        self.partial_page =
            OverviewFacts::of(pages.len() * ColumnPage::<Node>::ROWS, nodes.after_full_pages());
    }

    fn all(&self) -> impl Iterator<Item = &OverviewFacts> {
        self.pages.iter().map(|(_, facts)| facts).chain([&self.partial_page])
    }

    /// Returns the vnodes with a negative amount.
    pub(crate) fn nodes_with_negative_amount(&self) -> impl Iterator<Item = NodeId> {
        self.all().flat_map(|facts| facts.with_negative_amount.iter().copied())
    }

    /// Returns the vnodes that list jobs.
    pub(crate) fn with_jobs(&self) -> impl Iterator<Item = NodeId> {
        self.all().flat_map(|facts| facts.with_jobs.iter().copied())
    }

    /// Returns the partitions of vnodes, including none, with their number of vnodes, in the order of the dump.
    pub(crate) fn partitions(&self) -> Vec<(Option<Name>, usize)> {
        let mut all = Vec::new();
        for (partition, nodes) in self.all().flat_map(|facts| &facts.partitions) {
            count(&mut all, partition.as_ref(), *nodes);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Amount, ResourceId};

    #[test]
    fn it_shows_of_changed_vnodes_what_it_shows_of_new_ones() {
        let node = |partition: Option<&str>| Node { partition: partition.map(Name::from), ..Node::default() };
        let rows = (0..150).map(|at| node((at > 70).then_some("p"))).collect::<Vec<_>>();
        let mut nodes: SharedColumn<NodeId, Node> = rows.into();
        let mut overview = Overview::default();
        let facts = |overview: &Overview| {
            let ids = |all: &mut dyn Iterator<Item = NodeId>| all.map(|id| id.0).collect::<Vec<_>>();
            (
                ids(&mut overview.nodes_with_negative_amount()),
                ids(&mut overview.with_jobs()),
                overview.partitions(),
            )
        };
        overview.follow(&nodes);
        assert_eq!(facts(&overview), (vec![], vec![], vec![(None, 71), (Some("p".into()), 79)]));
        nodes[NodeId(3)].assigned.set(ResourceId::ncpus(), Value::Amount(Amount(-1.0)));
        nodes[NodeId(149)].jobs.push("1.s".into());
        nodes.remove_at(100);
        overview.follow(&nodes);
        assert_eq!(facts(&overview), (vec![3], vec![148], vec![(None, 71), (Some("p".into()), 78)]));
        let mut anew = Overview::default();
        anew.follow(&nodes);
        assert_eq!(facts(&anew), facts(&overview));
        (0..149).for_each(|_| drop(nodes.remove_at(0)));
        overview.follow(&nodes);
        assert_eq!(facts(&overview), (vec![], vec![], vec![]));
    }
}
