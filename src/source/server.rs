//! The server from `qstat -Bf`.

use super::context::Context;
use super::limits;
use super::log::Log;
use super::queue::default_chunk;
use super::record::{Attribute, Record};
use qscope_engine::cluster::Server;

/// Types one record (rule 1.7).
pub(crate) fn decode(record: &Record<'_>, cx: &mut Context<'_>, log: &mut Log) -> Server {
    let mut server = Server { name: cx.name(&record.name), ..Server::default() };
    for attribute in &record.attributes {
        set(&mut server, attribute, cx, log);
    }
    server
}

/// The attributes of the server that count here, limits aside.
pub(crate) const NAMES: &[&str] = &[
    "server_state",
    "scheduling",
    "default_queue",
    "node_group_enable",
    "node_group_key",
    "job_sort_formula",
    "backfill_depth",
    "eligible_time_enable",
    "power_provisioning",
    "restrict_res_to_release_on_suspend",
    "pbs_version",
    "resources_available",
    "resources_assigned",
    "resources_default",
    "default_chunk",
];

/// Takes in one attribute; false for those that do not count here. Repeated limits accumulate.
pub(crate) fn set(
    server: &mut Server,
    attribute: &Attribute<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) -> bool {
    if limits::add(&mut server.limits, attribute, cx, log) {
        return true;
    }
    match &*attribute.name {
        "resources_available" => cx.set_resource(&mut server.available, attribute, log),
        "resources_assigned" => cx.set_resource(&mut server.assigned, attribute, log),
        "resources_default" => cx.set_resource(&mut server.defaults, attribute, log),
        "default_chunk" => default_chunk(&mut server.default_chunk, attribute, cx),
        _ => return plain(server, attribute, cx, log),
    }
    true
}

fn plain(server: &mut Server, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let value = &*attribute.value;
    match &*attribute.name {
        "server_state" => server.state = cx.name(value.trim()),
        "scheduling" => server.scheduling = cx.truth(attribute, log),
        "default_queue" => server.default_queue = cx.filled(value),
        "node_group_enable" => server.node_group_enable = cx.truth(attribute, log).unwrap_or(false),
        "node_group_key" => server.node_group_key = cx.list(value),
        "job_sort_formula" => {
            server.job_sort_formula = Some(value.trim().to_owned()).filter(|f| !f.is_empty());
        }
        "backfill_depth" => server.backfill_depth = cx.count(attribute, log),
        "eligible_time_enable" => server.eligible_time_enable = cx.truth(attribute, log).unwrap_or(false),
        "power_provisioning" => server.power_provisioning = cx.truth(attribute, log).unwrap_or(false),
        "restrict_res_to_release_on_suspend" => server.release_on_suspend = cx.list(value),
        "pbs_version" => server.version = cx.filled(value),
        _ => return false,
    }
    true
}
