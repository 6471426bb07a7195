//! The pages of a placement set and of a bucket: the use of its nodes, the set's own buckets, the waiting jobs that
//! fit, and all its nodes.

use super::rows::PageRow;
use crate::bucket_names::BucketNames;
use crate::set_counts;
use crate::theme::Role;
use crate::views::nodes::{role_of, word_of};
use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_engine::cluster::{JobId, ResourceId};
use qscope_engine::cycle::Verdict;
use qscope_engine::placement::{PlacementPath, SetFit, nodes_for, set_fit};
use qscope_engine::universe::{Availability, Bit, Bucket, NodeCounts, NodeUse, Occupant};
use qscope_explain::{BucketMap, MappedBucket, busy_later, set_named};

/// Maximum number of waiting jobs listed.
const MAX_JOBS: usize = 12;
/// Maximum number of nodes for the bits of a bucket to be drawn; more are only counted.
const MAX_BITS: usize = 96;
/// Maximum columns for the names of a bitmap's nodes.
const MAX_NAMES: usize = 160;

/// The nodes of a set or bucket, in its order; `None` if the name is unknown.
pub(super) fn members(cx: ViewContext<'_>, subject: &Object) -> Option<Vec<Bit>> {
    let state = cx.state();
    match subject {
        Object::Set(name) => Some(set_named(state, name)?.shape.members.to_vec()),
        Object::Bucket(name) => Some(bucket(cx, name)?.members.iter().collect()),
        _ => None,
    }
}

/// The position of the bucket in the scheduler's order, for the title.
pub(super) fn place_of_bucket(cx: ViewContext<'_>, name: &str) -> String {
    let buckets = &cx.state().buckets;
    match buckets.iter().position(|bucket| bucket.name(cx.plan()) == name) {
        Some(at) => format!("Bucket {} of {}", at + 1, buckets.len()),
        None => format!("Bucket {name}"),
    }
}

fn bucket<'a>(cx: ViewContext<'a>, name: &str) -> Option<&'a Bucket<Bit>> {
    cx.state().buckets.iter().find(|bucket| bucket.name(cx.plan()) == name)
}

/// One row per node, linked to its page.
pub(super) fn node_rows(cx: ViewContext<'_>, nodes: &[Bit]) -> Vec<PageRow> {
    let (state, plan) = (cx.state(), cx.plan());
    let ncpus = plan.consumables.ix(ResourceId::ncpus());
    let row = |bit: &Bit| {
        let name = plan.node_name(*bit).to_string();
        let found = state.node_use(*bit);
        let (word, role) = (found.word(), role_of(found));
        let left = ncpus.map(|ix| (state.occupancy.left(plan, ix, *bit), plan.capacity.available(ix, *bit)));
        let left = left.filter(|(left, all)| left.is_finite() && all.is_finite());
        let rest = match found {
            // Nothing it has is available to any job.
            NodeUse::Out => word_of(state, found, *bit),
            // What an exclusive job does not use, or what another exhausted resource blocks, is not available either.
            NodeUse::Full => left.map_or_else(String::new, |(left, all)| match left > 0.0 {
                true => format!("{} of {all} ncpus in use, takes no more", all - left),
                false => format!("0 of {all} ncpus left"),
            }),
            _ => left.map_or_else(String::new, |(left, all)| format!("{left} of {all} ncpus left")),
        };
        let text = format!("{word:<4}  {rest}");
        PageRow::fact(&name, text.trim_end()).in_role(role).to(Object::Node(name.clone()))
    };
    nodes.iter().map(row).collect()
}

fn counted(cx: ViewContext<'_>, nodes: &[Bit]) -> PageRow {
    let count = |wanted| nodes.iter().filter(|bit| cx.state().node_use(**bit) == wanted).count();
    let counts = NodeCounts {
        all: nodes.len(),
        free: count(NodeUse::Free),
        part: count(NodeUse::Part),
        full: count(NodeUse::Full),
        out: count(NodeUse::Out),
    };
    PageRow::fact("nodes", format!("{} · {}", counts.all, wording::by_use(counts)))
}

/// The facts of a placement set.
pub(super) fn of_set(cx: ViewContext<'_>, name: &str) -> Vec<PageRow> {
    let (state, plan) = (cx.state(), cx.plan());
    let Some(set) = set_named(state, name) else { return vec![PageRow::text("not in this snapshot")] };
    let mut rows = vec![counted(cx, &set.shape.members)];
    if state.counts_of(set).is_outdated() {
        rows.push(PageRow::fact("counted", set_counts::nodes(state, set)).in_role(Role::Warning));
    }
    for resource in [ResourceId::ncpus(), ResourceId::mem()] {
        let Some(ix) = plan.consumables.ix(resource) else { continue };
        let kind = plan.snap.catalogue.kind(resource);
        let all = set.shape.available[ix];
        // No vnode of the set has a value.
        if all.is_nan() {
            continue;
        }
        let assigned = set_counts::assigned(state, set, resource).unwrap_or_default();
        let why = set_counts::count_difference_reason(state, set, resource);
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        let text = format!("{} in all, {assigned}{why}", wording::amount(kind, all));
        rows.push(PageRow::fact(plan.snap.catalogue.name(resource), text));
    }
    let map = BucketMap::of(state, Some(name));
    let buckets = map.map_or_else(Vec::new, |map| map.buckets);
    rows.push(PageRow::heading(&format!("Its own buckets, in the order tried · {}", buckets.len())));
    let full = set_counts::full_in_bitmaps(state, set);
    rows.extend(full.map(|text| PageRow::fact("!", text).in_role(Role::Warning)));
    let names = BucketNames::of(state);
    rows.extend(buckets.iter().enumerate().flat_map(|(at, bucket)| of_own_bucket(at, bucket, &names)));
    rows.extend(could_hold(cx, name));
    rows
}

/// The facts of a bucket of the complex.
pub(super) fn of_bucket(cx: ViewContext<'_>, name: &str) -> Vec<PageRow> {
    let (state, plan, snap) = (cx.state(), cx.plan(), cx.snapshot());
    let Some(bucket) = bucket(cx, name) else { return vec![PageRow::text("not in this snapshot")] };
    let members: Vec<Bit> = bucket.members.iter().collect();
    let mut rows =
        vec![PageRow::fact("bucket", BucketNames::of(state).full_name(name)), counted(cx, &members)];
    let bitmaps = [
        ("free", &bucket.free, Role::NodeFree),
        ("busy-later", &bucket.later, Role::NodeLater),
        ("busy", &bucket.busy, Role::NodeBusy),
    ];
    for (word, bits, role) in bitmaps {
        let names: Vec<&str> = bits.iter().map(|bit| &**plan.node_name(bit)).collect();
        let count = names.len();
        let folded = wording::folded_within(names.into_iter(), MAX_NAMES);
        let text = if count == 0 { "0".to_owned() } else { format!("{count} · {folded}") };
        rows.push(PageRow::fact(word, text).in_role(role));
    }
    rows.push(PageRow::fact("priority", bucket.priority.to_string()));
    if let Some(queue) = bucket.queue.map(|queue| snap.queues[queue].name.to_string()) {
        rows.push(PageRow::fact("queue", queue.clone()).to(Object::Queue(queue)));
    }
    for bit in bucket.later.iter().take(MAX_JOBS) {
        let Some(later) = busy_later(state, bit, None) else { continue };
        let text = format!("{} from {}", later.text, wording::clock(snap, later.event.at));
        rows.push(PageRow::fact(plan.node_name(bit), text).to(Object::Node(plan.node_name(bit).to_string())));
    }
    let takers: Vec<JobId> = waiting(cx).filter(|job| matches_bucket(cx, *job, &members)).collect();
    rows.extend(jobs(cx, "Waiting after this cycle: a chunk fits an empty node of it", None, &takers));
    rows
}

/// Whether some chunk of a job fits an empty node of the bucket that the job may use. The nodes of a bucket are alike in
/// what the scheduler compares, so testing the first is enough.
fn matches_bucket(cx: ViewContext<'_>, job: JobId, members: &[Bit]) -> bool {
    let (state, plan) = (cx.state(), cx.plan());
    let Some(first) = members.first() else { return false };
    let Ok(request) = plan.request(job, state.ledger.preempted[job]) else { return false };
    let sig = plan.nodes[*first].sig;
    let may_use = || {
        let open = nodes_for(state, Occupant::Job(job, None));
        members.iter().any(|bit| open.contains(*bit))
    };
    request.specs.iter().any(|spec| plan.fit(spec.shape, sig).fits()) && may_use()
}

/// The sign of a node in a row of bits.
pub(super) fn bit_sign(availability: Availability) -> char {
    match availability {
        Availability::Free => '█',
        Availability::Later => '▒',
        Availability::Busy => '∙',
        Availability::Out => '!',
    }
}

/// A bucket of a set: its counts, and its bits in the order of the set's node array.
fn of_own_bucket(at: usize, bucket: &MappedBucket, names: &BucketNames) -> Vec<PageRow> {
    let [free, later, busy] = [&bucket.free, &bucket.busy_later, &bucket.busy].map(Vec::len);
    let text = format!("{} · {free} free {later} later {busy} busy", names.spelled(&bucket.name));
    let mut rows = vec![PageRow::fact(&format!("{}", at + 1), text)];
    if bucket.all.len() <= MAX_BITS {
        let bits = bucket.all.iter().map(|node| bit_sign(bucket.availability(*node)));
        rows.push(PageRow::fact("", bits.collect::<String>()));
    }
    rows
}

/// The jobs that wait after the cycle, in the order considered.
pub(super) fn waiting(cx: ViewContext<'_>) -> impl Iterator<Item = JobId> {
    let run = cx.run();
    let waits = |verdict| matches!(verdict, Verdict::NotNow | Verdict::Never);
    run.outcomes().filter(move |outcome| waits(run.verdict(outcome))).map(|outcome| outcome.job)
}

/// The waiting jobs that a set could hold after this cycle, or when empty, without those that can never run.
fn could_hold(cx: ViewContext<'_>, name: &str) -> Vec<PageRow> {
    let run = cx.run();
    let state = run.end_at_server();
    let Some(set) = set_named(state, name) else { return Vec::new() };
    let (mut now, mut empty) = (Vec::new(), Vec::new());
    let is_never = |job: &JobId| run.outcome(*job).is_some_and(|one| run.verdict(one) == Verdict::Never);
    for job in waiting(cx).filter(|job| !is_never(job)) {
        let Ok(request) = state.plan.request(job, state.ledger.preempted[job]) else { continue };
        let path = run
            .outcome(job)
            .and_then(|outcome| outcome.would_use)
            .map_or(PlacementPath::Node, |use_| use_.path);
        match set_fit(state, Occupant::Job(job, None), request, path, set) {
            SetFit::Fits => now.push(job),
            SetFit::Short(_) => empty.push(job),
            SetFit::TooSmall(_) => {}
        }
    }
    let mut rows = Vec::new();
    rows.extend(jobs(cx, "Waiting after this cycle: it has enough left", None, &now));
    rows.extend(jobs(cx, "Waiting after this cycle: it could hold them when empty", None, &empty));
    rows
}

/// The user, select and reason of a waiting job with the numbers compared; the name of the reason is left out if it is
/// `known`.
fn waiting_job_summary(cx: ViewContext<'_>, id: JobId, known: Option<&str>) -> String {
    let run = cx.run();
    let job = run.plan.job(id);
    let asks = job.select.as_ref().map(|select| wording::select_words(select, "×"));
    let mut parts: Vec<String> = std::iter::once(job.user.to_string()).chain(asks).collect();
    if let Some(reason) = qscope_explain::decided(run, id).and_then(|outcome| cx.reason(outcome)) {
        let named = format!("{}{}", wording::guess(&reason), reason.name);
        parts.extend((known != Some(&*named)).then_some(named));
        parts.push(reason.measure.map_or(reason.sentence, |found| found.text));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Jobs below a heading with their number; `known` is the name of the reason if the heading has it.
pub(super) fn jobs(cx: ViewContext<'_>, heading: &str, known: Option<&str>, jobs: &[JobId]) -> Vec<PageRow> {
    let run = cx.run();
    let mut rows = vec![PageRow::heading(&format!("{heading} · {}", jobs.len()))];
    rows.extend(jobs.iter().take(MAX_JOBS).map(|job| {
        let name = run.plan.job(*job).name.to_string();
        PageRow::fact(&wording::waiting_name(run, *job), waiting_job_summary(cx, *job, known))
            .to(Object::Job(name.clone()))
    }));
    let more = jobs.len().saturating_sub(MAX_JOBS);
    if more > 0 {
        rows.push(PageRow::fact("", format!("+{more} more")));
    }
    rows
}
