//! Rules on the `resources` line: resources that jobs request but nothing checks, and checked ones that exist
//! nowhere.

use qscope_engine::cluster::{
    Diagnostic, Edit, JobId, Name, NodeSortKey, NodeSortTerm, Policy, ResourceId, ResourceType, did_you_mean,
};

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::place::{of_diagnostic, quoted};
use crate::lint::site::LintContext;

pub(super) const RULES: &[LintRule] = &[
    LintRule {
        id: "unchecked-resource",
        level: LintLevel::Warning,
        summary: "A resource that jobs ask for in select, that vnodes have, and that the scheduler does not check",
        explain: "What is neither a boolean nor on the resources line of sched_config is ignored on vnodes: jobs start where \
                  there is none of it, and more of it is used than there is.",
        find: unchecked,
    },
    LintRule {
        id: "resource-of-nothing",
        level: LintLevel::Note,
        summary: "A resource on the resources line that nothing has and no job asks for",
        explain: "It takes no part in any decision; one that is not defined at all is often a typing error.",
        find: unoffered_resources,
    },
    LintRule {
        id: "host-in-longer-name",
        level: LintLevel::Warning,
        summary: "A resources line in which host or vnode stands only as part of a longer name",
        explain: "The scheduler adds host and vnode to the line unless it finds those letters anywhere in it: a resource \
                  called hostgroup takes host from the line, and requests for host are then ignored.",
        find: longer_name,
    },
    LintRule {
        id: "unused-node-sort-key",
        level: LintLevel::Note,
        summary: "A node_sort_key on a resource that no vnode has",
        explain: "All vnodes are equal by it.",
        find: unused_node_sort_key,
    },
    LintRule {
        id: "unset-infinite-unknown",
        level: LintLevel::Note,
        summary: "resource_unset_infinite names what is no resource",
        explain: "The name counts for nothing; it is often a typing error.",
        find: unset_infinite,
    },
];

/// Returns the resources line; `None` if no file was read or it restricts nothing.
fn line<'s>(site: &'s LintContext<'_>) -> Option<&'s Vec<Name>> {
    let policy = site.policy();
    policy.resources.as_ref().filter(|_| !policy.assumed)
}

fn unchecked(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let (snap, Some(checked)) = (site.snap(), line(site)) else { return Vec::new() };
    let is_checked = |name: &str| checked.iter().any(|have| **have == *name);
    // Resources that the scheduler itself never checks on vnodes.
    let never = [ResourceId::mpiprocs(), ResourceId::ompthreads(), ResourceId::nchunk()];
    let mut found = Vec::new();
    for (id, def) in
        snap.catalogue.iter().filter(|(id, def)| def.kind != ResourceType::Boolean && !never.contains(id))
    {
        if is_checked(&def.name) || !snap.is_on_nodes(id) {
            continue;
        }
        let jobs: Vec<JobId> =
            site.waiting().filter(|job| snap.jobs[*job].requests_in_chunks(&def.name)).collect();
        if jobs.is_empty() {
            continue;
        }
        let name = def.name.clone();
        let edits = site.edit_policy(|policy| policy.resources.get_or_insert_default().push(name.clone()));
        let what = format!(
            "{} ask for {name}, vnodes have it, and the scheduler does not check it",
            qscope_explain::words::count(jobs.len(), "waiting job")
        );
        found.push(
            FindingDraft::new(what, format!("add {name} to the resources line"), Claim::AffectsCycle(edits))
                .with_objects([name])
                .at(site.option("resources")),
        );
    }
    found
}

fn unoffered_resources(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let (snap, Some(checked)) = (site.snap(), line(site)) else { return Vec::new() };
    let shipped = Policy::as_shipped().resources.unwrap_or_default();
    let is_offered = |id: ResourceId| {
        let lists = snap.queues.iter().flat_map(|queue| [&queue.available, &queue.minimum, &queue.maximum]);
        snap.is_on_nodes(id)
            || snap.server.available.get(id).is_some()
            || lists.into_iter().any(|list| list.get(id).is_some())
    };
    let asked = |name: &str, id: Option<ResourceId>| {
        snap.jobs
            .iter()
            .any(|job| job.requests_in_chunks(name) || id.is_some_and(|id| job.requested.get(id).is_some()))
    };
    let dynamic = &site.policy().server_dyn_res;
    let dead = checked.iter().filter(|name| {
        let id = snap.catalogue.id(name);
        !shipped.contains(name) && !dynamic.contains(name) && !id.is_some_and(is_offered) && !asked(name, id)
    });
    let dead: Vec<&Name> = dead.collect();
    if dead.is_empty() {
        return Vec::new();
    }
    let edits = site.edit_policy(|policy| {
        policy.resources.get_or_insert_default().retain(|have| !dead.contains(&have));
    });
    let unknown = |name: &Name| if snap.catalogue.id(name).is_some() { "" } else { " (no such resource)" };
    let names: Vec<String> = dead.iter().copied().map(|name| format!("{name}{}", unknown(name))).collect();
    let verb = if names.len() == 1 { "stands" } else { "stand" };
    let what = format!(
        "{} {verb} on the resources line, and no vnode, queue or server has any",
        qscope_explain::words::first_names(&names, 12)
    );
    let draft = FindingDraft::new(what, "take them off the line", Claim::NoEffect(edits));
    vec![draft.with_objects(dead).at(site.option("resources"))]
}

fn longer_name(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let found = site.snap().reported("resources-line");
    let draft = |diagnostic: &Diagnostic| {
        let word = quoted(diagnostic).to_owned();
        let edits: Vec<Edit> =
            site.edit_policy(|policy| policy.resources.get_or_insert_default().push(word.as_str().into()));
        FindingDraft::new(
            diagnostic.message.clone(),
            format!("add {word} to the line"),
            Claim::AffectsCycle(edits),
        )
        .with_objects([word])
        .at([of_diagnostic(diagnostic)])
    };
    found.map(draft).collect()
}

fn unused_node_sort_key(site: &LintContext<'_>) -> Vec<FindingDraft> {
    let (snap, policy) = (site.snap(), site.policy());
    if policy.assumed || snap.nodes.is_empty() {
        return Vec::new();
    }
    let mut names: Vec<Name> = Vec::new();
    for key in policy.node_sort_key.both_periods().into_iter().flatten() {
        let NodeSortTerm::Resource(name, _) = &key.term else { continue };
        let id = snap.catalogue.id(name);
        let has = id.is_some_and(|id| snap.is_on_nodes(id));
        if !has && !names.contains(name) {
            names.push(name.clone());
        }
    }
    let draft = |name: Name| {
        let keep = |key: &NodeSortKey| !matches!(&key.term, NodeSortTerm::Resource(have, _) if *have == name);
        let edits = site.edit_policy(|policy| {
            policy.node_sort_key.prime.retain(keep);
            policy.node_sort_key.non_prime.retain(keep);
        });
        let what = format!("node_sort_key on {name} orders nothing: no vnode has it");
        FindingDraft::new(what, "delete the line", Claim::NoEffect(edits))
            .with_objects([&name])
            .at(site.option("node_sort_key"))
    };
    names.into_iter().map(draft).collect()
}

fn unset_infinite(context: &LintContext<'_>) -> Vec<FindingDraft> {
    let (snap, policy) = (context.snap(), context.policy());
    let unknown = policy.resource_unset_infinite.iter().filter(|name| snap.catalogue.id(name).is_none());
    let draft = |name: &Name| {
        let edits = context.edit_policy(|policy| policy.resource_unset_infinite.retain(|have| have != name));
        let hint = did_you_mean::unknown_resource(name, &snap.catalogue);
        let what = format!("resource_unset_infinite: {hint}");
        FindingDraft::new(what, "correct the name, or take it out", Claim::NoEffect(edits))
            .with_objects([name])
            .at(context.option("resource_unset_infinite"))
    };
    unknown.map(draft).collect()
}
