//! The verdicts of a finished cycle, with what only the whole of it shows: jobs that can never run, and starts that
//! the server refuses. Each is found at the first question.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::double_booking::{DoubleBooking, double_bookings, refused_steps};
use super::{Impossible, Outcome, Run, StepIx, Verdict};
use crate::universe::{Allocation, Occupant, State};

impl Run {
    /// The waiting jobs that can never run, found at the first question.
    pub fn impossible(&self) -> &Impossible {
        self.impossible.get_or_init(|| Impossible::new(self))
    }

    /// Every double booking, in the order in which the second jobs were considered; found at the first question.
    pub fn double_bookings(&self) -> &[DoubleBooking] {
        self.double_bookings.get_or_init(|| double_bookings(self))
    }

    /// The verdict as every front shows it: never also for a job that the scheduler only reports as not fitting now, or
    /// does not consider, and that can never run; and not now for one that it starts and the server refuses.
    pub fn verdict(&self, outcome: &Outcome) -> Verdict {
        match outcome.verdict {
            Verdict::Run if self.is_refused(outcome) => Verdict::NotNow,
            Verdict::NotNow | Verdict::NotConsidered if self.impossible().contains(outcome.job) => {
                Verdict::Never
            }
            verdict => verdict,
        }
    }

    /// What starts in this cycle, and is not refused by the server.
    pub fn starts(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes().filter(|outcome| self.is_start(outcome))
    }

    /// Whether a job starts by an outcome: the cycle gives it nodes, and the server does not refuse them.
    pub fn is_start(&self, outcome: &Outcome) -> bool {
        outcome.placed.is_some() && !self.is_refused(outcome)
    }

    /// Whether the server refuses the start that the cycle decided on.
    pub fn is_refused(&self, outcome: &Outcome) -> bool {
        let refused = self.refused();
        !refused.is_empty() && refused.contains(&Occupant::Job(outcome.job, outcome.subjob))
    }

    /// Why the server refuses a start that the cycle decided on, of an array that of this subjob; none of what it starts,
    /// and of what waits.
    pub fn refusal(&self, outcome: &Outcome) -> Option<&DoubleBooking> {
        if !self.is_refused(outcome) {
            return None;
        }
        let is_this = |booking: &&DoubleBooking| {
            let again = &self.steps[booking.step].outcome;
            booking.refused && (again.job, again.subjob) == (outcome.job, outcome.subjob)
        };
        self.double_bookings().iter().find(is_this)
    }

    /// The state when the cycle is over, as the server then has it: what it refuses to start has no nodes, and counts for
    /// no limit. The cycle's own books, by which it decided, are [`Run::end`].
    pub fn end_at_server(&self) -> &State {
        if self.refused().is_empty() {
            return &self.end;
        }
        self.at_server.get_or_init(|| {
            let mut state = self.end.without_journal();
            let mut steps: Vec<StepIx> = refused_steps(self).into_iter().collect();
            steps.sort_unstable();
            let of = |step| {
                let outcome = &self.steps[step].outcome;
                let allocation = outcome.placed.as_ref()?.allocation.clone();
                Some((Occupant::Job(outcome.job, outcome.subjob), allocation))
            };
            let starts: Vec<(Occupant, Arc<Allocation>)> = steps.into_iter().filter_map(of).collect();
            state.withdraw(&starts);
            Box::new(state)
        })
    }

    /// Whose start the server refuses.
    pub fn refused(&self) -> &FxHashSet<Occupant> {
        self.refused.get_or_init(|| {
            let steps = refused_steps(self).into_iter().map(|step| &self.steps[step].outcome);
            steps.map(|outcome| Occupant::Job(outcome.job, outcome.subjob)).collect()
        })
    }
}
