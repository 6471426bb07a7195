//! What a cluster uses and the model does not know yet: said whenever it is used.

use crate::cluster::Snapshot;
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
    reservation_features(snap, &mut say);
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

fn reservation_features(snap: &Snapshot, say: &mut impl FnMut(bool, &str)) {
    use crate::cluster::{Reservation, ReservationState as State};
    let any = |test: &dyn Fn(&Reservation) -> bool| snap.reservations.iter().any(test);
    say(any(&|r| r.state == State::BeingAltered), "altering reservations");
    let retried = |r: &Reservation| r.retry.is_some_and(|at| at <= snap.now);
    let broken = |r: &Reservation| matches!(r.state, State::Degraded | State::InConflict);
    say(any(&|r| broken(r) && retried(r)), "confirming degraded reservations again");
    let repeats = |r: &Reservation| r.count.is_some_and(|count| count > 1);
    say(any(&repeats), "later occurrences of standing reservations (their nodes are in no dump)");
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
