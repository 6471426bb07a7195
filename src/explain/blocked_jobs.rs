//! Waiting jobs that name a given job in their answers, as a cause or among the jobs that block them.
//!
//! If several jobs end at the same time, an answer names those whose nodes are taken first. So a named job is not
//! always the only one whose end would be enough.

use std::sync::Arc;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::{Outcome, Run, Verdict};

use super::{
    AnswerSection, AnswerTopic, Cause, Explainer, WaitReason, decided, find_blockers, waiting_name, words,
};

/// Maximum number of waiting jobs examined, because each needs a simulation of its own.
const MAX_EXAMINED: usize = 24;

/// A waiting job that names the other job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockedJob {
    pub job: JobId,
    /// The reason it waits, in a few words.
    pub reason: Option<String>,
}

/// The examined waiting jobs that name a given job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockedJobs {
    /// In the order considered.
    pub jobs: Vec<BlockedJob>,
    /// Number of waiting jobs examined: the first ones in the order considered.
    pub examined: usize,
    /// Number of waiting jobs not examined.
    pub not_examined: usize,
}

/// Returns the waiting jobs that name a job. Examines the first ones in the order considered, while `goes_on` returns
/// true.
pub fn blocked_jobs(run: &Arc<Run>, job: JobId, goes_on: &dyn Fn() -> bool) -> BlockedJobs {
    let waits = |outcome: &&Outcome| run.verdict(outcome) == Verdict::NotNow && outcome.job != job;
    let mut others: Vec<JobId> =
        run.steps.iter().map(|step| &step.outcome).filter(waits).map(|outcome| outcome.job).collect();
    others.dedup();
    let mut found = BlockedJobs::default();
    if others.is_empty() {
        return found;
    }
    // One inquiry for all: copying the cluster for each would take longer than the answers.
    let mut inquiry = Explainer::new(run);
    let name = &*run.plan.job(job).name;
    for other in others.iter().take(MAX_EXAMINED).take_while(|_| goes_on()) {
        let causes = inquiry.causes(*other);
        found.examined += 1;
        if names(&mut inquiry, *other, &causes, name) {
            let reason = WaitReason::of(&causes).map(|reason| reason.headline());
            found.jobs.push(BlockedJob { job: *other, reason });
        }
    }
    found.not_examined = others.len() - found.examined;
    found
}

/// Whether the answer about a waiting job names another.
fn names(explainer: &mut Explainer, waiting: JobId, causes: &[Cause], name: &str) -> bool {
    causes.iter().any(|cause| cause.objects.iter().any(|object| object == name))
        || explainer
            .at_turn(waiting, |turn, _| find_blockers(turn, causes).ends.iter().any(|end| end.who == name))
            .unwrap_or(false)
}

/// Returns the title of the section for a job.
pub fn blocked_jobs_title(run: &Run, job: JobId) -> String {
    format!("Waiting jobs blocked by {}", run.plan.job(job).short_name())
}

/// Returns the section; `None` if no job names it and none was left out.
pub fn blocked_jobs_section(run: &Run, job: JobId, behind: &BlockedJobs) -> Option<AnswerSection> {
    let snap = &run.plan.snap;
    let mut section = AnswerSection::new(AnswerTopic::BlockedJobs, blocked_jobs_title(run, job));
    let widest =
        |of: &dyn Fn(JobId) -> usize| behind.jobs.iter().map(|other| of(other.job)).max().unwrap_or(0);
    let names = widest(&|other| waiting_name(run, other).len());
    let users = widest(&|other| run.plan.job(other).user.len());
    for BlockedJob { job: other, reason } in &behind.jobs {
        let (of, outcome) = (run.plan.job(*other), decided(run, *other));
        let start = outcome.and_then(|outcome| outcome.estimate.as_ref());
        let start = start.map(|top| format!("top job, starts {}", words::time_of_day(snap, top.start)));
        let text = start.into_iter().chain(reason.clone()).collect::<Vec<_>>().join(" · ");
        section.row_of(
            format!("{:<names$}  {:<users$}  {text}", waiting_name(run, *other), of.user),
            [of.name.to_string()],
        );
    }
    if behind.not_examined > 0 {
        let none = if behind.jobs.is_empty() { "none " } else { "" };
        let examined = words::count(behind.examined, "waiting job");
        section.line(format!("{none}of the first {examined}; {} more not examined", behind.not_examined));
    }
    (!section.lines.is_empty()).then_some(section)
}
