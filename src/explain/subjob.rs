//! Narrows an answer about an array to the subjobs that were asked for.

use std::sync::Arc;

use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{Debugger, Outcome, Run, StepIx};
use qscope_engine::universe::Bit;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cause::refused::refused_with;
use super::why::{considered_at, decision_lines_to};
use super::words::count;
use super::{Explanation, JobTurn, equal_specs, offers, waiting_name};

/// Subjobs that were asked for and are answered for by their array: one that is not in the dump itself, or a folded
/// list.
struct MeantSubjobs {
    array: JobId,
    /// The id or list without the server.
    name: String,
    indices: Vec<u32>,
    /// The steps at which the cycle last gave them nodes, of those that it did.
    steps: Vec<StepIx>,
}

impl MeantSubjobs {
    /// Returns the subjobs with this name; `None` if the name is that of another job.
    fn of(run: &Run, name: &str) -> Option<Self> {
        let snap = &run.plan.snap;
        let (array, indices) =
            snap.job_named(name).is_none().then(|| snap.waiting_subjobs(name)).flatten()?;
        let is_placed = |of: &Outcome| of.job == array && of.placed.is_some();
        let last: FxHashMap<u32, StepIx> = run
            .steps
            .enumerate()
            .filter(|(_, step)| is_placed(&step.outcome))
            .filter_map(|(at, step)| Some((step.outcome.subjob?, at)))
            .collect();
        let steps = indices.iter().filter_map(|index| last.get(index).copied()).collect();
        Some(Self { array, name: short_id(name).to_owned(), indices, steps })
    }

    /// Whether all of them start in this cycle, none refused by the server.
    fn all_start(&self, run: &Run) -> bool {
        let is_refused = |step: &StepIx| run.is_refused(&run.steps[*step].outcome);
        self.steps.len() == self.indices.len() && !self.steps.iter().any(is_refused)
    }

    /// Returns the step and its outcome, if it is one subjob and the server refuses its start.
    fn refused(&self, run: &Run) -> Option<(StepIx, Outcome)> {
        let step = self.steps.first().copied().filter(|_| self.indices.len() == 1)?;
        run.is_refused(&run.steps[step].outcome).then(|| (step, run.steps[step].outcome.clone()))
    }

    /// States what the answer about the array is about, if that is more than these; nothing for all that wait.
    fn note(&self, run: &Run) -> Option<String> {
        let (short, of) = (&self.name, run.plan.job(self.array).short_name());
        if *short == waiting_name(run, self.array) {
            return None;
        }
        let wait = if self.indices.len() == 1 { "waits as one of its" } else { "wait as some of their" };
        Some(match self.steps.len() {
            0 => format!("{short} {wait} array: this is about {of}"),
            starts => format!(
                "{starts} of the {} start in this cycle: this is about the others of {of}",
                count(self.indices.len(), "subjob")
            ),
        })
    }
}

/// Whether a name is that of a subjob that is not in the dump itself, or a list of subjobs, and all of them start in
/// this cycle: nothing keeps them waiting, although others of their array may wait.
pub fn is_starting_subjob(run: &Run, name: &str) -> bool {
    MeantSubjobs::of(run, name).is_some_and(|meant| meant.all_start(run))
}

impl JobTurn {
    /// Returns the turn for an answer about a job with this name: for a subjob that the server refuses to start, its
    /// own turn; for any other job, its last.
    pub fn for_named(run: &Arc<Run>, job: JobId, name: &str) -> Option<Self> {
        match MeantSubjobs::of(run, name).and_then(|meant| meant.refused(run)) {
            Some((step, _)) => Self::at_step(run, step),
            None => Self::new(run, job),
        }
    }
}

impl Explanation {
    /// Narrows an answer about an array to subjobs that were asked for: a list, or one that is not in the dump itself.
    /// They start in this cycle, or the server refuses to start the one, or they wait with the others. Returns whether
    /// they start.
    pub fn narrow_to_subjob(&mut self, run: &Arc<Run>, name: &str) -> bool {
        let Some(meant) = MeantSubjobs::of(run, name) else { return false };
        if let Some((step, outcome)) = meant.refused(run) {
            self.narrow_to_refused(run, step, outcome);
            return false;
        }
        if !meant.all_start(run) {
            self.banners.extend(meant.note(run));
            return false;
        }
        let started = || meant.steps.iter().map(|step| &run.steps[*step].outcome);
        let Some(outcome) = started().next() else { return false };
        let given = started().filter_map(|outcome| outcome.placed.as_ref());
        let nodes: FxHashSet<Bit> = given.flat_map(|placed| placed.allocation.nodes()).collect();
        let (nodes, path) = (count(nodes.len(), "node"), outcome.entered().map_or("", |path| path.word()));
        let (short, of) = (&meant.name, run.plan.job(meant.array).short_name());
        let verb = if meant.indices.len() == 1 { "starts" } else { "start" };
        self.headline = format!("{short} of the array {of} {verb} in this cycle on {nodes} ({path} path)");
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
