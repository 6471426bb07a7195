//! The counts of a snapshot in every frame: jobs by what they do, the verdict of every step. Counted once, since a frame
//! has no time for ten thousand jobs.

use rustc_hash::FxHashMap;

use super::first_waiting::FirstWaiting;
use crate::theme::Role;
use crate::wording;
use qscope_engine::cluster::{Job, JobId, JobState, Snapshot};
use qscope_engine::cycle::{Run, StepIx, Verdict};
use qscope_explain::Undone;

/// The counts of a snapshot.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) jobs: SummaryJobs,
    /// How the verdict of each step looks.
    pub(crate) verdicts: Vec<Role>,
    /// What has become of the jobs considered, before the first step and after each.
    so_far: Vec<SoFar>,
    pub(crate) first_waiting: FirstWaiting,
    /// The steps whose job was preempted again.
    undone: FxHashMap<StepIx, Undone>,
}

/// Jobs considered so far: each counts once, by its last turn. A job that starts, is preempted in the same cycle and comes up
/// again has two.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SoFar {
    pub(crate) start: usize,
    pub(crate) wait: usize,
}

impl SoFar {
    /// Takes a job from where it was counted before, and counts it anew.
    fn count(&mut self, before: Option<bool>, starts: bool) {
        match before {
            Some(true) => self.start -= 1,
            Some(false) => self.wait -= 1,
            None => {}
        }
        *(if starts { &mut self.start } else { &mut self.wait }) += 1;
    }
}

/// The turns of a cycle, job by job.
#[derive(Default)]
struct Turns {
    so_far: Vec<SoFar>,
    undone: FxHashMap<StepIx, Undone>,
}

impl Turns {
    fn of(run: &Run) -> Self {
        let mut now = SoFar::default();
        let undone = qscope_explain::undone(run);
        let mut found = Self { so_far: vec![now], undone: FxHashMap::default() };
        let mut next = undone.iter().peekable();
        // Whether the last turn of a job started it.
        let mut known: FxHashMap<(JobId, Option<u32>), bool> = FxHashMap::default();
        for (at, outcome) in run.steps.enumerate().map(|(at, step)| (at, &step.outcome)) {
            while let Some(undone) = next.next_if(|undone| undone.end == at) {
                let start = &run.steps[undone.start].outcome;
                now.count(known.insert((start.job, start.subjob), false), false);
                found.undone.insert(undone.start, *undone);
            }
            let starts = run.verdict(outcome) == Verdict::Run;
            now.count(known.insert((outcome.job, outcome.subjob), starts), starts);
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
        let Turns { so_far, undone } = Turns::of(run);
        let first_waiting = FirstWaiting::of(run);
        Self { jobs: SummaryJobs::count(snap), verdicts, so_far, first_waiting, undone }
    }

    /// What became of the job that a step started, where a later step preempted it.
    pub(crate) fn undone(&self, step: StepIx) -> Option<Undone> {
        self.undone.get(&step).copied()
    }

    /// What has become of the jobs considered when so many steps are made.
    pub(crate) fn so_far(&self, done: usize) -> SoFar {
        self.so_far.get(done).or(self.so_far.last()).copied().unwrap_or_default()
    }

    /// The same of the whole cycle.
    pub(crate) fn in_all(&self) -> SoFar {
        self.so_far(usize::MAX)
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
            JobState::Queued | JobState::Begun if job.is_subjob() || job.is_all_started() => {}
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
