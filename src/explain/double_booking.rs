//! Describes nodes that a cycle assigned twice: to which jobs, by which quirk, and the server's reaction.

use qscope_engine::cluster::short_id;
use qscope_engine::cycle::{DoubleBooking, Run};

use super::words;

/// Maximum width of the list of nodes, in columns.
const MAX_NODES: usize = 40;

/// A double booking of a cycle, to be described.
#[derive(Debug, Clone, Copy)]
pub struct DoubleBookingWords<'a> {
    run: &'a Run,
    booking: &'a DoubleBooking,
}

impl<'a> DoubleBookingWords<'a> {
    /// Creates it for a double booking of this cycle.
    pub fn new(run: &'a Run, booking: &'a DoubleBooking) -> Self {
        Self { run, booking }
    }

    /// States to which jobs: `given to 39 and again to 33`, `held exclusively by 1 and given to 2 with the rest of its
    /// host`.
    pub fn jobs(self) -> String {
        let again = self.run.steps[self.booking.step].outcome.name(&self.run.plan.snap);
        let again = short_id(&again);
        match self.first() {
            Some(first) if self.booking.quirk.is_none() => {
                format!("held exclusively by {first} and given to {again} with the rest of its host")
            }
            Some(first) => format!("given to {first} and again to {again}"),
            None => format!("given to {again} although not free"),
        }
    }

    /// Adds the cause: `given to 39 and again to 33 (quirk B1)`.
    pub(crate) fn with_quirk(self) -> String {
        let quirk = self.booking.quirk.filter(|_| self.booking.first.is_some());
        let quirk = quirk.map(|quirk| format!(" (quirk {})", quirk.name()));
        self.jobs() + &quirk.unwrap_or_default()
    }

    /// Adds the nodes: `n6 was given to 39 and again to 33 (quirk B1)`.
    pub(crate) fn sentence(self) -> String {
        let verb = if self.booking.nodes.len() == 1 { "was" } else { "were" };
        let nodes = words::node_list_within(&self.run.plan, &self.booking.nodes, MAX_NODES);
        format!("{nodes} {verb} {}", self.with_quirk())
    }

    /// Returns the server's reaction, as the end of a sentence; empty if only one job is concerned.
    pub(crate) fn server_reaction(self) -> &'static str {
        match (self.booking.refused, self.booking.first) {
            (true, _) => "; the server refuses the second start, without a comment",
            (false, Some(_)) => "; the server starts both, since the first shares them",
            (false, None) => "",
        }
    }

    /// States to which jobs and the server's reaction, as briefly as possible.
    pub(crate) fn brief(self) -> String {
        let then = match (self.booking.refused, self.booking.first) {
            (_, None) => "",
            (true, _) => ", which is refused",
            (false, _) => ", and both start",
        };
        self.jobs() + then
    }

    fn first(self) -> Option<&'a str> {
        self.booking.first.map(|job| self.run.plan.job(job).short_name())
    }
}
