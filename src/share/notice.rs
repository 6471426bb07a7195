//! Finds the jobs for which a filter begins to hold from one snapshot to the next.

use std::collections::BTreeSet;
use std::sync::Arc;

use qscope_engine::cluster::{Catalogue, JobId};
use qscope_engine::cycle::Run;
use qscope_session::query::{Query, QueryError};
use qscope_session::records::{JobReasons, JobRecord, job_fields};

/// The awaited event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AwaitedEvent {
    /// This job runs.
    Job(String),
    /// A filter begins to hold for a job.
    Filter(String),
}

impl AwaitedEvent {
    /// Interprets a word of the command line: a job if it is an id, else a filter.
    pub fn of(word: &str) -> Self {
        let short = word.split('.').next().unwrap_or_default();
        let is_id = short.starts_with(|c: char| c.is_ascii_digit())
            && short.chars().all(|c| c.is_ascii_digit() || matches!(c, '[' | ']'));
        if is_id { Self::Job(word.to_owned()) } else { Self::Filter(word.to_owned()) }
    }

    /// Returns the filter that it stands for.
    ///
    /// # Errors
    /// If the filter is invalid.
    pub fn query(&self, catalogue: &Catalogue) -> Result<Query, QueryError> {
        let fields = job_fields(catalogue);
        match self {
            Self::Job(job) => Query::parse(&format!("job=\"{job}\" verdict=running"), &fields),
            Self::Filter(text) => Query::parse(text, &fields),
        }
    }
}

/// The jobs for which the filter held in the last snapshot.
#[derive(Clone, Debug, Default)]
pub struct MatchTracker {
    held: Option<BTreeSet<String>>,
}

impl MatchTracker {
    /// Returns the jobs for which the filter holds now but not in the last snapshot, by their full ids. In the first
    /// snapshot nothing begins, since the previous state is not known.
    pub fn begin(&mut self, run: &Arc<Run>, query: &Query) -> Vec<String> {
        let holds = holding(run, query);
        let began = match &self.held {
            Some(before) => holds.difference(before).cloned().collect(),
            None => Vec::new(),
        };
        self.held = Some(holds);
        began
    }

    /// Returns the jobs for which it held in the last snapshot, by their full ids.
    pub fn matching_jobs(&self) -> Vec<String> {
        self.held.iter().flatten().cloned().collect()
    }

    /// Returns the number of jobs for which it held in the last snapshot.
    pub fn count(&self) -> usize {
        self.held.as_ref().map_or(0, BTreeSet::len)
    }
}

/// Returns the jobs for which a filter holds, including running jobs.
fn holding(run: &Arc<Run>, query: &Query) -> BTreeSet<String> {
    let snap = &run.plan.snap;
    let reasons = JobReasons::for_filter(run, query);
    let decided = run.outcomes().map(|outcome| {
        (outcome.name(snap), JobRecord::of(run, outcome).with_reason(reasons.of(outcome.job)))
    });
    let runs = |id: &JobId| snap.jobs[*id].state.has_nodes();
    let running =
        snap.jobs.ids().filter(runs).map(|id| (snap.jobs[id].name.to_string(), JobRecord::running(run, id)));
    decided.chain(running).filter(|(_, record)| query.fits(record)).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_job_and_anything_else_a_filter() {
        for (word, is_job) in [
            ("12", true),
            ("12.svr", true),
            ("12[3]", true),
            ("user:ann", false),
            ("12 wait", false),
            ("ann", false),
        ] {
            assert_eq!(matches!(AwaitedEvent::of(word), AwaitedEvent::Job(_)), is_job, "{word}");
        }
    }
}
