//! Reads limit attributes of queues and the server, in old and new style (rule 6.6).

use super::attributes::doc::AttributeDoc;
use super::context::AttributeReader;
use qscope_engine::cluster::{LimitEntry, LimitScope, Limits, QueuedLimits, limit_amount};

/// An attribute with limits.
pub(crate) struct LimitAttribute {
    pub(crate) name: &'static str,
    /// The scope, where the attribute has one amount for its scope; `None` where its values name theirs.
    pub(crate) scope: Option<LimitScope>,
    pub(crate) kind: LimitKind,
    doc: &'static str,
}

/// What an attribute limits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitKind {
    /// What runs.
    Hard,
    /// What runs without being preempted.
    Soft,
    /// What is in a queue or at the server.
    Queued,
    /// What waits there.
    Waiting,
}

/// All attributes with limits, of queues and of the server.
pub(crate) const LIMITS: [LimitAttribute; 18] = {
    use LimitKind::{Hard, Queued, Soft, Waiting};
    use LimitScope::{Group, Overall, User};
    const fn row(
        name: &'static str,
        scope: Option<LimitScope>,
        kind: LimitKind,
        doc: &'static str,
    ) -> LimitAttribute {
        LimitAttribute { name, scope, kind, doc }
    }
    [
        row("max_run", None, Hard, "how many jobs run at once: of u users, g groups, p projects, o all"),
        row("max_run_soft", None, Soft, "the same as max_run, soft: jobs beyond it may be preempted"),
        row("max_run_res", None, Hard, "how much of a resource jobs use at once"),
        row("max_run_res_soft", None, Soft, "the same as max_run_res, soft"),
        row("max_running", Some(Overall), Hard, "how many jobs run at once"),
        row("max_user_run", Some(User), Hard, "how many jobs of each user run at once"),
        row("max_group_run", Some(Group), Hard, "how many jobs of each group run at once"),
        row("max_user_run_soft", Some(User), Soft, "the same as max_user_run, soft"),
        row("max_group_run_soft", Some(Group), Soft, "the same as max_group_run, soft"),
        row("max_user_res", Some(User), Hard, "how much the jobs of each user use at once"),
        row("max_group_res", Some(Group), Hard, "how much the jobs of each group use at once"),
        row("max_user_res_soft", Some(User), Soft, "the same as max_user_res, soft"),
        row("max_group_res_soft", Some(Group), Soft, "the same as max_group_res, soft"),
        row("max_queued", None, Queued, "how many jobs may be in it, running ones included"),
        row("max_queued_res", None, Queued, "how much the jobs in it may request"),
        row("max_queuable", Some(Overall), Queued, "how many jobs may be in it"),
        row("queued_jobs_threshold", None, Waiting, "how many jobs may wait in it"),
        row("queued_jobs_threshold_res", None, Waiting, "how much jobs that wait may request"),
    ]
};

impl LimitAttribute {
    /// Whether it limits an amount of a resource, named after a full stop; otherwise a number of jobs.
    pub(crate) fn by_resource(&self) -> bool {
        self.name.trim_end_matches("_soft").ends_with("_res")
    }
}

impl LimitKind {
    /// Whether it limits what runs.
    pub(crate) fn is_of_running(self) -> bool {
        matches!(self, Self::Hard | Self::Soft)
    }
}

/// Returns the attributes that limit what runs.
pub(crate) fn of_running() -> impl Iterator<Item = &'static LimitAttribute> {
    LIMITS.iter().filter(|row| row.kind.is_of_running())
}

/// Returns each attribute of limits, as the manual lists it.
pub(crate) fn described() -> impl Iterator<Item = AttributeDoc> {
    LIMITS.iter().map(|row| {
        let unit = match (row.scope, row.by_resource()) {
            (None, false) => "limits, as [u:PBS_GENERIC=4]",
            (None, true) => "limits of each resource",
            (Some(_), false) => "count",
            (Some(_), true) => "value of each resource",
        };
        AttributeDoc { name: row.name, unit, doc: row.doc, settable: row.kind.is_of_running() }
    })
}

/// Returns the row of an attribute that limits what runs.
fn running_row(name: &str) -> Option<&'static LimitAttribute> {
    of_running().find(|row| row.name == name)
}

/// Adds an attribute to the limits on what is queued, if it is one; repeated attributes accumulate.
pub(crate) fn add_queued(limits: &mut QueuedLimits, reader: &mut AttributeReader<'_, '_>) -> bool {
    let Some(row) = LIMITS.iter().find(|row| *row.name == *reader.attribute.name) else { return false };
    match row.kind {
        LimitKind::Queued => add_to(&mut limits.all, reader, row),
        LimitKind::Waiting => add_to(&mut limits.waiting, reader, row),
        LimitKind::Hard | LimitKind::Soft => false,
    }
}

/// Whether an attribute of this name limits what runs.
pub(crate) fn is_limit(name: &str) -> bool {
    running_row(name).is_some()
}

/// Removes the limits of an attribute of this name.
pub(crate) fn clear(limits: &mut Limits, reader: &AttributeReader<'_, '_>) {
    let Some(row) = running_row(&reader.attribute.name) else { return };
    let resource = reader.attribute.resource.as_deref().and_then(|name| reader.cx.catalogue.id(name));
    let soft = row.kind == LimitKind::Soft;
    let is_same_limit = |entry: &LimitEntry| {
        entry.soft == soft && entry.resource == resource && row.scope.is_none_or(|scope| entry.scope == scope)
    };
    limits.entries.retain(|entry| !is_same_limit(entry));
}

/// Adds an attribute to the limits, if it is one; repeated attributes accumulate.
pub(crate) fn add(limits: &mut Limits, reader: &mut AttributeReader<'_, '_>) -> bool {
    running_row(&reader.attribute.name).is_some_and(|row| add_to(limits, reader, row))
}

/// Adds an attribute that is known to be a limit.
fn add_to(limits: &mut Limits, reader: &mut AttributeReader<'_, '_>, row: &LimitAttribute) -> bool {
    let soft = row.kind == LimitKind::Soft;
    if reader.removes_existing() {
        return true;
    }
    let (attribute, value) = (reader.attribute, reader.value());
    let resource = attribute.resource.as_deref().map(|resource| {
        let amount = value.rsplit('=').next().unwrap_or_default().trim_end_matches(']');
        let id = reader.resource(resource, amount);
        (id, reader.cx.catalogue.kind(id))
    });
    let wrong = match row.scope {
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
