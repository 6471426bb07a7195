//! Jobs and reservations.

use qscope_engine::cluster::{
    ArrayAttributes, ExecVnode, Job, Name, Reservation, Select, Snapshot, StartEstimate,
};

use super::lists::{self, id, placement, resources};
use super::names::{NameReplacements, NameRole};
use super::words::scheduler_text;

pub(super) fn job(job: &Job, snap: &Snapshot, names: &mut NameReplacements) -> Job {
    Job {
        name: id(&job.name, names),
        sequence: job.sequence,
        title: names.of(NameRole::Title, &job.title),
        owner: names.of(NameRole::User, &job.owner),
        user: names.of(NameRole::User, &job.user),
        group: names.of(NameRole::Group, &job.group),
        project: names.of(NameRole::Project, &job.project),
        account: job.account.as_ref().map(|account| names.of(NameRole::Account, account)),
        queue: names.of(NameRole::Queue, &job.queue),
        state: job.state,
        substate: job.substate,
        priority: job.priority,
        select: job.select.as_ref().and_then(|select| lists::select(select, snap, names)),
        asked: job.asked.as_ref().and_then(|text| submitted_select(text, snap, names)),
        select_derived: job.select_derived,
        request_assumed: job.request_assumed,
        place: job.place.clone(),
        requested: resources(&job.requested, snap, names).into(),
        requested_order: job.requested_order.clone(),
        used: resources(&job.used, snap, names),
        exec_vnode: job.exec_vnode.as_ref().map(|nodes| placement(nodes, snap, names)),
        released: job.released.as_ref().map(|part| placement(part, snap, names)),
        node_set: job.node_set.iter().map(|node| names.of(NameRole::Host, node)).collect(),
        started: job.started,
        queued: job.queued,
        eligible: job.eligible,
        created: job.created,
        execution_time: job.execution_time,
        queue_rank: job.queue_rank,
        comment: comment(job, snap, names),
        estimate: job.estimate.as_ref().map(|estimate| self::estimate(estimate, snap, names)),
        topjob: job.topjob,
        topjob_ineligible: job.topjob_ineligible,
        reservation: job.reservation.as_ref().map(|name| id(name, names)),
        holds: job
            .holds
            .chars()
            .filter(|c| matches!(c, 'u' | 'o' | 's' | 'n' | 'p'))
            .collect::<String>()
            .into(),
        depend: job.depend.as_ref().and_then(|depend| self::depend(depend, names)),
        rerunable: job.rerunable,
        checkpointable: job.checkpointable,
        run_count: job.run_count,
        eligible_time: job.eligible_time,
        accrue_type: job.accrue_type,
        array: job.array.as_ref().map(|array| Box::new(self::array(array, names))),
        derived: job.derived.clone(),
        ..Job::default()
    }
}

/// Returns the select as its owner wrote it; one that cannot be parsed is kept only if no name in it is replaced.
fn submitted_select(text: &Name, snap: &Snapshot, names: &mut NameReplacements) -> Option<Name> {
    match Select::parse(text) {
        Ok(written) => Some(lists::select(&written, snap, names)?.text),
        Err(_) => Some(text.clone()).filter(|_| names.are_kept()),
    }
}

/// Returns the comment if it is one of the scheduler's: hooks, managers and owners may write one too.
fn comment(job: &Job, snap: &Snapshot, names: &NameReplacements) -> Option<String> {
    let text = job.comment.as_deref()?;
    if names.is_assigned() { scheduler_text(text, names, &snap.catalogue) } else { None }
}

fn estimate(estimate: &StartEstimate, snap: &Snapshot, names: &mut NameReplacements) -> StartEstimate {
    let nodes = estimate.exec_vnode.as_deref().and_then(|text| ExecVnode::parse(text).ok());
    let exec_vnode = nodes.map(|nodes| placement(&nodes, snap, names).to_string());
    StartEstimate { start: estimate.start, exec_vnode }
}

fn array(array: &ArrayAttributes, names: &mut NameReplacements) -> ArrayAttributes {
    ArrayAttributes {
        is_parent: array.is_parent,
        parent: array.parent.as_ref().map(|parent| id(parent, names)),
        index: array.index,
        remaining: array.remaining.clone(),
        max_run_subjobs: array.max_run_subjobs,
        running: array.running,
    }
}

/// Returns dependencies such as `afterok:12.server@server,runone:13`; `None` if a part is neither a kind of
/// dependency nor an id.
fn depend(text: &str, names: &mut NameReplacements) -> Option<Name> {
    const KINDS: [&str; 13] = [
        "after",
        "afterok",
        "afternotok",
        "afterany",
        "before",
        "beforeok",
        "beforenotok",
        "beforeany",
        "on",
        "runone",
        "synccount",
        "syncwith",
        "syncct",
    ];
    let mut all = Vec::new();
    for group in text.split(',') {
        let mut parts = group.split(':');
        let kind = parts.next().unwrap_or_default().trim();
        if !KINDS.contains(&kind) {
            return None;
        }
        let mut words = vec![kind.to_owned()];
        for part in parts {
            let (job, server) = part.split_once('@').map_or((part, None), |(job, at)| (job, Some(at)));
            let job = id(&job.trim().into(), names);
            words.push(match server {
                Some(server) => format!("{job}@{}", names.of(NameRole::Server, &server.into())),
                None => job.to_string(),
            });
        }
        all.push(words.join(":"));
    }
    Some(all.join(",").into())
}

pub(super) fn reservation(
    reservation: &Reservation,
    snap: &Snapshot,
    names: &mut NameReplacements,
) -> Reservation {
    Reservation {
        name: id(&reservation.name, names),
        state: reservation.state,
        substate: reservation.substate,
        start: reservation.start,
        end: reservation.end,
        duration: reservation.duration,
        queue: reservation.queue.as_ref().map(|queue| names.of(NameRole::Queue, queue)),
        owner: names.of(NameRole::User, &reservation.owner),
        users: reservation.users.iter().map(|user| names.of(NameRole::User, user)).collect(),
        select: reservation.select.as_ref().and_then(|select| lists::select(select, snap, names)),
        place: reservation.place.clone(),
        requested: resources(&reservation.requested, snap, names),
        nodes: reservation.nodes.as_ref().map(|nodes| placement(nodes, snap, names)),
        index: reservation.index,
        count: reservation.count,
        retry: reservation.retry,
        partition: reservation.partition.as_ref().map(|part| names.of(NameRole::Partition, part)),
        ..Reservation::default()
    }
}
