//! The lines of the map: by bucket, by set, or in other groups.

use super::{MapLine, role, roles, set_role};
use crate::bucket_names::{BucketNames, NameColumns};
use crate::theme::Role;
use crate::views::nodes::groups::{NodeGroup, NodeGroups, in_no_bucket, named_sets};
use qscope_engine::cluster::{Column, Id};
use qscope_engine::universe::{Bit, PlacementSet, Slot, State};

/// The roles of nodes that a decision touched.
type DecisionRoles = Column<Bit, Option<Role>>;

/// Builds a line of nodes; `room` is the expected number. Nodes the decision took were free before it and count as
/// free.
fn line(
    label: String,
    room: usize,
    found: impl Iterator<Item = (Bit, Role)>,
    marked: &DecisionRoles,
) -> MapLine {
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

/// The lines, and the heads of the columns of their values.
pub(super) fn by_bucket(state: &State, marked: &DecisionRoles) -> (Vec<MapLine>, String) {
    let mut lines = Vec::new();
    let names: Vec<String> = state.buckets.iter().map(|bucket| bucket.name(&state.plan)).collect();
    let order = BucketNames::of(state);
    let (_, labels) = order.split_common(&names);
    let NameColumns { headings, rows } = order.in_columns(&names);
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
    (lines, headings)
}

pub(super) fn by_set(state: &State, roles: &DecisionRoles) -> Vec<MapLine> {
    let line_of = |(label, set): (_, &PlacementSet)| {
        let members = set.shape.members.iter().enumerate();
        let nodes = members.map(|(at, bit)| (*bit, set_role(state, set, Slot::at(at), *bit)));
        line(label, set.total_nodes(), nodes, roles)
    };
    named_sets(state).map(line_of).collect()
}

/// The role of a node; nodes in no bucket look the same as in their own line.
fn role_in_bucket(role: Role) -> Role {
    if role == Role::Node { Role::NodeDown } else { role }
}

/// Nodes in groups without bitmaps of their own: by name, by host, or by the values of a resource.
pub(super) fn by_groups(groups: NodeGroups, state: &State, marked: &DecisionRoles) -> Vec<MapLine> {
    let roles = roles(state);
    let line_of = |group: NodeGroup| {
        let nodes = group.nodes.iter().map(|bit| (*bit, role_in_bucket(roles[*bit])));
        line(group.label, group.nodes.len(), nodes, marked)
    };
    groups.list.into_iter().map(line_of).collect()
}
