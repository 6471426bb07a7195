//! The lines of the map: by bucket, by set, or all nodes by name.

use super::{MapLine, in_no_bucket, role, roles, set_role};
use crate::bucket_names::{BucketNames, NameColumns};
use crate::theme::Role;
use qscope_engine::cluster::{Column, Id, split_number};
use qscope_engine::universe::{Bit, Plan, PoolOwner, Slot, State};
use rustc_hash::FxHashMap;

/// How nodes look that a decision did something to.
type Marked = Column<Bit, Option<Role>>;

/// A line of nodes, with room for so many; those that the decision took were free when it came to them, and count as free.
fn line(label: String, room: usize, found: impl Iterator<Item = (Bit, Role)>, marked: &Marked) -> MapLine {
    let mut free = 0;
    let mut mark = |(bit, role)| {
        free += usize::from(matches!(role, Role::NodeFree | Role::NodeLater));
        (bit, marked[bit].unwrap_or(role))
    };
    let mut nodes: Vec<(Bit, Role)> = Vec::with_capacity(room);
    nodes.extend(found.map(&mut mark));
    let first = String::new();
    MapLine { note: format!("{free}/{}", nodes.len()), values: label.clone(), label, first, nodes }
}

/// The lines, and what the columns of their values are.
pub(super) fn by_bucket(state: &State, marked: &Marked) -> (Vec<MapLine>, String) {
    let mut lines = Vec::new();
    let names: Vec<String> = state.buckets.iter().map(|bucket| bucket.name(&state.plan)).collect();
    let order = BucketNames::of(state);
    let (_, labels) = order.short(&names);
    let NameColumns { heads, rows } = order.in_columns(&names);
    for ((bucket, label), values) in state.buckets.iter().zip(labels).zip(rows) {
        let nodes = bucket.placed().map(|(bit, availability)| (bit, role(state, bit, availability)));
        let first = bucket.members.iter().next().map(|bit| state.plan.node_name(bit).to_string());
        let (first, made) = (first.unwrap_or_default(), line(label, bucket.members.count(), nodes, marked));
        lines.push(MapLine { values, first, ..made });
    }
    let rest = in_no_bucket(state).map(|bit| (bit, Role::NodeDown));
    let rest = line("in no bucket".to_owned(), 0, rest, marked);
    if !rest.nodes.is_empty() {
        lines.push(rest);
    }
    (lines, heads)
}

pub(super) fn by_set(state: &State, marked: &Marked) -> Vec<MapLine> {
    let several = state.pools.len() + state.group_pools.len() > 1;
    let mut lines = Vec::new();
    for pool in &state.pools {
        let owner = match pool.owner {
            PoolOwner::Queue(queue) if several => format!("{} ", state.plan.snap.queues[queue].name),
            _ => String::new(),
        };
        for set in pool.order.iter() {
            let set = &state.sets[*set];
            let members = set.shape.members.iter().enumerate();
            let nodes = members.map(|(at, bit)| (*bit, set_role(state, set, Slot::at(at), *bit)));
            lines.push(line(format!("{owner}{}", set.shape.name), set.total_nodes(), nodes, marked));
        }
    }
    // Pools made for jobs with place=group=, as long as the scheduler remembers them.
    let mut groups: Vec<_> = state.group_pools.iter().collect();
    groups.sort_by_key(|(key, _)| **key);
    for set in groups.into_iter().flat_map(|(_, pool)| &pool.sets) {
        let members = set.shape.members.iter().enumerate();
        let nodes = members.map(|(at, bit)| (*bit, set_role(state, set, Slot::at(at), *bit)));
        lines.push(line(format!("group {}", set.shape.name), set.total_nodes(), nodes, marked));
    }
    lines
}

/// A node's name before the number that it ends in, and the number, which may stand in brackets as a vnode's does.
pub(crate) fn stem_and_number(name: &str) -> (&str, u64) {
    let (stem, digits) = match name.strip_suffix(']').map(split_number) {
        Some((stem, digits)) if stem.ends_with('[') => (stem.trim_end_matches('['), digits),
        _ => split_number(name),
    };
    (stem, digits.parse().unwrap_or(0))
}

/// All nodes by what stands before the number of their names, each with its nodes in the order of these.
pub(crate) fn in_name_order(plan: &Plan) -> Vec<(&str, Vec<Bit>)> {
    let mut stems: Vec<(&str, Vec<(u64, Bit)>)> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut at = 0;
    for bit in plan.nodes.ids() {
        let (stem, number) = stem_and_number(plan.node_name(bit));
        // Most nodes are named like the one before.
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
        // They stand in few runs, each in order. Names are compared where their numbers are written in different ways.
        nodes.sort_by(|(number, bit), (other, than)| {
            number.cmp(other).then_with(|| name(*bit).cmp(name(*than)))
        });
        (stem, nodes.into_iter().map(|(_, bit)| bit).collect())
    };
    stems.into_iter().map(sorted).collect()
}

/// Nodes in the order of their names, a line for each stem: `n`, `gpu`.
pub(super) fn by_name(state: &State, marked: &Marked) -> Vec<MapLine> {
    let roles = roles(state);
    let line_of = |(stem, nodes): (&str, Vec<Bit>)| {
        let room = nodes.len();
        line(stem.to_owned(), room, nodes.into_iter().map(|bit| (bit, roles[bit])), marked)
    };
    in_name_order(&state.plan).into_iter().map(line_of).collect()
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
