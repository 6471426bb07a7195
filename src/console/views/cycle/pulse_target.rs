//! What the lines of the pane at rest lead to.

use crate::views::ViewName;

/// What a line of the pane leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PulseTarget {
    /// The jobs of a reason, by its index.
    Reason(usize),
    /// The view that the line sums up.
    View(ViewName),
}
