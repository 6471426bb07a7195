//! What only the site can change, or another queue: nodes, sets, order, qrun.

use std::ops::ControlFlow;

use crate::remedy::Search;
use crate::remedy::request::in_queue;
use crate::room::Room;
use crate::words;
use qscope_engine::cluster::{Admission, ByPeriod, Edit, Job, Name, NodeId, NodeStates, QueueKind};
use qscope_engine::universe::Against;

use super::{edit, job};

/// How many other queues are tried.
const MAX_QUEUES: usize = 16;

/// Another queue that is open and whose bounds the request keeps.
pub(super) fn other_queues(search: &mut Search<'_>) -> ControlFlow<()> {
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
    let admitted = open.filter_map(|queue| {
        let name = &queue.name;
        match queue.access.admits(&job(search).user, &job(search).group) {
            Admission::Open => Some((queue, format!("move it to queue {name}"))),
            Admission::Depends(list) => {
                Some((queue, format!("move it to queue {name} (if its {list} allows)")))
            }
            Admission::Closed(_) => None,
        }
    });
    let moved: Vec<(String, Job)> = admitted
        .take(MAX_QUEUES)
        .filter_map(|(queue, words)| Some((words, in_queue(&snap, job(search), own, queue)?)))
        .collect();
    for (words, moved) in moved {
        let edits = edit(search, moved);
        search.offer(words, &edits, 25)?;
    }
    ControlFlow::Continue(())
}

/// Nodes that are gone, back and empty: as few as do.
pub(super) fn nodes_back(search: &mut Search<'_>) -> ControlFlow<()> {
    let plan = search.turn.run.plan.clone();
    let room = Room::new(&search.turn.start, &search.turn.request, &search.turn.list, Against::Total);
    let gone: Vec<NodeId> = room
        .could_serve()
        .iter()
        .copied()
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
    let what = format!("bring back {} ({})", words::count(count, "node"), words::some(&names, 5));
    search.offer_tried(what, &edits, 54 + u32::try_from(count).unwrap_or(40).min(40), &run)
}

/// Sets may be spanned, or do not count.
pub(super) fn spanning(search: &mut Search<'_>) -> ControlFlow<()> {
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
pub(super) fn order(search: &mut Search<'_>) -> ControlFlow<()> {
    let snap = search.turn.run.plan.snap.clone();
    let policy = &snap.policy;
    let strict = policy.strict_ordering.prime || policy.strict_ordering.non_prime;
    if strict && snap.server.backfill_depth == Some(0) {
        let mut server = snap.server.clone();
        server.backfill_depth = Some(1);
        let edits = vec![Edit::Server(Box::new(server))];
        search.offer("backfill jobs that delay no top job (backfill_depth=1)".to_owned(), &edits, 50)?;
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
pub(super) fn qrun(search: &mut Search<'_>) -> ControlFlow<()> {
    const WORDS: &str = "qrun it: only this job is considered, limits do not count";
    let edits = [Edit::Qrun(search.turn.job)];
    // Nothing is released or raised that it does without.
    let base = std::mem::take(&mut search.base);
    let alone = search.offer(WORDS.to_owned(), &edits, 90);
    search.base = base;
    if !alone? {
        search.offer(WORDS.to_owned(), &edits, 90)?;
    }
    ControlFlow::Continue(())
}
