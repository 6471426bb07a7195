//! The causes of many jobs of one cycle, sharing what is common to all.

use std::sync::Arc;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::{Debugger, IdleCluster, Outcome, Run};

use super::cause::{Cause, causes, causes_with, is_considered_alone, starts};
use super::comment::{Comment, judge};
use super::decision::DecisionLine;
use super::turn::{JobTurn, Playback, decided};
use super::why::{considered, decision_lines_of, headline};

/// The short answer for one job: the parts of [`super::Explanation`] that fit on a line.
#[derive(Clone, Debug)]
pub struct BriefExplanation {
    /// The outcome of the job; `None` if it is already running.
    pub outcome: Option<Outcome>,
    /// All causes that keep it waiting, deepest first; empty for jobs that start or run.
    pub causes: Vec<Cause>,
    /// The cause in one line, as in [`super::why`].
    pub headline: String,
    /// The scheduler's own comment in the dump, with an assessment.
    pub comment: Option<Comment>,
}

/// Answers about the jobs of one cycle. In the order considered, each answer costs one step.
#[derive(Debug)]
pub struct Explainer {
    run: Arc<Run>,
    /// Taken out while a job is examined at its turn.
    playback: Option<Playback>,
    idle: IdleCluster,
    /// Replays the cycle for decisions; created when the first one is requested.
    debugger: Option<Debugger>,
}

impl Explainer {
    /// Creates an inquiry about this cycle.
    pub fn new(run: &Arc<Run>) -> Self {
        Self { run: run.clone(), playback: None, idle: IdleCluster::of_all(&run.universe()), debugger: None }
    }

    /// Examines a job at its turn; `None` if its request cannot be read.
    pub(crate) fn at_turn<T>(
        &mut self,
        job: JobId,
        work: impl FnOnce(&mut JobTurn, &mut IdleCluster) -> T,
    ) -> Option<T> {
        let playback = self.playback.take().unwrap_or_else(|| Playback::new(&self.run));
        match playback.turn_of(job) {
            Ok(mut turn) => {
                let found = work(&mut turn, &mut self.idle);
                self.playback = Some(turn.into_playback());
                Some(found)
            }
            Err(playback) => {
                self.playback = Some(playback);
                None
            }
        }
    }

    /// Returns the short answer for a job.
    pub fn brief(&mut self, job: JobId) -> BriefExplanation {
        let run = self.run.clone();
        let causes = self.causes(job);
        let outcome = decided(&run, job).cloned();
        let text = run.plan.job(job).comment.as_deref();
        BriefExplanation {
            headline: headline(&run, job, outcome.as_ref(), &causes),
            comment: text.map(|text| judge(&run.plan, text, outcome.as_ref(), &causes)),
            outcome,
            causes,
        }
    }

    /// Returns the decision about a job from its first check to its nodes, as in [`super::why`]; empty if it was not
    /// considered.
    pub fn decision(&mut self, job: JobId) -> Vec<DecisionLine> {
        let again = self.debugger.get_or_insert_with(|| Debugger::new(self.run.clone()));
        let found = considered(again, job);
        found.map(|found| decision_lines_of(&self.run, job, &found)).unwrap_or_default()
    }

    /// Returns the causes of a job, as [`causes`] finds them.
    pub fn causes(&mut self, job: JobId) -> Vec<Cause> {
        let run = self.run.clone();
        if starts(&run, job) {
            return Vec::new();
        }
        if run.plan.job(job).is_subjob() && !is_considered_alone(&run, job) {
            return causes(&run, job);
        }
        self.at_turn(job, |turn, idle| causes_with(turn, Some(idle))).unwrap_or_else(|| causes(&run, job))
    }
}
