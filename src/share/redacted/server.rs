//! The server, queues, the scheduler with its options, and fair share.

use qscope_engine::cluster::{
    Name, Policy, Queue, QueuedLimits, Scheduler, Server, ShareGroup, Snapshot, UsageRecord,
};

use super::lists::{access, limits, pairs, resources};
use super::names::{NameReplacements, NameRole};

pub(super) fn server(snap: &Snapshot, names: &mut NameReplacements) -> Server {
    let server = &snap.server;
    // Dumps in JSON state it above their records.
    let version =
        server.version.as_ref().or_else(|| snap.files.iter().find_map(|file| file.version.as_ref()));
    Server {
        name: names.of(NameRole::Server, &server.name),
        state: plain(&server.state),
        scheduling: server.scheduling,
        default_queue: server.default_queue.as_ref().map(|queue| names.of(NameRole::Queue, queue)),
        available: resources(&server.available, snap, names),
        assigned: resources(&server.assigned, snap, names),
        defaults: resources(&server.defaults, snap, names),
        default_chunk: pairs(&server.default_chunk, snap, names),
        node_group_enable: server.node_group_enable,
        node_group_key: server.node_group_key.clone(),
        job_sort_formula: server.job_sort_formula.clone(),
        backfill_depth: server.backfill_depth,
        scheduler_iteration: server.scheduler_iteration,
        eligible_time_enable: server.eligible_time_enable,
        power_provisioning: server.power_provisioning,
        release_on_suspend: server.release_on_suspend.clone(),
        limits: limits(&server.limits, names),
        queued: queued(&server.queued, names),
        max_array_size: server.max_array_size,
        version: version.filter(|version| is_version(version)).cloned(),
        assumed: server.assumed,
    }
}

/// Returns the state of a daemon, which consists of words; a text with any other character is dropped.
fn plain(state: &Name) -> Name {
    let is_state = |c: char| c.is_ascii_alphabetic() || matches!(c, ',' | '_' | ' ');
    if state.chars().all(is_state) && state.len() < 40 { state.clone() } else { "".into() }
}

fn is_version(text: &str) -> bool {
    text.len() < 24 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// No cycle considers the limits on queued jobs, but a trial request is checked against them.
fn queued(queued: &QueuedLimits, names: &mut NameReplacements) -> QueuedLimits {
    QueuedLimits { all: limits(&queued.all, names), waiting: limits(&queued.waiting, names) }
}

/// Returns a destination: `workq`, or `workq@other` at another server.
fn destination(to: &Name, names: &mut NameReplacements) -> Name {
    let (queue, server) = to.split_once('@').map_or((&**to, None), |(queue, at)| (queue, Some(at)));
    let queue = names.of(NameRole::Queue, &queue.into());
    match server {
        Some(server) => format!("{queue}@{}", names.of(NameRole::Server, &server.into())).into(),
        None => queue,
    }
}

pub(super) fn queue(queue: &Queue, snap: &Snapshot, names: &mut NameReplacements) -> Queue {
    Queue {
        name: names.of(NameRole::Queue, &queue.name),
        kind: queue.kind,
        priority: queue.priority,
        started: queue.started,
        enabled: queue.enabled,
        has_nodes: queue.has_nodes,
        available: resources(&queue.available, snap, names),
        assigned: resources(&queue.assigned, snap, names),
        defaults: resources(&queue.defaults, snap, names),
        minimum: resources(&queue.minimum, snap, names),
        maximum: resources(&queue.maximum, snap, names),
        default_chunk: pairs(&queue.default_chunk, snap, names),
        node_group_key: queue.node_group_key.clone(),
        backfill_depth: queue.backfill_depth,
        limits: limits(&queue.limits, names),
        queued: queued(&queue.queued, names),
        max_array_size: queue.max_array_size,
        destinations: queue.destinations.iter().map(|to| destination(to, names)).collect(),
        access: access(&queue.access, names),
        partition: queue.partition.as_ref().map(|part| names.of(NameRole::Partition, part)),
        assumed: queue.assumed,
    }
}

pub(super) fn scheduler(snap: &Snapshot, names: &mut NameReplacements) -> Scheduler {
    let scheduler = &snap.scheduler;
    Scheduler {
        name: names.of(NameRole::Scheduler, &scheduler.name),
        partitions: scheduler.partitions.iter().map(|part| names.of(NameRole::Partition, part)).collect(),
        scheduling: scheduler.scheduling,
        state: scheduler.state.as_ref().map(plain),
        comment: None,
        cycle_length: scheduler.cycle_length,
        do_not_span_psets: scheduler.do_not_span_psets,
        only_explicit_psets: scheduler.only_explicit_psets,
        enforce_resumption: scheduler.enforce_resumption,
        preempt_targets_enable: scheduler.preempt_targets_enable,
        job_sort_formula: scheduler.job_sort_formula.clone(),
        formula_threshold: scheduler.formula_threshold,
        throughput_mode: scheduler.throughput_mode,
        fuzzy: scheduler.fuzzy,
        preempt_queue_prio: scheduler.preempt_queue_prio,
        preempt_prio: scheduler.preempt_prio.clone(),
        preempt_order: scheduler.preempt_order.clone(),
        preempt_sort: scheduler.preempt_sort.clone(),
        assumed: scheduler.assumed,
    }
}

/// Returns the options. Of queues of other servers, only their existence matters.
pub(super) fn policy(snap: &Snapshot, names: &mut NameReplacements) -> Policy {
    let policy = &snap.policy;
    let peers = policy.peer_queues.iter().map(|peer| {
        let words = peer.split_whitespace().map(|word| destination(&word.into(), names));
        words.collect::<Vec<_>>().join(" ").into()
    });
    Policy {
        peer_queues: peers.collect(),
        primetime_prefix: names.of_prefix(&policy.primetime_prefix),
        nonprimetime_prefix: names.of_prefix(&policy.nonprimetime_prefix),
        dedicated_prefix: names.of_prefix(&policy.dedicated_prefix),
        ..policy.clone()
    }
}

/// Returns an entity of the fair share tree: one that usage is counted for, or one of the tree's own names.
fn entity(name: &Name, snap: &Snapshot, names: &mut NameReplacements) -> Name {
    if let Some((group, user)) = name.split_once(':') {
        let (group, user) = (entity(&group.into(), snap, names), entity(&user.into(), snap, names));
        return format!("{group}:{user}").into();
    }
    let leaf = match &*snap.policy.fairshare.entity {
        "queue" => NameRole::Queue,
        "egroup" => NameRole::Group,
        "Account_Name" => NameRole::Account,
        _ => NameRole::User,
    };
    let known = if names.is_assigned() { names.exact_replacement(leaf, name) } else { None };
    known.unwrap_or_else(|| names.of(NameRole::Share, name))
}

pub(super) fn share_groups(snap: &Snapshot, names: &mut NameReplacements) -> Vec<ShareGroup> {
    let group = |group: &ShareGroup| ShareGroup {
        name: entity(&group.name, snap, names),
        number: group.number,
        parent: entity(&group.parent, snap, names),
        shares: group.shares,
    };
    snap.share_groups.iter().map(group).collect()
}

pub(super) fn usage(snap: &Snapshot, names: &mut NameReplacements) -> Vec<UsageRecord> {
    let record =
        |record: &UsageRecord| UsageRecord { name: entity(&record.name, snap, names), ..record.clone() };
    snap.usage.iter().map(record).collect()
}
