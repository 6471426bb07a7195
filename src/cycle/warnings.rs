//! What a cluster uses and the model does not know yet: said whenever it is used.

use crate::cluster::{JobState, Snapshot};
use crate::universe::Plan;

use super::setup::Setup;

/// One sentence for everything that the cycle leaves out.
#[must_use]
pub(super) fn unmodelled(plan: &Plan, setup: &Setup) -> Vec<String> {
    let snap = &plan.snap;
    let mut warnings = setup.faults.clone();
    let mut say = |used: bool, what: &str| {
        if used {
            warnings.push(format!("{what}: not modelled"));
        }
    };
    policy_features(snap, &mut say);
    job_features(snap, &mut say);
    node_features(plan, &mut say);
    warnings
}

fn policy_features(snap: &Snapshot, say: &mut impl FnMut(bool, &str)) {
    let policy = &snap.policy;
    say(!policy.server_dyn_res.is_empty(), "server_dyn_res (what its program would print is in no dump)");
    say(!policy.peer_queues.is_empty(), "peer queues");
    let preemptive = policy.preemptive_sched.prime || policy.preemptive_sched.non_prime;
    let express = snap.queues.iter().any(|queue| queue.priority >= snap.scheduler.preempt_queue_prio);
    let arrays = snap.jobs.iter().any(crate::cluster::Job::is_array);
    say(preemptive && express && arrays, "preemption of subjobs that start in this cycle");
}

fn job_features(snap: &Snapshot, say: &mut impl FnMut(bool, &str)) {
    let waiting = |state| matches!(state, JobState::Queued | JobState::Begun);
    let any = |test: &dyn Fn(&crate::cluster::Job) -> bool| snap.jobs.iter().any(test);
    say(any(&|job| job.state == JobState::Suspended), "suspended jobs");
    say(any(&|job| waiting(job.state) && job.reservation.is_some()), "jobs in reservations");
    let unconfirmed =
        |r: &crate::cluster::Reservation| r.state == crate::cluster::ReservationState::Unconfirmed;
    say(snap.reservations.iter().any(unconfirmed), "confirming reservations");
}

fn node_features(plan: &Plan, say: &mut impl FnMut(bool, &str)) {
    let snap = &plan.snap;
    say(plan.multi_vnode.found, "multi-vnode hosts on the node path");
    let limited = |node: &crate::cluster::Node| {
        node.max_running.is_some()
            || node.max_user_run.is_some()
            || node.max_group_run.is_some()
            || node.no_multinode_jobs
    };
    say(snap.nodes.iter().any(limited), "run limits of nodes");
    let dist = &snap.policy.smp_cluster_dist;
    let robin = crate::cluster::SmpDist::RoundRobin;
    say(dist.prime == robin || dist.non_prime == robin, "smp_cluster_dist round_robin");
}
