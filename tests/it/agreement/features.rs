//! The features that a case uses, in the words of the rules: likely reasons of a difference.

use qscope::cluster::{
    ByPeriod, Job, JobState, NodeSortTerm, ProvisionPolicy, ReservationState, ResourceId, ResourceList,
    SmpDist, Snapshot, SortField, Value,
};

type Test = fn(&Snapshot) -> bool;

/// Features by rule, the more specific first.
const FEATURES: [(&str, Test); 24] = [
    ("arrays (rule 6.12)", |snap| any_job(snap, |job| job.is_array() && waits(job))),
    ("confirming reservations (rule 6.9)", |snap| has_reservation(snap, is_unconfirmed)),
    ("jobs in reservations (rule 6.9)", |snap| any_job(snap, |job| job.reservation.is_some() && waits(job))),
    ("calendar (rule 6.8)", |snap| either(&snap.policy.strict_ordering) || either(&snap.policy.strict_fifo)),
    ("dedicated time (rule 6.7)", |snap| !snap.dedicated_time.is_empty()),
    ("prime time (rule 6.7)", |snap| snap.holidays.is_some()),
    ("preemption (rule 6.10)", preempts),
    ("limits (rule 6.6)", |snap| {
        !snap.server.limits.is_empty() || snap.queues.iter().any(|queue| !queue.limits.is_empty())
    }),
    ("fair share (rule 6.5)", |snap| either(&snap.policy.fair_share) || !snap.share_groups.is_empty()),
    ("formula (rule 6.5)", |snap| {
        snap.server.job_sort_formula.is_some() || snap.scheduler.job_sort_formula.is_some()
    }),
    ("job_sort_key (rule 6.5)", |snap| {
        let keys = &snap.policy.job_sort_key;
        !keys.prime.is_empty() || !keys.non_prime.is_empty()
    }),
    ("round_robin (rule 6.5)", |snap| either(&snap.policy.round_robin)),
    ("shrink-to-fit (rule 6.13)", |snap| asks(snap, ResourceId::min_walltime())),
    ("previous placement (rule 4.1)", |snap| any_job(snap, |job| waits(job) && job.exec_vnode.is_some())),
    ("multi-vnode hosts (rule 4.4)", multi_vnode),
    ("node limits (rule 4.2)", |snap| {
        snap.nodes.iter().any(|node| {
            node.max_running.or(node.max_user_run).or(node.max_group_run).is_some() || node.no_multinode_jobs
        })
    }),
    ("provisioning (rule 4.3)", |snap| {
        snap.policy.provision == ProvisionPolicy::Avoid || snap.nodes.iter().any(|n| n.current_aoe.is_some())
    }),
    ("smp_cluster_dist (rule 4.3)", |snap| {
        let dist = &snap.policy.smp_cluster_dist;
        dist.prime == SmpDist::RoundRobin || dist.non_prime == SmpDist::RoundRobin
    }),
    ("sorting by unused (rule 4.3)", sorts_by_use),
    ("indirect resources (rule 11 item 6)", |snap| {
        let indirect = |value: &Value| matches!(value, Value::Indirect(_));
        snap.nodes.iter().any(|node| node.available.iter().any(|(_, value)| indirect(value)))
    }),
    ("dependencies and holds (rule 6.2)", |snap| any_job(snap, |job| job.depend.is_some())),
    ("resource_unset_infinite (rule 2.4)", |snap| !snap.policy.resource_unset_infinite.is_empty()),
    ("queue and server resources (rule 6.4)", |snap| {
        let bounded = |list: &ResourceList| list.iter().next().is_some();
        bounded(&snap.server.available) || snap.queues.iter().any(|queue| bounded(&queue.available))
    }),
    ("reservations to come (rule 4.6)", |snap| has_reservation(snap, |state| !is_unconfirmed(state))),
];

/// Returns the features of a cluster.
pub(crate) fn reasons(snap: &Snapshot) -> Vec<&'static str> {
    let found: Vec<&str> = FEATURES.iter().filter(|(_, test)| test(snap)).map(|(name, _)| *name).collect();
    if found.is_empty() { vec!["not explained yet"] } else { found }
}

fn either(option: &ByPeriod<bool>) -> bool {
    option.prime || option.non_prime
}

fn waits(job: &Job) -> bool {
    matches!(job.state, JobState::Queued | JobState::Begun | JobState::Suspended)
}

fn any_job(snap: &Snapshot, test: impl Fn(&Job) -> bool) -> bool {
    snap.jobs.iter().any(test)
}

fn asks(snap: &Snapshot, resource: ResourceId) -> bool {
    any_job(snap, |job| waits(job) && job.requested.get(resource).is_some())
}

fn is_unconfirmed(state: ReservationState) -> bool {
    matches!(state, ReservationState::Unconfirmed | ReservationState::BeingAltered)
}

fn has_reservation(snap: &Snapshot, test: impl Fn(ReservationState) -> bool) -> bool {
    snap.reservations.iter().any(|reservation| test(reservation.state))
}

/// Returns whether some queued job could preempt a running one.
fn preempts(snap: &Snapshot) -> bool {
    let express = snap.queues.iter().any(|queue| queue.priority >= snap.scheduler.preempt_queue_prio);
    either(&snap.policy.preemptive_sched)
        && any_job(snap, |job| matches!(job.state, JobState::Running | JobState::Suspended))
        && (express || either(&snap.policy.fair_share) || !snap.server.limits.is_empty())
}

fn multi_vnode(snap: &Snapshot) -> bool {
    let mut seen = std::collections::HashSet::new();
    let host = |node: &qscope::cluster::Node| {
        node.available.get(ResourceId::host()).and_then(|value| value.texts().first().cloned())
    };
    snap.nodes.iter().filter_map(host).any(|host| !seen.insert(host))
}

fn sorts_by_use(snap: &Snapshot) -> bool {
    let keys = &snap.policy.node_sort_key;
    let by_use = |term: &NodeSortTerm| {
        matches!(term, NodeSortTerm::Resource(_, SortField::Unused | SortField::Assigned))
    };
    keys.prime.iter().chain(&keys.non_prime).any(|key| by_use(&key.term))
}
