//! Runs on several threads, identified by number, so that the result does not depend on the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Receives the number of finished runs and returns whether to continue. Called after every cycle, from any thread.
pub type ReplicationCallback<'a> = &'a (dyn Fn(u64) -> bool + Sync);

/// Number of finished runs.
pub(crate) struct ReplicationProgress<'a> {
    finished: AtomicU64,
    should_continue: ReplicationCallback<'a>,
}

impl<'a> ReplicationProgress<'a> {
    pub(crate) fn new(should_continue: ReplicationCallback<'a>) -> Self {
        Self { finished: AtomicU64::new(0), should_continue }
    }

    /// Whether to continue, asked in the middle of a run.
    pub(crate) fn should_continue(&self) -> bool {
        (self.should_continue)(self.finished.load(Ordering::Relaxed))
    }

    /// Counts a finished run and returns whether to continue.
    fn run_done(&self) -> bool {
        (self.should_continue)(self.finished.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Calls `run` for every number below `count` and returns the results in the order of the numbers. `None` means that
/// the run was ended from outside; its thread then stops.
pub(crate) fn run_all<T: Send>(
    count: u64,
    threads: usize,
    progress: &ReplicationProgress<'_>,
    run: impl Fn(u64) -> Option<T> + Sync,
) -> Vec<T> {
    let next = AtomicU64::new(0);
    let found: Mutex<Vec<(u64, T)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let Some(one) = run(number) else { return };
            if let Ok(mut found) = found.lock() {
                found.push((number, one));
            }
            if !progress.run_done() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, one)| one).collect()
}
