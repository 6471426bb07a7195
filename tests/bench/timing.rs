//! Measures times and prints them.

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

/// Returns the median time of three, and the last result.
pub(crate) fn median<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let start = Instant::now();
        let result = black_box(work());
        (start.elapsed(), result)
    };
    let ((first, _), (second, _), (third, result)) = (timed(), timed(), timed());
    let mut times = [first, second, third];
    times.sort_unstable();
    (times[1], result)
}

pub(crate) fn shown(time: Duration) -> String {
    format!("{:>7.2} ms", time.as_secs_f64() * 1000.0)
}

pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}
