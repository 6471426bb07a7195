//! The rows of the view: each queue, then each of its limits with the usage.

use super::counts::CycleStarts;
use super::limit::{Limit, LimitedJob, limited};
use super::line::WHOLE_SERVER;
use super::{MAX_ENTITIES, QueueLine};
use crate::views::ViewContext;
use crate::wording;
use qscope_engine::cluster::{JobId, LimitEntry, LimitScope, Limits, Name, QueueId, ResourceType};
use qscope_engine::universe::{MeterKey, entity_of};
use qscope_explain::is_reserved;
use std::collections::BTreeSet;

pub(super) fn lines(cx: ViewContext<'_>) -> Vec<QueueLine> {
    let snap = cx.snapshot();
    let mut lines = Vec::new();
    let (dumped, then) = (CycleStarts::default().counts(cx), CycleStarts::of(cx).counts(cx));
    let first = &cx.screen.summary().first_waiting;
    let server = QueueLine { name: WHOLE_SERVER.to_owned(), ..QueueLine::default() };
    lines.push(QueueLine {
        jobs: dumped.of(None),
        then: then.of(None),
        first: first.of_all.clone(),
        ..server
    });
    let limited = limited(cx);
    add_limits((cx, &limited), None, &snap.server.limits, &mut lines);
    for (id, queue) in snap.queues.enumerate() {
        lines.push(QueueLine {
            queue: queue.name.to_string(),
            name: queue.name.to_string(),
            state: if queue.started { "started" } else { "stopped" },
            is_reserved: is_reserved(snap, queue),
            priority: queue.priority.to_string(),
            jobs: dumped.of(Some(&queue.name)),
            then: then.of(Some(&queue.name)),
            first: first.by_queue.get(&queue.name).cloned(),
            ..QueueLine::default()
        });
        add_limits((cx, &limited), Some(id), &queue.limits, &mut lines);
    }
    lines
}

/// The context, and the jobs that limits stop in it.
type LimitContext<'w, 's> = (ViewContext<'w>, &'s [LimitedJob<'w>]);

pub(super) fn add_limits(
    seen: LimitContext<'_, '_>,
    queue: Option<QueueId>,
    limits: &Limits,
    lines: &mut Vec<QueueLine>,
) {
    for entry in &limits.entries {
        for entity in entities(seen.0, queue, limits, entry) {
            lines.push(limit_line(seen, queue, entry, &entity));
        }
    }
}

/// The entities of a limit: the one it names, or, for a generic limit, those that have jobs there and no limit of their
/// own.
pub(super) fn entities(
    cx: ViewContext<'_>,
    queue: Option<QueueId>,
    limits: &Limits,
    entry: &LimitEntry,
) -> Vec<Name> {
    match (&entry.entity, entry.scope) {
        (_, LimitScope::Overall) => vec!["".into()],
        (Some(name), _) => vec![name.clone()],
        (None, scope) => {
            let snap = cx.snapshot();
            let here = queue.map(|queue| &snap.queues[queue].name);
            let jobs = snap.jobs.iter().filter(|job| here.is_none_or(|queue| job.queue == *queue));
            let theirs = |name: &Name| limits.is_for(entry, name);
            let all: BTreeSet<Name> = jobs.map(|job| entity_of(job, scope)).filter(theirs).collect();
            all.into_iter().take(MAX_ENTITIES).collect()
        }
    }
}

fn limit_line(
    (cx, limited): LimitContext<'_, '_>,
    queue: Option<QueueId>,
    entry: &LimitEntry,
    entity: &Name,
) -> QueueLine {
    let (plan, snap) = (cx.plan(), cx.snapshot());
    let key = MeterKey::Limit { queue, scope: entry.scope, entity: entity.clone(), resource: entry.resource };
    let used = plan.meters.meter(&key).map_or(0.0, |meter| cx.displayed_state().ledger.meters[meter]);
    let limit = Limit { queue, entry: entry.clone(), entity: entity.clone() };
    let kind = entry.resource.map_or(ResourceType::Long, |resource| snap.catalogue.kind(resource));
    let what = entry.resource.map_or("jobs".to_owned(), |resource| snap.catalogue.name(resource).to_string());
    let whose = match entry.scope {
        LimitScope::User => format!(" of user {entity}"),
        LimitScope::Group => format!(" of group {entity}"),
        LimitScope::Project => format!(" of project {entity}"),
        LimitScope::Overall => " of all".to_owned(),
    };
    let stopped: Vec<JobId> = limit.stopped(cx, limited).collect();
    let soft = if entry.soft { "soft " } else { "" };
    QueueLine {
        queue: queue.map_or_else(String::new, |queue| snap.queues[queue].name.to_string()),
        name: format!("{soft}{what}{whose}"),
        is_limit: true,
        jobs: [0, stopped.len(), 0],
        first: stopped.first().map(|job| snap.jobs[*job].name.to_string()),
        attribute: limit.written(cx),
        of: Some(limit),
        used: wording::amount(kind, used),
        limit: entry.amount.show(kind),
        amounts: Some((used, entry.amount.0)),
        full: used >= entry.amount.0,
        soft: entry.soft,
        ..QueueLine::default()
    }
}
