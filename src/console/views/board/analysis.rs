//! The analysis of the queue on a worker, a slice of time after the other.

use std::sync::{Arc, OnceLock};

use super::lines::{CauseLine, JobLines, job_lines};
use crate::survey::{QueueSurvey, SurveyTurn};
use crate::task::{Task, Ticket};
use qscope_engine::cycle::Run;
use qscope_explain::Survey;

/// The survey of a cycle with the lines of its jobs, which are made once.
#[derive(Debug, Clone)]
pub(super) struct Analysis {
    survey: QueueSurvey,
    jobs: Arc<OnceLock<JobLines>>,
}

/// What is known after a slice.
#[derive(Debug, Clone, Default)]
pub(super) struct Slice {
    /// The causes, those that keep the most cpu time first.
    pub lines: Arc<[CauseLine]>,
    pub waiting: u64,
    pub core_hours: f64,
    /// Job classes analysed, and all of them.
    pub progress: (u64, u64),
    pub done: bool,
    /// How many classes were analysed of all, where the analysis ended at its limit.
    pub stopped: Option<(u64, u64)>,
    /// That only a part is analysed, in words.
    pub sample: Option<String>,
}

impl Analysis {
    pub(super) fn new(survey: QueueSurvey) -> Self {
        Self { survey, jobs: Arc::default() }
    }

    /// The next slice; the first is over at once.
    pub(super) fn task(&self, turn: SurveyTurn) -> (Task, Ticket) {
        let (run, jobs) = (self.survey.run().clone(), self.jobs.clone());
        let read = move |survey: &Survey| Slice::of(survey, jobs.get_or_init(|| job_lines(&run)), &run);
        self.survey.slice("what keeps the queue waiting", turn, read)
    }
}

impl Slice {
    fn of(survey: &Survey, jobs: &JobLines, run: &Run) -> Self {
        let board = survey.board();
        Self {
            lines: board.rows.iter().map(|row| CauseLine::of(row, jobs, run)).collect(),
            waiting: board.waiting,
            core_hours: board.core_hours,
            progress: survey.progress(),
            done: survey.is_done(),
            stopped: survey.stopped(),
            sample: board.sample().filter(|_| survey.is_done()),
        }
    }
}
