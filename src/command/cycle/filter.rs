//! Which jobs of a cycle are printed.

use color_eyre::eyre::Result;

use qscope_engine::cycle::{Outcome, Run};
use qscope_session::Generation;
use qscope_session::query::Query;
use qscope_session::records::{JobReasons, JobRecord, job_fields};

use crate::command::open::pointed;

/// A filter over the jobs of a cycle.
pub(super) struct JobFilter {
    query: Query,
    reasons: JobReasons,
}

impl JobFilter {
    /// # Errors
    /// If the filter cannot be read.
    pub(super) fn of(generation: &Generation, text: &str) -> Result<Self> {
        let fields = job_fields(&generation.snapshot.catalogue).by_clock_of(&generation.snapshot);
        let query = Query::parse(text, &fields)
            .map_err(|error| pointed("--where cannot be read", &error.pointed(text)))?;
        let reasons = JobReasons::for_filter(&generation.run, &query);
        Ok(Self { query, reasons })
    }

    pub(super) fn fits(&self, run: &Run, outcome: &Outcome) -> bool {
        self.query.fits(&JobRecord::of(run, outcome).knowing(self.reasons.of(outcome.job)))
    }
}
