//! One step of a cycle.

use super::outcome::Outcome;
use crate::universe::Mark;

crate::id!(
    /// One step of a cycle: one job considered.
    StepIx
);

/// One job considered.
#[derive(Clone, Debug)]
pub struct Step {
    /// What became of it.
    pub outcome: Outcome,
    /// Whether it was preempted in vain and is only resumed (rule M26).
    pub resumes: bool,
    /// Where the journal stood before it.
    pub before: Mark,
    /// Where the journal stood after it.
    pub after: Mark,
}
