//! Filtering a very long list in slices; key presses are handled between two slices (console.md 6, Large).

use crate::task::{Computation, TaskNews};
use crate::views::{Effect, Pending};

/// The state of the slices.
#[derive(Debug, Default)]
pub(crate) struct PendingSlice {
    /// The next slice arrives as a message, after the keys pressed meanwhile.
    next: Pending<()>,
}

/// From this number of rows on, a list is sorted after the frame that names the order.
pub(crate) const LARGE: usize = 20_000;
/// From this number of rows on, a list is filtered in slices.
const LONG: usize = 6_000;

impl PendingSlice {
    /// Rows filtered per slice: about what one key press has time for.
    pub(crate) const NEXT: usize = 4_000;

    /// Sort keys made per slice: making one is faster than filtering a row.
    pub(crate) const KEYS: usize = 20_000;

    /// Number of rows filtered in the first slice.
    pub(crate) fn first(&self, rows: usize, keeps_all: bool) -> usize {
        if rows < LONG || keeps_all { usize::MAX } else { Self::NEXT }
    }

    /// Requests the next slice, unless the last one completed the list.
    pub(crate) fn request_next(&mut self, is_whole: bool) {
        self.next = Pending::default();
        if !is_whole {
            let turn = Computation::new("the next part of what is shown", |_| Some(()));
            self.next.begin(turn.into_short_task());
        }
    }

    /// Requests a slice, unless one is pending.
    pub(crate) fn ask(&mut self) {
        if !self.are_coming() {
            self.request_next(false);
        }
    }

    /// Whether another slice is pending.
    pub(crate) fn are_coming(&self) -> bool {
        self.next.is_waiting()
    }

    /// The effect to request for it.
    pub(crate) fn request(&mut self) -> Option<Effect> {
        self.next.request()
    }

    /// Whether the news is the turn of the next slice.
    pub(crate) fn is_next(&mut self, news: &TaskNews) -> bool {
        self.next.take(news).is_some()
    }
}
