//! The jobs of a queue at the moment in the title: what the cycle has started by then counts as running, not waiting.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::QueueLine;
use super::facts::LineFact;
use crate::views::{MAX_NAMED, ViewContext};
use crate::wording;
use qscope_engine::cluster::{Job, JobId, JobState, Name, short_id};
use qscope_engine::cycle::{Outcome, Verdict};
use qscope_engine::universe::PreemptMethod;
use qscope_explain::{standing_preemptions, standing_starts};

/// Jobs with their names in a list.
type NamedJobs<'a> = Vec<(Cow<'a, str>, JobId)>;

/// What the cycle has started by the moment: the outcomes, and the number of starts per job of the dump.
#[derive(Default)]
pub(super) struct CycleStarts<'w> {
    outcomes: Vec<&'w Outcome>,
    times: FxHashMap<JobId, usize>,
    /// Running jobs that the cycle has preempted by the moment.
    preempted: FxHashMap<JobId, PreemptMethod>,
    /// Number of steps made by then.
    steps: usize,
}

/// Number of jobs running, waiting and held, by queue and for the whole server.
#[derive(Default)]
pub(super) struct QueueCounts<'w> {
    of_queue: FxHashMap<&'w Name, [usize; 3]>,
    all: [usize; 3],
}

impl<'w> QueueCounts<'w> {
    /// The counts of a queue, or of the server for `None`.
    pub(super) fn of(&self, queue: Option<&Name>) -> [usize; 3] {
        queue.map_or(self.all, |queue| self.of_queue.get(queue).copied().unwrap_or_default())
    }

    fn add(&mut self, queue: &'w Name, place: usize) {
        for counts in [&mut self.all, self.of_queue.entry(queue).or_default()] {
            debug_assert!(place < counts.len(), "a count for each kind of job");
            if let Some(count) = counts.get_mut(place) {
                *count += 1;
            }
        }
    }
}

impl<'w> CycleStarts<'w> {
    /// Before the first step the whole cycle counts, as for limits.
    pub(super) fn of(cx: ViewContext<'w>) -> Self {
        let run = cx.run();
        let done = if cx.position() == 0 { run.steps.len() } else { cx.position() };
        let steps = standing_starts(run, done).map(|step| &step.outcome);
        let preempted = standing_preemptions(run, done);
        let mut found = Self { steps: done, preempted, ..Self::default() };
        for outcome in steps.filter(|outcome| run.verdict(outcome) == Verdict::Run) {
            found.outcomes.push(outcome);
            *found.times.entry(outcome.job).or_default() += 1;
        }
        found
    }

    /// Whether nothing of a job waits any more; an array waits until its last subjob has started.
    fn has_all_of(&self, id: JobId, job: &Job) -> bool {
        self.times
            .get(&id)
            .is_some_and(|times| *times >= job.array.as_ref().map_or(1, |array| array.remaining.len().max(1)))
    }

    /// Where a job counts: 0 running, 1 waiting, 2 held; `None` if the cycle has started it, which is counted
    /// separately.
    fn place(&self, id: JobId, job: &Job) -> Option<usize> {
        match job.state {
            JobState::Running | JobState::Exiting => match self.preempted.get(&id) {
                None => Some(0),
                Some(PreemptMethod::Delete) => None,
                Some(_) => Some(1),
            },
            _ if job.waits() => (!self.has_all_of(id, job)).then_some(1),
            JobState::Held => Some(2),
            _ => None,
        }
    }

    /// Counts the jobs of all queues in one pass: there may be a hundred thousand.
    pub(super) fn counts(&self, cx: ViewContext<'w>) -> QueueCounts<'w> {
        let jobs = &cx.snapshot().jobs;
        let mut counts = QueueCounts::default();
        for outcome in &self.outcomes {
            counts.add(&jobs[outcome.job].queue, 0);
        }
        for (id, job) in jobs.enumerate() {
            if let Some(place) = self.place(id, job) {
                counts.add(&job.queue, place);
            }
        }
        counts
    }

    /// The jobs running, waiting and held in a queue or at the server, and the queue's state.
    pub(super) fn facts(&self, line: &QueueLine, cx: ViewContext<'_>, columns: usize) -> Vec<LineFact> {
        let snap = cx.snapshot();
        let is_here = |job: &Job| line.queue.is_empty() || *job.queue == *line.queue;
        let mut named: [NamedJobs<'_>; 3] = Default::default();
        for (id, job) in snap.jobs.enumerate().filter(|(_, job)| is_here(job)) {
            if let Some(names) = self.place(id, job).and_then(|place| named.get_mut(place)) {
                let name = match job.is_array() {
                    true => wording::waiting_name_after(cx.run(), id, self.steps).into(),
                    false => match self.preempted.get(&id) {
                        Some(method) => format!("{} ({})", job.short_name(), method.word()).into(),
                        None if job.state.is_suspended() => {
                            format!("{} (suspended)", job.short_name()).into()
                        }
                        None => job.short_name().into(),
                    },
                };
                names.push((name, id));
            }
        }
        let ids = |names: &NamedJobs<'_>| names.iter().map(|(_, id)| *id).take(MAX_NAMED).collect();
        let here: Vec<&&Outcome> =
            self.outcomes.iter().filter(|outcome| is_here(&snap.jobs[outcome.job])).collect();
        let subjobs = here.iter().filter(|outcome| outcome.subjob.is_some()).count();
        let starts: NamedJobs<'_> =
            here.iter().map(|one| (short_id(&one.name(snap)).to_owned().into(), one.job)).collect();
        let [runs, waits, held] = &named;
        // A subjob that starts counts by itself, while its array waits as one job.
        let counted = match subjobs {
            0 => String::new(),
            _ => format!("{}: ", wording::jobs_and_subjobs(starts.len() - subjobs, subjobs)),
        };
        let folded = |names: &NamedJobs<'_>, counted: &str| match names.is_empty() {
            true => "no job".to_owned(),
            false => {
                let columns = columns.saturating_sub(counted.len());
                format!("{counted}{}", wording::folded_within(names.iter().map(|(name, _)| &**name), columns))
            }
        };
        let lists =
            [("run", runs, ""), ("start", &starts, &*counted), ("wait", waits, ""), ("held", held, "")];
        let mut facts: Vec<LineFact> =
            lists.into_iter().map(|(name, jobs, counted)| (name, folded(jobs, counted), ids(jobs))).collect();
        if !line.state.is_empty() {
            let state = format!("{} · priority {}", line.state, line.priority);
            facts.push(("state", state, Vec::new()));
        }
        facts
    }
}
