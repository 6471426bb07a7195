//! What changes in the snapshot with time alone, before a cycle gets to see it (days rule 4).

use qscope_engine::cluster::{Amount, Id, Job, JobId, JobState, ResourceId, ResourceList, Seconds, Value};

use crate::server::{Server, accrues};

impl Server {
    /// Brings `resources_used` and, where eligible time counts, `accrue_type` up to this second.
    pub(crate) fn bring_up_to_date(&mut self) {
        let now = self.now();
        let Self { snap, tracks, order, .. } = self;
        let snap = std::sync::Arc::make_mut(snap);
        let accrue = snap.server.eligible_time_enable;
        let track_of = |job: JobId| order.get(job.ix()).map(|id| &tracks[*id]);
        snap.jobs.change_where(
            |_, job| has_used(job) || accrue && job.accrue_type != Some(accrue_type(job)),
            |id, job| {
                if let Some(track) = track_of(id).filter(|_| has_used(job)) {
                    show_used(job, track.run.seconds(now));
                }
                if accrue {
                    job.accrue_type = Some(accrue_type(job));
                }
            },
        );
    }
}

/// What the time of a job counts as: 2 eligible, 3 running, 1 neither.
fn accrue_type(job: &Job) -> u32 {
    match job.state {
        _ if accrues(job) => 2,
        JobState::Running => 3,
        _ => 1,
    }
}

/// Whether clients print what a job has used: it runs, or ran and goes on from there.
fn has_used(job: &Job) -> bool {
    match job.state {
        JobState::Running | JobState::Suspended => true,
        JobState::Queued => job.exec_vnode.is_some(),
        _ => false,
    }
}

/// A job uses all the cores that it requests for all the time that it runs.
#[expect(clippy::cast_precision_loss, reason = "seconds are far below the limit")]
fn show_used(job: &mut Job, ran: i64) {
    let cores = job.requested.amount(ResourceId::ncpus()).unwrap_or_default().0;
    let ran = Seconds(ran).0 as f64;
    set(&mut job.used, ResourceId::walltime(), ran);
    set(&mut job.used, ResourceId::ncpus(), cores);
    set(&mut job.used, ResourceId::cput(), ran * cores);
}

fn set(list: &mut ResourceList, resource: ResourceId, amount: f64) {
    list.set(resource, Value::Amount(Amount(amount)));
}
