//! Tries a change: the whole cycle is run with it and with what must be released beside it.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope_engine::cluster::{Edit, Epoch};
use qscope_engine::cycle::{Outcome, Run};

use super::release::{ReleaseEdits, release};
use super::{MAX_CYCLES, MAX_TRIALS, RemedySearch, RemedySearchEvent, WorkingChange};
use crate::{JobTurn, decided, fits_idle, forecast, starting};

impl RemedySearch<'_> {
    /// Tries a change together with what must be released.
    pub(super) fn tries(&mut self, edits: &[Edit]) -> ControlFlow<(), Option<WorkingChange>> {
        self.tries_without(edits, &[])
    }

    /// Tries a change that works with less released or raised, part by part: a limit may be full at the turn of the job
    /// only because of a start that the rest of the change prevents. Where the search ends, what was found so far stays.
    pub(super) fn minimal(&mut self, edits: &[Edit], tried: &WorkingChange) -> WorkingChange {
        let mut least = tried.clone();
        let count = if self.base.follows_request { tried.base.part_count } else { 0 };
        if tried.start.is_some() {
            return least;
        }
        let mut left_out: Vec<usize> = Vec::new();
        for part in 0..count {
            let tried_out = [left_out.as_slice(), &[part]].concat();
            // Without any part there is no change.
            if edits.is_empty() && tried_out.len() == count {
                break;
            }
            let ControlFlow::Continue(fewer) = self.tries_without(edits, &tried_out) else { break };
            if let Some(fewer) = fewer {
                least = WorkingChange { next_failure: least.next_failure, ..fewer };
                left_out = tried_out;
            }
        }
        least
    }

    /// Tries a change together with what must be released, but for some of its parts.
    fn tries_without(
        &mut self,
        edits: &[Edit],
        left_out: &[usize],
    ) -> ControlFlow<(), Option<WorkingChange>> {
        self.trials += 1;
        if self.trials > MAX_TRIALS {
            return ControlFlow::Break(());
        }
        (self.listener)(RemedySearchEvent::Tried(self.trials))?;
        let base = self.base_for(edits, left_out);
        let all = with_base(&base, edits);
        let plan = &self.turn.run.plan;
        let run = Arc::new(self.turn.run.over(Arc::new(plan.snap.with(&all))));
        let outcome = self.outcome(&run);
        let starts = outcome.is_some_and(|outcome| run.is_start(outcome));
        self.was_refused = outcome.is_some_and(|outcome| run.is_refused(outcome));
        if starts || !self.searches_later {
            let now = WorkingChange { run, base, start: None, next_failure: None };
            return ControlFlow::Continue(starts.then_some(now));
        }
        let later = self.starts_later(&run);
        let working = |at| WorkingChange { run, base, start: Some(at), next_failure: None };
        ControlFlow::Continue(later.map(working))
    }

    /// Returns what must be released in addition to a change: with another request or queue, limits are raised as far
    /// as that needs.
    fn base_for(&self, edits: &[Edit], left_out: &[usize]) -> ReleaseEdits {
        let own = self.turn.plan().job(self.turn.job);
        let is_other_request = |edit: &Edit| match edit {
            Edit::Job(id, job) => {
                *id == self.turn.job && (job.requested != own.requested || job.queue != own.queue)
            }
            _ => false,
        };
        if !self.base.follows_request {
            return self.base.clone();
        }
        if !edits.iter().any(is_other_request) {
            let is_whole = left_out.is_empty();
            return if is_whole { self.base.clone() } else { release(&self.turn, &self.causes, left_out) };
        }
        let run = Arc::new(self.turn.run.over(Arc::new(self.turn.plan().snap.with(edits))));
        let changed = JobTurn::new(&run, self.turn.job);
        changed.map_or_else(|| self.base.clone(), |turn| release(&turn, &self.causes, left_out))
    }

    /// Returns the outcome of the job in a cycle.
    pub(super) fn outcome<'r>(&self, run: &'r Run) -> Option<&'r Outcome> {
        match self.judges_first_turn {
            true => starting(run, self.turn.job),
            false => decided(run, self.turn.job),
        }
    }

    /// Returns when the job starts after the cycle, if it fits on the idle cluster at all.
    fn starts_later(&mut self, run: &Arc<Run>) -> Option<Epoch> {
        if !fits_idle(&run.plan, self.turn.job) {
            return None;
        }
        let (listener, trials) = (&mut self.listener, self.trials);
        let found = forecast(run, self.turn.job, &mut |progress| {
            if progress.cycles >= MAX_CYCLES {
                return ControlFlow::Break(());
            }
            listener(RemedySearchEvent::Tried(trials))
        });
        found.and_then(|found| found.start)
    }
}

/// Returns the edits that release, followed by those of a change. A change of the job itself keeps what releases it.
pub(super) fn with_base(base: &ReleaseEdits, edits: &[Edit]) -> Vec<Edit> {
    let mut all = base.edits.clone();
    for edit in edits {
        let freed = all.iter().find_map(|base| match (base, edit) {
            (Edit::Job(a, freed), Edit::Job(b, _)) if a == b => Some(freed.clone()),
            _ => None,
        });
        all.push(match (edit, freed) {
            (Edit::Job(id, job), Some(freed)) => {
                let mut job = job.clone();
                job.state = freed.state;
                job.holds = freed.holds;
                job.execution_time = freed.execution_time;
                job.array = freed.array;
                Edit::Job(*id, job)
            }
            _ => edit.clone(),
        });
    }
    all
}
