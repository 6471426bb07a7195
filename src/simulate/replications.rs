//! Many runs on several threads, each by its number, so that the answer is the same on any number of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Receives how many runs are done, and returns whether to go on. It is called after every cycle, from any thread.
pub type GoOn<'a> = &'a (dyn Fn(u64) -> bool + Sync);

/// How many runs are done.
pub(crate) struct RunsDone<'a> {
    done: AtomicU64,
    go_on: GoOn<'a>,
}

impl<'a> RunsDone<'a> {
    pub(crate) fn new(go_on: GoOn<'a>) -> Self {
        Self { done: AtomicU64::new(0), go_on }
    }

    /// Whether to go on, in the middle of a run.
    pub(crate) fn goes_on(&self) -> bool {
        (self.go_on)(self.done.load(Ordering::Relaxed))
    }

    /// Counts a run; whether to go on.
    fn run_done(&self) -> bool {
        (self.go_on)(self.done.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Does `run` for every number below `count`; in order of the numbers, those that gave something. The first that gives
/// nothing ends its thread: it was ended from outside.
pub(crate) fn each<T: Send>(
    count: u64,
    threads: usize,
    progress: &RunsDone<'_>,
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
