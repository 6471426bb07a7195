//! Who waits behind a job: those that could start only after it has ended.

use std::sync::Arc;

use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{Outcome, Run, Verdict};

use super::{Section, Topic, Turn, WaitReason, blame, causes, decided, words};

/// The most waiting jobs that are examined: each takes a look ahead of its own.
const MAX_EXAMINED: usize = 24;

/// The waiting jobs, in the order considered, that a job stands in the way of: the first of them, as long as `goes_on`.
pub fn behind(run: &Arc<Run>, job: JobId, goes_on: &dyn Fn() -> bool) -> Vec<JobId> {
    let name = &run.plan.job(job).name;
    let waits = |outcome: &&Outcome| run.verdict(outcome) == Verdict::NotNow && outcome.job != job;
    let mut others: Vec<JobId> =
        run.steps.iter().map(|step| &step.outcome).filter(waits).map(|outcome| outcome.job).collect();
    others.dedup();
    let is_behind = |other: &JobId| {
        let causes = causes(run, *other);
        let is_named = causes.iter().any(|cause| cause.objects.iter().any(|object| **object == **name));
        is_named
            || Turn::new(run, *other)
                .is_some_and(|turn| blame(&turn, &causes).ends.iter().any(|end| *end.who == **name))
    };
    others.into_iter().take(MAX_EXAMINED).take_while(|_| goes_on()).filter(is_behind).collect()
}

/// The same as a section; none where no job waits behind.
pub fn behind_it(run: &Arc<Run>, job: JobId, behind: &[JobId]) -> Option<Section> {
    let snap = &run.plan.snap;
    let mut section = Section::new(Topic::Behind, format!("Waits for {}", run.plan.job(job).short_name()));
    let name = |job: &JobId| run.plan.job(*job).short_name();
    let names = behind.iter().map(|job| name(job).len()).max().unwrap_or(0);
    let users = behind.iter().map(|job| run.plan.job(*job).user.len()).max().unwrap_or(0);
    for other in behind {
        let (of, outcome) = (run.plan.job(*other), decided(run, *other));
        let start = outcome.and_then(|outcome| outcome.estimate.as_ref());
        let start = start.map(|top| format!("top job, starts {}", words::time_of_day(snap, top.start)));
        let reason = WaitReason::of(&causes(run, *other)).map(|reason| reason.headline());
        let text = start.into_iter().chain(reason).collect::<Vec<_>>().join(" · ");
        section.row_of(
            format!("{:<names$}  {:<users$}  {text}", short_id(&of.name), of.user),
            [of.name.to_string()],
        );
    }
    (!behind.is_empty()).then_some(section)
}
