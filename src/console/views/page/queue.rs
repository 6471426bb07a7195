//! The page of a queue: its state, its limits, and its waiting jobs by reason.

use std::collections::BTreeMap;

use super::nodes::{jobs, waiting};
use super::rows::PageRow;
use crate::screen::CycleRow;
use crate::theme::Role;
use crate::views::queues;
use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_engine::cluster::{JobId, QueueKind, short_id};

/// The facts of a queue.
pub(super) fn of_queue(cx: ViewContext<'_>, name: &str) -> Vec<PageRow> {
    let snap = cx.snapshot();
    let Some(queue) = snap.queue_named(name).map(|id| &snap.queues[id]) else {
        return vec![PageRow::text("not in this snapshot")];
    };
    let mut rows = Vec::new();
    let state = match (queue.started, queue.enabled) {
        (true, true) => "started, takes new jobs",
        (true, false) => "started, takes no new jobs",
        (false, true) => "stopped, takes new jobs",
        (false, false) => "stopped, takes no new jobs",
    };
    let role = if queue.started { Role::Text } else { Role::Warning };
    rows.push(PageRow::fact("state", state).in_role(role));
    let kind = match queue.kind {
        QueueKind::Execution => "execution",
        QueueKind::Route => "route",
    };
    // The number of rows that the view of the queue has for it.
    let is_here = |row: &CycleRow| row.job(cx.run()).is_some_and(|job| snap.jobs[job].queue == queue.name);
    let in_queue = cx.screen.ready.queue().all.iter().filter(|row| is_here(row)).count();
    let text = format!("{} · Enter shows them in the queue", wording::count(in_queue, "job"));
    rows.push(PageRow::fact("jobs", text).to(Object::Queue(name.to_owned())));
    for one in snap.reservations.iter().filter(|one| one.queue.as_ref() == Some(&queue.name)) {
        let text = format!("{} · {}", short_id(&one.name), one.state.word());
        rows.push(PageRow::fact("reservation", text).to(Object::Reservation(one.name.to_string())));
    }
    rows.push(PageRow::fact("kind", format!("{kind} · priority {}", queue.priority)));
    if queue.has_nodes {
        let own = snap.nodes.iter().filter(|node| node.queue.as_ref() == Some(&queue.name));
        rows.push(PageRow::fact("nodes", format!("only {}", wording::compact(own.map(|node| &*node.name)))));
    }
    for limit in queues::limits_of(cx, name) {
        rows.push(limit);
    }
    let of_queue: Vec<JobId> = waiting(cx).filter(|job| *snap.jobs[*job].queue == *name).collect();
    let mut by_reason: BTreeMap<String, Vec<JobId>> = BTreeMap::new();
    for job in of_queue {
        let reason = qscope_explain::decided(cx.run(), job).and_then(|outcome| cx.reason(outcome));
        let name = reason.map_or_else(
            || "no reason known".to_owned(),
            |reason| format!("{}{}", wording::guess(&reason), reason.name),
        );
        by_reason.entry(name).or_default().push(job);
    }
    let mut groups: Vec<(String, Vec<JobId>)> = by_reason.into_iter().collect();
    groups.sort_by_key(|(_, jobs)| std::cmp::Reverse(jobs.len()));
    for (reason, waits) in groups {
        rows.extend(jobs(cx, &format!("Waiting after this cycle: {reason}"), Some(&reason), &waits));
    }
    rows
}
