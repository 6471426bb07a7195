//! Which jobs of a cycle are printed.

use std::sync::Arc;

use color_eyre::eyre::Result;
use rustc_hash::FxHashMap;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::{Outcome, Run};
use qscope_explain::{Survey, WaitReason};
use qscope_session::Generation;
use qscope_session::query::Query;
use qscope_session::records::{JobRecord, job_fields};

use crate::command::open::pointed;

/// The field that only an analysis of the jobs that wait has.
const REASON: &str = "reason";

/// A filter over the jobs of a cycle.
pub(super) struct JobFilter {
    query: Query,
    /// Why jobs wait, where the filter is about that.
    reasons: FxHashMap<JobId, Arc<WaitReason>>,
}

impl JobFilter {
    /// # Errors
    /// A filter that cannot be read.
    pub(super) fn of(generation: &Generation, text: &str) -> Result<Self> {
        let fields = job_fields(&generation.snapshot.catalogue);
        let query = Query::parse(text, &fields)
            .map_err(|error| pointed("--where cannot be read", &error.pointed(text)))?;
        let reasons = if query.names(REASON) { reasons(&generation.run) } else { FxHashMap::default() };
        Ok(Self { query, reasons })
    }

    pub(super) fn fits(&self, run: &Run, outcome: &Outcome) -> bool {
        let reason = self.reasons.get(&outcome.job).map(|reason| &**reason);
        self.query.fits(&JobRecord::of(run, outcome).knowing(reason))
    }
}

/// The reason of every job that waits, as the board has it.
fn reasons(run: &Arc<Run>) -> FxHashMap<JobId, Arc<WaitReason>> {
    let mut survey = Survey::new(run.clone());
    survey.go_on(&mut || true);
    survey.reasons()
}
