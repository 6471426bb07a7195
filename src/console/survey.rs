//! The analysis of the queue on workers, a slice of time after the other. Views that show parts of it share what is known.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;
use qscope_explain::{Assumptions, Survey, WaitReason, is_likely};

use crate::effort::Effort;
use crate::task::{Progress, Task, Ticket};

/// So long a slice takes: often enough for the eye, seldom enough for a slow line.
const SLICE: Duration = Duration::from_millis(400);

/// The survey of one cycle, which is continued from slice to slice, whichever view has it continued.
#[derive(Debug, Clone)]
pub(crate) struct QueueSurvey {
    run: Arc<Run>,
    /// None before the first slice, and after a panic in one.
    survey: Arc<Mutex<Option<Survey>>>,
    /// What it has found so far, for every view that shows a reason.
    reasons: Arc<Mutex<Arc<Reasons>>>,
    /// Jobs whose verdict could turn with a fact that no file shows; none before a worker has judged them.
    likely: Arc<Mutex<Option<Arc<Likely>>>>,
    /// Whether subjobs start in the cycle: whether others may preempt them has no certain rule.
    starts_subjobs: bool,
    effort: Effort,
}

/// Jobs whose verdict is likely, not stated.
pub(crate) type Likely = FxHashSet<JobId>;

/// Analysed reasons by job.
pub(crate) type Reasons = FxHashMap<JobId, Arc<WaitReason>>;

/// Whether a view asks for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SurveyTurn {
    /// It reads what is known, and has it at once.
    First,
    /// It reads what is known after another slice of time.
    Next,
}

impl QueueSurvey {
    pub(crate) fn new(run: Arc<Run>, effort: Effort) -> Self {
        let starts_subjobs = run.steps.iter().any(|step| step.outcome.subjob.is_some());
        let (survey, reasons, likely) = (Arc::default(), Arc::default(), Arc::default());
        Self { run, survey, reasons, likely, starts_subjobs, effort }
    }

    /// What has been found so far.
    pub(crate) fn reasons(&self) -> Arc<Reasons> {
        self.reasons.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Jobs whose verdict is likely; none as long as that is not known.
    pub(crate) fn likely(&self) -> Arc<Likely> {
        self.likely.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }

    /// What a worker has to do to know them; none where every fact was seen, or they are known.
    pub(crate) fn judge(&self) -> Option<(Task, Ticket)> {
        let snap = &self.run.plan.snap;
        let all_seen = snap.origins.are_all_seen() && snap.policy.server_dyn_res.is_empty();
        let is_certain = all_seen && !self.starts_subjobs;
        if is_certain || self.likely.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return None;
        }
        let (run, likely) = (self.run.clone(), self.likely.clone());
        let (task, ticket) = Task::new("which verdicts could turn", move |progress| {
            put(&likely, Some(Arc::new(likely_of(&run, progress)?)));
            Some(())
        });
        Some((task.counted(&self.effort), ticket))
    }

    /// Whether both are the same analysis: one of the same cycle that was begun anew has found nothing yet.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.survey, &other.survey)
    }

    /// The cycle.
    pub(crate) fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// What a worker has to do for a view, which reads what it shows.
    pub(crate) fn slice<T: Send + Sync + 'static>(
        &self,
        title: &'static str,
        turn: SurveyTurn,
        read: impl Fn(&Survey) -> T + Send + Sync + 'static,
    ) -> (Task, Ticket) {
        let of = self.clone();
        let (task, ticket) = Task::new(title, move |progress| {
            let mut held = of.survey.lock().unwrap_or_else(PoisonError::into_inner);
            // Taken out while it works: after a panic it begins anew, never half-changed.
            let survey = of.go_on(held.take(), turn, progress);
            if turn == SurveyTurn::Next {
                put(&of.reasons, Arc::new(survey.reasons()));
            }
            let known = read(&survey);
            *held = Some(survey);
            Some(known)
        });
        (task.counted(&self.effort), ticket)
    }

    fn go_on(&self, survey: Option<Survey>, turn: SurveyTurn, progress: &Progress<'_>) -> Survey {
        match survey {
            None => Survey::new(self.run.clone()),
            Some(survey) if turn == SurveyTurn::First => survey,
            Some(mut survey) => {
                let until = Instant::now() + SLICE;
                survey.go_on(&mut || Instant::now() < until && !progress.is_cancelled());
                survey
            }
        }
    }
}

/// Jobs of a cycle whose verdict is likely; none when that was cancelled.
fn likely_of(run: &Arc<Run>, progress: &Progress<'_>) -> Option<Likely> {
    let mut judge = Assumptions::new(run);
    let mut found = Likely::default();
    for outcome in run.outcomes() {
        if progress.is_cancelled() {
            return None;
        }
        if is_likely(&judge.of_outcome(outcome)) {
            found.insert(outcome.job);
        }
    }
    Some(found)
}

/// Puts a value in the place of another, which is given up only after the place is free again.
fn put<T>(place: &Mutex<T>, value: T) {
    let before = std::mem::replace(&mut *place.lock().unwrap_or_else(PoisonError::into_inner), value);
    drop(before);
}
