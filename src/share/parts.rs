//! Work on many jobs at once, each of which is about one job alone.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use qscope_engine::cluster::JobId;

/// Minimum number of jobs for a thread of their own.
const LEAST_PART: usize = 64;

/// Calls `work` for consecutive parts of the jobs, on as many threads as there are processors, and returns the results
/// in the order of the parts. The number of threads must not change the results together.
pub(crate) fn by_parts<T: Send>(jobs: &[JobId], work: impl Fn(&[JobId]) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let size = jobs.len().div_ceil(threads).max(LEAST_PART);
    let work = &work;
    thread::scope(|scope| {
        let spawned: Vec<_> = jobs.chunks(size).map(|part| scope.spawn(move || work(part))).collect();
        spawned.into_iter().map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
