//! Reasons of waiting jobs, for filters that use them: the queue is analysed only for such filters.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;
use qscope_explain::{BoardBuilder, WaitReason};

use crate::query::Query;

/// Fields that depend on an analysis of the waiting jobs.
const ANALYSED: [&str; 2] = ["reason", "tier"];

/// The reason of every waiting job, as on the board; empty if the filter does not use reasons.
#[derive(Debug, Default)]
pub struct JobReasons(FxHashMap<JobId, Arc<WaitReason>>);

impl JobReasons {
    /// Returns the reasons in a cycle for this filter.
    pub fn for_filter(run: &Arc<Run>, query: &Query) -> Self {
        if !query.has_words() && !ANALYSED.iter().any(|field| query.names(field)) {
            return Self::default();
        }
        let mut survey = BoardBuilder::new(run.clone());
        survey.analyse_groups(&mut || true);
        Self(survey.reasons())
    }

    /// Returns the reason of a job, if it waits and the filter uses reasons.
    pub fn of(&self, job: JobId) -> Option<&WaitReason> {
        self.0.get(&job).map(|reason| &**reason)
    }
}
