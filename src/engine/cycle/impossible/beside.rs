//! Searches for jobs that can never run in parallel with the cycle that rejects them.

use std::panic::resume_unwind;
use std::sync::mpsc::channel;
use std::thread;

use super::search::ImpossibilityCache;
use crate::cycle::{CycleStart, ImpossibleJobs, Run};

impl CycleStart {
    /// Considers every job while a second thread searches the rejected ones for jobs that can never run.
    pub fn run_with_impossible(self) -> Run {
        let universe = self.universe();
        if !ImpossibilityCache::are_needed(universe.plan()) {
            return self.run();
        }
        let (sender, turned_down) = channel();
        thread::scope(|scope| {
            let answers = scope.spawn(move || ImpossibilityCache::from_rejections(&universe, &turned_down));
            // The receiver is gone only if its thread panicked; the panic is resumed below.
            let run = self.run_noting(&mut |job| {
                let _ended = sender.send(job);
            });
            drop(sender);
            let answers = answers.join().unwrap_or_else(|panicked| resume_unwind(panicked));
            run.impossible.get_or_init(|| ImpossibleJobs::with_cache(&run, answers));
            run
        })
    }
}
