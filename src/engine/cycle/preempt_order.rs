//! `preempt_order`: the method by which a running job is preempted (rule 6.10).

use crate::cluster::{Job, JobId, ResourceId};
use crate::universe::{PreemptMethod, RunningJob, State};

/// A job to be preempted, with the method.
#[derive(Clone, Debug)]
pub(super) struct PreemptionVictim {
    /// The job.
    pub running: RunningJob,
    /// The method used.
    pub method: PreemptMethod,
    /// How the trial simulates it: always like a suspension, whatever the method.
    pub simulated: PreemptMethod,
}

/// The methods to try, by percentage of time left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PreemptOrder {
    first: Vec<PreemptMethod>,
    /// Upper bounds of the time left, in percent, with the methods up to that bound.
    methods_by_time_left: Vec<(i64, Vec<PreemptMethod>)>,
}

impl PreemptOrder {
    /// Parses `SCR` or `SCR 80 SC 50 S`; unknown letters are ignored.
    pub(super) fn read(text: &str) -> Self {
        let methods = |word: &str| word.chars().filter_map(PreemptMethod::from_letter).collect();
        let mut words = text.split_whitespace();
        let first = words.next().map(methods).unwrap_or_default();
        let mut methods_by_time_left = Vec::new();
        while let (Some(percent), Some(word)) = (words.next(), words.next()) {
            if let Ok(percent) = percent.parse() {
                methods_by_time_left.push((percent, methods(word)));
            }
        }
        Self { first, methods_by_time_left }
    }

    /// Returns the methods for a job with `left` percent of its time left; unknown counts as the first range. A job
    /// exactly on a bound belongs to the lower range (rule 11, item 14).
    fn methods(&self, left: impl FnOnce() -> Option<i64>) -> &[PreemptMethod] {
        if self.methods_by_time_left.is_empty() {
            return &self.first;
        }
        let lower = |left: i64| self.methods_by_time_left.iter().rev().find(|(percent, _)| left <= *percent);
        left().and_then(lower).map_or(&self.first, |(_, methods)| methods)
    }

    /// Returns a running job with its preemption method; `None` if it cannot be preempted.
    pub(super) fn victim(&self, state: &State, running: &RunningJob) -> Option<PreemptionVictim> {
        let method = self.method(state, running.job)?;
        let simulated = self.simulated(state, running.job);
        Some(PreemptionVictim { running: running.clone(), method, simulated })
    }

    /// How a preemption of a running job is tried out: as a suspension, which keeps back what a suspended job keeps only
    /// if suspending comes first.
    fn simulated(&self, state: &State, id: JobId) -> PreemptMethod {
        match self.methods(|| percent_left(state, id)).first() {
            Some(PreemptMethod::Suspend) => PreemptMethod::Suspend,
            _ => PreemptMethod::Checkpoint,
        }
    }

    /// Returns the first method that works for a running job, if any.
    pub(super) fn method(&self, state: &State, id: JobId) -> Option<PreemptMethod> {
        let job = state.plan.job(id);
        let methods = self.methods(|| percent_left(state, id));
        let plan = &state.plan;
        let request = plan.requests[id].as_ref();
        let sets_profile =
            || request.is_ok_and(|request| request.has_requirement(&plan.shapes, ResourceId::eoe()));
        methods.iter().copied().find(|method| match method {
            // A job that set the power profile (`eoe`) of its vnodes cannot be suspended, because the vnodes would
            // not be left to others.
            PreemptMethod::Suspend => !sets_profile(),
            PreemptMethod::Delete => true,
            PreemptMethod::Checkpoint => job.checkpointable,
            PreemptMethod::Requeue => job.rerunable,
        })
    }
}

/// Returns the time a job has left in whole percent, by soft walltime, else walltime, else CPU time.
fn percent_left(state: &State, id: JobId) -> Option<i64> {
    let job = state.plan.job(id);
    // Uses the value of the dump even for a job that was requeued and restarted in this cycle.
    let used = |resource| of(&job.used, resource).unwrap_or(0.0);
    let (total, used) = length(job).map(|total| (total, used(ResourceId::walltime()))).or_else(|| {
        let total = of(&job.requested, ResourceId::cput())?;
        Some((total, used(ResourceId::cput())))
    })?;
    (total > 0.0).then(|| ((total - used).max(0.0) * 100.0 / total) as i64)
}

fn length(job: &Job) -> Option<f64> {
    of(&job.requested, ResourceId::soft_walltime()).or_else(|| of(&job.requested, ResourceId::walltime()))
}

fn of(list: &crate::cluster::ResourceList, resource: ResourceId) -> Option<f64> {
    list.amount(resource).map(|amount| amount.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use PreemptMethod::{Checkpoint, Delete, Requeue, Suspend};

    /// Rule 6.10: ranges by percent left; the bound belongs to the lower range, an unknown time to the first.
    #[test]
    fn ranges_go_by_percent_left() {
        let order = PreemptOrder::read("SCR 80 RD 50 S");
        assert_eq!(order.methods(|| Some(81)), [Suspend, Checkpoint, Requeue]);
        assert_eq!(order.methods(|| Some(80)), [Requeue, Delete]);
        assert_eq!(order.methods(|| Some(51)), [Requeue, Delete]);
        assert_eq!(order.methods(|| Some(50)), [Suspend]);
        assert_eq!(order.methods(|| None), [Suspend, Checkpoint, Requeue]);
        assert_eq!(PreemptOrder::read("D").methods(|| Some(3)), [Delete]);
    }
}
