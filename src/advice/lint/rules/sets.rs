//! Rules on placement sets: keys without sets, sets without use.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Edit, Name, NodeId, ResourceId, ResourceType, Value};

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::place::LintObject;
use crate::lint::site::LintContext;

pub(super) const RULES: &[LintRule] = &[
    LintRule {
        id: "group-key-off",
        level: LintLevel::Warning,
        summary: "node_group_key while node_group_enable is off",
        explain: "The server's and the queues' keys make sets only with node_group_enable=True.",
        find: |site| {
            let server = &site.snap().server;
            let off = !server.assumed && !server.node_group_enable;
            let mut found = Vec::new();
            if off && !server.node_group_key.is_empty() {
                let edits = site.edit_server(|server| server.node_group_key.clear());
                found.push((
                    edits,
                    "the server".to_owned(),
                    site.attribute(LintObject::Server, "node_group_key"),
                ));
            }
            for (id, queue) in site.queues().filter(|(_, queue)| off && !queue.node_group_key.is_empty()) {
                let edits = site.edit_queue(id, |queue| queue.node_group_key.clear());
                let place = site.attribute(LintObject::Queue(&queue.name), "node_group_key");
                found.push((edits, format!("queue {}", queue.name), place));
            }
            let draft = |(edits, owner, place)| {
                let what = format!("node_group_key of {owner} makes no sets: node_group_enable is off");
                let fix = "set node_group_enable = True, or unset the key";
                FindingDraft::new(what, fix, Claim::NoEffect(edits))
                    .with_objects(["node_group_key"])
                    .at(place)
            };
            found.into_iter().map(draft).collect()
        },
    },
    LintRule {
        id: "sets-without-key",
        level: LintLevel::Note,
        summary: "node_group_enable without any node_group_key",
        explain: "There is nothing to make sets of.",
        find: |site| {
            let snap = site.snap();
            let keys =
                snap.queues.iter().map(|queue| &queue.node_group_key).chain([&snap.server.node_group_key]);
            let none = keys.into_iter().all(Vec::is_empty);
            let edits = site.edit_server(|server| server.node_group_enable = false);
            let draft = FindingDraft::new(
                "node_group_enable is on and no node_group_key is set: there are no sets".to_owned(),
                "set a node_group_key, or switch it off",
                Claim::NoEffect(edits),
            );
            let draft = draft
                .with_objects(["node_group_enable"])
                .at(site.attribute(LintObject::Server, "node_group_enable"));
            (snap.server.node_group_enable && none).then_some(draft).into_iter().collect()
        },
    },
    LintRule {
        id: "spanning-without-sets",
        level: LintLevel::Note,
        summary: "do_not_span_psets or only_explicit_psets without placement sets",
        explain: "Both are about sets of node_group_key, and there are none; place=group of a job makes its own.",
        find: |site| {
            let snap = site.snap();
            let scheduler = &snap.scheduler;
            let off = !snap.server.node_group_enable && !snap.server.assumed;
            let grouped =
                snap.jobs.iter().any(|job| job.place.as_ref().is_some_and(|place| place.group.is_some()));
            let set = [
                ("do_not_span_psets", scheduler.do_not_span_psets),
                ("only_explicit_psets", scheduler.only_explicit_psets),
            ];
            let names: Vec<&str> = set.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect();
            let edits = site.edit_scheduler(|scheduler| {
                (scheduler.do_not_span_psets, scheduler.only_explicit_psets) = (false, false);
            });
            let draft = |name: &str| {
                let what = format!("{name} has no effect: node_group_enable is off");
                let place = site.attribute(LintObject::Scheduler, name);
                FindingDraft::new(
                    what,
                    "unset it, or switch placement sets on",
                    Claim::NoEffect(edits.clone()),
                )
                .with_objects([name])
                .at(place)
            };
            if off && !grouped { names.into_iter().map(draft).collect() } else { Vec::new() }
        },
    },
    LintRule {
        id: "group-key-of-nothing",
        level: LintLevel::Warning,
        summary: "A node_group_key that no vnode has, or that is no text",
        explain: "Sets are made of the values of string and string_array resources; vnodes without a value form one set \
                  of their own.",
        find: key_of_nothing,
    },
    LintRule {
        id: "set-out-of-service",
        level: LintLevel::Warning,
        summary: "A placement set whose vnodes are all down or offline",
        explain: "No job can use it; jobs that fit no other set wait for it or span sets.",
        find: out_of_service,
    },
    LintRule {
        id: "set-too-small",
        level: LintLevel::Warning,
        summary: "A placement set that is too small for every job in the queue while jobs may not span sets",
        explain: "With do_not_span_psets its vnodes stay idle: a job that is larger than the set never gets them.",
        find: too_small,
    },
];

fn is_text(site: &LintContext<'_>, name: &str) -> Option<ResourceId> {
    let catalogue = &site.snap().catalogue;
    catalogue
        .id(name)
        .filter(|id| matches!(catalogue.kind(*id), ResourceType::Text | ResourceType::TextArray))
}

fn key_of_nothing(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = site.snap();
    let dead = |name: &Name| match is_text(site, name) {
        None if snap.catalogue.id(name).is_none() => Some("no such resource"),
        None => Some("it is no string"),
        Some(id) if !snap.is_on_nodes(id) => Some("no vnode has it"),
        Some(_) => None,
    };
    if !snap.server.node_group_enable {
        return Vec::new();
    }
    let mut found = Vec::new();
    for name in &snap.server.node_group_key {
        let Some(why) = dead(name) else { continue };
        let edits = site.edit_server(|server| server.node_group_key.retain(|have| have != name));
        found.push(
            key_draft("the server", name, why, edits)
                .at(site.attribute(LintObject::Server, "node_group_key")),
        );
    }
    for (id, queue) in site.queues() {
        for name in &queue.node_group_key {
            let Some(why) = dead(name) else { continue };
            let edits = site.edit_queue(id, |queue| queue.node_group_key.retain(|have| have != name));
            let place = site.attribute(LintObject::Queue(&queue.name), "node_group_key");
            found.push(key_draft(&format!("queue {}", queue.name), name, why, edits).at(place));
        }
    }
    found
}

fn key_draft(owner: &str, name: &Name, why: &str, edits: Vec<Edit>) -> FindingDraft {
    let what = format!("node_group_key {name} of {owner} makes no sets of its own: {why}");
    FindingDraft::new(what, "take it out of the key, or set it on the vnodes", Claim::AffectsCycle(edits))
        .with_objects([name])
}

/// Returns the vnodes of each set of the server's keys.
fn sets(site: &LintContext<'_>) -> BTreeMap<(Name, Name), Vec<NodeId>> {
    let snap = site.snap();
    let mut sets: BTreeMap<(Name, Name), Vec<NodeId>> = BTreeMap::new();
    if !snap.server.node_group_enable {
        return sets;
    }
    for key in &snap.server.node_group_key {
        let Some(id) = is_text(site, key) else { continue };
        for (node, of) in snap.nodes.enumerate() {
            let values = of.available.get(id).map(Value::texts).unwrap_or_default();
            for value in values {
                sets.entry((key.clone(), value.clone())).or_default().push(node);
            }
        }
    }
    sets
}

fn out_of_service(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = site.snap();
    let mut found = Vec::new();
    for ((key, value), nodes) in sets(site) {
        let gone = nodes.iter().all(|node| snap.nodes[*node].states.is_out_of_service());
        if !gone {
            continue;
        }
        let cores = nodes.iter().map(|node| snap.nodes[*node].available.cpus()).sum();
        let count = qscope_explain::words::count(nodes.len(), "vnode");
        let what = format!("set {key}={value} cannot be used: all of its {count} are down or offline");
        let place =
            nodes.first().and_then(|node| site.attribute(LintObject::Node(&snap.nodes[*node].name), "state"));
        let claim = Claim::Counts(Vec::new(), cores);
        found.push(
            FindingDraft::new(what, "bring its vnodes back", claim)
                .with_objects([format!("{key}={value}")])
                .at(place),
        );
    }
    found
}

fn too_small(context: &LintContext<'_>) -> Vec<FindingDraft> {
    let snap = context.snap();
    let waiting: Vec<_> = context.waiting().collect();
    let cores =
        |job: &_| snap.jobs[*job].requested.amount(ResourceId::ncpus()).map_or(1.0, |amount| amount.0);
    let least = waiting.iter().map(cores).fold(f64::INFINITY, f64::min);
    if !snap.scheduler.do_not_span_psets || waiting.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for ((key, value), nodes) in sets(context) {
        let has: f64 = nodes.iter().map(|node| snap.nodes[*node].available.cpus()).sum();
        let used = nodes.iter().any(|node| !snap.nodes[*node].jobs.is_empty());
        if has >= least || used {
            continue;
        }
        let what = format!(
            "set {key}={value} has {has} cores, and the smallest job in the queue asks for {least}: no job can use it"
        );
        let edits = context.edit_scheduler(|scheduler| scheduler.do_not_span_psets = false);
        let place = context.attribute(LintObject::Scheduler, "do_not_span_psets");
        let fix = "let jobs span sets, or join the set with another";
        found.push(
            FindingDraft::new(what, fix, Claim::AffectsCycle(edits))
                .with_objects([format!("{key}={value}")])
                .at(place),
        );
    }
    found
}
