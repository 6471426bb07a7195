//! The jobs of a queue at the moment whose limits are shown: what the cycle has started by then runs and waits no more.

use rustc_hash::FxHashMap;

use super::Line;
use crate::views::world::World;
use crate::wording;
use qscope_engine::cluster::{Job, JobId, JobState, Name, short_id};
use qscope_engine::cycle::{Outcome, Verdict};

/// What the cycle has started by the moment: jobs and subjobs by name, and how often each record of the dump.
#[derive(Default)]
pub(super) struct Started<'w> {
    outcomes: Vec<&'w Outcome>,
    times: FxHashMap<JobId, usize>,
}

impl<'w> Started<'w> {
    /// Before the first step the whole cycle counts, as it does for limits.
    pub(super) fn of(world: World<'w>) -> Self {
        let run = world.run();
        let done = if world.position() == 0 { run.steps.len() } else { world.position() };
        let steps = run.steps.iter().take(done).map(|step| &step.outcome);
        let mut found = Self::default();
        for outcome in steps.filter(|outcome| run.verdict(outcome) == Verdict::Run) {
            found.outcomes.push(outcome);
            *found.times.entry(outcome.job).or_default() += 1;
        }
        found
    }

    /// Whether nothing of a job is left to wait; an array waits until its last subjob has started.
    fn has_all_of(&self, id: JobId, job: &Job) -> bool {
        let all = job.array.as_ref().map_or(1, |array| array.remaining.len().max(1));
        self.times.get(&id).is_some_and(|times| *times >= all)
    }

    /// Jobs running, waiting and held.
    pub(super) fn count(&self, world: World<'_>, queue: Option<&Name>) -> [usize; 3] {
        let jobs = &world.snapshot().jobs;
        let is_here = |job: &Job| queue.is_none_or(|queue| job.queue == *queue);
        let started = self.outcomes.iter().filter(|outcome| is_here(&jobs[outcome.job])).count();
        let mut counts = [started, 0, 0];
        let [run, wait, held] = &mut counts;
        for (id, job) in jobs.enumerate().filter(|(_, job)| is_here(job)) {
            match job.state {
                JobState::Running | JobState::Exiting => *run += 1,
                _ if waits(job) && !self.has_all_of(id, job) => *wait += 1,
                JobState::Held => *held += 1,
                _ => {}
            }
        }
        counts
    }

    /// Which jobs run, wait and are held in a queue, or at the server, and how the queue stands.
    pub(super) fn facts(&self, line: &Line, world: World<'_>, columns: usize) -> Vec<(&'static str, String)> {
        let snap = world.snapshot();
        let is_here = |job: &Job| line.queue.is_empty() || *job.queue == *line.queue;
        let named = |is: &dyn Fn(JobId, &Job) -> bool| {
            let jobs = snap.jobs.enumerate().filter(|(id, job)| is_here(job) && is(*id, job));
            jobs.map(|(_, job)| job.short_name().to_owned()).collect::<Vec<_>>()
        };
        let folded = |names: Vec<String>| match names.is_empty() {
            true => "no job".to_owned(),
            false => wording::folded_within(names.iter().map(String::as_str), columns),
        };
        let runs = named(&|_, job| matches!(job.state, JobState::Running | JobState::Exiting));
        let here = self.outcomes.iter().filter(|outcome| is_here(&snap.jobs[outcome.job]));
        let starts = here.map(|outcome| short_id(&outcome.name(snap)).to_owned()).collect();
        let mut facts = vec![
            ("run", folded(runs)),
            ("start", folded(starts)),
            ("wait", folded(named(&|id, job| waits(job) && !self.has_all_of(id, job)))),
            ("held", folded(named(&|_, job| job.state == JobState::Held))),
        ];
        if !line.state.is_empty() {
            facts.push(("state", format!("{} · priority {}", line.state, line.priority)));
        }
        facts
    }
}

/// Whether a job waits in the dump; its array counts for a subjob.
fn waits(job: &Job) -> bool {
    match job.state {
        JobState::Queued | JobState::Begun => !job.is_subjob(),
        state => state == JobState::Waiting,
    }
}
