//! Causes in the order: jobs that strict ordering does not let this one overtake, and jobs that took its nodes in
//! this cycle.

use crate::fit_analysis::FitAnalysis;
use crate::turn::JobTurn;
use crate::{Tier, standing_starts, words};
use qscope_engine::cluster::{JobId, Seconds, short_id};
use qscope_engine::cycle::job_order::DecidingKey;
use qscope_engine::cycle::{Outcome, RefusalStage};
use qscope_engine::universe::{AmountBasis, NodeSet, Reason, State};
use rustc_hash::FxHashSet;

use super::{Cause, calendar, whole};

/// A job ahead could not run, and the order is strict.
pub(super) fn stopped(turn: &JobTurn) -> Option<Cause> {
    let plan = turn.plan();
    let outcome = turn.outcome()?;
    if outcome.rejection.as_ref().map(|rejection| &rejection.reason) != Some(&Reason::StrictOrdering) {
        return None;
    }
    let job = plan.job(turn.job);
    let order = turn.setup().order;
    let overall = order.strict && !order.backfill;
    let failed = turn.run.steps.iter().find(|step| {
        step.outcome.placed.is_none() && (overall || plan.job(step.outcome.job).queue == job.queue)
    });
    let first = failed.map(|step| step.outcome.job)?;
    let option = if order.strict_fifo && !overall { "strict_fifo" } else { "strict_ordering" };
    let sentence = format!(
        "{} is ahead and {option} forbids overtaking: {} not considered",
        plan.job(first).short_name(),
        job.short_name()
    );
    let why = order_sentence(turn, first);
    let cause = Cause::new(Tier::Order, "strict-order", sentence)
        .with_objects([plan.job(first).name.to_string()])
        .note(why)
        .note(format!(
            "backfill_depth above 0 would backfill it where no top job is delayed ({option} is on)"
        ));
    Some(cause)
}

/// The nodes were free when the cycle began, but jobs ahead took them.
pub(super) fn overtaken(turn: &JobTurn) -> Cause {
    let plan = turn.plan();
    let job = plan.job(turn.job);
    let mut takers = takers_of(turn, &open_at_start(turn));
    if takers.is_empty() {
        let room = FitAnalysis::new(&turn.start, &turn.request, &turn.list, AmountBasis::Total);
        takers = takers_of(turn, &NodeSet::of(turn.list.capacity(), room.could_serve().iter().copied()));
    }
    let (own, others): (Vec<&Outcome>, Vec<&Outcome>) =
        takers.into_iter().partition(|taker| taker.job == turn.job);
    let refused = refused_starts_sentence(turn, &others);
    let mut seen = FxHashSet::default();
    let ahead: Vec<JobId> =
        others.into_iter().map(|outcome| outcome.job).filter(|job| seen.insert(*job)).collect();
    let names: Vec<String> = ahead.iter().take(5).map(|id| plan.job(*id).name.to_string()).collect();
    let first: Vec<&str> = ahead.iter().take(3).map(|id| plan.job(*id).short_name()).collect();
    let listed = words::append_count(first.join(", "), ahead.len().saturating_sub(3));
    let jobs =
        (!ahead.is_empty()).then(|| format!("{} ahead of it ({listed})", words::count(ahead.len(), "job")));
    let subjobs = (!own.is_empty()).then(|| format!("{} of its own", words::count(own.len(), "subjob")));
    let sentence = format!(
        "{} took its nodes in this cycle: there was room for {} when the cycle began",
        jobs.into_iter().chain(subjobs).collect::<Vec<_>>().join(" and "),
        job.short_name(),
    );
    let why = ahead.first().and_then(|first| order_sentence(turn, *first));
    let cause = Cause::new(Tier::Order, "overtaken", sentence).number("ahead", ahead.len());
    let by =
        if first.is_empty() { "its own subjobs".to_owned() } else { words::first_of(&first, ahead.len()) };
    cause.with_short_sentence(format!("nodes taken by {by}")).with_objects(names).note(why).note(refused)
}

/// Returns the nodes with room for a chunk of the job when the cycle began: jobs on other nodes took nothing from it.
fn open_at_start(turn: &JobTurn) -> NodeSet {
    let room = FitAnalysis::new(&turn.start, &turn.request, &turn.list, AmountBasis::Now);
    let open = room.nodes_with_room();
    match turn.plan().ranking_of(turn.job) {
        Some(ranking) => {
            let ranked = ranking.rank(&turn.start, turn.job, open.iter().collect());
            NodeSet::of(turn.list.capacity(), ranked)
        }
        None => open,
    }
}

/// Returns the starts before the job's turn that have some of these nodes.
fn takers_of<'t>(turn: &'t JobTurn, nodes: &NodeSet) -> Vec<&'t Outcome> {
    let starts = standing_starts(&turn.run, turn.position()).map(|step| &step.outcome);
    let takes = |outcome: &&Outcome| {
        let placed = outcome.placed.as_ref();
        placed.is_some_and(|placed| placed.allocation.pieces.iter().any(|piece| nodes.contains(piece.bit)))
    };
    starts.filter(takes).collect()
}

/// States which of the starts that took the nodes are refused by the server.
fn refused_starts_sentence(turn: &JobTurn, starts: &[&Outcome]) -> Option<String> {
    let snap = &turn.plan().snap;
    let refused = starts.iter().filter(|outcome| turn.run.is_refused(outcome));
    let names: Vec<String> = refused.map(|outcome| short_id(&outcome.name(snap)).to_owned()).collect();
    let it = if names.len() == 1 { "it" } else { "them" };
    let listed = words::folded_within(names.iter().map(String::as_str), 60);
    (!names.is_empty()).then(|| format!("{listed} in the cycle's books only: the server refuses {it}"))
}

/// Returns what is planned and would block the job even if no other job had taken its nodes in this cycle. The job
/// fitted when the cycle began.
pub(super) fn planned_besides(turn: &JobTurn) -> Option<Cause> {
    // Only plans made during the cycle can block it.
    let since = turn.planned_since_start();
    if since.is_empty() {
        return None;
    }
    let ahead = turn.trial_without_starts(&since, |state| {
        let fits = |state: &mut State, length| turn.fits_in_state(state, &turn.request.lasting(length));
        if turn.fits_in_state(state, &turn.request) || !fits(state, Seconds(1)) {
            return None;
        }
        let (starts, now) = (calendar::starts_ahead(turn, state), state.now);
        let fitting = starts.partition_point(|at| fits(state, *at - now));
        Some(calendar::conflict_in_state(turn, state, &starts, fitting))
    })?;
    calendar::planned_too(turn, &ahead, "the jobs that took its nodes")
}

/// States why another job is considered first.
fn order_sentence(turn: &JobTurn, first: JobId) -> Option<String> {
    let agenda = turn.run.first_agenda(&turn.start);
    let plan = turn.plan();
    let (other, own) = (plan.job(first).short_name(), plan.job(turn.job).short_name());
    let values = (agenda.formula_of(first), agenda.formula_of(turn.job));
    let text = match agenda.deciding_key(first, turn.job)? {
        DecidingKey::PreemptPriority => "by its preemption level".to_owned(),
        DecidingKey::Preempted => "since it was preempted".to_owned(),
        DecidingKey::Formula => format!("by job_sort_formula, {} against {}", values.0, values.1),
        DecidingKey::FairShare => "by fair share: its entity has used less of its share".to_owned(),
        DecidingKey::SortKey(at) => format!("by the job_sort_key at place {}", at + 1),
        DecidingKey::QueueRank | DecidingKey::Queried => "since it has been queued longer".to_owned(),
        DecidingKey::Runnable => return None,
    };
    Some(format!("{other} goes before {own} {text}"))
}

/// Returns the cause of a job that was not considered because its class had failed, if no cause of that tier was
/// found, or the scheduler's own reason if nothing was found.
pub(super) fn not_considered(turn: &JobTurn, found: &[Cause]) -> Option<Cause> {
    let plan = turn.plan();
    let outcome = turn.outcome()?;
    let name = plan.job(turn.job).short_name();
    let nodes = |tier| matches!(tier, Tier::Short | Tier::Fragmented | Tier::Never);
    let kind = Tier::of(&turn.run, outcome).unwrap_or(Tier::NotConsidered);
    let is_explained = found.iter().any(|cause| cause.tier == kind || nodes(kind));
    let alike = matches!(outcome.refused_at, Some(RefusalStage::Class(_)));
    if !found.is_empty() && (is_explained || !alike) {
        return None;
    }
    if let Some(RefusalStage::Class(first)) = outcome.refused_at {
        let other = plan.job(first);
        let text =
            outcome.rejection.as_ref().map(|r| r.reason.text(&plan.snap.catalogue)).unwrap_or_default();
        let what = format!(
            "of the same class as {}, which had failed already ({})",
            other.short_name(),
            text.trim_end()
        );
        let cause = Cause::of_job_that_is(Tier::NotConsidered, "class", name, what);
        return Some(cause.with_objects([other.name.to_string()]));
    }
    let rejection = outcome.rejection.as_ref();
    let tier = Tier::of(&turn.run, outcome).unwrap_or(Tier::NotConsidered);
    if let Some(Reason::Resource(shortage)) = rejection.map(|rejection| &rejection.reason) {
        return Some(whole::shortage(turn, tier, shortage));
    }
    let text = rejection.map(|r| r.reason.text(&plan.snap.catalogue)).unwrap_or_default();
    let text = if text.trim().is_empty() { "the cycle did not come to it".to_owned() } else { text };
    let why = text.trim_end();
    let cause =
        Cause::of_job(tier, "scheduler", name, format!("waits: {why}")).with_short_sentence(why.to_owned());
    Some(if tier == Tier::Short { with_chunks(turn, cause, why) } else { cause })
}

/// Adds how many chunks the nodes hold, as the funnel counts them, if they hold too few.
fn with_chunks(turn: &JobTurn, cause: Cause, why: &str) -> Cause {
    let room = FitAnalysis::new(turn.state(), &turn.request, &turn.list, AmountBasis::Now);
    let Some((spec, held)) = room.lacking().first().copied() else { return cause };
    let sentence = format!(
        "{} of {} requested, {held} found: {why}",
        words::count(spec.count, "chunk"),
        spec.chunk_text()
    );
    let cause = Cause { sentence, beside: None, ..cause };
    cause.number("wanted", spec.count).number("available", held)
}
