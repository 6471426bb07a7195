//! The nodes chosen by the policies as a map: a line for each policy, a cell for each node in dump order.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::node_map::roles;
use crate::theme::Role;
use crate::widgets::bitmap::Map;
use qscope_engine::cluster::NodeId;
use qscope_engine::universe::State;
use qscope_planning::policies::{PickedNode, PolicyAnswer, PolicyComparison};

#[derive(Debug, Clone, PartialEq)]
struct PolicyNodes {
    label: String,
    note: String,
    taken: FxHashSet<NodeId>,
}

/// All policies over the same nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PolicyMap {
    nodes: Vec<(NodeId, Role)>,
    lines: Vec<PolicyNodes>,
}

impl PolicyMap {
    pub(super) fn of(state: &State, compared: &PolicyComparison) -> Self {
        let plan = &state.plan;
        let roles = roles(state);
        let look = |id: NodeId| (id, plan.bit_of[id].map_or(Role::Node, |bit| roles[bit]));
        Self {
            nodes: plan.snap.nodes.ids().map(look).collect(),
            lines: compared.answers.iter().map(PolicyNodes::of).collect(),
        }
    }

    /// The node at an index.
    pub(super) fn node(&self, node: usize) -> Option<NodeId> {
        self.nodes.get(node).map(|(id, _)| *id)
    }

    /// The names of the policies that choose a node.
    pub(super) fn takers(&self, node: NodeId) -> Vec<&str> {
        let takers = self.lines.iter().filter(|line| line.taken.contains(&node));
        takers.map(|line| line.label.as_str()).collect()
    }
}

impl PolicyNodes {
    fn of(answer: &PolicyAnswer) -> Self {
        let placed = answer.now.as_ref().or(answer.earliest.as_ref());
        let taken: FxHashSet<NodeId> =
            placed.iter().flat_map(|placed| &placed.picks).map(|pick: &PickedNode| pick.node).collect();
        let note = match (&answer.now, &answer.earliest) {
            (None, None) => "none".to_owned(),
            (None, Some(_)) => format!("{} later", taken.len()),
            _ => taken.len().to_string(),
        };
        Self { label: answer.policy.to_string(), note, taken }
    }
}

impl Map for PolicyMap {
    fn stacks(&self) -> bool {
        true
    }

    fn lines(&self) -> usize {
        self.lines.len()
    }

    fn nodes(&self, _: usize) -> usize {
        self.nodes.len()
    }

    fn label(&self, line: usize) -> Cow<'_, str> {
        self.lines.get(line).map_or("".into(), |line| (&*line.label).into())
    }

    fn note(&self, line: usize) -> Cow<'_, str> {
        self.lines.get(line).map_or("".into(), |line| (&*line.note).into())
    }

    fn state(&self, line: usize, node: usize) -> Role {
        let Some((id, role)) = self.nodes.get(node) else { return Role::Node };
        let taken = self.lines.get(line).is_some_and(|line| line.taken.contains(id));
        if taken { Role::NodeTaken } else { *role }
    }
}
