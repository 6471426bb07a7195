//! Bounds of the search for a placement: equal chunks on one node are counted together, and the number of chunks
//! placed one by one is limited.

/// Maximum number of runs of equal chunks that one search places: more than the largest machines have nodes. A job
/// that needs more is refused with [`crate::universe::Reason::TooManyChunks`].
pub(super) const MAX_STEPS: usize = 1 << 17;

/// Returns the largest number up to `most` for which `holds` is true. `holds` must be true for 1 and monotonic. Calls
/// it a logarithmic number of times.
pub(super) fn largest_where(most: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let mut known = 1;
    while known < most && holds(known.saturating_mul(2).min(most)) {
        known = known.saturating_mul(2).min(most);
    }
    let mut refused = known.saturating_mul(2).min(most.saturating_add(1));
    while known < most && refused - known > 1 {
        let middle = known + (refused - known) / 2;
        if holds(middle) {
            known = middle;
        } else {
            refused = middle;
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_most_is_found_in_few_questions() {
        for most in [1, 2, 3, 7, 8, 1000, u32::MAX] {
            for limit in [1, 2, 3, 5, 8, 999, 1000, u32::MAX - 1, u32::MAX] {
                let calls = Cell::new(0);
                let found = largest_where(most, |number| {
                    calls.set(calls.get() + 1);
                    number <= limit
                });
                assert_eq!(found, most.min(limit), "{most} {limit}");
                assert!(calls.get() <= 64, "{most} {limit}: {}", calls.get());
            }
        }
    }
}
