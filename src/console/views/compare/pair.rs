//! The two sides of a comparison.

use std::sync::Arc;

use crate::wording;
use qscope_engine::cluster::Seconds;
use qscope_session::Generation;
use qscope_session::compare::changes::{self, ChangeLine};
use qscope_session::compare::{Comparison, in_cycle};

/// Two snapshots, held so that another one is never taken for one of them: what-ifs have the number of what they change.
#[derive(Debug, Clone)]
pub(super) struct Pair(pub(super) Arc<Generation>, pub(super) Arc<Generation>);

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) && Arc::ptr_eq(&self.1, &other.1)
    }
}

impl Pair {
    /// Whether it is one snapshot: what differs is what its cycle changes.
    pub(super) fn is_one(&self) -> bool {
        Arc::ptr_eq(&self.0, &self.1)
    }

    /// What is being computed.
    pub(super) fn what(&self) -> String {
        match self {
            Self(shown, _) if self.is_one() => format!("what the cycle of {} changes", shown.number),
            Self(before, after) => format!("what changed from {} to {}", before.number, after.number),
        }
    }

    /// The changes in lines, and all of them in words.
    pub(super) fn changes(&self) -> (String, Vec<ChangeLine>) {
        let Self(before, after) = self;
        if self.is_one() {
            return in_cycle::changes(&before.run);
        }
        let found = Comparison::explained(&before.run, &after.run);
        (changes::summary(&found), changes::lines(&found, &after.snapshot))
    }

    /// What stands on each side.
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

/// A snapshot by number and time.
fn named(generation: &Generation) -> String {
    let snap = &generation.snapshot;
    format!("snapshot {}, {}", generation.number, wording::clock(snap, snap.now))
}

/// A what-if by its settings.
fn what_if(generation: &Generation) -> Option<String> {
    let settings = &generation.what_if.as_ref()?.settings;
    Some(format!("what if {}", settings.join(", ")))
}
