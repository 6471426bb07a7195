//! Runs two pieces of work in parallel if there is enough of it.

use std::panic::resume_unwind;
use std::thread;

/// Number of vnodes and jobs below which a second thread costs more than it saves.
const MANY: usize = 8_000;

/// Whether this number of vnodes and jobs is worth a second thread.
pub fn is_worth_a_thread(objects: usize) -> bool {
    objects >= MANY
}

/// Returns the results of two pieces of work over this number of vnodes and jobs. They must not depend on each other,
/// because they may run in any order or in parallel.
pub fn run_both<A: Send, B>(
    objects: usize,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    if !is_worth_a_thread(objects) {
        return (one(), other());
    }
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|panicked| resume_unwind(panicked)), other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_result_stands_in_its_place() {
        for objects in [0, MANY] {
            assert_eq!(run_both(objects, || 1, || "two"), (1, "two"));
        }
    }
}
