//! What each option of `sched_config` means (the table of rule 1.11).

use super::line::Scope;
use crate::cluster::{
    ByPeriod, Direction, JobSortKey, Name, NodeSortKey, NodeSortTerm, Policy, ProvisionPolicy, Seconds,
    Severity, SmpDist,
};
use crate::source::did_you_mean;

/// Something to say about one option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Remark {
    /// How bad it is.
    pub severity: Severity,
    /// The kind of trouble.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
}

impl Remark {
    /// Something was not read.
    pub(crate) fn error(code: &'static str, message: String) -> Self {
        Self { severity: Severity::Error, code, message }
    }

    /// Something was read otherwise than it says.
    pub(crate) fn warning(code: &'static str, message: String) -> Self {
        Self { severity: Severity::Warning, code, message }
    }

    /// Something worth knowing.
    pub(crate) fn note(code: &'static str, message: String) -> Self {
        Self { severity: Severity::Note, code, message }
    }
}

/// Every name that the scheduler knows, and the one that only the design document knows.
pub(crate) const NAMES: &[&str] = &[
    "round_robin",
    "by_queue",
    "strict_ordering",
    "strict_fifo",
    "fair_share",
    "backfill",
    "backfill_prime",
    "prime_exempt_anytime_queues",
    "prime_spill",
    "primetime_prefix",
    "nonprimetime_prefix",
    "dedicated_prefix",
    "job_sort_key",
    "node_sort_key",
    "sort_nodes",
    "provision_policy",
    "resources",
    "smp_cluster_dist",
    "unknown_shares",
    "fairshare_usage_res",
    "fairshare_entity",
    "fairshare_decay_time",
    "fairshare_decay_factor",
    "fairshare_enforce_no_shares",
    "preemptive_sched",
    "peer_queue",
    "server_dyn_res",
    "resource_unset_infinite",
    "resv_confirm_ignore",
    "allow_aoe_calendar",
    "preempt_attempts",
    "max_job_check",
    "update_comments",
    "node_group_sort_key",
];

/// Names that the scheduler only complains about, and what took their place.
const OBSOLETE: &[(&str, &str)] = &[
    ("help_starving_jobs", "eligible_time in job_sort_formula"),
    ("max_starve", "eligible_time in job_sort_formula"),
    ("sort_queues", "by_queue with queue priorities"),
    ("node_group_key", "the attribute node_group_key of the server or a queue"),
    ("log_filter", "the attribute log_events of the scheduler object"),
    ("preempt_queue_prio", "the attribute of the scheduler object"),
    ("preempt_prio", "the attribute of the scheduler object"),
    ("preempt_order", "the attribute of the scheduler object"),
    ("preempt_sort", "the attribute of the scheduler object"),
    ("half_life", "fairshare_decay_time and fairshare_decay_factor"),
];

/// What the value of an option should have been.
type Expected = &'static str;

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

/// What there is to say about options that were read.
fn remark_on(name: &str, value: &str) -> Option<Remark> {
    let (code, text) = match name {
        "strict_fifo" => ("obsolete-option", "is obsolete but still in force; instead use strict_ordering"),
        "backfill" => ("obsolete-option", "is obsolete; instead use backfill_depth=0 on the server"),
        "sort_nodes" => ("obsolete-option", "is obsolete; instead use node_sort_key"),
        "node_group_sort_key" => (
            "not-in-any-scheduler",
            "was designed but never shipped: no scheduler knows it, so it counts only when asked for",
        ),
        "server_dyn_res" => ("dynamic-resource", "names a program; what it would print is not known here"),
        "peer_queue" => ("peer-queue", "is not modelled: jobs of other servers are not seen"),
        "resources" => return embedded_words(value),
        _ => return None,
    };
    Some(Remark::warning(code, format!("`{name}: {value}` {text}")))
}

/// The scheduler adds host and vnode unless the text contains those letters anywhere (rule 1.11).
fn embedded_words(value: &str) -> Option<Remark> {
    let word = ["host", "vnode"]
        .into_iter()
        .find(|word| value.contains(word) && !list(value).iter().any(|name| &**name == *word))?;
    let message = format!(
        "`{word}` stands in the `resources` line only as part of a longer name: the scheduler does not add it \
         and requests for {word} are ignored"
    );
    Some(Remark::warning("resources-line", message))
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
        "node_group_sort_key" => NodeSortKey::parse(value)
            .map_err(|_| "`resource HIGH|LOW [total|assigned|unused]`")
            .map(|_| add(&mut policy.node_group_sort_key, scope, &value.into())),
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

/// Replaces the value of an option, which cannot go wrong.
fn put<T>(slot: &mut T, value: T) -> Result<(), Expected> {
    *slot = value;
    Ok(())
}

/// Adds to the values of an option, which cannot go wrong.
fn push(slot: &mut Vec<Name>, value: &str) -> Result<(), Expected> {
    slot.push(value.into());
    Ok(())
}

/// The names on the `resources` line, with host and vnode added if the text lacks these letters.
fn enforced(value: &str) -> Vec<Name> {
    let mut names = list(value);
    names.extend(["host", "vnode"].into_iter().filter(|word| !value.contains(word)).map(Name::from));
    names
}

/// A list with commas.
fn list(value: &str) -> Vec<Name> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Name::from).collect()
}

fn boolean(value: &str) -> Result<bool, Expected> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("true or false"),
    }
}

fn duration(value: &str) -> Result<Seconds, Expected> {
    Seconds::parse(value).filter(|time| time.0 >= 0).ok_or("a duration such as 01:30:00")
}

fn count(value: &str) -> Result<u32, Expected> {
    value.parse().map_err(|_| "a count")
}

fn number(value: &str, good: impl Fn(f64) -> bool, expected: Expected) -> Result<f64, Expected> {
    value.parse().ok().filter(|n| good(*n)).ok_or(expected)
}
