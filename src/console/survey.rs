//! The analysis of the queue on workers, a slice of time after the other. Views that show parts of it share what is known.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use qscope_engine::cycle::Run;
use qscope_explain::Survey;

use crate::task::{Task, Ticket};

/// So long a slice takes: often enough for the eye, seldom enough for a slow line.
const SLICE: Duration = Duration::from_millis(400);

/// The survey of one cycle, which is continued from slice to slice, whichever view has it continued.
#[derive(Debug, Clone)]
pub(crate) struct QueueSurvey {
    run: Arc<Run>,
    /// None before the first slice, and after a panic in one.
    survey: Arc<Mutex<Option<Survey>>>,
}

/// Whether a view asks for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It reads what is known, and has it at once.
    First,
    /// It reads what is known after another slice of time.
    Next,
}

impl QueueSurvey {
    pub(crate) fn new(run: Arc<Run>) -> Self {
        Self { run, survey: Arc::default() }
    }

    /// The cycle.
    pub(crate) fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// What a worker has to do for a view, which reads what it shows.
    pub(crate) fn slice<T: Send + Sync + 'static>(
        &self,
        title: &'static str,
        turn: Turn,
        read: impl Fn(&Survey) -> T + Send + Sync + 'static,
    ) -> (Task, Ticket) {
        let Self { run, survey } = self.clone();
        Task::new(title, move |progress| {
            let mut held = survey.lock().unwrap_or_else(PoisonError::into_inner);
            // Taken out while it works: after a panic it begins anew, never half-changed.
            let survey = match held.take() {
                None => Survey::new(run.clone()),
                Some(survey) if turn == Turn::First => survey,
                Some(mut survey) => {
                    let until = Instant::now() + SLICE;
                    survey.go_on(&mut || Instant::now() < until && !progress.is_cancelled());
                    survey
                }
            };
            let known = read(&survey);
            *held = Some(survey);
            Some(known)
        })
    }
}
