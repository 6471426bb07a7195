//! `qscope cycle --qrun`: the cycle that an operator's qrun of one job would start (rule 6.11).

use std::sync::Arc;

use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_engine::cluster::{Edit, JobId, JobState};
use qscope_engine::cycle::{Outcome, RefusalStage};
use qscope_engine::universe::Reason;
use qscope_session::Generation;

use super::open;

/// The result of a qrun.
#[derive(Serialize)]
pub(super) struct QrunJson<'a> {
    /// The job by full id.
    job: &'a str,
    /// Whether it starts.
    runs: bool,
    /// Why it does not start.
    reply: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct QrunJob(JobId);

impl QrunJob {
    /// Replaces the live cycle by one that considers this job alone.
    ///
    /// # Errors
    /// If there is no such job, or it runs or has ended.
    pub(super) fn replace(generation: &mut Generation, name: &str) -> Result<Self> {
        let job = open::job(generation, name)?;
        let state = generation.snapshot.jobs[job].state;
        if matches!(state, JobState::Running | JobState::Exiting | JobState::Finished) {
            return Err(eyre!("--qrun {name}: the job does not wait, its state is {}", state.letter()));
        }
        let snapshot = Arc::new(generation.snapshot.with(&[Edit::Qrun(job)]));
        generation.run = Arc::new(generation.run.over(snapshot.clone())).into();
        generation.snapshot = snapshot;
        Ok(Self(generation.snapshot.qrun.unwrap_or(job)))
    }

    /// Returns the result as JSON.
    pub(super) fn to_json(self, generation: &Generation) -> QrunJson<'_> {
        QrunJson {
            job: &generation.snapshot.jobs[self.0].name,
            runs: self.runs(generation),
            reply: self.reply(generation),
        }
    }

    /// Returns the result as one line of text.
    pub(super) fn to_text(self, generation: &Generation) -> String {
        let name = &generation.snapshot.jobs[self.0].name;
        format!("qrun {name}: {}", self.reply(generation).unwrap_or_else(|| "it runs".to_owned()))
    }

    fn outcome(self, generation: &Generation) -> Option<&Outcome> {
        generation.run.outcome(self.0)
    }

    fn runs(self, generation: &Generation) -> bool {
        self.outcome(generation).is_some_and(|outcome| outcome.placed.is_some())
    }

    /// Returns what the operator reads if the job does not run: the text of the log, not that of a comment. If a job
    /// whose failure stops all others failed, every job gets the text for that instead of its own (measured). Returns
    /// `None` if the job runs.
    fn reply(self, generation: &Generation) -> Option<String> {
        let outcome = self.outcome(generation).filter(|outcome| outcome.placed.is_none())?;
        let catalogue = &generation.snapshot.catalogue;
        let stops = |other: &Outcome| other.refused_at == Some(RefusalStage::Order);
        if generation.run.not_considered.iter().any(stops) {
            return Some(Reason::StrictOrdering.log_text(catalogue));
        }
        Some(outcome.rejection.as_ref().map_or_else(
            || "the scheduler does not consider it".to_owned(),
            |rejection| rejection.reason.log_text(catalogue),
        ))
    }
}
