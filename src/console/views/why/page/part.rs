//! A part of an answer, and its state.

use crate::task::Ticket;

/// A part of the answer.
#[derive(Debug)]
pub(super) enum WhyPart<T> {
    /// The part does not apply.
    NotApplicable,
    /// The part is neither done nor under way.
    Paused,
    /// A worker computes the part.
    Running(Ticket),
    /// The part is done.
    Done(T),
}

impl<T> WhyPart<T> {
    pub(super) fn pause(&mut self) {
        if matches!(self, Self::Running(_)) {
            *self = Self::Paused;
        }
    }

    pub(super) fn has_number(&self, number: u64) -> bool {
        matches!(self, Self::Running(ticket) if ticket.has_number(number))
    }

    pub(super) fn done(&self) -> Option<&T> {
        match self {
            Self::Done(value) => Some(value),
            _ => None,
        }
    }
}
