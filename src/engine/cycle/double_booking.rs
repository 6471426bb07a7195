//! Nodes assigned twice in a cycle, as the real scheduler does on the bucket path (quirks B1 and B3).

use crate::cluster::JobId;
use crate::universe::{Bit, Quirk};

use super::step::StepIx;

mod search;

pub(super) use search::double_bookings;
pub use search::refused_steps;

/// Nodes assigned to one job and, in the same cycle, to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DoubleBooking {
    /// The job that got them first; `None` if they were not free for another reason.
    pub first: Option<JobId>,
    /// The job that got them second.
    pub second_job: JobId,
    /// The quirk that causes it.
    pub quirk: Quirk,
    /// The step that assigned them the second time.
    pub step: StepIx,
    /// The nodes, in the scheduler's order.
    pub nodes: Vec<Bit>,
    /// Whether the server refuses to start the second job because the first has one of the nodes exclusively. The
    /// server allows a node that jobs merely share to be assigned twice.
    pub refused: bool,
}
