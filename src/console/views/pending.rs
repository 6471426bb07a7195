//! What a view waits for: a computation that it requested, until the answer arrives.

use std::sync::Arc;

use crate::task::{Computation, TaskNews, Ticket};
use crate::views::Effect;

/// A requested computation with an answer of type `T`; `K` is what the view has to know of it when the answer arrives.
/// Beginning another one, or dropping this, cancels it.
#[derive(Debug)]
pub(crate) struct Pending<T, K = ()> {
    waiting: Option<(K, Ticket<T>)>,
    request: Option<Effect>,
}

impl<T, K> Default for Pending<T, K> {
    fn default() -> Self {
        Self { waiting: None, request: None }
    }
}

impl<T: Send + Sync + 'static> Pending<T> {
    /// Waits for a computation that is requested the next time the view's requests are collected.
    pub(crate) fn begin(&mut self, of: Computation<T>) {
        self.request = Some(self.start(of));
    }

    /// Waits for a computation; the returned effect requests it.
    pub(crate) fn start(&mut self, of: Computation<T>) -> Effect {
        self.start_for((), of)
    }

    /// Returns the answer if the news is that.
    pub(crate) fn take(&mut self, news: &TaskNews) -> Option<Arc<T>> {
        self.take_with_key(news).map(|(_, answer)| answer)
    }
}

impl<T: Send + Sync + 'static, K> Pending<T, K> {
    /// [`Pending::begin`] with a key.
    pub(crate) fn begin_for(&mut self, key: K, of: Computation<T>) {
        self.request = Some(self.start_for(key, of));
    }

    /// [`Pending::start`] with a key.
    pub(crate) fn start_for(&mut self, key: K, of: Computation<T>) -> Effect {
        *self = Self { waiting: Some((key, of.ticket)), request: None };
        Effect::Compute(of.task)
    }

    /// The effect that requests what was begun.
    pub(crate) fn request(&mut self) -> Option<Effect> {
        self.request.take()
    }

    /// Whether an answer is awaited.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// The key of what is awaited.
    pub(crate) fn key(&self) -> Option<&K> {
        self.waiting.as_ref().map(|(key, _)| key)
    }

    /// Whether the news is about what is awaited: its progress or its answer.
    pub(crate) fn is_about(&self, news: &TaskNews) -> bool {
        self.waiting.as_ref().is_some_and(|(_, ticket)| ticket.is_of(news))
    }

    /// Returns the key and the answer if the news is that.
    pub(crate) fn take_with_key(&mut self, news: &TaskNews) -> Option<(K, Arc<T>)> {
        let answer = self.waiting.as_ref()?.1.answer(news)?;
        self.waiting.take().map(|(key, _)| (key, answer))
    }
}
