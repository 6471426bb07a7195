//! The causes of many jobs of one cycle: what is the same for all of them is made once.

use std::sync::Arc;

use qscope_engine::cluster::{Id, JobId, JobState};
use qscope_engine::cycle::{Debugger, IdleCluster, Outcome, Run, Verdict};
use qscope_engine::universe::State;

use super::cause::{Cause, causes, causes_with};
use super::comment::{Comment, judge};
use super::turn::{Turn, decided, last_step};
use super::why::headline;

/// The short answer about one job: the parts of [`super::Why`] that fit on a line.
#[derive(Clone, Debug)]
pub struct Brief {
    /// What became of the job; none if it runs already.
    pub outcome: Option<Outcome>,
    /// Every cause that keeps it waiting, the deepest first; none for jobs that start or run.
    pub causes: Vec<Cause>,
    /// The cause in one line, the same as that of [`super::why`].
    pub headline: String,
    /// The scheduler's own comment in the dump, judged.
    pub comment: Option<Comment>,
}

/// Answers about the jobs of one cycle. In the order considered, each answer costs one step.
#[derive(Debug)]
pub struct Inquiry {
    debugger: Debugger,
    start: Arc<State>,
    idle: IdleCluster,
}

impl Inquiry {
    /// About this cycle.
    pub fn new(run: &Arc<Run>) -> Self {
        let mut debugger = Debugger::new(run.clone());
        debugger.seek(0);
        let start = Arc::new(debugger.snapshot_state());
        Self { debugger, start, idle: IdleCluster::of_all(&run.plan) }
    }

    /// The short answer about a job.
    pub fn brief(&mut self, job: JobId) -> Brief {
        let run = self.debugger.run().clone();
        let causes = self.causes(job);
        let outcome = decided(&run, job).cloned();
        let text = run.plan.job(job).comment.as_deref();
        Brief {
            headline: headline(&run, job, outcome.as_ref(), &causes),
            comment: text.map(|text| judge(&run.plan, text, outcome.as_ref(), &causes)),
            outcome,
            causes,
        }
    }

    /// The causes of a job, as [`causes`] finds them.
    pub fn causes(&mut self, job: JobId) -> Vec<Cause> {
        let run = self.debugger.run().clone();
        if decided(&run, job).is_none_or(|outcome| outcome.verdict == Verdict::Run) {
            return Vec::new();
        }
        let of = run.plan.job(job);
        if of.is_subjob() && of.state != JobState::Suspended {
            return causes(&run, job);
        }
        self.debugger.seek(last_step(&run, job).map_or(usize::MAX, Id::ix));
        match Turn::at(&mut self.debugger, self.start.clone(), job) {
            Some(mut turn) => causes_with(&mut turn, Some(&mut self.idle)),
            None => causes(&run, job),
        }
    }
}
