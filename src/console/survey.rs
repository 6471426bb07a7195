//! The analysis of the queue on workers, one slice of time after the other. Views that show parts of it share the
//! results.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;
use qscope_explain::{Assumptions, BoardBuilder, ExplainedJob, WaitReason, is_likely};

use crate::effort::Effort;
use crate::task::{Computation, TaskProgress};

/// Duration of a slice: short enough for a smooth display, long enough not to flood a slow line.
const SLICE: Duration = Duration::from_millis(400);

/// The survey of one cycle; whichever view continues it continues it for all.
#[derive(Debug, Clone)]
pub(crate) struct QueueSurvey {
    run: Arc<Run>,
    /// `None` before the first slice, and after a panic in one.
    survey: Arc<Mutex<Option<BoardBuilder>>>,
    /// The reasons found so far, for every view that shows them.
    reasons: Arc<Mutex<Arc<WaitReasons>>>,
    /// Jobs whose verdict could turn with a fact that no file shows; `None` until a worker has judged them.
    likely: Arc<Mutex<Option<Arc<LikelyJobs>>>>,
    /// Additions to what the survey starts with.
    additions: Arc<SharedAdditions>,
    course: Arc<SurveyRunState>,
    /// Whether subjobs start in the cycle: no rule states for certain whether other jobs may preempt them.
    starts_subjobs: bool,
    effort: Effort,
}

/// Additions to the kinds of jobs that are analysed at first.
#[derive(Debug, Default)]
struct SharedAdditions {
    now: Mutex<SurveyAdditions>,
    /// Incremented on each change, so that a view can know whether it has read the latest.
    edition: AtomicU64,
}

/// Whether the analysis goes on.
#[derive(Debug, Default)]
struct SurveyRunState {
    /// Something is left to analyse, as far as a view has asked for it.
    is_under_way: AtomicBool,
    /// The user stopped it.
    is_stopped: AtomicBool,
}

#[derive(Debug, Default)]
struct SurveyAdditions {
    /// Whether the analysis continues past its limit.
    continues_past_limit: bool,
    /// Results of explanations of single jobs.
    explained: Vec<ExplainedJob>,
}

/// Jobs whose verdict is likely, not certain.
pub(crate) type LikelyJobs = FxHashSet<JobId>;

/// Analysed reasons by job.
pub(crate) type WaitReasons = FxHashMap<JobId, Arc<WaitReason>>;

/// What a view does in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SurveyTurn {
    /// Reads the results for the first time, immediately.
    First,
    /// It reads what is known by now.
    Later,
    /// Reads the results after another slice of time.
    Next,
}

impl QueueSurvey {
    pub(crate) fn new(run: Arc<Run>, effort: Effort) -> Self {
        let starts_subjobs = run.steps.iter().any(|step| step.outcome.subjob.is_some());
        let (survey, reasons, likely) = (Arc::default(), Arc::default(), Arc::default());
        let (additions, course) = (Arc::default(), Arc::default());
        Self { run, survey, reasons, likely, additions, course, starts_subjobs, effort }
    }

    /// Takes the explanation of one job, which becomes its reason in every view.
    pub(crate) fn add_explanation(&self, explained: ExplainedJob) {
        // Rows get the reason at once, even while something is being computed.
        if let Some(reason) = explained.reason() {
            let mut reasons = WaitReasons::clone(&self.reasons());
            reasons.insert(explained.job, Arc::new(reason));
            put(&self.reasons, Arc::new(reasons));
        }
        self.add(|extra| extra.explained.push(explained));
    }

    /// Continues past the limit from the next slice on.
    pub(crate) fn continue_past_limit(&self) {
        self.add(|extra| extra.continues_past_limit = true);
    }

    /// Stops the analysis for every view; false where nothing is left to analyse, or it was stopped before.
    pub(crate) fn stop(&self) -> bool {
        self.course.is_under_way.load(Ordering::Relaxed)
            && !self.course.is_stopped.swap(true, Ordering::Relaxed)
    }

    /// Lets it go on, once views have read that there is more; false where it was not stopped.
    pub(crate) fn resume(&self) -> bool {
        let was_stopped = self.course.is_stopped.swap(false, Ordering::Relaxed);
        if was_stopped {
            self.additions.edition.fetch_add(1, Ordering::Relaxed);
        }
        was_stopped
    }

    /// Whether the user stopped it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.course.is_stopped.load(Ordering::Relaxed)
    }

    fn add(&self, add: impl FnOnce(&mut SurveyAdditions)) {
        add(&mut self.additions.now.lock().unwrap_or_else(PoisonError::into_inner));
        self.additions.edition.fetch_add(1, Ordering::Relaxed);
    }

    /// A number that changes with every addition.
    pub(crate) fn edition(&self) -> u64 {
        self.additions.edition.load(Ordering::Relaxed)
    }

    /// The reasons found so far.
    pub(crate) fn reasons(&self) -> Arc<WaitReasons> {
        self.reasons.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Jobs whose verdict is likely; empty until that is known.
    pub(crate) fn likely(&self) -> Arc<LikelyJobs> {
        self.likely.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }

    /// Returns the task that finds them; `None` if every fact was seen or they are known.
    pub(crate) fn judge(&self) -> Option<Computation<()>> {
        let snap = &self.run.plan.snap;
        let all_seen = snap.origins.are_all_seen() && snap.policy.server_dyn_res.is_empty();
        let is_certain = all_seen && !self.starts_subjobs;
        if is_certain || self.likely.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return None;
        }
        let (run, likely) = (self.run.clone(), self.likely.clone());
        let judged = Computation::new("which verdicts could turn", move |progress| {
            put(&likely, Some(Arc::new(likely_of(&run, progress)?)));
            Some(())
        });
        Some(judged.counted(&self.effort))
    }

    /// Whether both are the same analysis. One restarted for the same cycle is different: it has no results yet.
    pub(crate) fn is_same_analysis(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.survey, &other.survey)
    }

    /// The cycle.
    pub(crate) fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// Returns the worker's task for a view; `read` extracts what the view shows.
    pub(crate) fn slice<T: Send + Sync + 'static>(
        &self,
        title: &'static str,
        turn: SurveyTurn,
        read: impl Fn(&BoardBuilder) -> T + Send + Sync + 'static,
    ) -> Computation<T> {
        let of = self.clone();
        if turn != SurveyTurn::Later {
            self.course.is_under_way.store(true, Ordering::Relaxed);
        }
        let slice = Computation::new(title, move |progress| {
            let mut held = of.survey.lock().unwrap_or_else(PoisonError::into_inner);
            // Taken out while it works: after a panic the survey starts anew rather than half-changed.
            let mut survey = of.analyse_slice(held.take(), turn, progress);
            if of.take_besides(&mut survey) || turn == SurveyTurn::Next {
                put(&of.reasons, Arc::new(survey.reasons()));
            }
            of.course.is_under_way.store(!survey.is_done(), Ordering::Relaxed);
            if survey.is_done() {
                // It came to its end or its limit by itself: at the limit the key goes on with the rest.
                of.course.is_stopped.store(false, Ordering::Relaxed);
            }
            let known = read(&survey);
            *held = Some(survey);
            Some(known)
        });
        slice.into_slice_task().counted(&self.effort)
    }

    /// Takes over the additions; returns whether there were any.
    fn take_besides(&self, survey: &mut BoardBuilder) -> bool {
        let extra = std::mem::take(&mut *self.additions.now.lock().unwrap_or_else(PoisonError::into_inner));
        if extra.continues_past_limit {
            survey.continue_past_limit();
        }
        extra.explained.iter().for_each(|found| survey.add_explained(found));
        extra.continues_past_limit || !extra.explained.is_empty()
    }

    fn analyse_slice(
        &self,
        survey: Option<BoardBuilder>,
        turn: SurveyTurn,
        progress: &TaskProgress<'_>,
    ) -> BoardBuilder {
        match survey {
            None => BoardBuilder::new(self.run.clone()),
            Some(survey) if turn != SurveyTurn::Next => survey,
            Some(mut survey) => {
                let until = Instant::now() + SLICE;
                let goes_on = || Instant::now() < until && !progress.is_cancelled() && !self.is_stopped();
                survey.analyse_groups(&mut || goes_on());
                survey
            }
        }
    }
}

/// Returns the jobs of a cycle whose verdict is likely; `None` if cancelled.
fn likely_of(run: &Arc<Run>, progress: &TaskProgress<'_>) -> Option<LikelyJobs> {
    let mut judge = Assumptions::new(run);
    let mut found = LikelyJobs::default();
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

/// Replaces a value; the old one is dropped only after the lock is released.
fn put<T>(place: &Mutex<T>, value: T) {
    let before = std::mem::replace(&mut *place.lock().unwrap_or_else(PoisonError::into_inner), value);
    drop(before);
}

#[cfg(test)]
mod tests {
    use qscope_session::{Opening, OpeningOrigin, load_generation};

    use super::*;

    #[test]
    fn an_analysis_that_ends_while_it_is_stopped_is_at_its_end() {
        let generation = load_generation(&Opening::of(OpeningOrigin::BuiltIn), 1).unwrap();
        let survey = QueueSurvey::new(Arc::clone(&generation.run), Effort::default());
        let left = |turn| {
            let Computation { task, ticket: _ticket } = survey.slice("", turn, |found| {
                let (done, of) = found.progress();
                of - done
            });
            let left = AtomicU64::new(0);
            task.run(&|news| {
                if let crate::task::News::Answer(answer) = news.news {
                    left.store(*answer.downcast::<u64>().unwrap(), Ordering::Relaxed);
                }
            });
            left.into_inner()
        };
        let waiting = left(SurveyTurn::First);
        assert!(waiting > 1 && survey.stop() && survey.is_stopped());
        // A slice that was under way analyses one job more.
        assert_eq!(left(SurveyTurn::Next), waiting - 1);
        assert!(survey.is_stopped());
        while left(SurveyTurn::Next) > 0 {}
        assert!(!survey.is_stopped() && !survey.resume(), "nothing was left to stop");
    }
}
