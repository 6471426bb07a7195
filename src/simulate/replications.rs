//! Runs on several threads, identified by number, so that the result does not depend on the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Receives the number of finished runs and returns whether to continue. Called after every cycle, from any thread.
pub type ReplicationCallback<'a> = &'a (dyn Fn(u64) -> bool + Sync);

/// Number of finished runs.
pub(crate) struct ReplicationProgress<'a> {
    done: AtomicU64,
    go_on: ReplicationCallback<'a>,
}

impl<'a> ReplicationProgress<'a> {
    pub(crate) fn new(go_on: ReplicationCallback<'a>) -> Self {
        Self { done: AtomicU64::new(0), go_on }
    }

    /// Whether to continue, asked in the middle of a run.
    pub(crate) fn goes_on(&self) -> bool {
        (self.go_on)(self.done.load(Ordering::Relaxed))
    }

    /// Counts a finished run and returns whether to continue.
    fn run_done(&self) -> bool {
        (self.go_on)(self.done.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Calls `run` for every number below `count` and returns the results in the order of the numbers. `None` means that
/// the run was ended from outside; its thread then stops.
pub(crate) fn each<T: Send>(
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
