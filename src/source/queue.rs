//! Queues from `qstat -Qf`.

use super::context::Context;
use super::limits;
use super::log::Log;
use super::record::{Attribute, Record};
use qscope_engine::cluster::{Name, Queue, QueueKind};

/// Types one record (rule 1.6).
pub(crate) fn decode(record: &Record<'_>, cx: &mut Context<'_>, log: &mut Log) -> Queue {
    let mut queue = Queue { name: cx.name(&record.name), ..Queue::default() };
    for attribute in &record.attributes {
        set(&mut queue, attribute, cx, log);
    }
    queue
}

/// Takes in what says who may put jobs into the queue; whether it was that.
fn access(queue: &mut Queue, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let access = &mut queue.access;
    if cx.replaces() {
        match &*attribute.name {
            "acl_users" => access.users.entries.clear(),
            "acl_groups" => access.groups.entries.clear(),
            "acl_hosts" => access.hosts.entries.clear(),
            _ => {}
        }
    }
    match &*attribute.name {
        "acl_users" => access.users.entries.extend(cx.list(&attribute.value)),
        "acl_groups" => access.groups.entries.extend(cx.list(&attribute.value)),
        "acl_hosts" => access.hosts.entries.extend(cx.list(&attribute.value)),
        "acl_user_enable" => access.users.enabled = cx.truth(attribute, log).unwrap_or(false),
        "acl_group_enable" => access.groups.enabled = cx.truth(attribute, log).unwrap_or(false),
        "acl_host_enable" => access.hosts.enabled = cx.truth(attribute, log).unwrap_or(false),
        "from_route_only" => access.from_route_only = cx.truth(attribute, log).unwrap_or(false),
        _ => return false,
    }
    true
}

/// The attributes of queues that count here, limits aside.
pub(crate) const NAMES: &[&str] = &[
    "queue_type",
    "Priority",
    "started",
    "enabled",
    "hasnodes",
    "node_group_key",
    "backfill_depth",
    "partition",
    "resources_available",
    "resources_assigned",
    "resources_default",
    "resources_min",
    "resources_max",
    "default_chunk",
    "acl_users",
    "acl_groups",
    "acl_hosts",
    "acl_user_enable",
    "acl_group_enable",
    "acl_host_enable",
    "from_route_only",
];

/// Takes in one attribute; false for those that do not count here. Repeated limits accumulate.
pub(crate) fn set(queue: &mut Queue, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    if limits::add(&mut queue.limits, attribute, cx, log) || access(queue, attribute, cx, log) {
        return true;
    }
    match &*attribute.name {
        "resources_available" => cx.set_resource(&mut queue.available, attribute, log),
        "resources_assigned" => cx.set_resource(&mut queue.assigned, attribute, log),
        "resources_default" => cx.set_resource(&mut queue.defaults, attribute, log),
        "resources_min" => cx.set_resource(&mut queue.minimum, attribute, log),
        "resources_max" => cx.set_resource(&mut queue.maximum, attribute, log),
        "default_chunk" => default_chunk(&mut queue.default_chunk, attribute, cx),
        _ => return plain(queue, attribute, cx, log),
    }
    true
}

fn plain(queue: &mut Queue, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let value = &*attribute.value;
    match &*attribute.name {
        "queue_type" => {
            let routes = value.trim().to_ascii_lowercase().starts_with('r');
            queue.kind = if routes { QueueKind::Route } else { QueueKind::Execution };
        }
        "Priority" => queue.priority = cx.number(attribute, log).unwrap_or(0),
        "started" => queue.started = cx.truth(attribute, log).unwrap_or(false),
        "enabled" => queue.enabled = cx.truth(attribute, log).unwrap_or(false),
        "hasnodes" => queue.has_nodes = cx.truth(attribute, log).unwrap_or(false),
        "node_group_key" => queue.node_group_key = cx.list(value),
        "backfill_depth" => queue.backfill_depth = cx.count(attribute, log),
        "partition" => queue.partition = cx.filled(value).filter(|name| **name != *"pbs-default"),
        _ => return false,
    }
    true
}

/// Remembers a default for chunks, as written; of repeated ones the last counts.
pub(crate) fn default_chunk(chunk: &mut Vec<(Name, Name)>, attribute: &Attribute<'_>, cx: &mut Context<'_>) {
    let Some(resource) = &attribute.resource else { return };
    chunk.retain(|(name, _)| **name != **resource);
    if cx.takes_away(&attribute.value) {
        return;
    }
    let entry = (cx.name(resource), cx.name(attribute.value.trim()));
    chunk.push(entry);
}
