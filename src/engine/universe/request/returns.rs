//! Requests of preempted jobs: their own chunks on their own vnodes (rules 6.2, 6.10).

use std::sync::Arc;

use crate::cluster::{Catalogue, Column, ExecVnode, Job, JobId, JobState, Seconds, Select, Snapshot};

use rustc_hash::FxHashMap;

use crate::universe::request::read::{read_select, used_walltime};
use crate::universe::request::soft_walltime::{extended_soft, overdue_length};
use crate::universe::{ChunkShapes, EnforcedResources, JobRequest, PreemptMethod, may_preempt};

/// Requests by which running jobs would return to their nodes; only of jobs that may be preempted.
#[derive(Clone, Debug, Default)]
pub struct ReturnRequests {
    /// Everything that each job holds there.
    requests: FxHashMap<JobId, JobRequest>,
    /// Only what each job releases when it is suspended, as it keeps the rest. Empty if jobs release everything.
    released: FxHashMap<JobId, JobRequest>,
    /// Requests of jobs that would be requeued and whose walltime or soft walltime has passed: they last until the jobs
    /// were expected to end.
    requeued: FxHashMap<JobId, JobRequest>,
}

impl ReturnRequests {
    pub(in crate::universe) fn read(
        snap: &Snapshot,
        enforced: &EnforcedResources,
        shapes: &mut ChunkShapes,
        requests: &Column<JobId, Result<Arc<JobRequest>, &'static str>>,
    ) -> Self {
        if !may_preempt(snap) {
            return Self::default();
        }
        let preemptive = snap.policy.preemptive_sched;
        let may_be_sent_away =
            |job: &Job| job.state == JobState::Running && (preemptive.prime || preemptive.non_prime);
        // The length that an overdue job is expected to run for in all (rules 6.8, M23).
        let longer = |(id, job): (JobId, &Job)| {
            let request = requests[id].as_ref().ok().filter(|_| may_be_sent_away(job))?;
            if let Some(length) = overdue_length(job, request, snap.now) {
                return Some((id, request.lasting(length)));
            }
            let duration = extended_soft(job, request, snap.now)?;
            Some((id, JobRequest { duration, ..(**request).clone() }))
        };
        let requeued: FxHashMap<JobId, JobRequest> = snap.jobs.enumerate().filter_map(longer).collect();
        let mut read = |kept: &dyn Fn(&str) -> bool| {
            let of = |(id, job): (JobId, &Job)| {
                let request = requests[id].as_ref().ok()?;
                let nodes = job.exec_vnode.as_ref().filter(|_| may_be_sent_away(job))?;
                let used = used_walltime(job);
                let request = requeued.get(&id).unwrap_or(request);
                Some((id, read_return(nodes, request, kept, &snap.catalogue, enforced, shapes, used)?))
            };
            snap.jobs.enumerate().filter_map(of).collect()
        };
        let named = &snap.server.release_on_suspend;
        let whole = read(&|_| true);
        let released = if named.is_empty() || !snap.scheduler.preempt_order.contains('S') {
            FxHashMap::default()
        } else {
            read(&|resource| named.iter().any(|name| **name == *resource))
        };
        Self { requests: whole, released, requeued }
    }

    /// Returns the request of a job preempted by `method`: a suspended job has kept what it did not release, a
    /// checkpointed one nothing. `None` if its request did not change.
    pub fn of(&self, job: JobId, method: PreemptMethod) -> Option<&JobRequest> {
        match method {
            PreemptMethod::Suspend => self.released.get(&job).or_else(|| self.requests.get(&job)),
            PreemptMethod::Checkpoint => self.requests.get(&job),
            PreemptMethod::Requeue => self.requeued.get(&job),
            PreemptMethod::Delete => None,
        }
    }
}

fn read_return(
    nodes: &ExecVnode,
    request: &JobRequest,
    kept: &dyn Fn(&str) -> bool,
    catalogue: &Catalogue,
    enforced: &EnforcedResources,
    shapes: &mut ChunkShapes,
    used: Seconds,
) -> Option<JobRequest> {
    let select = Select::parse(&select_back(nodes, kept)).ok()?;
    let specs = read_select(&select, catalogue, enforced, shapes).ok()?;
    let mut back = request.after(used);
    back.totals =
        back.totals.iter().copied().filter(|(resource, _)| kept(catalogue.name(*resource))).collect();
    Some(JobRequest { specs, ..back })
}

/// Returns the select of a preempted job: one chunk for every vnode of every chunk, its resources in reverse order,
/// as estimates show them.
fn select_back(nodes: &ExecVnode, kept: &dyn Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for part in nodes.parts() {
        let plus = if text.is_empty() { "" } else { "+" };
        text.push_str(&format!("{plus}1:vnode={}", part.vnode));
        for (resource, value) in part.resources.iter().rev().filter(|(resource, _)| kept(resource)) {
            text.push_str(&format!(":{resource}={value}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule 6.10: a suspended job may only return to its own nodes.
    #[test]
    fn the_way_back_names_every_vnode() {
        let nodes = ExecVnode::parse("(n0:ncpus=4+n1:ncpus=2:mem=5kb)+(n0:ncpus=1)").unwrap();
        let all = |_: &str| true;
        assert_eq!(
            select_back(&nodes, &all),
            "1:vnode=n0:ncpus=4+1:vnode=n1:mem=5kb:ncpus=2+1:vnode=n0:ncpus=1"
        );
        let cpus = |name: &str| name == "ncpus";
        assert_eq!(select_back(&nodes, &cpus), "1:vnode=n0:ncpus=4+1:vnode=n1:ncpus=2+1:vnode=n0:ncpus=1");
    }
}
