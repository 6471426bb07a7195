//! The counts of a snapshot in every frame: jobs by what they do, the verdict of every step. Counted once, since a frame
//! has no time for ten thousand jobs.

use crate::theme::Role;
use crate::wording;
use qscope_engine::cluster::{Job, JobState, Snapshot};
use qscope_engine::cycle::Run;

/// The counts of a snapshot.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) jobs: SummaryJobs,
    /// How the verdict of each step looks.
    pub(crate) verdicts: Vec<Role>,
}

impl Summary {
    /// Counts everything.
    pub(crate) fn of(run: &Run) -> Self {
        let snap = &run.plan.snap;
        let verdicts =
            run.steps.iter().map(|step| wording::verdict_role(run.verdict(&step.outcome))).collect();
        Self { jobs: SummaryJobs::count(snap), verdicts }
    }
}

/// Jobs by state; arrays count as one, and so does each of their subjobs that runs.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SummaryJobs {
    running: usize,
    queued: usize,
    held: usize,
    suspended: usize,
    waiting: usize,
    other: usize,
}

impl SummaryJobs {
    fn count(snap: &Snapshot) -> Self {
        let mut jobs = Self::default();
        for job in &snap.jobs {
            jobs.add(job);
        }
        jobs
    }

    fn add(&mut self, job: &Job) {
        match job.state {
            JobState::Running | JobState::Exiting => self.running += 1,
            JobState::Queued | JobState::Begun if job.is_subjob() => {}
            JobState::Queued | JobState::Begun => self.queued += 1,
            JobState::Held => self.held += 1,
            JobState::Suspended | JobState::UserSuspended => self.suspended += 1,
            JobState::Waiting => self.waiting += 1,
            JobState::Expired | JobState::Finished | JobState::Moved => {}
            _ => self.other += 1,
        }
    }

    /// With the letters of the states.
    pub(crate) fn long(&self) -> String {
        self.written(" ", " other")
    }

    /// The states that are rare only where there are such jobs.
    fn written(&self, gap: &str, other: &str) -> String {
        let mut text = format!("{}{gap}R {}{gap}Q {}{gap}H", self.running, self.queued, self.held);
        let rare = [
            (self.suspended, format!("{gap}S")),
            (self.waiting, format!("{gap}W")),
            (self.other, other.to_owned()),
        ];
        for (count, word) in rare.into_iter().filter(|(count, _)| *count > 0) {
            text.push_str(&format!(" {count}{word}"));
        }
        text
    }

    /// In a few letters.
    pub(crate) fn short(&self) -> String {
        self.written("", "?")
    }
}
