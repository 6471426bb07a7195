//! The analysis of the queue on a worker, a slice of time after the other.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::lines::{JobLines, Line, job_lines};
use crate::task::{Task, Ticket};
use qscope_engine::cycle::Run;
use qscope_explain::Survey;

/// So long a slice takes: often enough for the eye, seldom enough for a slow line.
const SLICE: Duration = Duration::from_millis(400);

/// A survey that is continued from slice to slice.
#[derive(Debug, Clone)]
pub(super) struct Analysis {
    run: Arc<Run>,
    survey: Arc<Mutex<Option<Survey>>>,
    jobs: Arc<OnceLock<JobLines>>,
}

/// What is known after a slice.
#[derive(Debug, Clone, Default)]
pub(super) struct Slice {
    /// The causes, those that keep the most cpu time first.
    pub lines: Arc<[Line]>,
    pub waiting: u64,
    pub core_hours: f64,
    /// Job classes analysed, and all of them.
    pub progress: (u64, u64),
    pub done: bool,
    /// That only a part is analysed, in words.
    pub sample: Option<String>,
}

impl Analysis {
    pub(super) fn new(run: Arc<Run>) -> Self {
        Self { run, survey: Arc::default(), jobs: Arc::default() }
    }

    /// The next slice; the first is over at once.
    pub(super) fn task(&self) -> (Task, Ticket) {
        let Self { run, survey, jobs } = self.clone();
        Task::new("what keeps the queue waiting", move |progress| {
            let mut held = survey.lock().unwrap_or_else(PoisonError::into_inner);
            // Taken out while it works: after a panic it begins anew, never half-changed.
            let survey = match held.take() {
                None => Survey::new(run.clone()),
                Some(mut survey) => {
                    let until = Instant::now() + SLICE;
                    survey.go_on(&mut || Instant::now() < until && !progress.is_cancelled());
                    survey
                }
            };
            let slice = Slice::of(&survey, jobs.get_or_init(|| job_lines(&run)));
            *held = Some(survey);
            Some(slice)
        })
    }
}

impl Slice {
    fn of(survey: &Survey, jobs: &JobLines) -> Self {
        let board = survey.board();
        Self {
            lines: board.rows.iter().map(|row| Line::of(row, jobs)).collect(),
            waiting: board.waiting,
            core_hours: board.core_hours,
            progress: survey.progress(),
            done: survey.is_done(),
            sample: board.sample().filter(|_| survey.is_done()),
        }
    }
}
