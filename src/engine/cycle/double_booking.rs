//! Nodes that a cycle gives away twice, as the real scheduler does on the bucket path (quirks B1 and B3).

use crate::cluster::JobId;
use crate::universe::{Bit, Quirk};

use super::step::StepIx;

mod search;

pub(super) use search::double_bookings;
pub use search::refused_steps;

/// Nodes that were given to one job and in the same cycle again to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DoubleBooking {
    /// The job that got them first; none where they were not free for another reason.
    pub first: Option<JobId>,
    /// The job that got them again.
    pub again: JobId,
    /// The quirk that makes the scheduler do so.
    pub quirk: Quirk,
    /// Which of the cycle's steps gave them again.
    pub step: StepIx,
    /// The nodes, in the scheduler's order.
    pub nodes: Vec<Bit>,
    /// Whether the server refuses to start the second job, because the first has a node of it alone. A node that
    /// others only share it lets go twice.
    pub refused: bool,
}
