//! What a reduced cluster keeps of the cycle over the whole one: one job's verdict, cause and numbers. The cycles are
//! compared to find which of its other jobs are decided differently.

use std::sync::Arc;

use qscope_engine::cluster::{JobId, Name};
use qscope_engine::cycle::Run;
use qscope_explain::{WaitReason, causes, decided};

/// The other jobs of a reduced cluster, compared with their outcomes in the whole one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReductionComparison {
    /// Number of jobs with the same verdict on the same vnodes.
    pub same_jobs: usize,
    /// The other jobs, with their outcomes: `58: run instead of not_now`, `59: other vnodes`.
    pub differing_jobs: Vec<String>,
    /// The headlines of the job in the whole and in the reduced cluster, or else the sentences of its cause, if they
    /// differ: numbers that state the size of the cluster, or which jobs took the nodes.
    pub headline: Option<[String; 2]>,
}

impl ReductionComparison {
    /// Compares the cycle over a reduced cluster with that over the whole one, except for the job it was reduced for.
    pub fn of(whole: &Run, reduced: &Run, job: &Name) -> Self {
        let mut found = Self::default();
        for (id, of) in reduced.plan.snap.jobs.enumerate().filter(|(_, of)| of.name != *job) {
            let Some(was) = whole.plan.snap.job_named(&of.name) else { continue };
            let (before, after) = (OutcomeSummary::of(whole, was), OutcomeSummary::of(reduced, id));
            match before == after {
                true => found.same_jobs += 1,
                false => {
                    found.differing_jobs.push(format!(
                        "{}: {}",
                        of.short_name(),
                        after.describe_change(&before)
                    ));
                }
            }
        }
        found
    }

    /// Also compares the headlines of the job that the cluster was reduced for.
    #[must_use]
    pub fn with_headline(mut self, whole: &Arc<Run>, reduced: &Arc<Run>, job: &Name) -> Self {
        let reason = |run: &Arc<Run>| WaitReason::of(&causes(run, run.plan.snap.job_named(job)?));
        let (was, is) = (reason(whole), reason(reduced));
        // The sentence counts more nodes than the headline.
        let differing = |text: fn(&WaitReason) -> String| {
            let texts = was.as_ref().map(text).zip(is.as_ref().map(text));
            texts.filter(|(was, is)| was != is).map(<[_; 2]>::from)
        };
        self.headline =
            differing(WaitReason::headline_of_cause).or_else(|| differing(|reason| reason.sentence.clone()));
        self
    }

    /// Returns how many jobs were compared.
    pub fn count(&self) -> usize {
        self.same_jobs + self.differing_jobs.len()
    }
}

#[derive(PartialEq, Eq)]
struct OutcomeSummary {
    verdict: &'static str,
    vnodes: Option<String>,
}

impl OutcomeSummary {
    fn of(run: &Run, job: JobId) -> Self {
        let Some(outcome) = decided(run, job) else { return Self { verdict: "running", vnodes: None } };
        let placed = outcome.placed.as_ref().filter(|_| run.is_start(outcome));
        let vnodes = placed.map(|placed| placed.allocation.exec_vnode(&run.plan));
        Self { verdict: run.verdict(outcome).word(), vnodes }
    }

    /// Describes the difference from the previous outcome.
    fn describe_change(&self, before: &Self) -> String {
        match self.verdict == before.verdict {
            true => "other vnodes".to_owned(),
            false => format!("{} instead of {}", self.verdict, before.verdict),
        }
    }
}
