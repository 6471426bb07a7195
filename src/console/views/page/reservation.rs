//! The page of a reservation: how it was confirmed, its state and times, its nodes, how much of them is in use, and its
//! jobs.

use super::nodes::jobs;
use super::rows::PageRow;
use crate::theme::Role;
use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_engine::cluster::{ExecVnode, JobId, Reservation, ResourceId, ResvId, short_id};
use qscope_engine::cycle::{Step, Verdict};
use qscope_explain::standing_starts;

fn found<'a>(cx: ViewContext<'a>, name: &str) -> Option<(ResvId, &'a Reservation)> {
    let snap = cx.snapshot();
    snap.reservation_named(name).map(|id| (id, &snap.reservations[id]))
}

/// Its state in one word, for the title.
pub(super) fn state_word(cx: ViewContext<'_>, name: &str) -> String {
    found(cx, name).map_or_else(String::new, |(_, one)| one.state.word())
}

/// The facts of a reservation.
pub(super) fn of_reservation(cx: ViewContext<'_>, name: &str) -> Vec<PageRow> {
    let snap = cx.snapshot();
    let Some((id, one)) = found(cx, name) else { return vec![PageRow::text("not in this snapshot")] };
    // The result comes first: a key press on it opens the search.
    let mut rows = result(cx, id, name);
    rows.push(PageRow::fact("state", state(cx, one, !rows.is_empty())));
    let clock = |at| wording::clock(snap, at);
    if let (Some(start), Some(end)) = (one.start, one.end) {
        let text = format!("{} to {} · {}", clock(start), clock(end), wording::duration(end - start));
        rows.push(PageRow::fact("time", text));
    }
    rows.push(PageRow::fact("owner", &*one.owner));
    if let Some(select) = &one.select {
        let place = one.place.as_ref().map_or_else(String::new, |place| format!(" · place {place}"));
        rows.push(PageRow::fact("asks", format!("{}{place}", wording::select_words(select, "×"))));
    }
    if let Some(queue) = &one.queue {
        rows.push(PageRow::fact("queue", &**queue).to(Object::Queue(queue.to_string())));
    }
    if let Some(nodes) = &one.nodes {
        let names: Vec<&str> = nodes.parts().map(|part| &*part.vnode).collect();
        let row = PageRow::fact("nodes", wording::compact(names.iter().copied()));
        rows.push(match names.first() {
            Some(first) => row.to(Object::Node((*first).to_owned())),
            None => row,
        });
    }
    rows.extend(use_row(cx, id, one));
    rows.extend(of_jobs(cx, id));
    rows
}

/// Its state and how long it lasts; a reservation that this cycle tried to confirm has its state from before.
fn state(cx: ViewContext<'_>, one: &Reservation, was_tried: bool) -> String {
    let now = cx.snapshot().now;
    let dumped = if was_tried { " in the dump" } else { "" };
    let lasts = match (one.start, one.end) {
        (Some(start), _) if start > now => format!(" · starts in {}", wording::duration(start - now)),
        (_, Some(end)) if end > now => format!(" · ends in {}", wording::duration(end - now)),
        _ => String::new(),
    };
    format!("{}{dumped}{lasts}", one.state.word())
}

/// The starts of this cycle in a reservation.
fn starts(cx: ViewContext<'_>, id: ResvId) -> impl Iterator<Item = &Step> {
    let (run, plan) = (cx.run(), cx.plan());
    standing_starts(run, run.steps.len())
        .filter(move |step| plan.reservation_of(step.outcome.job) == Some(id))
}

/// How many of its cpus its jobs have after the cycle.
fn use_row(cx: ViewContext<'_>, id: ResvId, reservation: &Reservation) -> Option<PageRow> {
    let (run, jobs) = (cx.run(), &cx.snapshot().jobs);
    let parts = reservation.nodes.iter().flat_map(ExecVnode::parts).flat_map(|part| &part.resources);
    let cpus = parts.filter(|(resource, _)| &**resource == "ncpus");
    let all: f64 = cpus.filter_map(|(_, amount)| amount.parse::<f64>().ok()).sum();
    let is_here = |job: &JobId| cx.plan().reservation_of(*job) == Some(id);
    let running = jobs.enumerate().map(|(job, _)| job).filter(|job| run.runs_before(*job) && is_here(job));
    let taking = running.chain(starts(cx, id).map(|step| step.outcome.job));
    let kind = cx.snapshot().catalogue.kind(ResourceId::ncpus());
    let used: f64 = taking.map(|job| jobs[job].requested.cpus()).sum();
    let text = format!("{} in use after this cycle", wording::part_of(kind, used, all));
    (all > 0.0).then(|| PageRow::fact("ncpus", text).with_bar(used, all))
}

/// Its jobs: those that run, those that start, and those that wait, with their reasons.
fn of_jobs(cx: ViewContext<'_>, id: ResvId) -> Vec<PageRow> {
    let (run, plan, snap) = (cx.run(), cx.plan(), cx.snapshot());
    let own = snap
        .jobs
        .enumerate()
        .filter(|(job, one)| plan.reservation_of(*job) == Some(id) && !one.is_represented_by_array());
    let (running, others): (Vec<JobId>, Vec<JobId>) =
        own.map(|(job, _)| job).partition(|job| run.runs_before(*job));
    let row = |head: &str, job: &str, text: String| PageRow::fact(head, text).to(Object::Job(job.to_owned()));
    let name = |job: JobId| &*snap.jobs[job].name;
    let mut rows: Vec<PageRow> =
        running.iter().map(|job| row("job", name(*job), short_id(name(*job)).to_owned())).collect();
    rows.extend(starts(cx, id).map(|step| {
        let job = step.outcome.name(snap);
        let nodes =
            step.outcome.placed.as_ref().map(|placed| wording::node_list(plan, &placed.allocation.nodes()));
        let text = format!("{} now on {}", short_id(&job), nodes.unwrap_or_default());
        row("starts", name(step.outcome.job), text)
    }));
    let waits = |job: &JobId| {
        qscope_explain::decided(run, *job).is_some_and(|outcome| run.verdict(outcome) != Verdict::Run)
    };
    let waiting: Vec<JobId> = others.into_iter().filter(waits).collect();
    if !waiting.is_empty() {
        rows.extend(jobs(cx, "Waiting after this cycle", None, &waiting));
    }
    rows
}

/// How this cycle confirmed the reservation, or why not.
fn result(cx: ViewContext<'_>, id: ResvId, name: &str) -> Vec<PageRow> {
    let tried = cx.run().confirmations.iter().find(|tried| tried.reservation == id);
    let Some(tried) = tried else { return Vec::new() };
    let (text, role) = match &tried.result {
        Ok(allocation) => {
            let nodes = wording::node_list(cx.plan(), &allocation.nodes());
            (format!("confirmed by the node path on {nodes}"), Role::VerdictRun)
        }
        Err(why) => (format!("denied: {}", why.full_comment(&cx.snapshot().catalogue)), Role::VerdictNever),
    };
    let row = PageRow::fact("result", text).in_role(role);
    vec![
        row.to(Object::Reservation(name.to_owned())),
        PageRow::fact("", "Enter on the result steps into the search"),
    ]
}
