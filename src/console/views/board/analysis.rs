//! The analysis of the queue on a worker, one time slice after another.

use std::sync::{Arc, OnceLock};

use super::lines::{CauseLine, JobLines, job_lines};
use crate::survey::{QueueSurvey, SurveyTurn};
use crate::task::Computation;
use qscope_engine::cycle::Run;
use qscope_explain::BoardBuilder;

/// The survey of a cycle, and the lines of its jobs, which are made only once.
#[derive(Debug, Clone)]
pub(super) struct BoardAnalysis {
    survey: QueueSurvey,
    jobs: Arc<OnceLock<JobLines>>,
}

/// What is known after a slice.
#[derive(Debug, Clone, Default)]
pub(super) struct CausesSoFar {
    /// The causes, the largest sum of core-hours first.
    pub lines: Arc<[CauseLine]>,
    pub waiting: u64,
    pub core_hours: f64,
    /// Number of job classes analysed, and of all.
    pub progress: (u64, u64),
    pub is_done: bool,
    /// Number of job classes analysed, and of all, if the analysis stopped at its limit.
    pub stopped_at: Option<(u64, u64)>,
    /// States in words that only a sample was analysed.
    pub sample: Option<String>,
}

impl BoardAnalysis {
    pub(super) fn new(survey: QueueSurvey) -> Self {
        Self { survey, jobs: Arc::default() }
    }

    /// The task of the next slice; the first one finishes at once.
    pub(super) fn slice(&self, turn: SurveyTurn) -> Computation<CausesSoFar> {
        let (run, jobs) = (self.survey.run().clone(), self.jobs.clone());
        let read =
            move |survey: &BoardBuilder| CausesSoFar::of(survey, jobs.get_or_init(|| job_lines(&run)), &run);
        self.survey.slice("what keeps the queue waiting", turn, read)
    }
}

impl CausesSoFar {
    fn of(survey: &BoardBuilder, jobs: &JobLines, run: &Run) -> Self {
        let board = survey.board();
        Self {
            lines: board.rows.iter().map(|row| CauseLine::of(row, jobs, run)).collect(),
            waiting: board.waiting,
            core_hours: board.core_hours,
            progress: survey.progress(),
            is_done: survey.is_done(),
            stopped_at: survey.stopped(),
            sample: board.sample().filter(|_| survey.is_done()),
        }
    }
}
