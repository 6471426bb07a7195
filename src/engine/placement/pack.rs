//! Packing a whole job on one vnode: finds the vnodes that need not be examined, since nearly all are too small.

use std::borrow::Cow;

use crate::cluster::{Column, value_of};
use crate::universe::{Bit, ChunkFit, ConsIx, NodeSet, Plan, ShapeId, SigId, Spec, State};

use super::chunk::{ConsumableAmounts, PreparedChunk, is_whole};
use super::{TimeCheck, lacks_condition};

/// A job, or part of one, prepared for comparison with many vnodes.
pub(super) struct PreparedJob<'a> {
    state: &'a State,
    /// The total amounts of all chunks.
    sums: Vec<(f64, ConsumableAmounts<'a>)>,
    /// For each chunk spec, the vnodes that could hold a chunk when empty.
    fitting: Vec<&'a NodeSet>,
    /// Whether some chunk spec has more chunks than any vnode could hold.
    is_impossible: bool,
    /// The only chunk spec, if time does not matter: its count, shape and prepared chunk.
    single: Option<(u32, ShapeId, PreparedChunk<'a>)>,
}

/// Whether a vnode of a signature, when empty, could hold all chunks of a chunk spec, judged by the signature.
fn could_hold_all(plan: &Plan, spec: &Spec, sig: SigId) -> bool {
    match plan.fit(spec.shape, sig) {
        ChunkFit::Refused(_) => false,
        ChunkFit::Unlimited => true,
        ChunkFit::Times(times) => *times >= spec.count || !plan.is_counted(spec.shape),
    }
}

/// Returns the vnodes that, when empty, could hold all chunks of a chunk spec, judged by their signatures.
pub(super) fn able_to_hold<'a>(plan: &'a Plan, spec: &Spec) -> Cow<'a, NodeSet> {
    let mut able = Cow::Borrowed(plan.fit_nodes(spec.shape));
    let of_signatures = plan.sig_nodes().into_iter().flat_map(Column::enumerate);
    for (_, short) in of_signatures.filter(|(sig, _)| !could_hold_all(plan, spec, *sig)) {
        able.to_mut().subtract(short);
    }
    able
}

impl<'a> PreparedJob<'a> {
    /// Prepares a select.
    pub(super) fn new(state: &'a State, specs: &[Spec], time: &TimeCheck) -> Self {
        let mut sums: Vec<(ConsIx, f64)> = Vec::new();
        for spec in specs {
            for (ix, amount) in &state.plan.needs[spec.shape] {
                let sum = f64::from(spec.count) * amount;
                *value_of(&mut sums, *ix) += sum;
            }
        }
        let single = match specs {
            [spec] if time.is_empty() => {
                Some((spec.count, spec.shape, PreparedChunk::new(state, spec.shape)))
            }
            _ => None,
        };
        Self {
            state,
            sums: sums.into_iter().map(|(ix, sum)| (sum, ConsumableAmounts::new(state, ix))).collect(),
            fitting: specs.iter().map(|spec| state.plan.fit_nodes(spec.shape)).collect(),
            is_impossible: specs
                .iter()
                .any(|spec| !state.plan.signatures.ids().any(|sig| could_hold_all(&state.plan, spec, sig))),
            single,
        }
    }

    /// Whether no vnode could hold all chunks even when empty.
    pub(super) fn is_impossible(&self) -> bool {
        self.is_impossible
    }

    /// Whether a vnode certainly cannot hold all chunks.
    pub(super) fn is_hopeless(&self, bit: Bit) -> bool {
        self.is_impossible
            || !self.fitting.iter().all(|fitting| fitting.contains(bit))
            || self.sums.iter().any(|(sum, amounts)| amounts.left_now(bit) < *sum)
    }

    /// Whether packing on a vnode would certainly fail without leaving a reason: when the failing chunk comes, some
    /// of each requested resource is left, though too little.
    pub(super) fn fails_without_reason(&self, bit: Bit) -> bool {
        let Some((_, _, chunk)) = &self.single else { return false };
        let Some(placed) = self.holds_at_most(bit) else { return false };
        chunk
            .amounts()
            .all(|(requested, amounts)| amounts.left_now(bit) - f64::from(placed) * requested >= 1.0)
    }

    /// Returns how many chunks a vnode would hold before one fails; `None` if it may hold all or the number is not
    /// certain. Only whole amounts are certain.
    pub(super) fn holds_at_most(&self, bit: Bit) -> Option<u32> {
        let (count, shape, chunk) = self.single.as_ref()?;
        let plan = &self.state.plan;
        let mut conditions = plan.shapes[*shape].conditions();
        let lacking = conditions
            .any(|(resource, requirement)| lacks_condition(plan, *resource, requirement, bit).is_some());
        if lacking || chunk.has_aoe {
            return None;
        }
        let left = || chunk.amounts().map(|(requested, amounts)| (requested, amounts.left_now(bit)));
        if !left().all(|(requested, left)| is_whole(requested) && is_whole(left)) {
            return None;
        }
        let placed = left().map(|(requested, left)| (left / requested).floor()).fold(f64::INFINITY, f64::min);
        (placed < f64::from(*count)).then_some(placed as u32)
    }
}
