//! How much of the processor the analysis of a snapshot took on the workers, which decides when the next one is due.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the computations of one analysis took together. Clones count the same analysis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effort(Arc<Mutex<Spent>>);

#[derive(Debug, Default)]
struct Spent {
    /// Computations that were ordered and are not over.
    open: u32,
    took: Duration,
    /// When the last one was over.
    ended: Option<Instant>,
}

/// One computation, ordered of the workers; it is over when this is dropped.
#[derive(Debug)]
pub(crate) struct Work(Effort);

impl Effort {
    /// Counts a computation from when it is ordered.
    pub(crate) fn order(&self) -> Work {
        self.spent().open += 1;
        Work(self.clone())
    }

    /// When the next analysis may begin: after a rest of so many times as long as this one took. None while this one is
    /// under way.
    pub(crate) fn rested(&self, times: u32) -> Option<Instant> {
        let spent = self.spent();
        let over = spent.ended.unwrap_or_else(Instant::now) + spent.took * times;
        (spent.open == 0).then_some(over)
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work {
    /// Does a part of the computation, and counts the time that it takes.
    pub(crate) fn measure<T>(&self, part: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = part();
        self.0.spent().took += began.elapsed();
        done
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut spent = self.0.spent();
        spent.open = spent.open.saturating_sub(1);
        spent.ended = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_due_while_something_is_under_way_and_then_after_a_rest() {
        let effort = Effort::default();
        assert!(effort.rested(4).is_some_and(|due| due <= Instant::now()), "nothing was ordered");
        let (one, other) = (effort.order(), effort.order());
        one.measure(|| std::thread::sleep(Duration::from_millis(2)));
        drop(one);
        assert_eq!(effort.rested(4), None);
        let ended = Instant::now();
        drop(other);
        assert!(effort.rested(4).is_some_and(|due| due >= ended + Duration::from_millis(8)));
    }
}
