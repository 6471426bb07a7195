//! A part of an answer, and its state.

use crate::task::{Task, TaskAnswer, Ticket};

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

impl<T: Clone + 'static> WhyPart<T> {
    /// A part that is computed if it applies.
    pub(super) fn if_applicable(applies: bool) -> Self {
        if applies { Self::Paused } else { Self::NotApplicable }
    }

    /// Requests the part from a worker, if it is neither done nor under way.
    pub(super) fn resume(&mut self, tasks: &mut Vec<Task>, request: impl FnOnce() -> (Task, Ticket)) {
        if matches!(self, Self::Paused) {
            let (task, ticket) = request();
            *self = Self::Running(ticket);
            tasks.push(task);
        }
    }

    /// Takes the answer of a worker; returns whether it was for this part.
    pub(super) fn take(&mut self, number: u64, answer: &TaskAnswer) -> bool {
        let found = answer.downcast_ref::<T>().filter(|_| self.has_number(number)).cloned();
        let is_own = found.is_some();
        if let Some(found) = found {
            *self = Self::Done(found);
        }
        is_own
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }

    pub(super) fn pause(&mut self) {
        if self.is_running() {
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
