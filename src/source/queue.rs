//! Decodes queues from `qstat -Qf`.

use super::attributes::rows::{self, AttributeRow, row};
use super::context::{AttributeReader, ReadContext};
use super::limits;
use super::log::DiagnosticLog;
use super::record::Record;
use qscope_engine::cluster::Queue;

/// Decodes a record (rule 1.6).
pub(crate) fn decode(record: &Record<'_>, cx: &mut ReadContext<'_>, log: &mut DiagnosticLog) -> Queue {
    let mut queue = Queue { name: cx.name(&record.name), ..Queue::default() };
    for attribute in &record.attributes {
        set(&mut queue, &mut AttributeReader { attribute, cx, log });
    }
    queue
}

/// The attributes of queues; `limits` represents those of [`limits::LIMITS`].
pub(crate) const ATTRIBUTES: &[AttributeRow<Queue>] = &[
    row!(Queue, "queue_type", kind, "Execution or Route"),
    row!(Queue, "Priority", priority, "its rank with by_queue, and whether it is express").toml("priority"),
    row!(Queue, started, "whether its jobs may run"),
    row!(Queue, enabled, "whether it takes new jobs"),
    row!(Queue, "hasnodes", has_nodes, "whether nodes are bound to it").reported().not_in_toml(),
    row!(Queue, node_group_key, "the resources that make placement sets for its jobs"),
    row!(Queue, backfill_depth, "so many of its jobs are top jobs"),
    row!(Queue, partition, "the partition whose scheduler serves it"),
    row!(Queue, default_chunk, "what chunks request that do not name it"),
    row!(Queue, "resources_available", available, "what its jobs may use together"),
    row!(Queue, "resources_assigned", assigned, "what its jobs use").reported().not_in_toml(),
    row!(Queue, "resources_default", defaults, "what jobs request that do not name it"),
    row!(Queue, "resources_min", minimum, "what a job has to ask for at least"),
    row!(Queue, "resources_max", maximum, "what a job may ask for at most"),
    row!(Queue, limits, "limits on what runs at once").read_only(),
    row!(Queue, queued, "limits on what may be in it").read_only().not_in_toml(),
    row!(Queue, max_array_size, "the most subjobs of an array"),
    row!(Queue, "route_destinations", destinations, "where a routing queue moves its jobs").reported(),
    row!(Queue, "acl_users", access.users.entries, "users that may use it").reported(),
    row!(Queue, "acl_groups", access.groups.entries, "groups that may use it").reported(),
    row!(Queue, "acl_hosts", access.hosts.entries, "hosts that may use it").reported(),
    row!(Queue, "acl_user_enable", access.users.enabled, "whether acl_users counts").reported(),
    row!(Queue, "acl_group_enable", access.groups.enabled, "whether acl_groups counts").reported(),
    row!(Queue, "acl_host_enable", access.hosts.enabled, "whether acl_hosts counts").reported(),
    row!(Queue, "from_route_only", access.from_route_only, "whether only routing queues fill it").reported(),
];

/// Reads one attribute; returns false for one that is not used. Repeated limits and access lists accumulate.
pub(crate) fn set(queue: &mut Queue, reader: &mut AttributeReader<'_, '_>) -> bool {
    let listed = match &*reader.attribute.name {
        "acl_users" => Some(&mut queue.access.users.entries),
        "acl_groups" => Some(&mut queue.access.groups.entries),
        "acl_hosts" => Some(&mut queue.access.hosts.entries),
        _ => None,
    };
    match listed {
        Some(entries) if !reader.cx.replaces() => {
            entries.extend(reader.cx.list(reader.value()));
            true
        }
        _ => {
            limits::add(&mut queue.limits, reader)
                || limits::add_queued(&mut queue.queued, reader)
                || rows::set(ATTRIBUTES, queue, reader)
        }
    }
}
