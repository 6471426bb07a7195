//! Compares the model with the live scheduler: comment by comment, log line by log line, and by predicting what
//! starts next.
//!
//! Only what is recorded counts as agreement: without evidence the answer is "no evidence", never a percentage.

mod class;
mod logged;
mod prediction;
mod recorded;

use std::sync::{Arc, OnceLock};

pub use class::{AgreementClass, AgreementTally, ComparedFact};
pub use logged::{LogAgreement, OrderAgreement, OrderDivergence, TurnAgreement};
pub use prediction::{PlacementMatch, PredictedStart, Prediction, PredictionScore};
pub use recorded::JobAgreement;

use super::SchedLogLocation;
use qscope_engine::cycle::Run;
use qscope_source::sched_log;

/// Agreement of a cycle with the records of the live scheduler.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// Waiting jobs compared with their comments and estimates, while that is held.
    jobs: OnceLock<Vec<JobAgreement>>,
    /// Classes of these comparisons, one for each job.
    recorded: AgreementTally,
    /// Comparison with the cycle of the log that followed the dump, or why there is none.
    pub log: Result<LogAgreement, String>,
    /// Prediction of the previous snapshot for this one.
    pub prediction: Option<Prediction>,
    /// Score of all such predictions since the session was opened.
    pub total_score: PredictionScore,
}

impl Agreement {
    /// Compares a cycle with the dump that it was modelled from, and with the scheduler's log. The lines of at most
    /// `max_turns` turns of the log are compared, since each turn is decided again for that.
    pub fn new(run: &Arc<Run>, log: &SchedLogLocation, max_turns: usize) -> Self {
        let snap = &run.plan.snap;
        let cycle = match log {
            SchedLogLocation::BuiltIn => Err("the built-in sample has no sched_log".to_owned()),
            SchedLogLocation::Folder(folder) => {
                sched_log::cycle_since(folder, &snap.zone, snap.now).map_err(|why| why.to_string())
            }
            SchedLogLocation::Input(None) => Err("no log of the scheduler among the files".to_owned()),
            SchedLogLocation::Input(Some(log)) => {
                sched_log::cycle_in(log, &snap.zone, snap.now).map_err(|why| why.to_string())
            }
        };
        let log = cycle.map(|cycle| logged::compare(run, &cycle, max_turns));
        let jobs = recorded::compare(run);
        let recorded = jobs.iter().map(JobAgreement::class).collect();
        Self { jobs: jobs.into(), recorded, log, prediction: None, total_score: PredictionScore::default() }
    }

    /// Adds the prediction of the previous snapshot for this one, and the score of all predictions. If the jobs are
    /// of the same time, nothing can have started, and the last prediction is kept.
    pub fn after(mut self, before: &Run, last: Option<&Self>, this: &Run) -> Self {
        self.total_score = last.map_or_else(PredictionScore::default, |last| last.total_score);
        self.prediction = last.and_then(|last| last.prediction.clone());
        if this.plan.snap.now > before.plan.snap.now {
            let prediction = Prediction::new(before, &this.plan.snap);
            self.total_score = self.total_score + prediction.score;
            self.prediction = Some(prediction);
        }
        self
    }

    /// Returns it without the comparison job by job, which the cycle allows to make again.
    pub(super) fn without_jobs(&self) -> Self {
        Self {
            jobs: OnceLock::new(),
            recorded: self.recorded,
            log: self.log.clone(),
            prediction: self.prediction.clone(),
            total_score: self.total_score,
        }
    }

    /// Returns the waiting jobs in the order of the dump, compared with their comments and estimates. If the
    /// comparisons were dropped, they are made again from the cycle that they belong to.
    pub fn jobs(&self, run: &Run) -> &[JobAgreement] {
        self.jobs.get_or_init(|| recorded::compare(run))
    }

    /// Whether the comparisons are held.
    #[cfg(test)]
    pub(super) fn holds_jobs(&self) -> bool {
        self.jobs.get().is_some()
    }

    /// Returns the classes of comments, verdicts and estimates, one class for each job.
    pub fn recorded(&self) -> AgreementTally {
        self.recorded
    }

    /// Whether any record differs from the model.
    pub fn differs(&self) -> bool {
        let log = self.log.as_ref().is_ok_and(|log| log.tally().different > 0 || !log.order.is_same());
        self.recorded().different > 0 || log
    }

    /// Returns one short line: jobs whose comment, verdict and estimate are equal, log turns, starts.
    pub fn summary(&self) -> String {
        let recorded = self.recorded();
        let mut parts = Vec::new();
        if recorded.evidence() > 0 {
            let numbers = match recorded.other_numbers {
                0 => String::new(),
                n => format!(" ({n} more with other numbers)"),
            };
            parts.push(format!("{} of {} jobs{numbers}", recorded.equal, recorded.evidence()));
        }
        if let Ok(log) = &self.log {
            let tally = log.tally();
            if tally.evidence() > 0 {
                parts.push(format!("{} of {} log turns", tally.equal, tally.evidence()));
            }
        }
        if self.total_score.starts > 0 {
            parts.push(format!("{} of {} starts", self.total_score.predicted, self.total_score.starts));
        }
        if recorded.not_seen > 0 {
            parts.push(format!("{} by settings not seen", recorded.not_seen));
        }
        if parts.is_empty() { "no evidence".to_owned() } else { parts.join(", ") }
    }

    /// Whether there are records to compare the model with.
    pub fn has_evidence(&self) -> bool {
        let log = self.log.as_ref().is_ok_and(|log| log.tally().evidence() > 0);
        self.recorded().evidence() > 0 || self.total_score.starts > 0 || log
    }

    /// Returns all comments, log turns and starts in one count, for narrow places.
    pub fn short_summary(&self) -> String {
        let mut counts = vec![self.recorded()];
        counts.extend(self.log.as_ref().ok().map(LogAgreement::tally));
        let equal = counts.iter().map(|tally| tally.equal).sum::<usize>() + self.total_score.predicted;
        let evidence = counts.iter().map(|tally| tally.evidence()).sum::<usize>() + self.total_score.starts;
        if evidence == 0 { "no evidence".to_owned() } else { format!("agrees {equal}/{evidence}") }
    }
}
