//! Reads the values of options, and writes them in the form the scheduler reads.

use crate::sched_config::Scope;
use crate::sched_config::value::{ExpectedValue, boolean, count, put};
use qscope_engine::cluster::{
    ByPeriod, JobSortKey, JobSortTerm, Name, NodeSortKey, NodeSortTerm, Policy, SmpDist, SortDirection,
    SortField,
};

pub(super) fn sort_nodes(all: &mut Policy, value: &str, scope: Scope) -> Result<(), ExpectedValue> {
    if boolean(value)? {
        let key = NodeSortKey { term: NodeSortTerm::Priority, direction: SortDirection::High };
        scope.apply_to_periods(&mut all.node_sort_key, |keys| keys.push(key.clone()));
    }
    Ok(())
}

pub(super) fn smp_cluster_dist(all: &mut Policy, value: &str, scope: Scope) -> Result<(), ExpectedValue> {
    let dist = match value {
        "pack" => SmpDist::Pack,
        "round_robin" => SmpDist::RoundRobin,
        _ => return Err("pack or round_robin"),
    };
    scope.apply_to_periods(&mut all.smp_cluster_dist, |slot| *slot = dist);
    Ok(())
}

pub(super) fn fairshare_entity(all: &mut Policy, value: &str, _: Scope) -> Result<(), ExpectedValue> {
    match value {
        "euser" | "egroup" | "Account_Name" | "queue" | "egroup:euser" => {
            put(&mut all.fairshare.entity, value.into())
        }
        _ => Err("euser, egroup, Account_Name, queue or egroup:euser"),
    }
}

pub(super) fn max_job_check(all: &mut Policy, value: &str, _: Scope) -> Result<(), ExpectedValue> {
    if value == "ALL_JOBS" {
        return put(&mut all.max_job_check, None);
    }
    put(&mut all.max_job_check, Some(count(value).map_err(|_| "a count or ALL_JOBS")?))
}

pub(super) fn server_dyn_res(all: &mut Policy, value: &str, _: Scope) -> Result<(), ExpectedValue> {
    match value.split_whitespace().next() {
        Some(resource) if value.contains('!') => {
            all.server_dyn_res.push(Name::from(resource));
            Ok(())
        }
        _ => Err("`resource !program arguments`"),
    }
}

pub(super) fn unless_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// Prints a value that may differ between prime and non-prime time.
pub(super) fn by_period<T: PartialEq>(value: &ByPeriod<T>, show: impl Fn(&T) -> String) -> Option<String> {
    let (prime, rest) = (show(&value.prime), show(&value.non_prime));
    if value.prime == value.non_prime {
        unless_empty(prime)
    } else {
        Some(format!("{prime} prime, {rest} non_prime"))
    }
}

pub(super) fn listed<K>(keys: &[K], show: fn(&K) -> String) -> String {
    keys.iter().map(show).collect::<Vec<_>>().join("; ")
}

pub(super) fn direction(direction: SortDirection) -> &'static str {
    match direction {
        SortDirection::High => "HIGH",
        SortDirection::Low => "LOW",
    }
}

pub(super) fn job_key(key: &JobSortKey) -> String {
    let term = match &key.term {
        JobSortTerm::Priority => "job_priority",
        JobSortTerm::FairsharePercentage => "fair_share_perc",
        JobSortTerm::PreemptPriority => "preempt_priority",
        JobSortTerm::Resource(name) => name,
    };
    format!("{term} {}", direction(key.direction))
}

pub(super) fn node_key(key: &NodeSortKey) -> String {
    let (term, field) = match &key.term {
        NodeSortTerm::Priority => ("sort_priority", ""),
        NodeSortTerm::LastUsed => ("last_used_time", ""),
        NodeSortTerm::Resource(name, SortField::Total) => (&**name, ""),
        NodeSortTerm::Resource(name, SortField::Assigned) => (&**name, " assigned"),
        NodeSortTerm::Resource(name, SortField::Unused) => (&**name, " unused"),
    };
    format!("{term} {}{field}", direction(key.direction))
}

pub(super) fn smp_word(dist: &SmpDist) -> String {
    match dist {
        SmpDist::Pack => "pack",
        SmpDist::RoundRobin => "round_robin",
    }
    .to_owned()
}
