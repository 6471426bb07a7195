//! Warnings about features that a cluster uses and the model does not cover.

use crate::cluster::{
    Formula, GroupSortKey, Job, JobId, Reservation, ReservationState, ResourceType, Snapshot,
};
use crate::universe::{Plan, State};

use super::agenda::{Agenda, FormulaFaults, charge};
use super::formula_values::FormulaName;
use super::{Doubts, Setup};

/// Returns one sentence for each feature that the cycle leaves out.
pub(super) fn unmodelled(
    state: &State,
    setup: &Setup,
    agenda: &Agenda,
    usage_fault: Option<&str>,
) -> Vec<String> {
    let plan = &state.plan;
    let snap = &plan.snap;
    let mut warnings = setup.faults.clone();
    warnings.extend(agenda.formula_fault());
    warnings.extend(usage_fault.map(str::to_owned));
    warnings.extend(group_sorting(state));
    let mut warn = |used: bool, what: &str| {
        if used {
            warnings.push(format!("{what}: not modelled"));
        }
    };
    policy_features(snap, &mut warn);
    reservation_features(snap, &mut warn);
    let uncertain = Doubts::new(state, std::iter::empty());
    warnings.extend(uncertain.in_force().iter().map(|doubt| format!("{}: no certain rule", doubt.words())));
    warnings
}

/// Returns the warning that a cycle was ended because a job was preempted again and again.
pub(super) fn no_end(plan: &Plan, job: JobId) -> String {
    let name = plan.job(job).short_name();
    format!(
        "job {name} starts and is preempted again and again in one cycle, which has no end: it was stopped here, where the \
         scheduler goes on until sched_cycle_length is over"
    )
}

/// Returns why `fairshare_usage_res` counts 0, if fair share is on.
pub(super) fn usage_fault(plan: &Plan, setup: &Setup) -> Option<String> {
    if !setup.order.fair_share {
        return None;
    }
    let every = |fault: String| format!("fairshare_usage_res counts 0 for every job: {fault}");
    let formula = match Formula::parse(&plan.snap.policy.fairshare.usage_res) {
        Err(error) => return Some(every(error.to_string())),
        Ok(formula) => formula,
    };
    let unknown = formula.names().into_iter().find(|name| FormulaName::of(&plan.snap, name).is_none());
    if let Some(name) = unknown {
        return Some(every(format!("name '{name}' is not defined")));
    }
    let mut faults = FormulaFaults::default();
    for job in plan.snap.jobs.ids() {
        if let Err(fault) = charge(plan, &formula, job) {
            faults.note(plan, job, fault);
        }
    }
    faults.words(plan, "fairshare_usage_res")
}

/// Returns warnings about sort keys of placement sets that order nothing, and combinations of group keys that are not
/// built (rule 5.6).
fn group_sorting(state: &State) -> Vec<String> {
    let plan = &state.plan;
    let snap = &plan.snap;
    let in_force = plan.group_order.is_some();
    let keys = snap.policy.node_group_sort_key.get(plan.period).iter().filter(|_| in_force);
    let grouped = |name: &str| {
        let queues = snap.queues.iter().flat_map(|queue| &queue.node_group_key);
        queues.chain(&snap.server.node_group_key).any(|key| **key == *name)
    };
    let fault = |key: &GroupSortKey| match snap.catalogue.id(&key.resource) {
        None => Some("is no resource"),
        Some(id) => match snap.catalogue.kind(id) {
            ResourceType::Boolean => Some("is true or false"),
            ResourceType::Text | ResourceType::TextArray if !grouped(&key.resource) => {
                Some("is no node_group_key")
            }
            _ => None,
        },
    };
    let useless = keys.filter_map(|key| {
        let why = fault(key)?;
        let (shown, resource) = (key.show(), &key.resource);
        Some(format!("node_group_sort_key `{shown}` orders nothing: `{resource}` {why}"))
    });
    let left_out = state.pools.iter().filter(|pool| pool.omitted_memberships.is_some());
    let left_out = left_out.map(|_| {
        "combinations of group keys are left out: nodes have so many values that they would fill the memory"
            .to_owned()
    });
    useless.chain(left_out).collect()
}

fn policy_features(snap: &Snapshot, warn: &mut impl FnMut(bool, &str)) {
    let policy = &snap.policy;
    warn(!policy.server_dyn_res.is_empty(), "server_dyn_res (what its program would print is in no dump)");
    warn(!policy.peer_queues.is_empty(), "peer queues");
    let preemptive = policy.preemptive_sched.prime || policy.preemptive_sched.non_prime;
    let express = snap.queues.iter().any(|queue| queue.priority >= snap.scheduler.preempt_queue_prio);
    let arrays = || snap.jobs.iter().any(Job::is_array);
    warn(preemptive && express && arrays(), "preemption of subjobs that start in this cycle");
}

fn reservation_features(snap: &Snapshot, warn: &mut impl FnMut(bool, &str)) {
    let any = |test: &dyn Fn(&Reservation) -> bool| snap.reservations.iter().any(test);
    warn(any(&|r| r.state == ReservationState::BeingAltered), "altering reservations");
    let retried = |r: &Reservation| r.retry.is_some_and(|at| at <= snap.now);
    let broken =
        |r: &Reservation| matches!(r.state, ReservationState::Degraded | ReservationState::InConflict);
    warn(any(&|r| broken(r) && retried(r)), "confirming degraded reservations again");
    let repeats = |r: &Reservation| r.count.is_some_and(|count| count > 1);
    warn(any(&repeats), "later occurrences of standing reservations (their nodes are in no dump)");
}
