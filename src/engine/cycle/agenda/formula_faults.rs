//! Jobs for which `job_sort_formula` or `fairshare_usage_res` has no value (rule 6.5).

use crate::cluster::{FormulaFault, JobId, JobState};
use crate::universe::Plan;

/// Waiting jobs for which the formula had no value, so that it counts as 0.
#[derive(Clone, Debug, Default)]
pub(in crate::cycle) struct FormulaFaults {
    first: Option<(JobId, FormulaFault)>,
    count: usize,
}

impl FormulaFaults {
    pub(in crate::cycle) fn note(&mut self, plan: &Plan, job: JobId, fault: FormulaFault) {
        if plan.job(job).state == JobState::Queued {
            self.count += 1;
            self.first.get_or_insert((job, fault));
        }
    }

    /// Returns for how many jobs the formula of `option` has no value, with the fault of the first one; `None` if
    /// there are none.
    pub(in crate::cycle) fn words(&self, plan: &Plan, option: &str) -> Option<String> {
        let (job, fault) = self.first.as_ref()?;
        let queued = plan.snap.jobs.iter().filter(|job| job.state == JobState::Queued).count();
        let jobs = if queued == 1 { "job" } else { "jobs" };
        let count = self.count;
        let name = &plan.job(*job).name;
        Some(format!(
            "{option} counts 0 for {count} of {queued} waiting {jobs}: {fault} ({name} is the first)"
        ))
    }
}
