//! A part of an answer, and its state.

use std::sync::Arc;

use crate::task::{Computation, Task, TaskNews, Ticket};

/// A part of the answer, made of what a worker computes.
#[derive(Debug)]
pub(super) enum WhyPart<T> {
    /// The part does not apply.
    NotApplicable,
    /// The part is neither done nor under way.
    Paused,
    /// A worker computes the part.
    Running(Ticket<T>),
    /// The part is done.
    Done(T),
}

impl<T: Clone + Send + Sync + 'static> WhyPart<T> {
    pub(super) fn pause(&mut self) {
        if self.is_running() {
            *self = Self::Paused;
        }
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }

    /// The task that computes the part, if it is neither done nor under way.
    pub(super) fn resume(&mut self, compute: impl FnOnce() -> Computation<T>) -> Option<Task> {
        if !matches!(self, Self::Paused) {
            return None;
        }
        let Computation { task, ticket } = compute();
        *self = Self::Running(ticket);
        Some(task)
    }

    /// Whether the news is about this part.
    pub(super) fn is_about(&self, news: &TaskNews) -> bool {
        matches!(self, Self::Running(ticket) if ticket.is_of(news))
    }

    /// Takes the answer if the news is that; returns whether it was.
    pub(super) fn take(&mut self, news: &TaskNews) -> bool {
        let Self::Running(ticket) = self else { return false };
        let Some(answer) = ticket.answer(news) else { return false };
        *self = Self::Done(Arc::unwrap_or_clone(answer));
        true
    }

    pub(super) fn done(&self) -> Option<&T> {
        match self {
            Self::Done(value) => Some(value),
            _ => None,
        }
    }
}
