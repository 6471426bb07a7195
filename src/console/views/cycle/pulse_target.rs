//! What the pane of why jobs wait leads to.

use crate::views::ViewName;

/// What a line of the pane leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PulseTarget {
    /// The jobs of a reason, by its place.
    Reason(usize),
    /// What the line sums up.
    View(ViewName),
}
