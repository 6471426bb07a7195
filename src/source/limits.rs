//! Reads limit attributes of queues and the server, in old and new style (rule 6.6).

use super::attributes::doc::AttributeDoc;
use super::context::AttributeReader;
use qscope_engine::cluster::{LimitEntry, LimitScope, Limits, QueuedLimits, limit_amount};

/// Attributes with hard limits on what runs.
pub(crate) const NAMES: &[&str] = &[
    "max_run",
    "max_run_res",
    "max_running",
    "max_user_run",
    "max_user_res",
    "max_group_run",
    "max_group_res",
];

/// Attributes with soft limits on what runs.
pub(crate) const SOFT_NAMES: &[&str] = &[
    "max_run_soft",
    "max_run_res_soft",
    "max_user_run_soft",
    "max_user_res_soft",
    "max_group_run_soft",
    "max_group_res_soft",
];

/// Returns each attribute of limits, as the manual lists it.
pub(crate) fn described() -> impl Iterator<Item = AttributeDoc> {
    const NEW: &str = "limits, as [u:PBS_GENERIC=4]";
    const ROWS: [(&str, &str, &str, bool); 18] = [
        ("max_run", NEW, "how many jobs run at once: of u users, g groups, p projects, o all", true),
        ("max_run_res", "limits of each resource", "how much of a resource jobs use at once", true),
        ("max_running", "count", "how many jobs run at once", true),
        ("max_user_run", "count", "how many jobs of each user run at once", true),
        ("max_user_res", "value of each resource", "how much the jobs of each user use at once", true),
        ("max_group_run", "count", "how many jobs of each group run at once", true),
        ("max_group_res", "value of each resource", "how much the jobs of each group use at once", true),
        ("max_run_soft", NEW, "the same as max_run, soft: jobs beyond it may be preempted", true),
        ("max_run_res_soft", "limits of each resource", "the same as max_run_res, soft", true),
        ("max_user_run_soft", "count", "the same as max_user_run, soft", true),
        ("max_user_res_soft", "value of each resource", "the same as max_user_res, soft", true),
        ("max_group_run_soft", "count", "the same as max_group_run, soft", true),
        ("max_group_res_soft", "value of each resource", "the same as max_group_res, soft", true),
        ("max_queued", NEW, "how many jobs may be in it, running ones included", false),
        ("max_queued_res", "limits of each resource", "how much the jobs in it may request", false),
        ("max_queuable", "count", "how many jobs may be in it", false),
        ("queued_jobs_threshold", NEW, "how many jobs may wait in it", false),
        (
            "queued_jobs_threshold_res",
            "limits of each resource",
            "how much jobs that wait may request",
            false,
        ),
    ];
    ROWS.into_iter().map(|(name, unit, doc, settable)| AttributeDoc { name, unit, doc, settable })
}

/// Attributes with limits on what is queued.
const QUEUED_NAMES: [&str; 5] =
    ["max_queued", "max_queued_res", "max_queuable", "queued_jobs_threshold", "queued_jobs_threshold_res"];

/// Adds an attribute to the limits on what is queued, if it is one; repeated attributes accumulate.
pub(crate) fn add_queued(limits: &mut QueuedLimits, reader: &mut AttributeReader<'_, '_>) -> bool {
    let name = &*reader.attribute.name;
    if !QUEUED_NAMES.contains(&name) {
        return false;
    }
    let limits = if name.starts_with("max_") { &mut limits.all } else { &mut limits.waiting };
    let scope = (name == "max_queuable").then_some(LimitScope::Overall);
    add_to(limits, reader, (scope, false))
}

/// Whether an attribute of this name limits what runs.
pub(crate) fn is_limit(name: &str) -> bool {
    kind(name).is_some()
}

/// Removes the limits of an attribute of this name.
pub(crate) fn clear(limits: &mut Limits, reader: &AttributeReader<'_, '_>) {
    let Some((scope, soft)) = kind(&reader.attribute.name) else { return };
    let resource = reader.attribute.resource.as_deref().and_then(|name| reader.cx.catalogue.id(name));
    let is_same_limit = |entry: &LimitEntry| {
        entry.soft == soft && entry.resource == resource && scope.is_none_or(|scope| entry.scope == scope)
    };
    limits.entries.retain(|entry| !is_same_limit(entry));
}

/// Returns the scope of a limit attribute, if it has one amount for its scope, and whether it is soft; `None` for
/// other attributes.
fn kind(name: &str) -> Option<(Option<LimitScope>, bool)> {
    let (name, soft) = name.strip_suffix("_soft").map_or((name, false), |name| (name, true));
    let scope = match name {
        "max_run" | "max_run_res" => None,
        "max_running" => Some(LimitScope::Overall),
        "max_user_run" | "max_user_res" => Some(LimitScope::User),
        "max_group_run" | "max_group_res" => Some(LimitScope::Group),
        _ => return None,
    };
    Some((scope, soft))
}

/// Adds an attribute to the limits, if it is one; repeated attributes accumulate.
pub(crate) fn add(limits: &mut Limits, reader: &mut AttributeReader<'_, '_>) -> bool {
    kind(&reader.attribute.name).is_some_and(|kind| add_to(limits, reader, kind))
}

/// Adds an attribute that is known to be a limit.
fn add_to(
    limits: &mut Limits,
    reader: &mut AttributeReader<'_, '_>,
    (old, soft): (Option<LimitScope>, bool),
) -> bool {
    if reader.removes_existing() {
        return true;
    }
    let (attribute, value) = (reader.attribute, reader.value());
    let resource = attribute.resource.as_deref().map(|resource| {
        let amount = value.rsplit('=').next().unwrap_or_default().trim_end_matches(']');
        let id = reader.resource(resource, amount);
        (id, reader.cx.catalogue.kind(id))
    });
    let wrong = match old {
        None => limits.add(value, resource, soft).iter().map(ToString::to_string).collect(),
        Some(scope) => match limit_amount(resource.map(|(_, kind)| kind), value) {
            Ok(amount) => {
                limits.add_old(scope, resource.map(|(id, _)| id), amount, soft);
                Vec::new()
            }
            Err(what) => vec![what],
        },
    };
    for what in wrong {
        reader.log.repair("limit", attribute.spot(), || format!("{}: {what}", attribute.name), "left out");
    }
    true
}
