//! Settings of the server, the scheduler, the queues and the reservations, under the names by which they are set.

use super::FieldChange;
use qscope_engine::cluster::{
    ByPeriod, Direction, GroupSortKey, JobSortKey, JobSortTerm, LimitEntry, LimitScope, Limits, Name,
    NodeSortKey, NodeSortTerm, Policy, ProvisionPolicy, Queue, QueueKind, Reservation, ReservationState,
    ResourceList, SmpDist, Snapshot, SortField,
};
use qscope_engine::universe::{Plan, Quirk};

/// One setting that is not what it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingChange {
    /// Whose it is: `server`, `sched`, `sched_config`, `queue workq`, `reservation R1`, `qscope`.
    pub object: String,
    /// The setting, and its values. Of an object that is there on one side only, `there`.
    pub field: FieldChange,
}

/// A setting's name and value; none where it is not set.
type Field = (String, Option<String>);

/// All settings that changed. Of what only one side has read nothing can be said.
pub(super) fn changes(before: &Plan, after: &Plan) -> Vec<SettingChange> {
    let (old, new) = (&before.snap, &after.snap);
    let silent = read_once(old, new);
    let both = |what: &str| !silent.contains(&what);
    let mut all = Vec::new();
    if both("server") {
        all.extend(of_one("server", &server(old), &server(new)));
    }
    if both("sched") {
        all.extend(of_one("sched", &scheduler(old), &scheduler(new)));
    }
    if both("sched_config") {
        all.extend(of_one("sched_config", &policy(&old.policy), &policy(&new.policy)));
    }
    if both("queues") {
        all.extend(of_many("queue", queues(old), queues(new)));
    }
    all.extend(of_many("reservation", reservations(old), reservations(new)));
    all.extend(of_one("maui", &maui(old), &maui(new)));
    all.extend(of_one("qscope", &quirks(before), &quirks(after)));
    all
}

/// What one side has a dump of and the other one neither a dump nor a file written by hand.
pub(super) fn read_once(before: &Snapshot, after: &Snapshot) -> Vec<&'static str> {
    let has = |snap: &Snapshot, start: &str| {
        snap.files.iter().any(|file| file.is_used() && file.name.starts_with(start))
    };
    let by_hand = |snap: &Snapshot| has(snap, "policy.toml") || has(snap, "queue.toml");
    let dumps =
        [("server", "server."), ("sched", "sched."), ("sched_config", "sched_config"), ("queues", "queues.")];
    let once = |(_, start): &(&str, &str)| match (has(before, start), has(after, start)) {
        (true, false) => !by_hand(after),
        (false, true) => !by_hand(before),
        _ => false,
    };
    dumps.into_iter().filter(once).map(|(what, _)| what).collect()
}

fn of_one(object: &str, before: &[Field], after: &[Field]) -> Vec<SettingChange> {
    let fields = differences(before, after).into_iter();
    fields.map(|field| SettingChange { object: object.to_owned(), field }).collect()
}

fn of_many(
    kind: &str,
    before: Vec<(Name, Vec<Field>)>,
    mut after: Vec<(Name, Vec<Field>)>,
) -> Vec<SettingChange> {
    let there = |name: &Name, before, after| SettingChange {
        object: format!("{kind} {name}"),
        field: FieldChange { name: "there".to_owned(), before, after },
    };
    let yes = || Some("yes".to_owned());
    let mut all = Vec::new();
    for (name, fields) in before {
        match after.iter().position(|(new, _)| *new == name) {
            Some(at) => all.extend(of_one(&format!("{kind} {name}"), &fields, &after.remove(at).1)),
            None => all.push(there(&name, yes(), None)),
        }
    }
    all.extend(after.iter().map(|(name, _)| there(name, None, yes())));
    all
}

/// The fields that differ. Fields of one name belong together, as the entries of a limit do.
pub(super) fn differences(before: &[Field], after: &[Field]) -> Vec<FieldChange> {
    if before == after {
        return Vec::new();
    }
    let value = |fields: &[Field], name: &str| {
        let same = fields.iter().filter(|(have, _)| have == name).filter_map(|(_, value)| value.clone());
        let values: Vec<String> = same.collect();
        (!values.is_empty()).then(|| values.join(","))
    };
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in before.iter().chain(after) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let change = |name: &String| FieldChange {
        name: name.clone(),
        before: value(before, name),
        after: value(after, name),
    };
    names.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

/// The values of a resource list.
pub(super) fn resources<'s>(
    snap: &'s Snapshot,
    prefix: &'s str,
    list: &'s ResourceList,
) -> impl Iterator<Item = Field> + 's {
    let catalogue = &snap.catalogue;
    let named = list.by_name(catalogue).into_iter();
    named.map(move |(id, value)| {
        (format!("{prefix}.{}", catalogue.name(id)), Some(value.show(catalogue.kind(id))))
    })
}

/// The limits on running, as `max_run` and `max_run_res` have them (rule 6.6).
fn limits<'s>(snap: &'s Snapshot, limits: &'s Limits) -> impl Iterator<Item = Field> + 's {
    limits.entries.iter().map(|entry| {
        let soft = if entry.soft { "_soft" } else { "" };
        let (name, kind) = match entry.resource {
            None => (format!("max_run{soft}"), qscope_engine::cluster::Kind::Long),
            Some(id) => (format!("max_run_res{soft}.{}", snap.catalogue.name(id)), snap.catalogue.kind(id)),
        };
        (name, Some(format!("[{}={}]", whom(entry), entry.amount.show(kind))))
    })
}

/// Whom a limit is for, as its attribute has it.
fn whom(entry: &LimitEntry) -> String {
    let scope = match entry.scope {
        LimitScope::User => 'u',
        LimitScope::Group => 'g',
        LimitScope::Project => 'p',
        LimitScope::Overall => return "o:PBS_ALL".to_owned(),
    };
    format!("{scope}:{}", entry.entity.as_deref().unwrap_or("PBS_GENERIC"))
}

fn flag(name: &str, on: bool) -> Field {
    (name.to_owned(), Some(if on { "True" } else { "False" }.to_owned()))
}

fn text(name: &str, value: &impl ToString) -> Field {
    (name.to_owned(), Some(value.to_string()).filter(|text| !text.is_empty()))
}

fn maybe(name: &str, value: Option<impl ToString>) -> Field {
    (name.to_owned(), value.map(|value| value.to_string()))
}

fn names(name: &str, list: &[Name]) -> Field {
    text(name, &list.join(","))
}

fn server(snap: &Snapshot) -> Vec<Field> {
    let server = &snap.server;
    let mut all = vec![
        maybe("scheduling", server.scheduling.map(|on| if on { "True" } else { "False" })),
        maybe("default_queue", server.default_queue.as_ref()),
        flag("node_group_enable", server.node_group_enable),
        names("node_group_key", &server.node_group_key),
        maybe("job_sort_formula", server.job_sort_formula.as_ref()),
        maybe("backfill_depth", server.backfill_depth),
        flag("eligible_time_enable", server.eligible_time_enable),
        flag("power_provisioning", server.power_provisioning),
        names("restrict_res_to_release_on_suspend", &server.release_on_suspend),
        maybe("pbs_version", server.version.as_ref()),
    ];
    all.extend(chunks(&server.default_chunk));
    all.extend(resources(snap, "resources_available", &server.available));
    all.extend(resources(snap, "resources_default", &server.defaults));
    all.extend(limits(snap, &server.limits));
    all
}

fn chunks(chunks: &[(Name, Name)]) -> impl Iterator<Item = Field> {
    chunks.iter().map(|(name, value)| text(&format!("default_chunk.{name}"), value))
}

fn scheduler(snap: &Snapshot) -> Vec<Field> {
    let sched = &snap.scheduler;
    vec![
        maybe("scheduling", sched.scheduling.map(|on| if on { "True" } else { "False" })),
        names("partition", &sched.partitions),
        text("sched_cycle_length", &sched.cycle_length),
        flag("do_not_span_psets", sched.do_not_span_psets),
        flag("only_explicit_psets", sched.only_explicit_psets),
        flag("sched_preempt_enforce_resumption", sched.enforce_resumption),
        flag("preempt_targets_enable", sched.preempt_targets_enable),
        maybe("job_sort_formula", sched.job_sort_formula.as_ref()),
        maybe("job_sort_formula_threshold", sched.formula_threshold),
        flag("throughput_mode", sched.throughput_mode),
        text("opt_backfill_fuzzy", &sched.fuzzy.0),
        text("preempt_queue_prio", &sched.preempt_queue_prio),
        text("preempt_prio", &sched.preempt_prio),
        text("preempt_order", &sched.preempt_order),
        text("preempt_sort", &sched.preempt_sort),
    ]
}

fn policy(policy: &Policy) -> Vec<Field> {
    let shares = &policy.fairshare;
    let provision = match policy.provision {
        ProvisionPolicy::Aggressive => "aggressive_provision",
        ProvisionPolicy::Avoid => "avoid_provision",
    };
    vec![
        by_period("round_robin", &policy.round_robin, ToString::to_string),
        by_period("by_queue", &policy.by_queue, ToString::to_string),
        by_period("strict_ordering", &policy.strict_ordering, ToString::to_string),
        by_period("strict_fifo", &policy.strict_fifo, ToString::to_string),
        by_period("fair_share", &policy.fair_share, ToString::to_string),
        by_period("backfill", &policy.backfill, ToString::to_string),
        by_period("backfill_prime", &policy.backfill_prime, ToString::to_string),
        by_period("preemptive_sched", &policy.preemptive_sched, ToString::to_string),
        text("prime_exempt_anytime_queues", &policy.prime_exempt_anytime_queues),
        by_period("prime_spill", &policy.prime_spill, ToString::to_string),
        text("primetime_prefix", &policy.primetime_prefix),
        text("nonprimetime_prefix", &policy.nonprimetime_prefix),
        text("dedicated_prefix", &policy.dedicated_prefix),
        by_period("job_sort_key", &policy.job_sort_key, |keys| listed(keys, job_key)),
        by_period("node_sort_key", &policy.node_sort_key, |keys| listed(keys, node_key)),
        by_period("node_group_sort_key", &policy.node_group_sort_key, |keys| {
            listed(keys, GroupSortKey::show)
        }),
        text("node_group_sort_tuples", &if policy.node_group_sort_partial { "partial" } else { "full" }),
        text("node_group_sort_text", &if policy.node_group_sort_natural { "natural" } else { "bytes" }),
        text("provision_policy", &provision),
        maybe("resources", policy.resources.as_ref().map(|list| list.join(","))),
        by_period("smp_cluster_dist", &policy.smp_cluster_dist, smp),
        text("fairshare_usage_res", &shares.usage_res),
        text("fairshare_entity", &shares.entity),
        text("fairshare_decay_time", &shares.decay_time),
        text("fairshare_decay_factor", &shares.decay_factor),
        text("unknown_shares", &shares.unknown_shares),
        text("fairshare_enforce_no_shares", &shares.enforce_no_shares),
        names("resource_unset_infinite", &policy.resource_unset_infinite),
        text("resv_ignores_dedicated", &policy.resv_ignores_dedicated),
        text("allow_aoe_calendar", &policy.allow_aoe_calendar),
        maybe("preempt_attempts", policy.preempt_attempts),
        maybe("max_job_check", policy.max_job_check),
        names("server_dyn_res", &policy.server_dyn_res),
        names("peer_queue", &policy.peer_queues),
    ]
}

/// A value that may differ between prime and non-prime time.
fn by_period<T: PartialEq>(name: &str, value: &ByPeriod<T>, show: impl Fn(&T) -> String) -> Field {
    let (prime, rest) = (show(&value.prime), show(&value.non_prime));
    if value.prime == value.non_prime {
        text(name, &prime)
    } else {
        text(name, &format!("{prime} prime, {rest} non_prime"))
    }
}

fn listed<K>(keys: &[K], show: fn(&K) -> String) -> String {
    keys.iter().map(show).collect::<Vec<_>>().join("; ")
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::High => "HIGH",
        Direction::Low => "LOW",
    }
}

fn job_key(key: &JobSortKey) -> String {
    let term = match &key.term {
        JobSortTerm::Priority => "job_priority",
        JobSortTerm::FairsharePercentage => "fair_share_perc",
        JobSortTerm::PreemptPriority => "preempt_priority",
        JobSortTerm::Resource(name) => name,
    };
    format!("{term} {}", direction(key.direction))
}

fn node_key(key: &NodeSortKey) -> String {
    let (term, field) = match &key.term {
        NodeSortTerm::Priority => ("sort_priority", ""),
        NodeSortTerm::LastUsed => ("last_used_time", ""),
        NodeSortTerm::Resource(name, SortField::Total) => (&**name, ""),
        NodeSortTerm::Resource(name, SortField::Assigned) => (&**name, " assigned"),
        NodeSortTerm::Resource(name, SortField::Unused) => (&**name, " unused"),
    };
    format!("{term} {}{field}", direction(key.direction))
}

fn smp(dist: &SmpDist) -> String {
    match dist {
        SmpDist::Pack => "pack",
        SmpDist::RoundRobin => "round_robin",
    }
    .to_owned()
}

fn queues(snap: &Snapshot) -> Vec<(Name, Vec<Field>)> {
    // A queue that no dump lists is assumed from its jobs, and comes and goes with them.
    let listed = snap.queues.iter().filter(|queue| !queue.assumed);
    listed.map(|queue| (queue.name.clone(), queue_settings(snap, queue))).collect()
}

fn queue_settings(snap: &Snapshot, queue: &Queue) -> Vec<Field> {
    let kind = match queue.kind {
        QueueKind::Execution => "Execution",
        QueueKind::Route => "Route",
    };
    let mut all = vec![
        text("queue_type", &kind),
        text("Priority", &queue.priority),
        flag("started", queue.started),
        flag("enabled", queue.enabled),
        names("node_group_key", &queue.node_group_key),
        maybe("backfill_depth", queue.backfill_depth),
        maybe("partition", queue.partition.as_ref()),
    ];
    all.extend(chunks(&queue.default_chunk));
    all.extend(resources(snap, "resources_available", &queue.available));
    all.extend(resources(snap, "resources_default", &queue.defaults));
    all.extend(resources(snap, "resources_min", &queue.minimum));
    all.extend(resources(snap, "resources_max", &queue.maximum));
    all.extend(limits(snap, &queue.limits));
    all
}

fn reservations(snap: &Snapshot) -> Vec<(Name, Vec<Field>)> {
    snap.reservations.iter().map(|one| (one.name.clone(), reservation(one))).collect()
}

fn reservation(one: &Reservation) -> Vec<Field> {
    let state = ReservationState::ALL.iter().find(|(state, ..)| *state == one.state);
    vec![
        maybe("reserve_state", state.map(|(_, word, _)| *word)),
        maybe("reserve_start", one.start.map(|at| at.0)),
        maybe("reserve_end", one.end.map(|at| at.0)),
        maybe("resv_nodes", one.nodes.as_ref()),
        names("Authorized_Users", &one.users),
    ]
}

fn maui(snap: &Snapshot) -> Vec<Field> {
    snap.maui.iter().map(|(name, value)| text(name, value)).collect()
}

fn quirks(plan: &Plan) -> Vec<Field> {
    Quirk::ALL
        .iter()
        .map(|quirk| text(quirk.name(), &if plan.quirks.has(*quirk) { "on" } else { "off" }))
        .collect()
}
