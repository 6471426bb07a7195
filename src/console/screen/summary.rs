//! The counts of a snapshot that every frame shows: jobs by state, the verdict of every step. They are computed once,
//! since counting ten thousand jobs takes too long for each frame.

use rustc_hash::FxHashMap;

use super::first_waiting::FirstWaiting;
use crate::theme::Role;
use crate::wording;
use qscope_engine::cluster::{Job, JobId, JobState, Snapshot};
use qscope_engine::cycle::{Run, StepIx};
use qscope_explain::UndoneStart;

/// The counts of a snapshot.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) jobs: SummaryJobs,
    /// The role of each step's verdict.
    pub(crate) verdicts: Vec<Role>,
    /// The counts of considered jobs before the first step and after each step.
    so_far: Vec<ConsideredCounts>,
    pub(crate) first_waiting: FirstWaiting,
    /// The steps whose job was preempted later.
    undone: FxHashMap<StepIx, UndoneStart>,
}

/// Jobs considered so far, each counted once by its last outcome: a job that starts, is preempted in the same cycle and
/// considered again has two.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConsideredCounts {
    pub(crate) start: usize,
    pub(crate) wait: usize,
    /// Number of those that wait whose start the server refuses: during the cycle their nodes count as taken.
    pub(crate) refused: usize,
}

impl ConsideredCounts {
    /// Removes a job from its previous count, and counts it anew.
    fn count(&mut self, before: Option<bool>, starts: bool) {
        match before {
            Some(true) => self.start -= 1,
            Some(false) => self.wait -= 1,
            None => {}
        }
        *(if starts { &mut self.start } else { &mut self.wait }) += 1;
    }
}

/// The counts of a cycle, step by step.
#[derive(Default)]
struct StepCounts {
    so_far: Vec<ConsideredCounts>,
    undone: FxHashMap<StepIx, UndoneStart>,
}

impl StepCounts {
    fn of(run: &Run) -> Self {
        let mut now = ConsideredCounts::default();
        let undone = qscope_explain::undone_starts(run);
        let mut found = Self { so_far: vec![now], undone: FxHashMap::default() };
        let mut next = undone.iter().peekable();
        // Whether the last outcome of a job started it.
        let mut known: FxHashMap<(JobId, Option<u32>), bool> = FxHashMap::default();
        for (at, outcome) in run.steps.enumerate().map(|(at, step)| (at, &step.outcome)) {
            while let Some(undone) = next.next_if(|undone| undone.end == at) {
                let start = &run.steps[undone.start].outcome;
                now.count(known.insert((start.job, start.subjob), false), false);
                found.undone.insert(undone.start, *undone);
            }
            // A later step may undo the start; it counts until then.
            let starts = outcome.placed.is_some() && !run.is_refused(outcome);
            now.count(known.insert((outcome.job, outcome.subjob), starts), starts);
            now.refused += usize::from(run.is_refused(outcome));
            found.so_far.push(now);
        }
        found
    }
}

impl Summary {
    /// Counts everything.
    pub(crate) fn of(run: &Run) -> Self {
        let snap = &run.plan.snap;
        let verdicts =
            run.steps.iter().map(|step| wording::verdict_role(run.verdict(&step.outcome))).collect();
        let StepCounts { so_far, undone } = StepCounts::of(run);
        let first_waiting = FirstWaiting::of(run);
        Self { jobs: SummaryJobs::count(snap), verdicts, so_far, first_waiting, undone }
    }

    /// How the start made by a step was undone, if a later step preempted the job.
    pub(crate) fn undone(&self, step: StepIx) -> Option<UndoneStart> {
        self.undone.get(&step).copied()
    }

    /// The counts of considered jobs after `done` steps.
    pub(crate) fn so_far(&self, done: usize) -> ConsideredCounts {
        self.so_far.get(done).or(self.so_far.last()).copied().unwrap_or_default()
    }

    /// The counts for the whole cycle.
    pub(crate) fn in_all(&self) -> ConsideredCounts {
        self.so_far(usize::MAX)
    }
}

/// Jobs by state; an array counts as one job, and so does each of its running subjobs.
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
            JobState::Queued | JobState::Begun if job.is_subjob() || job.is_all_started() => {}
            JobState::Queued | JobState::Begun => self.queued += 1,
            JobState::Held => self.held += 1,
            JobState::Suspended | JobState::UserSuspended => self.suspended += 1,
            JobState::Waiting => self.waiting += 1,
            JobState::Expired | JobState::Finished | JobState::Moved => {}
            _ => self.other += 1,
        }
    }

    /// The counts with the letters of the states.
    pub(crate) fn long(&self) -> String {
        self.written(" ", " other")
    }

    /// Formats the counts; rare states are only shown if there are such jobs.
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

    /// The counts in few letters.
    pub(crate) fn short_text(&self) -> String {
        self.written("", "?")
    }
}
