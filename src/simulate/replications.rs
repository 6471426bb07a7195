//! Many runs on several threads, each by its number, so that the answer is the same on any number of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What has just been done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    Cycle,
    /// A whole run.
    Run,
}

/// Receives what is done, and returns whether to go on. It is called often, from any thread.
pub type GoOn<'a> = &'a (dyn Fn(Done) -> bool + Sync);

/// Does `run` for every number below `count`; in order of the numbers, those that gave something. The first that gives
/// nothing ends its thread: it was ended from outside.
pub fn each<T: Send>(
    count: u64,
    threads: usize,
    go_on: GoOn<'_>,
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
            if !go_on(Done::Run) {
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
