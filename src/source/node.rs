//! Vnodes from `pbsnodes -av`.

use super::context::Context;
use super::log::Log;
use super::record::{Attribute, Record};
use qscope_engine::cluster::{License, Name, Node, NodeState, NodeStates, Sharing};

/// Types one record (rules 1.1 and 1.2).
pub(crate) fn decode(record: &Record<'_>, cx: &mut Context<'_>, log: &mut Log) -> Node {
    let mut node = Node { name: cx.name(&record.name), resv_enable: true, ..Node::default() };
    for attribute in &record.attributes {
        set(&mut node, attribute, cx, log);
    }
    if record.value("state").is_none() {
        log.warn("node-no-state", record.spot, || "no state; taken as state-unknown".to_owned());
        node.states = NodeStates::FREE.with(NodeState::Unknown);
    }
    node
}

/// The attributes of vnodes that count here.
pub(crate) const NAMES: &[&str] = &[
    "Mom",
    "state",
    "Priority",
    "jobs",
    "resv",
    "queue",
    "comment",
    "sharing",
    "license",
    "partition",
    "in_multivnode_host",
    "last_used_time",
    "max_running",
    "max_user_run",
    "max_group_run",
    "no_multinode_jobs",
    "resv_enable",
    "provision_enable",
    "current_aoe",
    "current_eoe",
    "resources_available",
    "resources_assigned",
];

/// Takes in one attribute; false for those that do not count here.
pub(crate) fn set(node: &mut Node, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    if attribute.resource.is_some() {
        match &*attribute.name {
            "resources_available" => cx.set_resource(&mut node.available, attribute, log),
            "resources_assigned" => cx.set_resource(&mut node.assigned, attribute, log),
            _ => return false,
        }
        return true;
    }
    identity(node, attribute, cx, log) || limits(node, attribute, cx, log)
}

/// What the vnode is and who is on it; false for other attributes.
fn identity(node: &mut Node, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let value = &*attribute.value;
    match &*attribute.name {
        "Mom" => node.moms = cx.list(value),
        "state" => states(node, attribute, cx, log),
        "Priority" => node.priority = cx.number(attribute, log),
        "jobs" => node.jobs = jobs(value, cx),
        "resv" => node.reservations = cx.list(value),
        "queue" => node.queue = cx.filled(value),
        "comment" => node.comment = Some(value.to_owned()),
        "sharing" => node.sharing = sharing(attribute, log),
        "license" => node.license = License::from_text(value.trim()),
        "partition" => node.partition = cx.filled(value).filter(|name| **name != *"pbs-default"),
        "in_multivnode_host" => node.in_multivnode_host = cx.truth(attribute, log),
        "last_used_time" => node.last_used = cx.moment(attribute, log),
        _ => return false,
    }
    true
}

/// What restricts its use; false for other attributes.
fn limits(node: &mut Node, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let value = &*attribute.value;
    match &*attribute.name {
        "max_running" => node.max_running = cx.count(attribute, log),
        "max_user_run" => node.max_user_run = cx.count(attribute, log),
        "max_group_run" => node.max_group_run = cx.count(attribute, log),
        "no_multinode_jobs" => node.no_multinode_jobs = cx.truth(attribute, log).unwrap_or(false),
        "resv_enable" => node.resv_enable = cx.truth(attribute, log).unwrap_or(true),
        "provision_enable" => node.provision_enable = cx.truth(attribute, log).unwrap_or(false),
        "current_aoe" => node.current_aoe = cx.filled(value),
        "current_eoe" => node.current_eoe = cx.filled(value),
        _ => return false,
    }
    true
}

fn states(node: &mut Node, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) {
    node.states = NodeStates::FREE;
    node.unknown_states.clear();
    for word in attribute.value.split(',').map(str::trim).filter(|w| !w.is_empty() && *w != "free") {
        if let Some(state) = NodeState::from_word(word) {
            node.states = node.states.with(state);
        } else {
            log.warn("node-state", attribute.spot(), || {
                format!("unknown state `{word}`; taken as state-unknown")
            });
            node.states = node.states.with(NodeState::Unknown);
            node.unknown_states.push(cx.name(word));
        }
    }
}

fn sharing(attribute: &Attribute<'_>, log: &mut Log) -> Sharing {
    Sharing::from_word(attribute.value.trim()).unwrap_or_else(|| {
        log.warn("node-sharing", attribute.spot(), || {
            format!("unknown sharing type `{}`; taken as default_shared", attribute.value)
        });
        Sharing::DefaultShared
    })
}

/// Job ids without the `/cpu`, each once.
fn jobs(value: &str, cx: &mut Context<'_>) -> Vec<Name> {
    let mut seen: Vec<Name> = Vec::new();
    for entry in value.split(',') {
        let id = entry.trim().split('/').next().unwrap_or_default();
        if !id.is_empty() && seen.last().is_none_or(|last| **last != *id) {
            seen.push(cx.name(id));
        }
    }
    let mut known = rustc_hash::FxHashSet::default();
    seen.retain(|id| known.insert(id.clone()));
    seen
}
