//! Nodes whose state or amounts a cycle changes. A start that the server refuses takes nothing, although the
//! scheduler continues as if it did.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::NODES;
use crate::compare::changes::{ChangeLine, ChangeSide, ChangeSides, ChangeSubject, SideStyle};
use crate::records::NodeRecord;
use qscope_engine::cluster::{InsertionOrderMap, NodeStates, short_id};
use qscope_engine::cycle::{Debugger, DoubleBooking, Run};
use qscope_engine::universe::{Bit, ConsIx, State};
use qscope_explain::{DoubleBookingWords, words};

/// Returns lines for nodes that change; equal changes are one line.
pub(super) fn nodes(run: &Arc<Run>) -> Vec<ChangeLine> {
    let start = Debugger::new(run.clone()).snapshot_state();
    let cycle = CycleNodeComparison { run, start, end: run.end_at_server(), refused: refused(run) };
    let mut alike: InsertionOrderMap<_, (NodeSides, Vec<Bit>)> = InsertionOrderMap::default();
    for bit in run.plan.nodes.ids() {
        let Some(sides) = cycle.sides(bit) else { continue };
        alike.of(sides.clone(), || (sides, Vec::new())).1.push(bit);
    }
    alike.into_all().into_iter().map(|(sides, bits)| line(run, sides, bits)).collect()
}

/// A node before and after a cycle, in words; used to group equal changes.
#[derive(Clone, PartialEq, Eq, Hash)]
struct NodeSides {
    left: String,
    right: String,
    note: String,
}

fn line(run: &Run, sides: NodeSides, mut bits: Vec<Bit>) -> ChangeLine {
    bits.sort_unstable();
    let names: Vec<String> = bits.iter().map(|bit| run.plan.node_name(*bit).to_string()).collect();
    let text = format!("{} -> {}", sides.left, sides.right);
    ChangeLine {
        group: NODES,
        name: words::node_list(&run.plan, &bits),
        count: bits.len(),
        subject: ChangeSubject::Nodes(names),
        text: if sides.note.is_empty() { text } else { format!("{text} ({})", sides.note) },
        sides: ChangeSides {
            left: ChangeSide::new(SideStyle::Plain, sides.left),
            right: ChangeSide::new(SideStyle::Plain, sides.right),
            note: sides.note,
        },
    }
}

/// Returns the jobs by node whose start there the server refuses.
fn refused(run: &Run) -> FxHashMap<Bit, Vec<String>> {
    let mut on_node: FxHashMap<Bit, Vec<String>> = FxHashMap::default();
    let outcomes = run.steps.iter().map(|step| &step.outcome).filter(|outcome| run.is_refused(outcome));
    for outcome in outcomes {
        let job = short_id(&outcome.name(&run.plan.snap)).to_owned();
        for piece in outcome.placed.iter().flat_map(|placed| &placed.allocation.pieces) {
            let jobs = on_node.entry(piece.bit).or_default();
            if jobs.last() != Some(&job) {
                jobs.push(job.clone());
            }
        }
    }
    on_node
}

struct CycleNodeComparison<'a> {
    run: &'a Run,
    start: State,
    /// State according to the server when the cycle is over.
    end: &'a State,
    refused: FxHashMap<Bit, Vec<String>>,
}

impl CycleNodeComparison<'_> {
    /// Returns the state and free amounts of a node before and after; `None` if they are equal.
    fn sides(&self, bit: Bit) -> Option<NodeSides> {
        let (start, end) = (&self.start, self.end);
        let amounts = self.run.plan.consumables.ids();
        let changed: Vec<ConsIx> =
            amounts.filter(|ix| free(start, *ix, bit) != free(end, *ix, bit)).collect();
        let (before, after) = (start.occupancy.states[bit], end.occupancy.states[bit]);
        let is_same = changed.is_empty() && before == after;
        (!is_same).then(|| NodeSides {
            left: self.state_and_amounts(before, &changed, |ix| free(start, ix, bit)),
            right: self.state_and_amounts(after, &changed, |ix| free(end, ix, bit)),
            note: self.note(bit),
        })
    }

    /// Returns who else gets the node.
    fn note(&self, bit: Bit) -> String {
        if let Some(jobs) = self.refused.get(&bit) {
            return format!("given again to {}, refused", words::compact(jobs.iter().map(String::as_str)));
        }
        let is_here = |booking: &&DoubleBooking| {
            !booking.refused && booking.first.is_some() && booking.nodes.contains(&bit)
        };
        let doubled = self.run.double_bookings().iter().filter(is_here);
        doubled
            .map(|booking| DoubleBookingWords::new(self.run, booking).jobs())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Formats a state and the free amounts.
    fn state_and_amounts(
        &self,
        states: NodeStates,
        amounts: &[ConsIx],
        free: impl Fn(ConsIx) -> Option<f64>,
    ) -> String {
        let catalogue = &self.run.plan.snap.catalogue;
        let amounts = amounts.iter().filter_map(|ix| {
            let resource = self.run.plan.consumables.resource(*ix);
            let (kind, free) = (catalogue.kind(resource), free(*ix)?);
            let name = catalogue.name(resource);
            // More is given away than available.
            let over = (free < 0.0).then(|| format!(", {} too many", words::part(kind, -free)));
            Some(format!("{} {name}{}", words::part(kind, free.max(0.0)), over.unwrap_or_default()))
        });
        std::iter::once(states.to_string()).chain(amounts).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the free amount on a node that has any of the resource.
fn free(state: &State, ix: ConsIx, bit: Bit) -> Option<f64> {
    NodeRecord::of(state, bit).used_and_total(ix).map(|(used, total)| total - used)
}
