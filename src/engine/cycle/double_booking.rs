//! Nodes assigned although another job has them, as the real scheduler does on the bucket path (quirks B1 and B3) and
//! for exclhost, which adds the rest of a host without a look at it (rule 4.4).
//!
//! The server refuses a start if another job has one of its nodes exclusively, and no other (days rule 5). The days page
//! chooses two tests more, that an exclusive start needs nodes without jobs and that no resource is over-assigned; the
//! real server has neither: it started a second, exclusive job on a shared node and assigned 24 of its 16 cpus (real
//! cluster c02).

use crate::cluster::JobId;
use crate::universe::{Bit, Quirk};

use super::step::StepIx;

mod search;

pub(super) use search::double_bookings;
pub use search::refused_steps;

/// Nodes assigned to a job that another job has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DoubleBooking {
    /// The job that had them first, from this cycle or before; `None` if they were not free for another reason.
    pub first: Option<JobId>,
    /// The job that got them second.
    pub second_job: JobId,
    /// The quirk that causes it; `None` if the node is the rest of a host that an exclhost job has to itself.
    pub quirk: Option<Quirk>,
    /// The step that assigned them the second time.
    pub step: StepIx,
    /// The nodes, in the scheduler's order.
    pub nodes: Vec<Bit>,
    /// Whether the server refuses to start the second job because the first has one of the nodes exclusively. The
    /// server allows a node that jobs merely share to be assigned twice.
    pub refused: bool,
}
