//! A filter over a very long list, some rows at a time: between two slices keys are read (console.md 6, Large).

use crate::task::{News, Task, Ticket};
use crate::views::Effect;

/// Whose turn the next slice is.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    /// The next slice comes as a message, behind what was pressed meanwhile.
    ticket: Option<Ticket>,
    request: Option<Effect>,
}

/// From so many rows on a list is sorted after the picture that names the order.
pub(crate) const LARGE: usize = 20_000;
/// From so many rows on a filter sees them in slices.
const LONG: usize = 6_000;

impl Slices {
    /// So many rows are seen at once, about as many as a key has time for.
    pub(crate) const NEXT: usize = 4_000;

    /// The keys of so many rows are made at once: they are quicker made than rows are filtered.
    pub(crate) const KEYS: usize = 20_000;

    /// How many rows of a list are seen at first.
    pub(crate) fn first(&self, rows: usize, keeps_all: bool) -> usize {
        if rows < LONG || keeps_all { usize::MAX } else { Self::NEXT }
    }

    /// Asks for the next slice, unless that was the last.
    pub(crate) fn go_on(&mut self, is_whole: bool) {
        (self.ticket, self.request) = (None, None);
        if !is_whole {
            let (task, ticket) = Task::new("the next part of what is shown", |_| Some(()));
            (self.ticket, self.request) = (Some(ticket), Some(Effect::Compute(task.short())));
        }
    }

    /// Asks for a turn, unless one is to come already.
    pub(crate) fn ask(&mut self) {
        if !self.are_coming() {
            self.go_on(false);
        }
    }

    /// Whether another slice is to come.
    pub(crate) fn are_coming(&self) -> bool {
        self.ticket.is_some()
    }

    /// What has to be requested for it.
    pub(crate) fn request(&mut self) -> Option<Effect> {
        self.request.take()
    }

    /// Whether news are that it is its turn.
    pub(crate) fn is_next(&mut self, ticket: u64, news: &News) -> bool {
        Ticket::answer(&mut self.ticket, ticket, news).is_some()
    }
}
