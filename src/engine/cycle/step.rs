//! One step of a cycle.

use super::outcome::Outcome;
use crate::universe::JournalPosition;

crate::id!(
    /// One step of a cycle: one job considered.
    StepIx
);

/// One job considered.
#[derive(Clone, Debug)]
pub struct Step {
    pub outcome: Outcome,
    /// Whether it was preempted in vain and is only resumed (rule M26).
    pub resumes: bool,
    /// The journal position before the step.
    pub before: JournalPosition,
    /// The journal position after the step.
    pub after: JournalPosition,
}
