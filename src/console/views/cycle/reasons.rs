//! Why the jobs of the queue wait, as far as a worker has analysed them.

use std::sync::Arc;

use crate::survey::{QueueSurvey, SurveyTurn};
use crate::task::TaskNews;
use crate::views::{Effect, Pending};
use crate::wording;
use qscope_engine::cycle::Run;
use qscope_explain::{BoardBuilder, ReasonTally};

/// The reasons of one cycle.
#[derive(Debug, Default)]
pub(crate) struct CycleReasons {
    survey: Option<QueueSurvey>,
    /// The edition of the survey that was read last.
    edition: u64,
    pending: Pending<ReasonsSoFar>,
    known: Arc<ReasonsSoFar>,
}

/// Number of jobs of a reason that are named.
const NAMED: usize = 6;

/// What is known after a slice.
#[derive(Debug, Default)]
pub(super) struct ReasonsSoFar {
    /// Reasons by name, the most core-hours first.
    pub(super) tally: Vec<ReasonTally>,
    /// Names of the first jobs of each reason.
    pub(super) names: Vec<Vec<String>>,
    pub(super) waiting: u64,
    pub(super) core_hours: f64,
    /// Number of job classes analysed, and of all to be analysed.
    pub(super) progress: (u64, u64),
    pub(super) is_done: bool,
    /// Number of classes analysed, and of all, if the analysis stopped at its limit.
    pub(super) stopped_at: Option<(u64, u64)>,
}

impl ReasonsSoFar {
    fn of(survey: &BoardBuilder, run: &Run) -> Self {
        let tally = survey.tally();
        let named = |one: &ReasonTally| {
            one.jobs
                .iter()
                .take(NAMED)
                .map(|job| wording::waiting_name_after(run, *job, usize::MAX))
                .collect()
        };
        Self {
            names: tally.iter().map(named).collect(),
            waiting: tally.iter().map(|one| one.jobs.len() as u64).sum(),
            core_hours: tally.iter().map(|one| one.core_hours).sum(),
            tally,
            progress: survey.progress(),
            is_done: survey.is_done(),
            stopped_at: survey.stopped(),
        }
    }
}

impl CycleReasons {
    /// Starts with another survey, or reads what this one has found meanwhile; returns the task for that.
    pub(crate) fn take(&mut self, survey: &QueueSurvey) -> Option<Effect> {
        let edition = survey.edition();
        if self.survey.as_ref().is_some_and(|have| have.is_same_analysis(survey)) {
            // A slice under way may have begun before; the one after it reads the rest.
            if self.pending.is_waiting() || self.edition == edition {
                return None;
            }
            self.edition = edition;
            return self.slice(SurveyTurn::Later);
        }
        *self = Self { survey: Some(survey.clone()), edition, ..Self::default() };
        self.slice(SurveyTurn::First)
    }

    /// Continues an analysis that stopped at its limit; returns false if it did not stop there.
    pub(super) fn continue_past_limit(&self) -> bool {
        let survey =
            self.survey.as_ref().filter(|_| self.known.stopped_at.is_some() && !self.pending.is_waiting());
        survey.inspect(|survey| survey.continue_past_limit()).is_some()
    }

    /// Stops the analysis; false where none is under way.
    pub(crate) fn stop(&self) -> bool {
        self.survey.as_ref().is_some_and(QueueSurvey::stop)
    }

    /// Has an analysis go on that was stopped; false where none was.
    pub(crate) fn resume(&self) -> bool {
        self.survey.as_ref().is_some_and(QueueSurvey::resume)
    }

    /// How many job classes were analysed, and how many will be, where the user stopped the analysis.
    pub(super) fn stopped(&self) -> Option<(u64, u64)> {
        Some(self.known.progress).filter(|(_, of)| *of > 0 && !self.known.is_done && self.is_stopped())
    }

    fn is_stopped(&self) -> bool {
        self.survey.as_ref().is_some_and(QueueSurvey::is_stopped)
    }

    fn slice(&mut self, turn: SurveyTurn) -> Option<Effect> {
        let survey = self.survey.as_ref()?;
        let run = survey.run().clone();
        let slice = survey.slice("why the queue waits", turn, move |found| ReasonsSoFar::of(found, &run));
        Some(self.pending.start(slice))
    }

    /// Takes a slice and requests the next one; `None` if the news is not for this.
    pub(crate) fn on_news(&mut self, news: &TaskNews) -> Option<Option<Effect>> {
        self.known = self.pending.take(news)?;
        let is_over = self.known.is_done || self.is_stopped();
        Some(if is_over { None } else { self.slice(SurveyTurn::Next) })
    }

    /// What is known so far.
    pub(super) fn known(&self) -> &ReasonsSoFar {
        &self.known
    }
}
