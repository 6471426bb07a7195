//! The placement set that a job landed in.

use crate::cluster::Name;
use crate::cycle::{Outcome, Run};
use crate::universe::{Allocation, Plan, resolved};

impl Run {
    /// Returns the set that contains a job's nodes. A job placed by preemption, or spanning although a set could hold
    /// it later, was no longer searching for a set, but may have landed in the one it examined last.
    pub fn set_of(&self, outcome: &Outcome) -> Option<Name> {
        let placed = outcome.placed.as_ref()?;
        if !outcome.by_preemption && placed.by_quirk.is_none() {
            return placed.set.clone();
        }
        outcome.tries.last_examined_set(&self.end).filter(|set| holds(&self.plan, set, &placed.allocation))
    }
}

/// Whether all nodes of a placement have the value that a set is named after.
fn holds(plan: &Plan, set: &str, allocation: &Allocation) -> bool {
    let Some((key, value)) = set.split_once('=') else { return false };
    let Some(resource) = plan.snap.catalogue.id(key) else { return false };
    allocation.nodes().into_iter().all(|bit| {
        let found = resolved(&plan.snap, plan.nodes[bit].id, resource);
        let texts = found.map(|(_, value)| value.texts()).unwrap_or_default();
        if value == NO_VALUE { texts.is_empty() } else { texts.iter().any(|text| **text == *value) }
    })
}

/// The value in the name of a set whose nodes lack the key.
const NO_VALUE: &str = "\"\"";
