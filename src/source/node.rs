//! Decodes vnodes from `pbsnodes -av`.

use super::attributes::rows::{self, AttributeRow, row};
use super::context::{AttributeReader, ReadContext};
use super::log::DiagnosticLog;
use super::record::Record;
use qscope_engine::cluster::{Name, Node, NodeState, NodeStates};

/// Decodes a record (rules 1.1 and 1.2).
pub(crate) fn decode(record: &Record<'_>, cx: &mut ReadContext<'_>, log: &mut DiagnosticLog) -> Node {
    let mut node = Node { name: cx.name(&record.name), resv_enable: true, ..Node::default() };
    for attribute in &record.attributes {
        rows::set(ATTRIBUTES, &mut node, &mut AttributeReader { attribute, cx, log });
    }
    node.available.shrink();
    node.assigned.shrink();
    if record.value("state").is_none() {
        log.warn("node-no-state", record.position, || "no state; taken as state-unknown".to_owned());
        node.states = NodeStates::FREE.with(NodeState::Unknown);
    }
    node
}

/// The attributes of vnodes; differences between two clusters are reported in this order.
pub(crate) const ATTRIBUTES: &[AttributeRow<Node>] = &[
    row!(Node, "Mom", moms, "the hosts whose daemons report it").reported().toml("mom"),
    AttributeRow::custom("state", states, "states with commas, free for none"),
    row!(Node, "Priority", priority, "what sort_priority of node_sort_key looks at").toml("priority"),
    AttributeRow::custom("jobs", |node, jobs| node.jobs = job_names(jobs.value(), jobs.cx), "the jobs on it"),
    row!(Node, "resv", reservations, "the reservations confirmed on it").reported().not_in_toml(),
    row!(Node, queue, "the queue whose jobs alone it runs"),
    row!(Node, partition, "the partition whose scheduler serves it"),
    row!(Node, sharing, "how jobs share it unless they state otherwise"),
    row!(Node, comment, "a comment"),
    row!(Node, license, "whether it is licensed: l, c or another letter").reported(),
    row!(Node, in_multivnode_host, "whether its host has several vnodes").reported().not_in_toml(),
    row!(Node, "last_used_time", last_used, "when a job last left it").reported().not_in_toml(),
    row!(Node, "last_state_change_time", state_since, "since when it is in its state")
        .reported()
        .not_in_toml()
        .read_only(),
    row!(Node, max_running, "at most so many jobs"),
    row!(Node, max_user_run, "at most so many jobs of one user"),
    row!(Node, max_group_run, "at most so many jobs of one group"),
    row!(Node, no_multinode_jobs, "whether it refuses jobs that span nodes"),
    row!(Node, resv_enable, "whether reservations may use it"),
    row!(Node, provision_enable, "whether it may be provisioned"),
    row!(Node, current_aoe, "the operating environment that it runs").reported(),
    row!(Node, current_eoe, "its power profile").reported(),
    AttributeRow::custom("loadave", load, "the load that its daemon measured").read_only(),
    AttributeRow::custom(
        "properties",
        |node: &mut Node, list| node.extra.features = list.cx.list(list.value()),
        "its properties, as allocation policies see them",
    )
    .read_only(),
    row!(Node, "resources_available", available, "what it has"),
    row!(Node, "resources_assigned", assigned, "what its jobs and reservations hold").reported(),
];

/// Attributes without a row that a collected dump keeps.
pub(crate) const UNREAD: &[&str] = &[
    "Port",
    "State",
    "hpcbp_enable",
    "np",
    "ntype",
    "pbs_version",
    "pcpus",
    "power_state",
    "status",
    "topology_info",
];

fn load(node: &mut Node, reader: &mut AttributeReader<'_, '_>) {
    let load = reader.value().trim().parse().ok();
    node.extra.load = load.filter(|load: &f64| load.is_finite() && *load >= 0.0);
}

fn states(node: &mut Node, reader: &mut AttributeReader<'_, '_>) {
    node.states = NodeStates::FREE;
    node.unknown_states.clear();
    for word in reader.value().split(',').map(str::trim).filter(|w| !w.is_empty() && *w != "free") {
        if let Some(state) = NodeState::from_word(word) {
            node.states = node.states.with(state);
        } else {
            let wrong = || format!("unknown state `{word}`");
            reader.log.repair("node-state", reader.attribute.spot(), wrong, "taken as state-unknown");
            node.states = node.states.with(NodeState::Unknown);
            node.unknown_states.push(reader.cx.name(word));
        }
    }
}

/// Returns the job ids without `/cpu`, each once.
fn job_names(value: &str, cx: &mut ReadContext<'_>) -> Vec<Name> {
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
