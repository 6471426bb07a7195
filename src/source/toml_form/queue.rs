//! `[[queue]]`.

use super::policy::{put, put_some};
use super::table::Table;
use super::values;
use qscope_engine::cluster::{Queue, QueueKind, Snapshot};

/// Reads one `[[queue]]`: a started and enabled execution queue unless it says otherwise.
pub(super) fn read(mut table: Table<'_>, snap: &mut Snapshot) {
    let Some(name) = table.required("name", "a queue needs a `name`") else { return };
    table.call(&name);
    if snap.queue_named(&name).is_some() {
        table.wrong_at("name", format!("there are two queues called `{name}`"));
    }
    let mut queue = Queue::named(&name);
    let catalogue = &mut snap.catalogue;
    let kind = table.parse("queue_type", "Execution or Route", |word| match word {
        "Execution" | "execution" | "e" | "E" => Some(QueueKind::Execution),
        "Route" | "route" | "r" | "R" => Some(QueueKind::Route),
        _ => None,
    });
    put(&mut queue.kind, kind);
    put(&mut queue.priority, table.integer("priority"));
    put(&mut queue.started, table.boolean("started"));
    put(&mut queue.enabled, table.boolean("enabled"));
    queue.available = values::list(&mut table, &["resources_available", "available"], catalogue);
    queue.defaults = values::list(&mut table, &["resources_default", "default"], catalogue);
    queue.minimum = values::list(&mut table, &["resources_min", "min"], catalogue);
    queue.maximum = values::list(&mut table, &["resources_max", "max"], catalogue);
    put(&mut queue.default_chunk, values::default_chunk(&mut table, catalogue));
    put(&mut queue.node_group_key, table.names("node_group_key"));
    put_some(&mut queue.backfill_depth, table.count("backfill_depth"));
    put_some(&mut queue.partition, table.text("partition"));
    put(&mut queue.access.users.entries, table.names("acl_users"));
    put(&mut queue.access.users.enabled, table.boolean("acl_user_enable"));
    put(&mut queue.access.groups.entries, table.names("acl_groups"));
    put(&mut queue.access.groups.enabled, table.boolean("acl_group_enable"));
    put(&mut queue.access.hosts.entries, table.names("acl_hosts"));
    put(&mut queue.access.hosts.enabled, table.boolean("acl_host_enable"));
    put(&mut queue.access.from_route_only, table.boolean("from_route_only"));
    queue.limits = values::limits(&mut table, catalogue);
    snap.queues.push(queue);
    table.finish();
}
