//! Why jobs wait, for filters that look at it: an analysis of the queue, made where one does.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;
use qscope_explain::{Survey, WaitReason};

use crate::query::Query;

/// The fields that an analysis of the jobs that wait decides.
const ANALYSED: [&str; 2] = ["reason", "tier"];

/// The reason of every job that waits, as the board has it; none where the filter does not look at reasons.
#[derive(Debug, Default)]
pub struct JobReasons(FxHashMap<JobId, Arc<WaitReason>>);

impl JobReasons {
    /// The reasons in a cycle, for this filter.
    pub fn for_filter(run: &Arc<Run>, query: &Query) -> Self {
        if !query.has_words() && !ANALYSED.iter().any(|field| query.names(field)) {
            return Self::default();
        }
        let mut survey = Survey::new(run.clone());
        survey.go_on(&mut || true);
        Self(survey.reasons())
    }

    /// The reason of a job, where it waits and the filter looks at it.
    pub fn of(&self, job: JobId) -> Option<&WaitReason> {
        self.0.get(&job).map(|reason| &**reason)
    }
}
