//! Amounts that a job's own chunks take of nodes while the other chunks are still being placed.

use crate::universe::{Bit, ConsIx, JobRequest, Plan, ShapeId, State, TakenAmounts};

/// How long taken amounts must be remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum UsageRetention {
    /// Not at all: every node is used only once.
    None,
    /// While chunks go on the same node: earlier nodes are not considered again.
    OneNode,
    WholeJob,
}

/// Amounts taken, by node.
#[derive(Clone, Debug)]
pub(super) struct UsedAmounts {
    memory: UsageRetention,
    node: Option<Bit>,
    amounts: TakenAmounts,
}

impl UsedAmounts {
    /// Creates an empty record. Scattered chunks use nodes only once and do not see what other chunks took, even if
    /// amounts are kept on another node (measured). Otherwise everything is remembered if nodes are re-sorted after
    /// every chunk or amounts are kept on other nodes.
    pub(super) fn new(plan: &Plan, request: &JobRequest, sorted_anew: bool) -> Self {
        let shared = plan.consumables.ids().any(|ix| plan.capacity.is_shared(ix));
        let memory = match (request.is_spread(), request.specs.len()) {
            (true, _) => UsageRetention::None,
            _ if shared || sorted_anew => UsageRetention::WholeJob,
            (false, 1) => UsageRetention::OneNode,
            (false, _) => UsageRetention::WholeJob,
        };
        Self { memory, node: None, amounts: TakenAmounts::default() }
    }

    /// Returns what was taken of an amount, given the node that keeps it.
    #[inline]
    pub(super) fn of(&self, ix: ConsIx, home: Bit) -> f64 {
        match self.memory {
            UsageRetention::None => 0.0,
            UsageRetention::OneNode if self.node != Some(home) => 0.0,
            _ => self.amounts.of(ix, home),
        }
    }

    /// Records that `times` equal chunks take their amounts on a node. Amounts kept on another node are not charged
    /// there: the next chunk of the job sees all of them again (measured).
    pub(super) fn take(&mut self, plan: &Plan, bit: Bit, shape: ShapeId, times: u32) {
        match self.memory {
            UsageRetention::None => return,
            UsageRetention::OneNode if self.node != Some(bit) => self.amounts.clear(),
            UsageRetention::OneNode | UsageRetention::WholeJob => {}
        }
        self.node = Some(bit);
        for (ix, amount) in &plan.needs[shape] {
            self.amounts.add(*ix, bit, amount * f64::from(times));
        }
    }

    /// Returns what a node has left of a consumable.
    pub(super) fn left(&self, state: &State, ix: ConsIx, bit: Bit) -> f64 {
        let plan = &state.plan;
        state.occupancy.left(plan, ix, bit) - self.of(ix, plan.capacity.keeper(ix, bit))
    }
}
