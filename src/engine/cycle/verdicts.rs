//! The verdicts of a finished cycle, including what only the whole cycle shows: jobs that can never run, and starts
//! that the server refuses. Both are computed on first use.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::double_booking::{DoubleBooking, double_bookings, refused_steps};
use super::{Eligibility, ImpossibleJobs, Outcome, Run, StepIx, Verdict};
use crate::cluster::JobId;
use crate::universe::{Allocation, JobStatus, Occupant, State};

impl Run {
    /// The waiting jobs that can never run, computed on first use.
    pub fn impossible_jobs(&self) -> &ImpossibleJobs {
        self.impossible.get_or_init(|| ImpossibleJobs::new(self))
    }

    /// All double bookings, in the order in which the second jobs were considered, computed on first use.
    pub fn double_bookings(&self) -> &[DoubleBooking] {
        self.double_bookings.get_or_init(|| double_bookings(self))
    }

    /// Returns the verdict as shown to the user. It is `Never` also for a job that can never run but that the
    /// scheduler only reports as not fitting now or does not reach, and `NotNow` for a start that the server
    /// refuses or that a later step of the cycle undoes. A job that its own state or its queue keeps out of the cycle is not considered, whether or not it
    /// could ever run.
    pub fn verdict(&self, outcome: &Outcome) -> Verdict {
        match outcome.verdict {
            Verdict::NotConsidered if self.is_kept_out(outcome.job) => Verdict::NotConsidered,
            Verdict::Run if self.is_refused(outcome) || self.is_undone(outcome) => Verdict::NotNow,
            Verdict::NotNow | Verdict::NotConsidered if self.impossible_jobs().contains(outcome.job) => {
                Verdict::Never
            }
            verdict => verdict,
        }
    }

    /// Whether the state of a job or its queue keeps it out of the cycle.
    fn is_kept_out(&self, job: JobId) -> bool {
        matches!(self.eligibility[job], Eligibility::Excluded(why) if why.is_state_or_queue())
    }

    /// Returns the starts of this cycle that stand: those that the server does not refuse and no later step undoes.
    pub fn starts(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes().filter(|outcome| self.is_start(outcome))
    }

    /// Whether an outcome starts a job: the cycle gives it nodes to keep and the server does not refuse it.
    pub fn is_start(&self, outcome: &Outcome) -> bool {
        outcome.placed.is_some() && !self.is_refused(outcome) && !self.is_undone(outcome)
    }

    /// Whether a later step preempts the job that an outcome started, and none starts it again.
    pub fn is_undone(&self, outcome: &Outcome) -> bool {
        let ledger = &self.end.ledger;
        // Subjobs that the dump does not list are never preempted in the cycle that starts them.
        outcome.placed.is_some()
            && outcome.subjob.is_none()
            && ledger.preempted[outcome.job].is_some()
            && !matches!(ledger.jobs[outcome.job], JobStatus::Running(_))
    }

    /// Whether the server refuses the start that the cycle decided.
    pub fn is_refused(&self, outcome: &Outcome) -> bool {
        let refused = self.refused();
        !refused.is_empty() && refused.contains(&Occupant::Job(outcome.job, outcome.subjob))
    }

    /// Returns why the server refuses the start in this outcome, for an array that of its subjob; `None` if it does
    /// not or if nothing starts.
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

    /// Returns the state after the cycle as the server has it: refused starts have no nodes and count towards no
    /// limit. The state by which the cycle itself decided is [`Run::end`].
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

    /// The jobs and subjobs whose starts the server refuses.
    pub fn refused(&self) -> &FxHashSet<Occupant> {
        self.refused.get_or_init(|| {
            let steps = refused_steps(self).into_iter().map(|step| &self.steps[step].outcome);
            steps.map(|outcome| Occupant::Job(outcome.job, outcome.subjob)).collect()
        })
    }
}
