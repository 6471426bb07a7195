//! What each option of `sched_config` means (the table of rule 1.11).

use super::line::Scope;
use super::remark::{NAMES, OBSOLETE, Remark, remark_on};
use super::value::{Expected, boolean, count, duration, enforced, list, number, push, put};
use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{
    ByPeriod, Direction, GroupSortKey, JobSortKey, NodeSortKey, NodeSortTerm, Policy, ProvisionPolicy,
    SmpDist,
};

/// Sets one option; returns what there is to say about it. A bad value changes nothing.
pub(crate) fn set(policy: &mut Policy, name: &str, value: &str, scope: Scope) -> Option<Remark> {
    if let Some((_, instead)) = OBSOLETE.iter().find(|(obsolete, _)| *obsolete == name) {
        let message = format!("`{name}` is obsolete and ignored by the scheduler; instead use {instead}");
        return Some(Remark::warning("obsolete-option", message));
    }
    let done = set_switch(policy, name, value, scope)
        .or_else(|| set_order(policy, name, value, scope))
        .or_else(|| set_shares(policy, name, value))
        .or_else(|| set_other(policy, name, value, scope));
    match done {
        Some(Ok(())) => remark_on(name, value),
        Some(Err(expected)) => {
            let message = format!("`{name}` has the value `{value}`; expected {expected}");
            Some(Remark::error("option-value", message))
        }
        None => {
            let asked = did_you_mean::question(name, NAMES.iter().copied());
            Some(Remark::error(
                "unknown-option",
                format!("`{name}` is not an option of the scheduler{asked}"),
            ))
        }
    }
}

/// Whether the lines of an option accumulate.
pub(crate) fn accumulates(name: &str) -> bool {
    matches!(name, "job_sort_key" | "node_sort_key" | "node_group_sort_key" | "peer_queue" | "server_dyn_res")
}

/// Forgets the values of an option whose lines accumulate, in the periods of `scope`.
pub(crate) fn clear(policy: &mut Policy, name: &str, scope: Scope) {
    match name {
        "job_sort_key" => scope.each(&mut policy.job_sort_key, Vec::clear),
        "node_sort_key" => scope.each(&mut policy.node_sort_key, Vec::clear),
        "node_group_sort_key" => scope.each(&mut policy.node_group_sort_key, Vec::clear),
        "peer_queue" => policy.peer_queues.clear(),
        "server_dyn_res" => policy.server_dyn_res.clear(),
        _ => {}
    }
}

/// Options that are true or false.
fn set_switch(policy: &mut Policy, name: &str, value: &str, scope: Scope) -> Option<Result<(), Expected>> {
    let by_period = match name {
        "round_robin" => &mut policy.round_robin,
        "by_queue" => &mut policy.by_queue,
        "strict_ordering" => &mut policy.strict_ordering,
        "strict_fifo" => &mut policy.strict_fifo,
        "fair_share" => &mut policy.fair_share,
        "backfill" => &mut policy.backfill,
        "backfill_prime" => &mut policy.backfill_prime,
        "preemptive_sched" => &mut policy.preemptive_sched,
        "prime_exempt_anytime_queues" => {
            return Some(boolean(value).map(|on| policy.prime_exempt_anytime_queues = on));
        }
        "fairshare_enforce_no_shares" => {
            return Some(boolean(value).map(|on| policy.fairshare.enforce_no_shares = on));
        }
        "update_comments" => return Some(boolean(value).map(|_| ())),
        "allow_aoe_calendar" => {
            policy.allow_aoe_calendar = true;
            return Some(Ok(()));
        }
        _ => return None,
    };
    Some(boolean(value).map(|on| scope.each(by_period, |slot| *slot = on)))
}

/// Options that say what comes first; their lines accumulate.
fn set_order(policy: &mut Policy, name: &str, value: &str, scope: Scope) -> Option<Result<(), Expected>> {
    const NODE_KEY: Expected =
        "`resource HIGH|LOW [total|assigned|unused]`, `sort_priority HIGH|LOW` or `last_used_time HIGH|LOW`";
    Some(match name {
        "job_sort_key" => JobSortKey::parse(value)
            .map_err(|_| "`resource HIGH|LOW`, where job_priority, fair_share_perc and preempt_priority count as resources")
            .map(|key| add(&mut policy.job_sort_key, scope, &key)),
        "node_sort_key" => NodeSortKey::parse(value)
            .map_err(|_| NODE_KEY)
            .map(|key| add(&mut policy.node_sort_key, scope, &key)),
        "sort_nodes" => boolean(value).map(|on| {
            if on {
                let key = NodeSortKey { term: NodeSortTerm::Priority, direction: Direction::High };
                add(&mut policy.node_sort_key, scope, &key);
            }
        }),
        "node_group_sort_key" => GroupSortKey::parse(value)
            .map_err(|_| {
                "`\"resource HIGH|LOW [total|assigned|unused]\" [prime|non_prime|all]`, where the resource is a \
                 group key or a consumable"
            })
            .map(|key| add(&mut policy.node_group_sort_key, scope, &key)),
        "node_group_sort_tuples" => match value {
            "full" => put(&mut policy.node_group_sort_partial, false),
            "partial" => put(&mut policy.node_group_sort_partial, true),
            _ => Err("full or partial"),
        },
        "node_group_sort_text" => match value {
            "bytes" => put(&mut policy.node_group_sort_natural, false),
            "natural" => put(&mut policy.node_group_sort_natural, true),
            _ => Err("bytes or natural"),
        },
        _ => return None,
    })
}

/// Appends a key in the periods of its line.
fn add<T: Clone>(keys: &mut ByPeriod<Vec<T>>, scope: Scope, key: &T) {
    scope.each(keys, |keys| keys.push(key.clone()));
}

/// Fair share.
fn set_shares(policy: &mut Policy, name: &str, value: &str) -> Option<Result<(), Expected>> {
    const ENTITIES: [&str; 5] = ["euser", "egroup", "Account_Name", "queue", "egroup:euser"];
    let shares = &mut policy.fairshare;
    Some(match name {
        "unknown_shares" => {
            number(value, |n| n >= 0.0, "a number that is not negative").map(|n| shares.unknown_shares = n)
        }
        "fairshare_usage_res" => {
            shares.usage_res = value.into();
            Ok(())
        }
        "fairshare_entity" if ENTITIES.contains(&value) => {
            shares.entity = value.into();
            Ok(())
        }
        "fairshare_entity" => Err("euser, egroup, Account_Name, queue or egroup:euser"),
        "fairshare_decay_time" => duration(value).map(|time| shares.decay_time = time),
        "fairshare_decay_factor" => {
            number(value, |n| n > 0.0 && n < 1.0, "a number between 0 and 1").map(|n| shares.decay_factor = n)
        }
        _ => return None,
    })
}

/// The rest.
fn set_other(policy: &mut Policy, name: &str, value: &str, scope: Scope) -> Option<Result<(), Expected>> {
    Some(match name {
        "prime_spill" => duration(value).map(|time| scope.each(&mut policy.prime_spill, |slot| *slot = time)),
        "primetime_prefix" => put(&mut policy.primetime_prefix, value.into()),
        "nonprimetime_prefix" => put(&mut policy.nonprimetime_prefix, value.into()),
        "dedicated_prefix" => put(&mut policy.dedicated_prefix, value.into()),
        "provision_policy" => match value {
            "aggressive_provision" => put(&mut policy.provision, ProvisionPolicy::Aggressive),
            "avoid_provision" => put(&mut policy.provision, ProvisionPolicy::Avoid),
            _ => Err("aggressive_provision or avoid_provision"),
        },
        "resources" => put(&mut policy.resources, Some(enforced(value))),
        "smp_cluster_dist" => match value {
            "pack" => Ok(SmpDist::Pack),
            "round_robin" => Ok(SmpDist::RoundRobin),
            _ => Err("pack or round_robin"),
        }
        .map(|dist| scope.each(&mut policy.smp_cluster_dist, |slot| *slot = dist)),
        "peer_queue" => push(&mut policy.peer_queues, value),
        "server_dyn_res" => match value.split_whitespace().next() {
            Some(resource) if value.contains('!') => push(&mut policy.server_dyn_res, resource),
            _ => Err("`resource !program arguments`"),
        },
        "resource_unset_infinite" => put(&mut policy.resource_unset_infinite, list(value)),
        "resv_confirm_ignore" => match value {
            "dedicated_time" => put(&mut policy.resv_ignores_dedicated, true),
            "none" => put(&mut policy.resv_ignores_dedicated, false),
            _ => Err("dedicated_time or none"),
        },
        "preempt_attempts" => count(value).map(|n| policy.preempt_attempts = Some(n)),
        "max_job_check" if value == "ALL_JOBS" => put(&mut policy.max_job_check, None),
        "max_job_check" => {
            count(value).map_err(|_| "a count or ALL_JOBS").map(|n| policy.max_job_check = Some(n))
        }
        _ => return None,
    })
}
