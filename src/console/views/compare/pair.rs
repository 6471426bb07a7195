//! The two sides of a comparison.

use std::sync::Arc;

use crate::views::nodes::sign_of_one;
use crate::widgets::ramp::RampCell;
use crate::wording;
use qscope_engine::cluster::{Column, Seconds};
use qscope_engine::cycle::Debugger;
use qscope_engine::universe::{Bit, State};
use qscope_session::Generation;
use qscope_session::compare::changes::{self, ChangeLine};
use qscope_session::compare::{Comparison, in_cycle};
use qscope_session::node_facts::free_shares;

/// How the nodes of a change are drawn on the left and on the right; `None` where they do not exist, or the change
/// concerns no node.
pub(super) type NodeSigns = [Option<RampCell>; 2];

/// Two snapshots, compared by address: a what-if has the same number as the snapshot it changes.
#[derive(Debug, Clone)]
pub(super) struct SnapshotPair(pub(super) Arc<Generation>, pub(super) Arc<Generation>);

impl PartialEq for SnapshotPair {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) && Arc::ptr_eq(&self.1, &other.1)
    }
}

impl SnapshotPair {
    /// Whether both sides are one snapshot, which stands for the changes made by its cycle.
    pub(super) fn is_one(&self) -> bool {
        Arc::ptr_eq(&self.0, &self.1)
    }

    /// Describes the task of the comparison.
    pub(super) fn task_description(&self) -> String {
        match self {
            Self(shown, _) if self.is_one() => format!("what the cycle of {} changes", shown.number),
            Self(before, after) => format!("what changed from {} to {}", before.number, after.number),
        }
    }

    /// A summary, and the changes in lines.
    pub(super) fn changes(&self) -> (String, Vec<ChangeLine>) {
        let Self(before, after) = self;
        if self.is_one() {
            return in_cycle::changes(&before.run);
        }
        let found = Comparison::explained(&before.run, &after.run);
        (changes::summary(&found), changes::lines(&found, &after.snapshot))
    }

    /// How the nodes of each change are drawn on both sides; those of one change look alike.
    pub(super) fn signs(&self, lines: &[ChangeLine]) -> Vec<NodeSigns> {
        if lines.iter().all(|line| line.nodes().is_empty()) {
            return vec![[None; 2]; lines.len()];
        }
        let Self(left, right) = self;
        let before = Debugger::new((*left.run).clone()).snapshot_state();
        let own = (!self.is_one()).then(|| Debugger::new((*right.run).clone()).snapshot_state());
        let after = own.as_ref().unwrap_or_else(|| left.run.end_at_server());
        let sides = [&before, after].map(|state| (state, free_shares(state)));
        let sign = |name: &str, (state, shares): &(&State, Column<Bit, f64>)| {
            let bit = state.plan.bit_named.get(name).copied()?;
            Some(sign_of_one(state.node_use(bit), shares.checked(bit).copied()))
        };
        let first = |line: &ChangeLine| line.nodes().first().cloned();
        let of = |name: String| [0, 1].map(|side| sides.get(side).and_then(|side| sign(&name, side)));
        lines.iter().map(|line| first(line).map_or([None; 2], of)).collect()
    }

    /// Describes both sides.
    pub(super) fn sides(&self) -> Vec<(&'static str, String)> {
        let Self(left, right) = self;
        if self.is_one() {
            let end = "the same at the end of its cycle, by the model".to_owned();
            return vec![("left", format!("{}, as read", named(left))), ("right", end)];
        }
        let apart = right.snapshot.now - left.snapshot.now;
        let later = match apart.0 {
            0 => "the same moment".to_owned(),
            1.. => format!("{} later", wording::duration(apart)),
            _ => format!("{} earlier", wording::duration(Seconds(apart.0.saturating_neg()))),
        };
        let right = what_if(right).unwrap_or_else(|| format!("{}, {later}", named(right)));
        vec![("left", named(left)), ("right", right)]
    }
}

/// The number and time of a snapshot.
fn named(generation: &Generation) -> String {
    let snap = &generation.snapshot;
    format!("snapshot {}, {}", generation.number, wording::clock(snap, snap.now))
}

/// The settings of a what-if; `None` for a snapshot that was read.
fn what_if(generation: &Generation) -> Option<String> {
    let settings = &generation.what_if.as_ref()?.settings;
    Some(format!("what if {}", settings.join(", ")))
}
