//! Settings that can be removed from a cluster, one by one; each returns whether there was anything to remove.

use qscope_engine::cluster::{
    ByPeriod, Id, Job, Limits, Node, Policy, Queue, QueueAccess, ResourceList, SharedColumn, Sharing,
    Snapshot,
};

type SettingRemover = fn(&mut Snapshot) -> bool;

/// Replaces a value; returns whether it differed.
fn put<T: PartialEq>(slot: &mut T, value: T) -> bool {
    let differs = *slot != value;
    *slot = value;
    differs
}

fn each_queue(snap: &mut Snapshot, change: fn(&mut Queue) -> bool) -> bool {
    snap.queues.iter_mut().map(change).fold(false, |any, changed| any | changed)
}

fn change_each_row<I: Id, T: Clone>(rows: &mut SharedColumn<I, T>, change: fn(&mut T) -> bool) -> bool {
    let mut any = false;
    rows.change_all(|row| any |= change(row));
    any
}

fn each_node(snap: &mut Snapshot, change: fn(&mut Node) -> bool) -> bool {
    change_each_row(&mut snap.nodes, change)
}

fn each_job(snap: &mut Snapshot, change: fn(&mut Job) -> bool) -> bool {
    change_each_row(&mut snap.jobs, change)
}

/// Resets an option to the value it has if no file states it.
macro_rules! option {
    ($field:ident) => {
        |snap| put(&mut snap.policy.$field, Policy::program_defaults().$field)
    };
}

/// The settings to remove, the most far-reaching first.
pub(super) const SETTINGS: &[SettingRemover] = &[
    |snap| put(&mut snap.server.limits, Limits::default()),
    |snap| each_queue(snap, |queue| put(&mut queue.limits, Limits::default())),
    |snap| {
        let fair = put(&mut snap.policy.fair_share, ByPeriod::both(false));
        let any = fair || !snap.share_groups.is_empty() || !snap.usage.is_empty();
        snap.share_groups.clear();
        snap.usage.clear();
        any
    },
    |snap| put(&mut snap.holidays, None),
    |snap| put(&mut snap.dedicated_time, Vec::new()),
    |snap| put(&mut snap.server.job_sort_formula, None) | put(&mut snap.scheduler.job_sort_formula, None),
    |snap| put(&mut snap.scheduler.formula_threshold, None),
    |snap| put(&mut snap.server.node_group_enable, false) | put(&mut snap.server.node_group_key, Vec::new()),
    |snap| each_queue(snap, |queue| put(&mut queue.node_group_key, Vec::new())),
    |snap| put(&mut snap.scheduler.do_not_span_psets, false),
    |snap| put(&mut snap.scheduler.only_explicit_psets, false),
    option!(job_sort_key),
    option!(node_sort_key),
    option!(strict_ordering),
    option!(round_robin),
    option!(by_queue),
    option!(preemptive_sched),
    option!(backfill_prime),
    option!(prime_spill),
    option!(smp_cluster_dist),
    option!(resource_unset_infinite),
    option!(server_dyn_res),
    option!(peer_queues),
    option!(primetime_prefix),
    option!(nonprimetime_prefix),
    option!(dedicated_prefix),
    option!(resources),
    option!(fairshare),
    |snap| put(&mut snap.server.available, ResourceList::default()),
    |snap| put(&mut snap.server.assigned, ResourceList::default()),
    |snap| put(&mut snap.server.defaults, ResourceList::default()),
    |snap| put(&mut snap.server.default_chunk, Vec::new()),
    |snap| put(&mut snap.server.backfill_depth, None),
    |snap| each_queue(snap, |queue| put(&mut queue.available, ResourceList::default())),
    |snap| each_queue(snap, |queue| put(&mut queue.assigned, ResourceList::default())),
    |snap| each_queue(snap, |queue| put(&mut queue.defaults, ResourceList::default())),
    |snap| each_queue(snap, |queue| put(&mut queue.minimum, ResourceList::default())),
    |snap| each_queue(snap, |queue| put(&mut queue.maximum, ResourceList::default())),
    |snap| each_queue(snap, |queue| put(&mut queue.default_chunk, Vec::new())),
    |snap| each_queue(snap, |queue| put(&mut queue.access, QueueAccess::default())),
    |snap| each_queue(snap, |queue| put(&mut queue.priority, 0)),
    |snap| each_node(snap, |node| put(&mut node.priority, None)),
    |snap| each_node(snap, |node| put(&mut node.sharing, Sharing::default())),
    |snap| each_node(snap, |node| put(&mut node.last_used, None)),
    |snap| each_node(snap, |node| put(&mut node.reservations, Vec::new())),
    |snap| each_job(snap, |job| put(&mut job.comment, None)),
    |snap| each_job(snap, |job| put(&mut job.estimate, None)),
    |snap| each_job(snap, |job| put(&mut job.used, ResourceList::default())),
    |snap| each_job(snap, |job| put(&mut job.account, None)),
    |snap| each_job(snap, |job| put(&mut job.depend, None)),
    |snap| each_job(snap, |job| put(&mut job.priority, 0)),
];
