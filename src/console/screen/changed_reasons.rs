//! Rows whose job waits for another reason than the row showed before, even if the scheduler's comment is the same: the
//! analysed reason arrives later than the snapshot (console.md 6, Live).

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::analysis::places_before;
use super::{Analysis, Screen};
use crate::survey::WaitReasons;
use qscope_engine::cluster::{Column, Epoch, JobId, Snapshot};

/// The reasons that rows showed, to compare later ones with.
#[derive(Debug)]
pub(super) struct PreviousReasons {
    snapshot: Arc<Snapshot>,
    reasons: Arc<WaitReasons>,
    /// The ids in that snapshot of the jobs on the screen.
    places: OnceCell<Column<JobId, Option<JobId>>>,
    /// The reasons compared last, and the jobs found so far.
    compared: Option<Arc<WaitReasons>>,
    changed_jobs: FxHashSet<JobId>,
}

impl PreviousReasons {
    fn of(analysis: &Analysis) -> Option<Self> {
        let reasons = analysis.survey.reasons();
        let snapshot = analysis.generation.snapshot.clone();
        (!reasons.is_empty()).then(|| Self::new(snapshot, reasons))
    }

    fn new(snapshot: Arc<Snapshot>, reasons: Arc<WaitReasons>) -> Self {
        let (places, changed_jobs) = (OnceCell::new(), FxHashSet::default());
        Self { snapshot, reasons, places, compared: None, changed_jobs }
    }

    /// The name of the earlier reason of a job.
    fn name_of(&self, job: JobId, now: &Snapshot) -> Option<&str> {
        let places = self.places.get_or_init(|| places_before(now, &self.snapshot));
        let then = places.checked(job).copied().flatten()?;
        Some(&self.reasons.get(&then)?.name)
    }
}

impl Screen {
    /// The analysed reasons that rows show, or the earlier ones if there are none yet.
    pub(super) fn shown_reasons(&self) -> Option<PreviousReasons> {
        let before = || self.reasons_before.as_ref();
        let again = || before().map(|one| PreviousReasons::new(one.snapshot.clone(), one.reasons.clone()));
        PreviousReasons::of(&self.analysis).or_else(again)
    }

    /// Marks the rows of jobs whose reason changed; returns whether there are further ones.
    pub(crate) fn mark_turned_reasons(&mut self, now: Epoch) -> bool {
        let Some(before) = &self.reasons_before else { return false };
        let known = self.analysis.survey.reasons();
        if before.compared.as_ref().is_some_and(|compared| Arc::ptr_eq(compared, &known)) {
            return false;
        }
        let snap = &self.generation.snapshot;
        let reasons = self.known_reasons();
        let is_other = |job: JobId, name: &str| before.name_of(job, snap).is_some_and(|was| was != name);
        let turned = reasons.iter().filter(|(job, reason)| is_other(**job, &reason.name));
        let more: Vec<JobId> =
            turned.map(|(job, _)| *job).filter(|job| !before.changed_jobs.contains(job)).collect();
        for job in &more {
            self.row_marks.mark_changed(*job, &snap.jobs[*job].name, now);
        }
        if let Some(before) = &mut self.reasons_before {
            before.compared = Some(known);
            before.changed_jobs.extend(&more);
        }
        !more.is_empty()
    }
}
