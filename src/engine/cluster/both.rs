//! Two pieces of work at once, where there is enough of it.

use std::panic::resume_unwind;
use std::thread;

/// Below so many vnodes and jobs a second thread costs more than it saves.
const MANY: usize = 8_000;

/// Whether so many vnodes and jobs are worth a second thread.
pub fn are_many(objects: usize) -> bool {
    objects >= MANY
}

/// What two pieces of work over so many vnodes or jobs come to; neither depends on the other, so the order of their ends
/// does not matter.
pub fn both<A: Send, B>(objects: usize, one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    if !are_many(objects) {
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
            assert_eq!(both(objects, || 1, || "two"), (1, "two"));
        }
    }
}
