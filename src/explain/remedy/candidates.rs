//! The changes that are tried, a family each.

use std::ops::ControlFlow;

use crate::cluster::{
    Arrangement, ByPeriod, Edit, Job, Kind, Name, NodeId, NodeStates, Place, QueueKind, Seconds, Sharedness,
};
use crate::explain::room::Room;
use crate::explain::words;
use crate::universe::{Against, JobRequest, Spec};

use super::Search;
use super::request::{Part, in_queue, lasting, parts, with_parts, with_place};

/// Goes through all families.
pub(super) fn all(search: &mut Search<'_>) -> ControlFlow<()> {
    shorter(search)?;
    fewer_chunks(search)?;
    smaller_chunks(search)?;
    other_places(search)?;
    dropped(search)?;
    other_queues(search)?;
    nodes_back(search)?;
    spanning(search)?;
    order(search)?;
    qrun(search)
}

fn job<'s>(search: &'s Search<'_>) -> &'s Job {
    search.turn.run.plan.job(search.turn.job)
}

fn edit(search: &Search<'_>, job: Job) -> Vec<Edit> {
    vec![Edit::Job(search.turn.job, Box::new(job))]
}

/// A shorter walltime: the longest that ends before what is planned.
fn shorter(search: &mut Search<'_>) -> ControlFlow<()> {
    let said = search.causes.iter().flat_map(|cause| &cause.numbers).filter(|(name, _)| *name == "longest");
    let mut lengths: Vec<Seconds> =
        said.filter_map(|(_, text)| Seconds::parse(text)).filter(|l| l.0 > 0).collect();
    lengths.sort_unstable();
    let asked = search.turn.request.duration;
    for length in lengths.into_iter().rev().filter(|length| *length < asked) {
        let edits = edit(search, lasting(job(search), length));
        let lost = percent(asked.0 - length.0, asked.0);
        if search.offer(format!("ask for a walltime of at most {length}"), &edits, 10 + lost / 5)? {
            break;
        }
    }
    ControlFlow::Continue(())
}

fn percent(part: i64, whole: i64) -> u32 {
    u32::try_from((part.saturating_mul(100) / whole.max(1)).clamp(0, 100)).unwrap_or(100)
}

/// Fewer chunks of one part, as many as possible.
fn fewer_chunks(search: &mut Search<'_>) -> ControlFlow<()> {
    let Some(select) = job(search).select.clone() else { return ControlFlow::Continue(()) };
    let all = parts(&select);
    for (at, (count, _)) in all.iter().enumerate().filter(|(_, (count, _))| *count > 1) {
        let most = largest_that_fits(search, at, *count);
        for tried in [most, most.saturating_sub(1), most / 2] {
            let mut fewer = all.clone();
            let Some(part) = fewer.get_mut(at).filter(|_| tried > 0) else { break };
            part.0 = tried;
            let Some(changed) = with_parts(&search.turn.run.plan.snap, job(search), &fewer) else { break };
            let edits = edit(search, changed);
            let lost = percent(i64::from(count - tried), i64::from(*count));
            let what = format!(
                "ask for {tried} instead of {} of part {}",
                words::count(u64::from(*count), "chunk"),
                at + 1
            );
            if search.offer(what, &edits, 15 + lost / 3)? {
                break;
            }
        }
    }
    ControlFlow::Continue(())
}

/// The most chunks of a part that find their nodes as things stood at the job's turn; at least one. Job-wide
/// sums are left to the whole cycle.
fn largest_that_fits(search: &Search<'_>, at: usize, count: u32) -> u32 {
    let fits = |tried: u32| {
        let mut specs: Vec<Spec> = search.turn.request.specs.to_vec();
        if let Some(spec) = specs.get_mut(at) {
            spec.count = tried;
        }
        search.turn.would_fit(&JobRequest {
            specs: specs.into(),
            totals: Default::default(),
            ..search.turn.request.clone()
        })
    };
    let (mut low, mut high) = (0, count);
    while low + 1 < high {
        let middle = low.midpoint(high);
        if fits(middle) { low = middle } else { high = middle }
    }
    low.max(1)
}

/// Less of one consumable in each chunk, as much as possible: amounts that some node has left.
fn smaller_chunks(search: &mut Search<'_>) -> ControlFlow<()> {
    let Some(select) = job(search).select.clone() else { return ControlFlow::Continue(()) };
    let all = parts(&select);
    for at in 0..all.len() {
        let Some(spec) = search.turn.request.specs.get(at).cloned() else { continue };
        let resources: Vec<(crate::cluster::ResourceId, f64)> = search
            .turn
            .plan()
            .shapes
            .get_shape(spec.shape)
            .amounts()
            .map(|(id, amount)| (id, amount.0))
            .collect();
        for (resource, wanted) in resources {
            smaller(search, &all, at, &spec, resource, wanted)?;
        }
    }
    ControlFlow::Continue(())
}

fn smaller(
    search: &mut Search<'_>,
    all: &[Part],
    at: usize,
    spec: &Spec,
    resource: crate::cluster::ResourceId,
    wanted: f64,
) -> ControlFlow<()> {
    let plan = search.turn.run.plan.clone();
    let Some(ix) = plan.consumables.ix(resource) else { return ControlFlow::Continue(()) };
    let room = Room::new(&search.turn.state, &search.turn.request, &search.turn.list, Against::Now);
    let left = |bit| search.turn.state.floor.left(&plan, ix, bit);
    let met = search.turn.list.iter().filter(|bit| room.meets(spec, *bit, None));
    let mut amounts: Vec<i64> =
        met.map(|bit| left(bit).min(wanted) as i64).filter(|a| *a > 0 && (*a as f64) < wanted).collect();
    amounts.sort_unstable();
    amounts.dedup();
    let name = plan.snap.catalogue.name(resource).clone();
    let kind = plan.snap.catalogue.kind(resource);
    let shown = |amount: i64| match kind {
        Kind::Size => format!("{amount}kb"),
        _ => amount.to_string(),
    };
    let (mut low, mut high, mut best) = (0, amounts.len(), None);
    while low < high {
        let middle = low.midpoint(high);
        let Some(amount) = amounts.get(middle).copied() else { break };
        let mut less = all.to_vec();
        for (have, value) in less.get_mut(at).into_iter().flat_map(|part| &mut part.1) {
            if *have == name {
                *value = Name::from(shown(amount));
            }
        }
        let Some(changed) = with_parts(&plan.snap, job(search), &less) else { break };
        let edits = edit(search, changed);
        match search.tries(&edits)? {
            Some(run) => {
                best = Some((amount, edits, run));
                low = middle + 1;
            }
            None => high = middle,
        }
    }
    let Some((amount, edits, run)) = best else { return ControlFlow::Continue(()) };
    let show = |value: f64| words::amount(&plan.snap.catalogue, resource, value);
    let lost = percent((wanted - amount as f64) as i64, wanted as i64);
    let what = format!(
        "ask for {} {name} instead of {} in each chunk of part {}",
        show(amount as f64),
        show(wanted),
        at + 1
    );
    search.offer_tried(what, &edits, 15 + lost / 3, &run)
}

/// Another arrangement, sharing, or no group.
fn other_places(search: &mut Search<'_>) -> ControlFlow<()> {
    let Some(place) = job(search).place.clone() else { return ControlFlow::Continue(()) };
    let mut tried: Vec<(String, Place)> = Vec::new();
    for arrangement in [Arrangement::Scatter, Arrangement::Free] {
        let other = Place { arrangement, arranged: true, ..place.clone() };
        if place.arrangement != arrangement && place.arrangement != Arrangement::Free {
            tried.push((format!("place={other} instead of {place}"), other));
        }
    }
    if place.is_excl() || place.sharedness == Sharedness::Unsaid {
        let other = Place { sharedness: Sharedness::Shared, ..place.clone() };
        tried.push((format!("place={other} instead of {place}"), other));
    }
    if let Some(group) = &place.group {
        let other = Place { group: None, ..place.clone() };
        tried.push((format!("drop group={group} from place"), other));
    }
    for (words, other) in tried {
        let edits = edit(search, with_place(job(search), other));
        search.offer(words, &edits, 20)?;
    }
    ControlFlow::Continue(())
}

/// One resource, switch or name less, in all parts.
fn dropped(search: &mut Search<'_>) -> ControlFlow<()> {
    let Some(select) = job(search).select.clone() else { return ControlFlow::Continue(()) };
    let all = parts(&select);
    let mut names: Vec<Name> = Vec::new();
    for (name, _) in all.iter().flat_map(|(_, requests)| requests) {
        if !names.contains(name) && &**name != "ncpus" {
            names.push(name.clone());
        }
    }
    for name in names {
        let mut less = all.clone();
        for (_, requests) in &mut less {
            requests.retain(|(have, _)| *have != name);
        }
        let Some(changed) = with_parts(&search.turn.run.plan.snap, job(search), &less) else { continue };
        let edits = edit(search, changed);
        search.offer(format!("drop {name} from the select"), &edits, 35)?;
    }
    ControlFlow::Continue(())
}

/// How many other queues are tried.
const MOST_QUEUES: usize = 16;

/// Another queue that is open and whose bounds the request keeps.
fn other_queues(search: &mut Search<'_>) -> ControlFlow<()> {
    let snap = search.turn.run.plan.snap.clone();
    let own = snap.queue_named(&job(search).queue).map(|id| &snap.queues[id]);
    let reserved = |name: &Name| snap.reservations.iter().any(|r| r.queue.as_ref() == Some(name));
    let open = snap.queues.iter().filter(|queue| {
        queue.kind == QueueKind::Execution
            && queue.started
            && queue.enabled
            && queue.name != job(search).queue
            && queue.partition.as_ref().is_none_or(|partition| snap.scheduler.partitions.contains(partition))
            && !reserved(&queue.name)
    });
    let moved: Vec<(Name, Job)> = open
        .take(MOST_QUEUES)
        .filter_map(|queue| Some((queue.name.clone(), in_queue(&snap, job(search), own, queue)?)))
        .collect();
    for (name, moved) in moved {
        let edits = edit(search, moved);
        search.offer(format!("move it to queue {name} (if its access lists allow)"), &edits, 25)?;
    }
    ControlFlow::Continue(())
}

/// Nodes that are gone, back and empty: as few as do.
fn nodes_back(search: &mut Search<'_>) -> ControlFlow<()> {
    let plan = search.turn.run.plan.clone();
    let room = Room::new(&search.turn.start, &search.turn.request, &search.turn.list, Against::Total);
    let gone: Vec<NodeId> = room
        .could_serve()
        .into_iter()
        .filter(|bit| {
            !search.turn.start.floor.states[*bit].is_free()
                && plan.snap.nodes[plan.nodes[*bit].id].jobs.is_empty()
        })
        .map(|bit| plan.nodes[bit].id)
        .collect();
    let back = |count: usize| -> Vec<Edit> {
        let up = gone.iter().take(count).map(|id| {
            let mut node = plan.snap.nodes[*id].clone();
            node.states = NodeStates::FREE;
            Edit::Node(*id, Box::new(node))
        });
        up.collect()
    };
    let (mut low, mut high, mut best) = (0, gone.len(), None);
    if gone.is_empty() {
        return ControlFlow::Continue(());
    }
    while low < high {
        let middle = low.midpoint(high);
        let edits = back(middle + 1);
        match search.tries(&edits)? {
            Some(run) => {
                best = Some((middle + 1, edits, run));
                high = middle;
            }
            None => low = middle + 1,
        }
    }
    let Some((count, edits, run)) = best else { return ControlFlow::Continue(()) };
    let names: Vec<String> =
        gone.iter().take(count).map(|id| plan.snap.nodes[*id].name.to_string()).collect();
    let what = format!("bring back {} ({})", words::count(count as u64, "node"), words::some(&names, 5));
    search.offer_tried(what, &edits, 54 + u32::try_from(count).unwrap_or(40).min(40), &run)
}

/// Sets may be spanned, or do not count.
fn spanning(search: &mut Search<'_>) -> ControlFlow<()> {
    let snap = search.turn.run.plan.snap.clone();
    if snap.scheduler.do_not_span_psets {
        let mut scheduler = snap.scheduler.clone();
        scheduler.do_not_span_psets = false;
        let edits = vec![Edit::Scheduler(Box::new(scheduler))];
        if search.offer("let jobs span placement sets (do_not_span_psets=False)".to_owned(), &edits, 60)? {
            return ControlFlow::Continue(());
        }
    }
    if snap.server.node_group_enable {
        let mut server = snap.server.clone();
        server.node_group_enable = false;
        let edits = vec![Edit::Server(Box::new(server))];
        search.offer("switch placement sets off (node_group_enable=False)".to_owned(), &edits, 65)?;
    }
    ControlFlow::Continue(())
}

/// A looser order.
fn order(search: &mut Search<'_>) -> ControlFlow<()> {
    let snap = search.turn.run.plan.snap.clone();
    let policy = &snap.policy;
    let strict = policy.strict_ordering.prime || policy.strict_ordering.non_prime;
    if strict && snap.server.backfill_depth == Some(0) {
        let mut server = snap.server.clone();
        server.backfill_depth = Some(1);
        let edits = vec![Edit::Server(Box::new(server))];
        search.offer(
            "let jobs slip in where they delay no top job (backfill_depth=1)".to_owned(),
            &edits,
            50,
        )?;
    }
    if strict || policy.strict_fifo.prime || policy.strict_fifo.non_prime {
        let mut loose = policy.clone();
        loose.strict_ordering = ByPeriod::both(false);
        loose.strict_fifo = ByPeriod::both(false);
        let edits = vec![Edit::Policy(Box::new(loose))];
        search.offer("switch strict ordering off".to_owned(), &edits, 70)?;
    }
    ControlFlow::Continue(())
}

/// Only this job is considered, first of all levels; neither limits nor the time of day of its queue count.
fn qrun(search: &mut Search<'_>) -> ControlFlow<()> {
    let edits = [Edit::Qrun(search.turn.job)];
    search.offer("qrun it: only this job is considered, limits do not count".to_owned(), &edits, 90)?;
    ControlFlow::Continue(())
}
