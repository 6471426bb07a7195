//! The analysis shown on a screen: of its own snapshot, or of an earlier one.
//!
//! If snapshots arrive faster than they can be analysed, a running analysis is finished and shown with its own moment
//! until the next one is due. Restarting it for each newer snapshot would never finish, and would keep all processors
//! busy for nothing.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Column, Epoch, JobId, Name, Snapshot};
use qscope_engine::cycle::{Outcome, Run};
use qscope_explain::WaitReason;
use qscope_session::Generation;

use super::{Screen, Serial, StartForecasts};
use crate::effort::{Effort, REST};
use crate::survey::{QueueSurvey, WaitReasons};
use crate::wording;

/// The pause before an analysis for a view being opened is only as long as the last one took, and at least this long
/// after the last one began.
const YOUNG: Duration = Duration::from_secs(1);

/// The analysis of one snapshot by workers, for all views.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub(crate) serial: Serial,
    /// The snapshot.
    pub(crate) generation: Arc<Generation>,
    /// Why the queue waits, as far as analysed.
    pub(crate) survey: QueueSurvey,
    /// When waiting jobs would start.
    pub(crate) starts: StartForecasts,
    /// The time all that took.
    pub(crate) effort: Effort,
    started_at: Instant,
}

impl Analysis {
    pub(super) fn new(generation: Arc<Generation>) -> Rc<Self> {
        let (run, effort) = (Arc::clone(&generation.run), Effort::default());
        let survey = QueueSurvey::new(run.clone(), effort.clone());
        Rc::new(Self {
            serial: Serial::next(),
            generation,
            survey,
            starts: StartForecasts::new(run, effort.clone()),
            effort,
            started_at: Instant::now(),
        })
    }

    /// When the next analysis may begin; `None` while this one is under way.
    pub(crate) fn next_start(&self) -> Option<Instant> {
        self.effort.next_start(REST)
    }

    /// When the next analysis may begin for a view being opened; `None` while this one is under way.
    pub(crate) fn rested_for_view(&self) -> Option<Instant> {
        Some(self.effort.next_start(1)?.max(self.started_at + YOUNG))
    }
}

/// Maps jobs of a screen to those of the analysed snapshot, if the decision about them was the same there.
pub(super) type AnalysedJobMap = OnceCell<FxHashMap<JobId, JobId>>;

impl Screen {
    /// The earlier snapshot that the analysis is for; `None` if it is for this one.
    pub(crate) fn analysed_before(&self) -> Option<&Generation> {
        let of = &self.analysis.generation;
        (!Arc::ptr_eq(of, &self.generation)).then_some(&**of)
    }

    /// The moment of the analysis in words, if it is for an earlier snapshot.
    pub(crate) fn analysed_at(&self) -> Option<String> {
        let snap = &self.analysed_before()?.snapshot;
        Some(wording::analysed_at(snap, snap.now))
    }

    /// Analyses this snapshot.
    pub(crate) fn analyse(&mut self) {
        self.reasons_before = self.shown_reasons();
        self.analysis = Analysis::new(self.generation.clone());
        self.then = OnceCell::new();
    }

    /// Keeps the analysis of an earlier snapshot.
    pub(crate) fn keep(&mut self, analysis: Rc<Analysis>) {
        self.analysis = analysis;
        self.then = OnceCell::new();
    }

    /// The job in the analysed snapshot.
    fn analysed_job(&self, job: JobId) -> Option<JobId> {
        let Some(before) = self.analysed_before() else { return Some(job) };
        self.then.get_or_init(|| match_jobs(self.run(), &before.run)).get(&job).copied()
    }

    /// Why a job waits: as analysed, or by the first condition that the scheduler met.
    pub(crate) fn reason(&self, outcome: &Outcome) -> Option<WaitReason> {
        // A subjob that starts does not share the reason for which others of its array wait.
        if self.run().is_start(outcome) {
            return None;
        }
        let reasons = self.analysis.survey.reasons();
        match self.analysed_job(outcome.job).and_then(|job| reasons.get(&job)) {
            Some(reason) => Some(WaitReason::clone(reason)),
            None => WaitReason::at_a_glance(self.run(), outcome),
        }
    }

    /// Why a job waits, if it was analysed.
    pub(crate) fn known_reason(&self, job: JobId) -> Option<Arc<WaitReason>> {
        let reasons = self.analysis.survey.reasons();
        self.analysed_job(job).and_then(|job| reasons.get(&job).cloned())
    }

    /// The analysed reasons by job of this snapshot.
    pub(crate) fn known_reasons(&self) -> Arc<WaitReasons> {
        let reasons = self.analysis.survey.reasons();
        if self.analysed_before().is_none() {
            return reasons;
        }
        let jobs = self.run().outcomes().map(|outcome| outcome.job);
        let known = |job| Some((job, reasons.get(&self.analysed_job(job)?)?.clone()));
        Arc::new(jobs.filter_map(known).collect())
    }

    /// Whether facts that no file shows could change the verdict on a job, as far as that is known.
    pub(crate) fn is_likely(&self, job: JobId) -> bool {
        self.analysed_job(job).is_some_and(|job| self.analysis.survey.likely().contains(&job))
    }

    /// When a job would start, as far as known.
    pub(crate) fn start_of(&self, job: JobId) -> Option<Epoch> {
        self.analysed_job(job).and_then(|job| self.analysis.starts.of(job))
    }
}

/// Maps the jobs of a cycle to those of the one before, for jobs with the same verdict for the same reason in both.
fn match_jobs(now: &Run, before: &Run) -> FxHashMap<JobId, JobId> {
    let places = places_before(&now.plan.snap, &before.plan.snap);
    let words = |run: &Run, outcome: &Outcome| {
        let reason = outcome.rejection.as_ref().map(|rejection| std::mem::discriminant(&rejection.reason));
        (run.verdict(outcome), reason)
    };
    let mut decided = Column::filled(before.plan.snap.jobs.len(), None);
    for outcome in before.outcomes() {
        decided[outcome.job] = Some(words(before, outcome));
    }
    let pairs = now.outcomes().filter_map(|outcome| {
        let then = places[outcome.job]?;
        (decided[then] == Some(words(now, outcome))).then_some((outcome.job, then))
    });
    pairs.collect()
}

/// The ids of jobs in an earlier snapshot: most have the same id, and nearly all the same order.
pub(super) fn places_before(now: &Snapshot, before: &Snapshot) -> Column<JobId, Option<JobId>> {
    /// Up to that many new jobs, looking them up by name is not worth it.
    const FEW: usize = 64;
    let [now, before] = [now, before].map(|snap| &snap.jobs);
    let mut places = now.places_in(before, |one, other| one.name == other.name);
    if places.iter().filter(|place| place.is_none()).count() > FEW {
        let known: FxHashMap<&Name, JobId> = before.enumerate().map(|(id, job)| (&job.name, id)).collect();
        for (id, job) in now.enumerate() {
            places[id] = known.get(&job.name).copied();
        }
    }
    places
}
