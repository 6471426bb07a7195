//! Further criteria for grouping nodes into rows: bucket, host, node, value of a resource.

use rustc_hash::FxHashMap;

use super::rows::{TimeRow, split_by_fit};
use super::{FitWindow, TimelineState};
use crate::views::nodes::groups::places;
use qscope_engine::cluster::{Catalogue, Id, Name};
use qscope_engine::universe::{Bit, Plan};

/// What the nodes of a row have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum RowGrouping {
    /// They are held alike.
    #[default]
    Use,
    /// They are held alike and are in one bucket; buckets are in the order of their nodes.
    Bucket,
    /// They are held alike and are on one host.
    Host,
    /// Each row is one node.
    Node,
    /// They are held alike and share a value of a resource, such as a rack.
    Resource(Name),
}

impl RowGrouping {
    /// The criteria before the resources, in order.
    const USUAL: [Self; 4] = [Self::Use, Self::Bucket, Self::Host, Self::Node];

    /// The next criterion; the resources that nodes can be grouped by come last.
    pub(crate) fn next(&self, plan: &Plan) -> Self {
        let places = places(plan).map(|id| Self::Resource(plan.snap.catalogue.name(id).clone()));
        let mut behind = Self::USUAL.into_iter().chain(places).skip_while(|by| by != self);
        behind.nth(1).unwrap_or_default()
    }

    /// The criterion with that name.
    pub(crate) fn named(name: &str, catalogue: &Catalogue) -> Option<Self> {
        let usual = Self::USUAL.into_iter().find(|by| by.word() == name);
        usual.or_else(|| catalogue.id(name).map(|id| Self::Resource(catalogue.name(id).clone())))
    }

    /// Its word.
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Use => "use",
            Self::Bucket => "bucket",
            Self::Host => "host",
            Self::Node => "node",
            Self::Resource(name) => name,
        }
    }
}

impl TimelineState {
    /// Returns a function from a node to the number of its group.
    fn keys<'a>(&'a self, plan: &'a Plan) -> Box<dyn Fn(Bit) -> usize + 'a> {
        match &self.grouping {
            RowGrouping::Use => Box::new(|_| 0),
            RowGrouping::Bucket => {
                Box::new(|bit| self.buckets.checked(bit).copied().flatten().map_or(usize::MAX, Id::ix))
            }
            RowGrouping::Host => Box::new(|bit| plan.nodes[bit].host.ix()),
            RowGrouping::Node => Box::new(Bit::ix),
            RowGrouping::Resource(name) => {
                let catalogue = &plan.snap.catalogue;
                let id = catalogue.id(name);
                let value = move |bit: Bit| {
                    let value = plan.node(bit).available.get(id?)?;
                    Some(value.show(catalogue.kind(id?)))
                };
                let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
                for value in plan.nodes.ids().filter_map(value) {
                    let next = numbers.len();
                    numbers.entry(value).or_insert(next);
                }
                Box::new(move |bit| {
                    value(bit).and_then(|value| numbers.get(&value).copied()).unwrap_or(usize::MAX)
                })
            }
        }
    }

    /// Rows of nodes that are held alike and in one group; the rows of a group are adjacent.
    pub(super) fn rows_by(&self, plan: &Plan, fit: Option<&FitWindow>) -> Vec<TimeRow> {
        let key_of = self.keys(plan);
        let mut kinds: Vec<(usize, Vec<TimeRow>)> = Vec::new();
        let mut known: FxHashMap<usize, usize> = FxHashMap::default();
        for (lane, all) in split_by_fit(&self.schedule.lanes, fit) {
            let mut parts: Vec<(usize, Vec<Bit>)> = Vec::new();
            let mut at: FxHashMap<usize, usize> = FxHashMap::default();
            for bit in all.iter().copied() {
                let key = key_of(bit);
                let at = *at.entry(key).or_insert(parts.len());
                match parts.get_mut(at) {
                    Some((_, nodes)) => nodes.push(bit),
                    None => parts.push((key, vec![bit])),
                }
            }
            for (key, nodes) in parts {
                let made = self.row(lane, nodes, fit);
                let at = *known.entry(key).or_insert(kinds.len());
                match kinds.get_mut(at) {
                    Some((_, rows)) => rows.push(made),
                    None => kinds.push((key, vec![made])),
                }
            }
        }
        let first = |row: &TimeRow| row.nodes.first().map(|bit| plan.nodes[*bit].id);
        for (_, rows) in &mut kinds {
            rows.sort_by_key(&first);
        }
        kinds.sort_by_key(|(_, rows)| rows.first().and_then(&first));
        kinds.into_iter().flat_map(|(_, rows)| rows).collect()
    }
}
