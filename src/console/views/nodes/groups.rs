//! The groups of the map: buckets, placement sets, hosts, names without their numbers, or values of a resource.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::bucket_names::{BucketNames, NameColumns};
use qscope_engine::cluster::{
    Catalogue, Column, Id, ResourceDef, ResourceId, ResourceType, Value, split_number,
};
use qscope_engine::universe::{Bit, PlacementSet, Plan, PoolOwner, State};

/// How nodes are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum NodeGrouping {
    #[default]
    Bucket,
    Set,
    /// Vnodes of one host.
    Host,
    /// Names that differ only in a number.
    Name,
    /// Nodes with the same value of a resource, such as a rack.
    Resource(ResourceId),
}

impl NodeGrouping {
    /// All criteria that the key cycles through, resources last.
    pub(super) fn all(plan: &Plan) -> Vec<Self> {
        let usual = [Self::Bucket, Self::Set, Self::Host, Self::Name];
        usual.into_iter().chain(places(plan).map(Self::Resource)).collect()
    }

    /// Whether its groups depend on the state of the cycle; names, hosts and resources are fixed by the snapshot.
    pub(crate) fn depends_on_state(self) -> bool {
        matches!(self, Self::Bucket | Self::Set)
    }

    /// The criterion that the key goes to next.
    #[must_use]
    pub(crate) fn next(self, plan: &Plan) -> Self {
        let all = Self::all(plan);
        let here = all.iter().position(|by| *by == self);
        here.and_then(|at| all.get(at + 1)).copied().unwrap_or_default()
    }

    /// The criterion with that word, or a resource of the cluster.
    pub(crate) fn named(word: &str, catalogue: &Catalogue) -> Option<Self> {
        let usual = [Self::Bucket, Self::Set, Self::Host, Self::Name];
        let usual = usual.into_iter().find(|by| by.word(catalogue) == word);
        usual.or_else(|| catalogue.id(word).map(Self::Resource))
    }

    /// Its word in titles and on the command line.
    pub(crate) fn word(self, catalogue: &Catalogue) -> &str {
        match self {
            Self::Bucket => "bucket",
            Self::Set => "set",
            Self::Host => "host",
            Self::Name => "name",
            Self::Resource(resource) => catalogue.name(resource),
        }
    }
}

/// Number of nodes examined for whether a resource groups any of them.
const EXAMINED: usize = 1_000;

/// The resources of text type that nodes can be grouped by, such as racks: those of host level with a value that some
/// nodes share and others do not have.
pub(crate) fn places(plan: &Plan) -> impl Iterator<Item = ResourceId> {
    let is_place = |(id, def): &(ResourceId, &ResourceDef)| {
        let is_words = matches!(def.kind, ResourceType::Text | ResourceType::TextArray);
        def.flags.host && is_words && !matches!(&*def.name, "host" | "vnode") && divides(plan, *id)
    };
    plan.snap.catalogue.iter().filter(is_place).map(|(id, _)| id)
}

/// Whether some nodes share a value, and others have another one or none.
fn divides(plan: &Plan, resource: ResourceId) -> bool {
    // Only a sample of very many nodes: most resources are set on no node, and examining all would delay a key press.
    let step = (plan.nodes.len() / EXAMINED).max(1);
    let values = |step: usize| {
        plan.nodes
            .iter()
            .step_by(step)
            .take(EXAMINED)
            .map(|node| plan.snap.nodes[node.id].available.get(resource))
    };
    let first = values(1).next().flatten();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let kind = plan.snap.catalogue.kind(resource);
    let mut shown = values(1).flatten().map(|value| value.show(kind));
    values(step).any(|value| value != first) && shown.any(|value| !seen.insert(value))
}

/// The nodes of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeGroup {
    /// The label; what distinguishes it comes first, as it may be cut.
    pub(crate) label: String,
    /// The label with its values in the columns of all groups.
    pub(crate) values: String,
    /// The name of the first node, to distinguish labels that are cut to the same text; empty where labels are names.
    pub(crate) first: String,
    pub(crate) nodes: Vec<Bit>,
    /// Number of its nodes without a filter.
    pub(crate) all: usize,
}

impl NodeGroup {
    fn new(label: String, nodes: Vec<Bit>) -> Self {
        Self { values: label.clone(), label, first: String::new(), all: nodes.len(), nodes }
    }
}

/// All groups in order, and the part common to all labels, which these leave out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NodeGroups {
    pub(crate) list: Vec<NodeGroup>,
    pub(crate) common: String,
    /// The headings of the value columns; empty where labels have no columns.
    pub(crate) headings: String,
    /// Whether a filter chose the nodes.
    pub(crate) filtered: bool,
}

impl NodeGroups {
    /// The groups with only the nodes that `keeps` accepts; empty groups are dropped.
    pub(crate) fn filtered_by(&self, keeps: impl Fn(Bit) -> bool) -> Self {
        let mut groups = Self { filtered: true, ..self.clone() };
        for group in &mut groups.list {
            group.nodes.retain(|bit| keeps(*bit));
        }
        groups.without_empty()
    }

    /// Drops empty groups.
    fn without_empty(mut self) -> Self {
        self.list.retain(|group| !group.nodes.is_empty());
        self
    }
}

/// The groups of a state, without empty ones.
pub(crate) fn of(state: &State, by: NodeGrouping) -> NodeGroups {
    match by {
        NodeGrouping::Bucket => by_bucket(state).without_empty(),
        NodeGrouping::Set => by_set(state).without_empty(),
        NodeGrouping::Host | NodeGrouping::Name | NodeGrouping::Resource(_) => of_plan(&state.plan, by),
    }
}

/// The groups that no step changes; empty for the other criteria.
pub(super) fn of_plan(plan: &Plan, by: NodeGrouping) -> NodeGroups {
    let groups = match by {
        NodeGrouping::Bucket | NodeGrouping::Set => NodeGroups::default(),
        NodeGrouping::Host => by_host(plan),
        NodeGrouping::Name => by_name(plan),
        NodeGrouping::Resource(resource) => by_resource(plan, resource),
    };
    groups.without_empty()
}

/// Returns a function to the name of a node's group, the first one if there are several.
pub(super) fn names(state: &State, grouping: NodeGrouping) -> impl Fn(Bit) -> Option<String> {
    let groups = of(state, grouping).list;
    let mut group_of: Column<Bit, Option<usize>> = Column::filled(state.plan.nodes.len(), None);
    for (at, group) in groups.iter().enumerate() {
        for bit in &group.nodes {
            group_of[*bit].get_or_insert(at);
        }
    }
    move |bit| group_of[bit].and_then(|at| groups.get(at)).map(|group| group.label.clone())
}

fn by_bucket(state: &State) -> NodeGroups {
    let names: Vec<String> = state.buckets.iter().map(|bucket| bucket.name(&state.plan)).collect();
    let order = BucketNames::of(state);
    let (common, own) = order.split_common(&names);
    let NameColumns { headings, rows } = order.in_columns(&names);
    let mut list = Vec::new();
    for ((bucket, label), values) in state.buckets.iter().zip(own).zip(rows) {
        let nodes: Vec<Bit> = bucket.members.iter().collect();
        let first = nodes.first().map(|bit| state.plan.node_name(*bit).to_string()).unwrap_or_default();
        list.push(NodeGroup { label, values, first, all: nodes.len(), nodes });
    }
    list.push(NodeGroup::new("in no bucket".to_owned(), in_no_bucket(state).collect()));
    NodeGroups { list, common, headings, filtered: false }
}

/// The sets of all pools in the order tried, each by its name, with that of its queue where there are several pools.
pub(crate) fn named_sets(state: &State) -> impl Iterator<Item = (String, &PlacementSet)> {
    let several = state.pools.len() + state.group_pools.len() > 1;
    let of_pools = state.pools.iter().flat_map(move |pool| {
        let owner = match pool.owner {
            PoolOwner::Queue(queue) if several => format!("{} ", state.plan.snap.queues[queue].name),
            _ => String::new(),
        };
        let sets = pool.order.iter().map(|set| &state.sets[*set]);
        sets.map(move |set| (format!("{owner}{}", set.shape.name), set))
    });
    // Pools made for jobs with place=group=, as long as the scheduler keeps them.
    let mut made: Vec<_> = state.group_pools.iter().collect();
    made.sort_by_key(|(key, _)| **key);
    let made = made.into_iter().flat_map(|(_, pool)| &pool.sets);
    of_pools.chain(made.map(|set| (format!("group {}", set.shape.name), set)))
}

fn by_set(state: &State) -> NodeGroups {
    let group = |(label, set): (_, &PlacementSet)| NodeGroup::new(label, set.shape.members.to_vec());
    NodeGroups { list: named_sets(state).map(group).collect(), ..NodeGroups::default() }
}

/// Hosts with several vnodes, and a group of all others.
fn by_host(plan: &Plan) -> NodeGroups {
    // Ordered by host; the vnodes of a host keep their order.
    let mut by_host: Vec<(usize, Bit)> =
        plan.nodes.enumerate().map(|(bit, node)| (node.host.ix(), bit)).collect();
    by_host.sort_unstable();
    let mut alone = Vec::new();
    let mut list = Vec::new();
    for nodes in by_host.chunk_by(|(host, _), (next, _)| host == next) {
        match nodes {
            [(_, one)] => alone.push(*one),
            [(_, first), ..] => {
                let node = plan.node(*first);
                // One mom may serve several hosts, which have names of their own.
                let host =
                    plan.snap.catalogue.id("host").and_then(|host| {
                        Some(node.available.get(host)?.show(plan.snap.catalogue.kind(host)))
                    });
                let label = host.unwrap_or_else(|| node.moms.first().unwrap_or(&node.name).to_string());
                list.push(NodeGroup::new(label, nodes.iter().map(|(_, bit)| *bit).collect()));
            }
            [] => {}
        }
    }
    list.push(NodeGroup::new("hosts with one vnode".to_owned(), alone));
    NodeGroups { list, ..NodeGroups::default() }
}

/// Nodes in name order, with a group for each stem: `n`, `gpu`.
fn by_name(plan: &Plan) -> NodeGroups {
    let stems = in_name_order(plan).into_iter();
    let list = stems.map(|(stem, nodes)| NodeGroup::new(stem.to_owned(), nodes)).collect();
    NodeGroups { list, ..NodeGroups::default() }
}

/// Nodes by their value of a resource; those without one come last.
fn by_resource(plan: &Plan, resource: ResourceId) -> NodeGroups {
    let (name, kind) = (plan.snap.catalogue.name(resource), plan.snap.catalogue.kind(resource));
    let mut values: FxHashMap<(bool, String), Vec<Bit>> = FxHashMap::default();
    let value_of = |bit: Bit| plan.node(bit).available.get(resource);
    let nodes: Vec<(Option<&Value>, Bit)> = plan.nodes.ids().map(|bit| (value_of(bit), bit)).collect();
    // Neighbouring nodes are often alike: their value is formatted once.
    for alike in nodes.chunk_by(|(value, _), (next, _)| value == next) {
        let text = alike.first().and_then(|(value, _)| *value).map(|value| value.show(kind));
        let group = values.entry((text.is_none(), text.unwrap_or_default())).or_default();
        group.extend(alike.iter().map(|(_, bit)| *bit));
    }
    let group = |((none, value), nodes): ((bool, String), Vec<Bit>)| {
        NodeGroup::new(if none { format!("without {name}") } else { format!("{name}={value}") }, nodes)
    };
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_unstable_by(|(value, _), (other, _)| value.cmp(other));
    NodeGroups { list: values.into_iter().map(group).collect(), ..NodeGroups::default() }
}

/// The nodes that are in no bucket.
pub(crate) fn in_no_bucket(state: &State) -> impl Iterator<Item = Bit> {
    state.bucket_of.enumerate().filter(|(_, bucket)| bucket.is_none()).map(|(bit, _)| bit)
}

/// Splits a node's name into the stem and the number at its end, which may be in brackets as for a vnode.
pub(crate) fn stem_and_number(name: &str) -> (&str, u64) {
    let (stem, digits) = match name.strip_suffix(']').map(split_number) {
        Some((stem, digits)) if stem.ends_with('[') => (stem.trim_end_matches('['), digits),
        _ => split_number(name),
    };
    (stem, digits.parse().unwrap_or(0))
}

/// All nodes by stem, sorted by number within each.
fn in_name_order(plan: &Plan) -> Vec<(&str, Vec<Bit>)> {
    let mut stems: Vec<(&str, Vec<(u64, Bit)>)> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut at = 0;
    for bit in plan.nodes.ids() {
        let (stem, number) = stem_and_number(plan.node_name(bit));
        // Most nodes have the stem of the one before.
        if stems.get(at).is_none_or(|(before, _)| *before != stem) {
            at = *places.entry(stem).or_insert(stems.len());
        }
        match stems.get_mut(at) {
            Some((_, nodes)) => nodes.push((number, bit)),
            None => stems.push((stem, vec![(number, bit)])),
        }
    }
    stems.sort_unstable_by_key(|(stem, _)| *stem);
    let sorted = |(stem, mut nodes): (_, Vec<(u64, Bit)>)| {
        let name = |bit: Bit| &**plan.node_name(bit);
        // The nodes form few sorted runs. Names decide where the same number is written in different ways.
        nodes.sort_by(|(number, bit), (other, than)| {
            number.cmp(other).then_with(|| name(*bit).cmp(name(*than)))
        });
        (stem, nodes.into_iter().map(|(_, bit)| bit).collect())
    };
    stems.into_iter().map(sorted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_brackets_are_numbers() {
        assert_eq!(stem_and_number("cn017"), ("cn", 17));
        assert_eq!(stem_and_number("vn[1059]"), ("vn", 1059));
        assert_eq!(stem_and_number("head"), ("head", 0));
        assert_eq!(stem_and_number("odd]"), ("odd]", 0));
        assert!(stem_and_number("vn[239]") < stem_and_number("vn[1059]"));
    }
}
