//! Values that several kinds of objects have: ids, lists of resources, requests, placements, limits.

use qscope_engine::cluster::{
    AccessList, ExecVnode, ExecVnodePart, LimitEntry, LimitScope, Limits, Name, QueueAccess, ResourceId,
    ResourceList, ResourceType, Select, Snapshot, Value,
};

use super::names::{NameReplacements, NameRole};

/// Returns the id of a job or reservation: its number stays, the server after it is a name.
pub(super) fn id(id: &Name, names: &mut NameReplacements) -> Name {
    let (short, server) = id.split_once('.').map_or((&**id, None), |(short, server)| (short, Some(server)));
    let short = if is_number(short) { short.into() } else { names.of(NameRole::Id, &short.into()) };
    match server {
        Some(server) => format!("{short}.{}", names.of(NameRole::Server, &server.into())).into(),
        None => short,
    }
}

/// Returns whether an id is a number, such as `12`, `12[]` or `12[3]`, possibly after the letter of a reservation.
fn is_number(short: &str) -> bool {
    let digits = short.strip_prefix(['R', 'S', 'M']).unwrap_or(short);
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | '-');
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(plain)
}

/// Returns a list of resources; text values in it are names.
pub(super) fn resources(list: &ResourceList, snap: &Snapshot, names: &mut NameReplacements) -> ResourceList {
    let mut kept = ResourceList::default();
    for (id, value) in list.iter() {
        kept.set(id, self::value(id, value, snap, names));
    }
    kept
}

fn value(id: ResourceId, value: &Value, snap: &Snapshot, names: &mut NameReplacements) -> Value {
    match value {
        Value::Amount(amount) => Value::Amount(*amount),
        Value::Bool(on) => Value::Bool(*on),
        Value::Texts(texts) => Value::Texts(texts.iter().map(|text| named(id, text, snap, names)).collect()),
        Value::Indirect(node) => Value::Indirect(names.of(NameRole::Host, node)),
    }
}

/// Returns the replacement of a resource's text value; the batch system's own words stay.
fn named(id: ResourceId, text: &Name, snap: &Snapshot, names: &mut NameReplacements) -> Name {
    let role = if id.is_node_name() { NameRole::Host } else { NameRole::Value };
    if id == ResourceId::preempt_targets() {
        return targets(text, snap, names);
    }
    names.of(role, text)
}

/// Returns the jobs that a job may preempt: `queue=a`, `Resource_List.x=y`.
fn targets(text: &Name, snap: &Snapshot, names: &mut NameReplacements) -> Name {
    let Some((key, value)) = text.split_once('=') else { return text.clone() };
    let value: Name = match key.trim().split_once('.') {
        _ if key.trim().eq_ignore_ascii_case("queue") => names.of(NameRole::Queue, &value.trim().into()),
        Some((_, resource)) => self::text(resource, &value.into(), snap, names),
        None => return "".into(),
    };
    format!("{key}={value}").into()
}

/// Returns the value of a resource as written.
pub(super) fn text(resource: &str, value: &Name, snap: &Snapshot, names: &mut NameReplacements) -> Name {
    let Some(id) = snap.catalogue.id(resource) else { return names.of(NameRole::Value, value) };
    match snap.catalogue.kind(id) {
        ResourceType::Text => named(id, value, snap, names),
        ResourceType::TextArray => {
            let parts: Vec<Name> =
                value.split(',').map(|part| named(id, &part.trim().into(), snap, names)).collect();
            parts.join(",").into()
        }
        kind if Value::parse(kind, value).is_ok() => value.clone(),
        _ => names.of(NameRole::Value, value),
    }
}

/// Returns pairs of a resource and its value as written.
pub(super) fn pairs(
    pairs: &[(Name, Name)],
    snap: &Snapshot,
    names: &mut NameReplacements,
) -> Vec<(Name, Name)> {
    pairs.iter().map(|(name, value)| (name.clone(), text(name, value, snap, names))).collect()
}

/// Returns a select; its text is rewritten if a value in it was replaced.
pub(super) fn select(select: &Select, snap: &Snapshot, names: &mut NameReplacements) -> Option<Select> {
    let mut chunks = Vec::new();
    let mut is_same = true;
    for chunk in select.chunks.iter() {
        let mut words = Vec::new();
        if chunk.counted {
            words.push(chunk.count.to_string());
        }
        for request in &chunk.requests {
            let value = text(&request.resource, &request.value, snap, names);
            is_same &= value == request.value;
            let quote = if value.contains([':', '+', '\'']) { "\"" } else { "" };
            words.push(format!("{}={quote}{value}{quote}", request.resource));
        }
        chunks.push(words.join(":"));
    }
    if is_same { Some(select.clone()) } else { Select::parse(&chunks.join("+")).ok() }
}

pub(super) fn placement(nodes: &ExecVnode, snap: &Snapshot, names: &mut NameReplacements) -> ExecVnode {
    let mut part = |part: &ExecVnodePart| ExecVnodePart {
        vnode: names.of(NameRole::Host, &part.vnode),
        resources: pairs(&part.resources, snap, names),
    };
    let chunks = nodes.chunks.iter().map(|chunk| chunk.iter().map(&mut part).collect()).collect();
    ExecVnode { chunks }
}

pub(super) fn limits(limits: &Limits, names: &mut NameReplacements) -> Limits {
    let mut entry = |entry: &LimitEntry| {
        let role = match entry.scope {
            LimitScope::User | LimitScope::Overall => NameRole::User,
            LimitScope::Group => NameRole::Group,
            LimitScope::Project => NameRole::Project,
        };
        LimitEntry { entity: entry.entity.as_ref().map(|name| names.of(role, name)), ..entry.clone() }
    };
    Limits { entries: limits.entries.iter().map(&mut entry).collect(), old_style: limits.old_style }
}

/// Returns access lists such as `-ann@host`, `+*`, `bob`.
pub(super) fn access(access: &QueueAccess, names: &mut NameReplacements) -> QueueAccess {
    let mut list = |list: &AccessList, role: NameRole| AccessList {
        enabled: list.enabled,
        entries: list.entries.iter().map(|entry| acl_entry(entry, role, names)).collect(),
    };
    QueueAccess {
        users: list(&access.users, NameRole::User),
        groups: list(&access.groups, NameRole::Group),
        hosts: list(&access.hosts, NameRole::Host),
        from_route_only: access.from_route_only,
    }
}

fn acl_entry(entry: &Name, role: NameRole, names: &mut NameReplacements) -> Name {
    let bare = entry.trim_start_matches(['+', '-']);
    let sign = entry.strip_suffix(bare).unwrap_or_default();
    let (who, host) = bare.split_once('@').map_or((bare, None), |(who, host)| (who, Some(host)));
    let who = if who == "*" { "*".into() } else { names.of(role, &who.into()) };
    match host {
        Some("*") => format!("{sign}{who}@*").into(),
        Some(host) => format!("{sign}{who}@{}", names.of(NameRole::Host, &host.into())).into(),
        None => format!("{sign}{who}").into(),
    }
}

impl NameReplacements {
    /// Returns a placement with the names in it replaced.
    pub fn in_placement(&mut self, nodes: &ExecVnode, snap: &Snapshot) -> ExecVnode {
        placement(nodes, snap, self)
    }
}
