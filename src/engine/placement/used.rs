//! What the chunks of a job itself take of nodes while its other chunks still search for theirs.

use crate::universe::{Bit, ConsIx, JobRequest, Plan, ShapeId, State, TakenAmounts};

/// How long it has to be remembered what a chunk took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Memory {
    /// Not at all: every node is taken once.
    None,
    /// As long as chunks go on the same node: nodes are not considered again.
    OneNode,
    /// For the whole job.
    All,
}

/// Amounts taken, by node.
#[derive(Clone, Debug)]
pub(super) struct Used {
    memory: Memory,
    node: Option<Bit>,
    amounts: TakenAmounts,
}

impl Used {
    /// Nothing yet. Scattered chunks take nodes once, and (measured) do not see what others of them took even
    /// where amounts are kept on another node. Else, where nodes are sorted anew after every chunk or amounts
    /// are kept on other nodes, everything is remembered.
    pub(super) fn new(plan: &Plan, request: &JobRequest, sorted_anew: bool) -> Self {
        let shared = plan.consumables.ids().any(|ix| plan.capacity.is_shared(ix));
        let memory = match (request.is_spread(), request.specs.len()) {
            (true, _) => Memory::None,
            _ if shared || sorted_anew => Memory::All,
            (false, 1) => Memory::OneNode,
            (false, _) => Memory::All,
        };
        Self { memory, node: None, amounts: TakenAmounts::default() }
    }

    /// What was taken of a node, by the node that keeps the amount.
    #[inline]
    pub(super) fn of(&self, ix: ConsIx, home: Bit) -> f64 {
        match self.memory {
            Memory::None => 0.0,
            Memory::OneNode if self.node != Some(home) => 0.0,
            _ => self.amounts.of(ix, home),
        }
    }

    /// So many equal chunks take their amounts of a node. What it takes of another node's amounts is not noted there: the
    /// next chunk of the job sees all of it again (measured).
    pub(super) fn take(&mut self, plan: &Plan, bit: Bit, shape: ShapeId, times: u32) {
        match self.memory {
            Memory::None => return,
            Memory::OneNode if self.node != Some(bit) => self.amounts.clear(),
            Memory::OneNode | Memory::All => {}
        }
        self.node = Some(bit);
        for (ix, amount) in &plan.needs[shape] {
            self.amounts.add(*ix, bit, amount * f64::from(times));
        }
    }

    /// What a node has left of a consumable.
    pub(super) fn left(&self, state: &State, ix: ConsIx, bit: Bit) -> f64 {
        let plan = &state.plan;
        state.floor.left(plan, ix, bit) - self.of(ix, plan.capacity.home(ix, bit))
    }
}
