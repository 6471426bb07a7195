//! Jobs that this cycle starts and then preempts: they are considered again and no longer have their nodes.

use qscope_engine::cluster::{Id, Job, JobId};
use qscope_engine::cycle::{Run, ServerAction, Step, StepIx};
use qscope_engine::universe::{Bit, PreemptMethod};
use rustc_hash::FxHashMap;

use super::turn::{last_step, turn_words};
use super::words;

/// Maximum width of the list of former nodes, in columns.
const MAX_NODES: usize = 40;

/// Returns the starts among the first `steps` steps whose jobs still have their nodes, that is, were not preempted
/// since.
pub fn standing_starts(run: &Run, steps: usize) -> impl Iterator<Item = &Step> {
    let seen = || run.steps.iter().take(steps).enumerate();
    let read = if preempts(run) { steps } else { 0 };
    let victims =
        seen().take(read).flat_map(|(at, step)| step.outcome.victims.iter().map(move |(job, _)| (*job, at)));
    let preempted: FxHashMap<JobId, usize> = victims.collect();
    let stands = move |(at, step): &(usize, &Step)| {
        step.outcome.placed.is_some() && preempted.get(&step.outcome.job).is_none_or(|last| last < at)
    };
    seen().filter(stands).map(|(_, step)| step)
}

/// Jobs that do not run after the first `steps` steps because one of these preempted them, with the method.
pub fn standing_preemptions(run: &Run, steps: usize) -> FxHashMap<JobId, PreemptMethod> {
    let mut preempted = FxHashMap::default();
    let read = if preempts(run) { steps } else { 0 };
    for step in run.steps.iter().take(read) {
        preempted.extend(step.outcome.victims.iter().copied());
        if step.outcome.placed.is_some() {
            preempted.remove(&step.outcome.job);
        }
    }
    preempted
}

/// Whether any job is preempted. There are many steps, and in most cycles none is.
fn preempts(run: &Run) -> bool {
    run.actions.iter().any(|action| matches!(action, ServerAction::Preempt(..)))
}

/// A start that a later step of the same cycle undoes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UndoneStart {
    pub start: StepIx,
    /// The step that preempts it, with the method.
    pub end: StepIx,
    pub method: PreemptMethod,
}

/// Returns the starts that later steps undo, in the order of those steps.
pub fn undone_starts(run: &Run) -> Vec<UndoneStart> {
    let mut found = Vec::new();
    if !preempts(run) {
        return found;
    }
    let mut started: FxHashMap<JobId, StepIx> = FxHashMap::default();
    for (end, step) in run.steps.enumerate() {
        for (victim, method) in &step.outcome.victims {
            // A job that was running before this cycle was not started in it.
            found.extend(started.remove(victim).map(|start| UndoneStart { start, end, method: *method }));
        }
        if step.outcome.placed.is_some() {
            started.insert(step.outcome.job, end);
        }
    }
    found
}

/// The last start of a job that was undone.
pub(super) struct LastUndoneStart<'a> {
    run: &'a Run,
    job: JobId,
    undone: UndoneStart,
}

impl<'a> LastUndoneStart<'a> {
    /// Returns the last such start of a job; `None` for nearly all jobs.
    pub(super) fn of(run: &'a Run, job: JobId) -> Option<Self> {
        let is_victim =
            |action: &ServerAction| matches!(action, ServerAction::Preempt(victim, _) if *victim == job);
        run.actions.iter().find(|action| is_victim(action))?;
        let of_job = |undone: &UndoneStart| run.steps[undone.start].outcome.job == job;
        undone_starts(run).into_iter().rfind(of_job).map(|undone| Self { run, job, undone })
    }

    /// Whether the job is not considered again afterwards.
    pub(super) fn is_for_good(&self) -> bool {
        last_step(self.run, self.job).is_none_or(|last| last < self.undone.end)
    }

    /// Whether the job is deleted.
    pub(super) fn deletes(&self) -> bool {
        self.undone.method == PreemptMethod::Delete
    }

    /// Describes what happened to the job, and for which other job: `requeued to make room for 22`.
    pub(super) fn end_words(&self) -> String {
        format!("{} to make room for {}", self.undone.method.word(), self.by().short_name())
    }

    /// The same as briefly as possible: `requeued for 22`.
    pub(super) fn brief(&self) -> String {
        format!("{} for {}", self.undone.method.word(), self.by().short_name())
    }

    /// Returns the job that it made room for.
    pub(super) fn by(&self) -> &'a Job {
        self.run.plan.job(self.run.steps[self.undone.end].outcome.job)
    }

    /// Describes where the job started, what happened then, and which turn the answer is about.
    pub(super) fn words(&self) -> String {
        let Self { run, undone: UndoneStart { start, end, method }, .. } = self;
        let placed = run.steps[*start].outcome.placed.iter().flat_map(|placed| placed.allocation.nodes());
        let nodes: Vec<Bit> = placed.collect();
        let on = words::node_list_within(&run.plan, &nodes, MAX_NODES);
        let then = match last_step(run, self.job).filter(|_| !self.is_for_good()) {
            Some(last) => format!("the answer is about its last turn, {}", turn_words(self.run, last)),
            None => "it does not come up again in this cycle".to_owned(),
        };
        let (from, to) = (start.ix() + 1, end.ix() + 1);
        let (how, by) = (method.word(), self.by().short_name());
        format!(
            "it started in this cycle, at step {from}, on {on}, and was {how} at step {to} to make room for {by}; {then}"
        )
    }
}
