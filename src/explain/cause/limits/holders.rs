//! The jobs that a limit counts together with the job it stops.

use super::{counts, has_some, shorts};
use crate::{Cause, JobTurn, standing_starts};
use qscope_engine::cluster::Job;
use qscope_engine::cycle::Outcome;
use qscope_engine::universe::LimitHit;

/// The jobs that a limit counts together with another one.
pub(super) struct LimitHolders {
    /// Running jobs.
    running: Vec<String>,
    /// Jobs that the cycle started before it.
    started: Vec<String>,
    /// Those of them that the server refuses: they count in the cycle's books only.
    refused: Vec<String>,
}

impl LimitHolders {
    pub(super) fn of(turn: &JobTurn, hit: &LimitHit) -> Self {
        let plan = turn.plan();
        let is_counted = |other: &Job| counts(turn, hit, other) && has_some(turn, hit, other);
        let runs = plan.snap.jobs.iter().filter(|job| job.state.has_nodes() && is_counted(job));
        let until = turn.position();
        let earlier = standing_starts(&turn.run, until).map(|step| &step.outcome);
        let earlier = earlier.filter(|outcome| outcome.job != turn.job && is_counted(plan.job(outcome.job)));
        let (refused, started): (Vec<_>, Vec<_>) = earlier.partition(|outcome| turn.run.is_refused(outcome));
        let names = |outcomes: Vec<&Outcome>| outcomes.iter().map(|one| one.name(&plan.snap)).collect();
        Self {
            running: runs.map(|other| other.name.to_string()).collect(),
            started: names(started),
            refused: names(refused),
        }
    }

    /// States, as part of the sentence of the limit, that usage is in the cycle's books only.
    pub(super) fn books_only_note(&self) -> &'static str {
        if self.refused.is_empty() { "" } else { " in the cycle's books" }
    }

    /// Adds the running, started and planned jobs to the cause.
    pub(super) fn named(&self, cause: Cause, turn: &JobTurn, planned: &[String]) -> Cause {
        let listed =
            |what: &str, jobs: &[String]| (!jobs.is_empty()).then(|| format!("{what} {}", shorts(jobs)));
        let before_its_end =
            format!("planned to start before {} would end:", turn.plan().job(turn.job).short_name());
        let refused = listed("taken in the cycle's books by", &self.refused);
        let all = self.running.iter().chain(&self.started).chain(&self.refused);
        cause
            .with_objects(all.take(3).cloned())
            .note(listed("held by", &self.running))
            .note(listed("taken in this cycle by", &self.started))
            .note(refused.map(|text| format!("{text}, though the server refuses {}", pronoun(&self.refused))))
            .note(listed(&before_its_end, planned))
    }
}

/// Returns the pronoun for one or several jobs.
fn pronoun(jobs: &[String]) -> &'static str {
    if jobs.len() == 1 { "it" } else { "them" }
}
