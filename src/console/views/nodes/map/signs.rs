//! The groups of nodes as cells with their signs.

use super::super::groups::{NodeGroup, NodeGroups};
use super::NodeGroupMap;
use crate::widgets::ramp::{GroupExtent, RampCell, RampGroup};
use qscope_engine::universe::{Bit, NodeUse, State};
use qscope_session::node_facts::free_share;

impl NodeGroupMap {
    /// The groups of nodes in cells of the current size.
    pub(in crate::views::nodes) fn cells_of(&self, groups: &NodeGroups) -> Vec<RampGroup> {
        self.signed(self.named(groups), groups)
    }

    /// The names and notes of groups, without cells.
    pub(super) fn named(&self, groups: &NodeGroups) -> Vec<RampGroup> {
        let group = |group: &NodeGroup| {
            let free = group.nodes.iter().filter(|bit| self.use_of(**bit) == NodeUse::Free).count();
            let note = match groups.filtered {
                true => format!("{} of {} shown", group.nodes.len(), group.all),
                false => format!("{free} of {} free", group.nodes.len()),
            };
            RampGroup { label: group.label.clone(), first: group.first.clone(), note, cells: Vec::new() }
        };
        groups.list.iter().map(group).collect()
    }

    /// Adds the cells to named groups.
    pub(super) fn signed(&self, named: Vec<RampGroup>, groups: &NodeGroups) -> Vec<RampGroup> {
        let size = self.nodes_a_cell();
        let signs = |nodes: &[Bit]| nodes.chunks(size).map(|nodes| self.sign(nodes)).collect();
        let with_cells =
            |(named, group): (RampGroup, &NodeGroup)| RampGroup { cells: signs(&group.nodes), ..named };
        named.into_iter().zip(&groups.list).map(with_cells).collect()
    }

    /// The free share of a node, from 0 to 1.
    pub(in crate::views::nodes) fn free_share(&self, bit: Bit) -> f64 {
        share_of(self.use_of(bit), self.shares.checked(bit).copied())
    }

    /// The sign of a cell: out if a node is out, planned if all its free nodes are, else the mean of the free shares.
    pub(super) fn sign(&self, nodes: &[Bit]) -> RampCell {
        if nodes.iter().any(|bit| self.use_of(*bit) == NodeUse::Out) {
            return RampCell::OutOfService;
        }
        let is_free = |bit: &&Bit| self.use_of(**bit) == NodeUse::Free;
        let is_planned = |bit: &Bit| self.planned.checked(*bit).copied().unwrap_or_default();
        let mut free = nodes.iter().filter(is_free).peekable();
        if free.peek().is_some() && free.all(is_planned) {
            return RampCell::Planned;
        }
        let mean = nodes.iter().map(|bit| self.free_share(*bit)).sum::<f64>() / nodes.len().max(1) as f64;
        RampCell::of_share(mean)
    }
}

/// The free share of a node by its use, from 0 to 1; for a partly used node from `left`, the free part of its cpus, if
/// known.
fn share_of(node_use: NodeUse, left: Option<f64>) -> f64 {
    match node_use {
        NodeUse::Free => 1.0,
        NodeUse::Part => left.unwrap_or(0.5).clamp(0.01, 0.94),
        NodeUse::Full | NodeUse::Out => 0.0,
    }
}

/// The sign of a single node, ignoring plans.
pub(in crate::views) fn sign_of_one(node_use: NodeUse, left: Option<f64>) -> RampCell {
    if node_use == NodeUse::Out {
        RampCell::OutOfService
    } else {
        RampCell::of_share(share_of(node_use, left))
    }
}

/// The sign of nodes in one cell, ignoring plans: out if a node is out, else the mean of the free shares.
pub(crate) fn sign_of(state: &State, nodes: &[Bit]) -> RampCell {
    if nodes.iter().any(|bit| state.node_use(*bit) == NodeUse::Out) {
        return RampCell::OutOfService;
    }
    let share = |bit: &Bit| share_of(state.node_use(*bit), Some(free_share(state, *bit)));
    RampCell::of_share(nodes.iter().map(share).sum::<f64>() / nodes.len().max(1) as f64)
}

/// The extents of groups with `size` nodes per cell.
pub(super) fn extents_of(named: &[RampGroup], groups: &NodeGroups, size: usize) -> Vec<GroupExtent> {
    let cells = groups.list.iter().map(|group| group.nodes.len().div_ceil(size));
    named.iter().zip(cells).map(|(named, cells)| GroupExtent { cells, ..named.extent() }).collect()
}
