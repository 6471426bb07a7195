//! The options of `sched_config` (the table of rule 1.11): how each is read and printed.

mod row;
mod written;

pub(crate) use row::OptionRow;
use written::{
    by_period, fairshare_entity, job_key, listed, max_job_check, node_key, server_dyn_res, smp_cluster_dist,
    smp_word, sort_nodes, unless_empty,
};

use crate::sched_config::value::{boolean, count, duration, enforced, list, number, put};
use qscope_engine::cluster::{GroupSortKey, JobSortKey, NodeSortKey, ProvisionPolicy};

/// True or False, by period.
macro_rules! switch {
    ($field:ident, $doc:literal) => {
        OptionRow::new(
            stringify!($field),
            "True or False",
            $doc,
            |all, value, scope| {
                boolean(value).map(|on| scope.apply_to_periods(&mut all.$field, |slot| *slot = on))
            },
            |all| by_period(&all.$field, ToString::to_string),
        )
    };
}

/// True or False at all times.
macro_rules! flag {
    ($field:ident, $doc:literal) => {
        flag!(stringify!($field), $field, $doc)
    };
    ($name:expr, $($field:ident).+, $doc:literal) => {
        OptionRow::new(
            $name,
            "True or False",
            $doc,
            |all, value, _| boolean(value).and_then(|on| put(&mut all.$($field).+, on)),
            |all| Some(all.$($field).+.to_string()),
        )
    };
}

/// A text, as written.
macro_rules! text {
    ($field:ident, $doc:literal) => {
        text!(stringify!($field), $field, $doc)
    };
    ($name:expr, $($field:ident).+, $doc:literal) => {
        OptionRow::new(
            $name,
            "text",
            $doc,
            |all, value, _| put(&mut all.$($field).+, value.into()),
            |all| unless_empty(all.$($field).+.to_string()),
        )
    };
}

/// Sort keys, whose lines accumulate.
macro_rules! keys {
    ($field:ident, $doc:literal, $key:ident, $expected:expr, $show:expr) => {
        OptionRow::new(
            stringify!($field),
            $expected,
            $doc,
            |all, value, scope| {
                let key = $key::parse(value).map_err(|_| $expected)?;
                scope.apply_to_periods(&mut all.$field, |keys| keys.push(key.clone()));
                Ok(())
            },
            |all| by_period(&all.$field, |keys| listed(keys, $show)),
        )
        .accumulates(|all, scope| scope.apply_to_periods(&mut all.$field, Vec::clear))
    };
}

/// One of two words.
macro_rules! one_of {
    ($name:literal, $doc:literal, $field:ident, $first:literal => $one:expr, $second:literal => $other:expr) => {
        OptionRow::new(
            $name,
            concat!($first, " or ", $second),
            $doc,
            |all, value, _| match value {
                $first => put(&mut all.$field, $one),
                $second => put(&mut all.$field, $other),
                _ => Err(concat!($first, " or ", $second)),
            },
            |all| Some(if all.$field == $one { $first } else { $second }.to_owned()),
        )
    };
}

/// Every option that the scheduler reads, and those that exist only in the design of sorted placement sets.
pub(crate) const OPTIONS: &[OptionRow] = &[
    switch!(round_robin, "whether queues take turns"),
    switch!(by_queue, "whether queues are served one after the other, by priority"),
    switch!(strict_ordering, "whether no job may overtake a job that does not fit"),
    switch!(strict_fifo, "the former name of strict_ordering"),
    switch!(fair_share, "whether jobs are ordered by past usage"),
    switch!(backfill, "whether jobs may start that delay no top job"),
    switch!(backfill_prime, "whether jobs must end before the next change between prime and non-prime time"),
    switch!(preemptive_sched, "whether jobs may preempt others"),
    flag!(prime_exempt_anytime_queues, "whether backfill_prime spares queues without a prefix"),
    OptionRow::new(
        "prime_spill",
        "duration",
        "how far jobs may run beyond such a change",
        |all, value, scope| {
            duration(value).map(|time| scope.apply_to_periods(&mut all.prime_spill, |slot| *slot = time))
        },
        |all| by_period(&all.prime_spill, ToString::to_string),
    ),
    text!(primetime_prefix, "queues whose names begin so are served in prime time only"),
    text!(nonprimetime_prefix, "queues whose names begin so are served in non-prime time only"),
    text!(dedicated_prefix, "queues whose names begin so are served in dedicated time only"),
    keys!(
        job_sort_key,
        "by what jobs are ordered",
        JobSortKey,
        "`resource HIGH|LOW`, where job_priority, fair_share_perc and preempt_priority count as resources",
        job_key
    ),
    keys!(
        node_sort_key,
        "by what vnodes are ordered",
        NodeSortKey,
        "`resource HIGH|LOW [total|assigned|unused]`, `sort_priority HIGH|LOW` or `last_used_time HIGH|LOW`",
        node_key
    ),
    OptionRow::read_only(
        "sort_nodes",
        "True or False",
        "the former form of node_sort_key: by priority, highest first",
        sort_nodes,
    ),
    keys!(
        node_group_sort_key,
        "by what placement sets are ordered; only the design has it",
        GroupSortKey,
        "`\"resource HIGH|LOW [total|assigned|unused]\" [prime|non_prime|all]`, where the resource is a \
         group key or a consumable",
        GroupSortKey::show
    ),
    one_of!("node_group_sort_tuples", "which sets of several keys node_group_sort_key makes", node_group_sort_partial, "full" => false, "partial" => true),
    one_of!("node_group_sort_text", "how node_group_sort_key compares texts", node_group_sort_natural, "bytes" => false, "natural" => true),
    one_of!(
        "provision_policy", "which vnodes are provisioned",
        provision,
        "aggressive_provision" => ProvisionPolicy::Aggressive,
        "avoid_provision" => ProvisionPolicy::Avoid
    ),
    OptionRow::new(
        "resources",
        "names with commas",
        "the resources that vnodes are checked for",
        |all, value, _| put(&mut all.resources, Some(enforced(value))),
        |all| all.resources.as_ref().map(|names| names.join(",")),
    ),
    OptionRow::new(
        "smp_cluster_dist",
        "pack or round_robin",
        "how jobs that name no placement are spread over hosts",
        smp_cluster_dist,
        |all| by_period(&all.smp_cluster_dist, smp_word),
    ),
    text!("fairshare_usage_res", fairshare.usage_res, "what counts as usage"),
    OptionRow::new(
        "fairshare_entity",
        "euser, egroup, Account_Name, queue or egroup:euser",
        "whom usage is counted for",
        fairshare_entity,
        |all| Some(all.fairshare.entity.to_string()),
    ),
    OptionRow::new(
        "fairshare_decay_time",
        "duration",
        "how often usage decays",
        |all, value, _| duration(value).and_then(|time| put(&mut all.fairshare.decay_time, time)),
        |all| Some(all.fairshare.decay_time.to_string()),
    ),
    OptionRow::new(
        "fairshare_decay_factor",
        "number between 0 and 1",
        "what is left of usage when it decays",
        |all, value, _| {
            let factor = number(value, |n| n > 0.0 && n < 1.0, "a number between 0 and 1")?;
            put(&mut all.fairshare.decay_factor, factor)
        },
        |all| Some(all.fairshare.decay_factor.to_string()),
    ),
    OptionRow::new(
        "unknown_shares",
        "number",
        "the shares of whom resource_group does not list",
        |all, value, _| {
            let shares = number(value, |n| n >= 0.0, "a number that is not negative")?;
            put(&mut all.fairshare.unknown_shares, shares)
        },
        |all| Some(all.fairshare.unknown_shares.to_string()),
    ),
    flag!(
        "fairshare_enforce_no_shares",
        fairshare.enforce_no_shares,
        "whether entities without shares never run"
    ),
    OptionRow::new(
        "resource_unset_infinite",
        "names with commas",
        "resources of which vnodes have any amount where none is set",
        |all, value, _| put(&mut all.resource_unset_infinite, list(value)),
        |all| unless_empty(all.resource_unset_infinite.join(",")),
    ),
    one_of!("resv_confirm_ignore", "what the confirmation of reservations ignores", resv_ignores_dedicated, "dedicated_time" => true, "none" => false),
    OptionRow::new(
        "allow_aoe_calendar",
        "True",
        "whether jobs that request an operating environment may be top jobs",
        |all, _, _| put(&mut all.allow_aoe_calendar, true),
        |all| Some(all.allow_aoe_calendar.to_string()),
    ),
    OptionRow::new(
        "preempt_attempts",
        "count",
        "how many victims preemption tries",
        |all, value, _| count(value).and_then(|n| put(&mut all.preempt_attempts, Some(n))),
        |all| all.preempt_attempts.map(|n| n.to_string()),
    ),
    OptionRow::new(
        "max_job_check",
        "count, or ALL_JOBS",
        "how many jobs one cycle considers",
        max_job_check,
        |all| all.max_job_check.map(|n| n.to_string()),
    ),
    OptionRow::new(
        "server_dyn_res",
        "`resource !program arguments`",
        "resources that a program on the server host measures",
        server_dyn_res,
        |all| unless_empty(all.server_dyn_res.join(",")),
    )
    .accumulates(|all, _| all.server_dyn_res.clear()),
    OptionRow::new(
        "peer_queue",
        "`queue queue@server`",
        "queues of other servers from which jobs are pulled",
        |all, value, _| {
            all.peer_queues.push(value.into());
            Ok(())
        },
        |all| unless_empty(all.peer_queues.join(",")),
    )
    .accumulates(|all, _| all.peer_queues.clear()),
    OptionRow::read_only(
        "update_comments",
        "True or False",
        "whether comments are written; without effect on the cycle",
        |_, value, _| boolean(value).map(|_| ()),
    ),
];
