//! Changes of the site, or another queue: sets, order, qrun.

use std::ops::ControlFlow;

use crate::remedy::RemedySearch;
use crate::remedy::release::{ReleaseEdits, release_for_qrun};
use qscope_engine::cluster::{ByPeriod, Edit};

use super::edit;

/// Tries the other queues that would accept the job, one after the other.
pub(super) fn other_queues(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    for (at, queue) in search.queues.allowed().into_iter().enumerate() {
        search.queues.begin(&queue.queue);
        let words = queue.words();
        let edits = edit(search, queue.job);
        search.offer(words, &edits, 25)?;
        search.queues.passed(at + 1);
    }
    ControlFlow::Continue(())
}

/// Tries spanning placement sets, or switching them off.
pub(super) fn spanning(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
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

/// Tries a looser order.
pub(super) fn order(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
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

/// Tries qrun: only this job is considered, above all levels, ignoring limits and the prime time of its queue.
pub(super) fn qrun(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    const WORDS: &str = "qrun it: only this job is considered, limits do not count";
    let edits = [Edit::Qrun(search.turn.job)];
    // Without releasing or raising anything first, if that is enough; limits do not count in any case.
    let released = release_for_qrun(&search.turn, &search.causes);
    if !search.offer_with(&ReleaseEdits::default(), WORDS.to_owned(), &edits, 90)?
        && !released.edits.is_empty()
    {
        search.offer_with(&released, WORDS.to_owned(), &edits, 90)?;
    }
    ControlFlow::Continue(())
}
