//! The search for jobs that can never run beside the cycle that turns them down.

use std::panic::resume_unwind;
use std::sync::mpsc::channel;
use std::thread;

use super::search::IdleAnswers;
use crate::cycle::{CycleStart, Impossible, Run};

impl CycleStart {
    /// Considers every job, and meanwhile has a second thread look for those that can never run.
    pub fn run_with_impossible(self) -> Run {
        let universe = self.universe();
        if !IdleAnswers::are_needed(universe.plan()) {
            return self.run();
        }
        let (sender, turned_down) = channel();
        thread::scope(|scope| {
            let answers = scope.spawn(move || IdleAnswers::beside(&universe, &turned_down));
            // The other side has ended only where it panicked, which goes on below.
            let run = self.run_noting(&mut |job| {
                let _ended = sender.send(job);
            });
            drop(sender);
            let answers = answers.join().unwrap_or_else(|panicked| resume_unwind(panicked));
            run.impossible.get_or_init(|| Impossible::knowing(&run, answers));
            run
        })
    }
}
