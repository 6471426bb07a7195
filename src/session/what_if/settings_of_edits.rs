//! Returns the settings that reproduce the change tried for a remedy, as typed in a what-if.

use qscope_engine::cluster::{
    ByPeriod, Catalogue, Edit, Job, LimitEntry, Limits, Node, ResourceId, ResourceList, ResourceType,
    Snapshot, short_id, truth,
};
use qscope_source::SettingEdits;

/// Returns the settings for edits, one for each attribute that they change; changes without a setting, such as
/// `qrun`, are left out.
pub fn settings_of(snap: &Snapshot, edits: &[Edit]) -> Vec<String> {
    let mut found: Vec<String> = edits.iter().flat_map(|edit| of_edit(snap, edit)).collect();
    found.extend(added(snap, edits));
    // Only settings that are accepted are offered.
    found.retain(|text| SettingEdits::read(&[text.as_str()], snap).is_ok());
    found
}

fn of_edit(snap: &Snapshot, edit: &Edit) -> Vec<String> {
    match edit {
        Edit::Job(id, new) => of_job(snap, &snap.jobs[*id], new),
        Edit::Node(id, new) => of_node(&snap.nodes[*id], new).into_iter().collect(),
        Edit::Queue(id, new) => {
            let old = &snap.queues[*id];
            let started = (old.started != new.started)
                .then(|| format!("queue.{}.started={}", new.name, truth(new.started)));
            let available = amounts(&snap.catalogue, &old.available, &new.available)
                .map(|text| format!("queue.{}.resources_available.{text}", new.name));
            let limits = limits(&snap.catalogue, &old.limits, &new.limits);
            let limits = limits.map(|text| format!("queue.{}.{text}", new.name));
            started.into_iter().chain(available).chain(limits).collect()
        }
        Edit::Server(new) => {
            let old = &snap.server;
            let sets = (old.node_group_enable != new.node_group_enable)
                .then(|| format!("node_group_enable={}", truth(new.node_group_enable)));
            let depth = new.backfill_depth.filter(|_| old.backfill_depth != new.backfill_depth);
            let depth = depth.map(|depth| format!("server.backfill_depth={depth}"));
            let available = amounts(&snap.catalogue, &old.available, &new.available)
                .map(|text| format!("server.resources_available.{text}"));
            let limits =
                limits(&snap.catalogue, &old.limits, &new.limits).map(|text| format!("server.{text}"));
            sets.into_iter().chain(depth).chain(available).chain(limits).collect()
        }
        Edit::Scheduler(new) if snap.scheduler.do_not_span_psets != new.do_not_span_psets => {
            vec![format!("do_not_span_psets={}", truth(new.do_not_span_psets))]
        }
        // Off for both periods: there is no setting for only one of them.
        Edit::Policy(new)
            if snap.policy.strict_ordering != new.strict_ordering
                && new.strict_ordering == ByPeriod::both(false) =>
        {
            vec![format!("strict_ordering={}", truth(false))]
        }
        _ => Vec::new(),
    }
}

/// Returns settings for a job's request, queue and holds.
fn of_job(snap: &Snapshot, old: &Job, new: &Job) -> Vec<String> {
    let key = |text: String| format!("job.{}.{text}", short_id(&old.name));
    let mut found = Vec::new();
    let moved = old.queue != new.queue;
    found.extend(moved.then(|| key(format!("queue={}", new.queue))));
    // A different queue has its own defaults.
    let select = |job: &Job| job.select.as_ref().map(|select| select.text.to_string());
    let select = select(new).filter(|text| !moved && select(old).as_ref() != Some(text));
    found.extend(select.map(|text| key(format!("Resource_List.select={text}"))));
    let place = new.place.as_ref().filter(|place| old.place.as_ref() != Some(*place));
    found.extend(place.map(|place| key(format!("Resource_List.place={place}"))));
    let walltime = ResourceId::walltime();
    let length = new.requested.get(walltime).filter(|value| old.requested.get(walltime) != Some(*value));
    let length = length.filter(|_| !moved).map(|value| value.show(snap.catalogue.kind(walltime)));
    found.extend(length.map(|text| key(format!("Resource_List.walltime={text}"))));
    found.extend((old.holds != new.holds).then(|| key(format!("Hold_Types={}", none_or(&new.holds)))));
    found
}

/// Returns the batch system's notation: no hold is `n`.
fn none_or(holds: &str) -> &str {
    if holds.is_empty() { "n" } else { holds }
}

fn of_node(old: &Node, new: &Node) -> Option<String> {
    (old.states != new.states).then(|| format!("node.{}.state={}", new.name, new.states))
}

/// Returns a setting that adds more vnodes like an existing one.
fn added(snap: &Snapshot, edits: &[Edit]) -> Option<String> {
    let new: Vec<&Node> = edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::NewNode(node) => Some(&**node),
            _ => None,
        })
        .collect();
    let first = new.first()?;
    let model = snap.nodes.iter().find(|node| {
        let kept = |list: &ResourceList| -> Vec<_> {
            let is_own = |id: ResourceId| matches!(&**snap.catalogue.name(id), "host" | "vnode");
            list.iter().filter(|(id, _)| !is_own(*id)).map(|(id, value)| (id, value.clone())).collect()
        };
        node.queue == first.queue
            && node.partition == first.partition
            && node.sharing == first.sharing
            && kept(&node.available) == kept(&first.available)
    })?;
    Some(format!("add_nodes.{}={}", model.name, new.len()))
}

/// Returns the changed amounts of a queue or the server.
fn amounts<'a>(
    catalogue: &'a Catalogue,
    old: &'a ResourceList,
    new: &'a ResourceList,
) -> impl Iterator<Item = String> + 'a {
    new.iter()
        .filter(|(id, value)| old.get(*id) != Some(*value))
        .map(|(id, value)| format!("{}={}", catalogue.name(id), value.show(catalogue.kind(id))))
}

/// Returns the changed limits, each attribute with all its values.
fn limits<'a>(
    catalogue: &'a Catalogue,
    old: &'a Limits,
    new: &'a Limits,
) -> impl Iterator<Item = String> + 'a {
    let changed = new.entries.iter().filter(|entry| !entry.soft && !old.entries.contains(entry));
    changed.map(move |entry| {
        let resource = entry.resource.map(|id| catalogue.name(id));
        let name = new.attribute(entry.scope, resource.map(|name| &**name));
        let same = new.entries.iter().filter(|other| {
            !other.soft
                && other.resource == entry.resource
                && new.attribute(other.scope, resource.map(|name| &**name)) == name
        });
        let values: Vec<String> = same.map(|entry| value(catalogue, entry, new.old_style)).collect();
        format!("{name}={}", values.join(","))
    })
}

fn value(catalogue: &Catalogue, entry: &LimitEntry, old_style: bool) -> String {
    let kind = entry.resource.map_or(ResourceType::Long, |id| catalogue.kind(id));
    let amount = entry.amount.show(kind);
    if old_style {
        return amount;
    }
    format!("[{}={amount}]", entry.holder())
}
