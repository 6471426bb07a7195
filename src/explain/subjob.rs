//! Narrows an answer about an array to the subjob that was asked for.

use std::sync::Arc;

use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{Debugger, Outcome, Run, StepIx};

use super::cause::refused::refused_with;
use super::why::{considered_at, decision_lines_to};
use super::words::count;
use super::{Explanation, JobTurn, equal_specs, offers};

/// A subjob that was asked for but is not in the dump itself, only through its array.
struct UnlistedSubjob {
    array: JobId,
    /// Its id without the server.
    name: String,
    /// The step at which the cycle last gave it nodes.
    step: Option<StepIx>,
}

impl UnlistedSubjob {
    /// Returns the subjob with this name; `None` if the name is that of another job.
    fn of(run: &Run, name: &str) -> Option<Self> {
        let snap = &run.plan.snap;
        let (array, index) = snap.job_named(name).is_none().then(|| snap.waiting_subjob(name)).flatten()?;
        let subjob = snap.jobs[array].subjob_name(index)?;
        let is_its = |of: &Outcome| of.job == array && of.subjob == Some(index) && of.placed.is_some();
        let mut its = run.steps.enumerate().filter(|(_, step)| is_its(&step.outcome));
        Some(Self { array, name: short_id(&subjob).to_owned(), step: its.next_back().map(|(at, _)| at) })
    }

    /// Returns the step and its outcome, if the server refuses the start.
    fn refused(&self, run: &Run) -> Option<(StepIx, Outcome)> {
        let step = self.step.filter(|step| run.is_refused(&run.steps[*step].outcome))?;
        Some((step, run.steps[step].outcome.clone()))
    }
}

/// Whether a name is that of a subjob that is not in the dump itself and starts in this cycle: nothing keeps it
/// waiting, although others of its array may wait.
pub fn is_starting_subjob(run: &Run, name: &str) -> bool {
    let subjob = UnlistedSubjob::of(run, name);
    subjob.is_some_and(|subjob| subjob.step.is_some() && subjob.refused(run).is_none())
}

impl JobTurn {
    /// Returns the turn for an answer about a job with this name: for a subjob that the server refuses to start, its
    /// own turn; for any other job, its last.
    pub fn for_named(run: &Arc<Run>, job: JobId, name: &str) -> Option<Self> {
        match UnlistedSubjob::of(run, name).and_then(|subjob| subjob.refused(run)) {
            Some((step, _)) => Self::at_step(run, step),
            None => Self::new(run, job),
        }
    }
}

impl Explanation {
    /// Narrows an answer about an array to a subjob that was asked for and is not in the dump itself: one that starts
    /// in this cycle, one that the server refuses to start, or one that waits with the others. Returns whether it
    /// starts.
    pub fn narrow_to_subjob(&mut self, run: &Arc<Run>, name: &str) -> bool {
        let Some(subjob) = UnlistedSubjob::of(run, name) else { return false };
        if let Some((step, outcome)) = subjob.refused(run) {
            self.narrow_to_refused(run, step, outcome);
            return false;
        }
        let (short, of) = (&subjob.name, run.plan.job(subjob.array).short_name());
        let started = subjob.step.map(|step| &run.steps[step].outcome);
        let Some((outcome, placed)) = started.and_then(|outcome| Some((outcome, outcome.placed.as_ref()?)))
        else {
            self.banners.push(format!("{short} waits as one of its array: this is about {of}"));
            return false;
        };
        let nodes = count(placed.allocation.nodes().len(), "node");
        let path = outcome.entered().map_or("", |path| path.word());
        self.headline = format!("{short} of the array {of} starts in this cycle on {nodes} ({path} path)");
        self.rule = run.deciding_rule(outcome);
        self.outcome = Some(outcome.clone());
        self.causes.clear();
        self.decision.clear();
        self.chunks.clear();
        true
    }

    /// Narrows the answer to a subjob whose start at a step the server refuses; the decision is that of its own turn.
    fn narrow_to_refused(&mut self, run: &Arc<Run>, step: StepIx, outcome: Outcome) {
        let Some(cause) = refused_with(run, &outcome) else { return };
        self.headline.clone_from(&cause.sentence);
        self.rule = run.deciding_rule(&outcome);
        self.causes = vec![cause];
        if let Some(found) = considered_at(&mut Debugger::new(run.clone()), step) {
            self.decision = decision_lines_to(run, &outcome, &found);
            self.chunks = offers(&run.plan, &found.events);
            self.chunks.truncate(equal_specs::MAX_PARTS);
        }
        self.outcome = Some(outcome);
    }
}
