//! Updates the parts of the snapshot that change with time alone, before a cycle sees it (days rule 4).

use qscope_engine::cluster::{Amount, Id, Job, JobId, JobState, ResourceId, Seconds, Value};

use crate::server::SimulatedServer;

impl SimulatedServer {
    /// Updates `resources_used` and, if eligible time is counted, `accrue_type` to the current second; for running
    /// jobs used resources are updated only if `are_running_read`.
    pub(crate) fn bring_up_to_date(&mut self, are_running_read: bool) {
        let now = self.now();
        let Self { snap, tracks, order, .. } = self;
        let snap = std::sync::Arc::make_mut(snap);
        let accrue = snap.server.eligible_time_enable;
        let track_of = |job: JobId| order.get(job.ix()).map(|id| &tracks[*id]);
        let seconds_of = |id: JobId, job: &Job| {
            let shows = has_used(job) && (are_running_read || job.state != JobState::Running);
            track_of(id).filter(|_| shows).map(|track| track.run.seconds(now))
        };
        snap.jobs.change_where(
            |id, job| {
                seconds_of(id, job).is_some_and(|ran| !shows_used(job, ran))
                    || accrue && job.accrue_type != Some(accrue_type(job))
            },
            |id, job| {
                if let Some(ran) = seconds_of(id, job) {
                    show_used(job, ran);
                }
                if accrue {
                    job.accrue_type = Some(accrue_type(job));
                }
            },
        );
    }
}

/// Returns how the time of a job counts: 2 eligible, 3 running, 1 neither.
fn accrue_type(job: &Job) -> u32 {
    match job.state {
        _ if job.waits_for_nodes() => 2,
        JobState::Running => 3,
        _ => 1,
    }
}

/// Whether clients print used resources: the job runs, or will continue an earlier run.
fn has_used(job: &Job) -> bool {
    match job.state {
        JobState::Running | JobState::Suspended => true,
        JobState::Queued => job.exec_vnode.is_some(),
        _ => false,
    }
}

/// Returns the resources used after `ran` seconds, assuming that all requested cores are fully used.
fn used_after(job: &Job, ran: i64) -> [(ResourceId, f64); 3] {
    let cores = job.requested.cpus();
    let ran = Seconds(ran).0 as f64;
    [(ResourceId::walltime(), ran), (ResourceId::ncpus(), cores), (ResourceId::cput(), ran * cores)]
}

fn shows_used(job: &Job, ran: i64) -> bool {
    let is_shown = |(resource, amount): (ResourceId, f64)| job.used.amount(resource) == Some(Amount(amount));
    used_after(job, ran).into_iter().all(is_shown)
}

fn show_used(job: &mut Job, ran: i64) {
    for (resource, amount) in used_after(job, ran) {
        job.used.set(resource, Value::Amount(Amount(amount)));
    }
}
