//! Causes of never running: the job does not fit even when everything is idle and up, or the scheduler reports
//! "never" although it only means "not yet".

mod conditions;
mod nodes;
mod one_sided_match;
mod search;
mod set_too_small;

use std::sync::Arc;

use crate::equal_specs::merge_equal_specs;
use crate::fit_analysis::{FitAnalysis, names, out_of_service_text};
use crate::turn::{JobTurn, placed_in};
use crate::{Tier, words};
use qscope_engine::cluster::{JobId, ResourceType, deduplicated};
use qscope_engine::cycle::{Eligibility, IdleCluster, Outcome, Verdict};
use qscope_engine::placement::{PlacementPath, nodes_for};
use qscope_engine::universe::{
    Allocation, AmountBasis, Bit, JobRequest, NodeSet, Occupant, PieceResources, Plan, Reason, Shortage,
    ShortageDetail, State,
};

use rustc_hash::FxHashMap;

use super::{Cause, whole};
use search::UnplacedChunk;
use set_too_small::set_too_small;

/// The job alone on the idle cluster.
struct IdleTrial<'c> {
    state: &'c mut State,
    request: JobRequest,
    list: NodeSet,
    outcome: Outcome,
}

impl<'c> IdleTrial<'c> {
    /// Creates it with the outcome of the job there.
    fn new(cluster: &'c mut IdleCluster, job: JobId, outcome: Outcome) -> Option<Self> {
        let state = &mut cluster.state;
        let request = merge_equal_specs(state.plan.request(job, None).ok()?).into_owned();
        let list = nodes_for(state, Occupant::Job(job, None));
        Some(Self { state, request, list, outcome })
    }

    /// Returns the nodes that the job would find there by the node path.
    fn placed_by_nodes(&mut self, job: JobId) -> Option<Arc<Allocation>> {
        let trial = self.state.begin_trial();
        let found = placed_in(self.state, job, &self.request, PlacementPath::Node);
        self.state.end_trial(trial);
        found
    }
}

/// Whether chunks that differ share a node.
fn unlike_chunks_share(allocation: &Allocation) -> bool {
    let mut first: FxHashMap<Bit, &PieceResources> = FxHashMap::default();
    allocation.pieces.iter().any(|piece| *first.entry(piece.bit).or_insert(&piece.gives) != &piece.gives)
}

/// Whether a job starts at once on the idle cluster, alone and free of holds and limits.
pub fn fits_idle(plan: &Plan, job: JobId) -> bool {
    IdleCluster::of_one(plan, job).consider(job).placed.is_some()
}

/// Returns why a job can never run, if it cannot.
pub(super) fn cause(turn: &JobTurn, cluster: Option<&mut IdleCluster>) -> Option<Cause> {
    let inside = turn.plan().reservation_of(turn.job).is_some();
    let mut own = None;
    let cluster = match cluster.filter(|_| !inside) {
        Some(cluster) => cluster,
        None => own.insert(IdleCluster::of_one(turn.plan(), turn.job)),
    };
    let outcome = cluster.consider(turn.job);
    let found_never = turn.outcome().is_some_and(|outcome| outcome.verdict == Verdict::Never);
    if outcome.placed.is_none() {
        return Some(never_cause(turn, &mut IdleTrial::new(cluster, turn.job, outcome)?));
    }
    let known = turn.run.eligibility[turn.job] == Eligibility::Considered;
    (found_never && known).then(|| never_for_now(turn))
}

fn name(turn: &JobTurn) -> &str {
    turn.run.plan.job(turn.job).short_name()
}

/// The job does not fit on the idle cluster: finds the single thing that rules it out.
fn never_cause(turn: &JobTurn, idle: &mut IdleTrial<'_>) -> Cause {
    let rejection = idle.outcome.rejection.clone();
    let reason = rejection.as_ref().map(|rejection| &rejection.reason);
    if let Some(cause) = lost_nodes(turn, &idle.state.plan) {
        return cause;
    }
    if let Some(Reason::QueueResource(shortage) | Reason::ServerResource(shortage)) = reason {
        let at_queue = matches!(reason, Some(Reason::QueueResource(_)));
        return owner_lacks(turn, shortage, at_queue);
    }
    // Inside a reservation only the nodes and amounts granted to it count, which are those left there.
    let (state, against) = match idle.state.reservation_of(Occupant::Job(turn.job, None)) {
        Some(inside) => {
            (&idle.state.in_reservation(inside, |state| state.without_journal()), AmountBasis::Now)
        }
        None => (&*idle.state, AmountBasis::Total),
    };
    let room = FitAnalysis::new(state, &idle.request, &idle.list, against);
    if let Some((spec, chunks)) = room.lacking().first() {
        return nodes::ImpossibleChunkSpec { turn, idle, fit_analysis: &room, spec, chunks: *chunks }.cause();
    }
    if let Some(cause) = set_too_small(turn, idle) {
        return cause;
    }
    match reason {
        // Without amounts it is only what the node examined last lacks.
        Some(Reason::Resource(shortage)) if shortage.detail != ShortageDetail::Erased => {
            whole::shortage(turn, Tier::Never, shortage)
        }
        _ => does_not_fit(turn, idle, reason),
    }
}

/// A job that returns to the nodes that it had, of which some are not in the dump.
fn lost_nodes(turn: &JobTurn, plan: &Plan) -> Option<Cause> {
    let had = plan.job(turn.job).previous_placement()?;
    let nodes = deduplicated(had.parts().map(|part| part.vnode.clone()));
    let lost: Vec<String> =
        nodes.iter().filter(|name| !plan.bit_named.contains_key(*name)).map(ToString::to_string).collect();
    if lost.is_empty() {
        return None;
    }
    let why = format!(
        "it returns only to the {} that it had, and {} {} not in the dump",
        words::count(nodes.len(), "node"),
        words::first_names(&lost, 3),
        if lost.len() == 1 { "is" } else { "are" }
    );
    let cause = Cause::of_job_that_never_runs("lost-nodes", name(turn), why).number("gone", lost.len());
    Some(cause.with_objects(lost.into_iter().take(8)))
}

/// No single thing rules it out: gives what only the bucket path demands, or the scheduler's own reason.
fn does_not_fit(turn: &JobTurn, idle: &mut IdleTrial<'_>, reason: Option<&Reason>) -> Cause {
    let is_bucket = idle.outcome.path == Some(PlacementPath::Bucket);
    let by_nodes = is_bucket.then(|| idle.placed_by_nodes(turn.job)).flatten();
    let note = by_nodes.is_some().then(|| "shared, it would take the node path and fit".to_owned());
    let text = reason.map(|reason| reason.text(&turn.plan().snap.catalogue));
    let text = text
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "no way to place all chunks together".to_owned());
    let order = search::unplaced_chunk(idle, turn.job);
    let text = order.as_ref().map_or(text, UnplacedChunk::sentence);
    // Without a node shared, as under scatter, it is the order of the buckets that leaves a chunk without nodes.
    let predicate = match by_nodes.is_some_and(|found| unlike_chunks_share(&found)) {
        true => "finds no place by the bucket path, even on the empty cluster: its chunks differ, so they share no node"
            .to_owned(),
        false => format!("does not fit even the empty cluster: {}", text.trim_end()),
    };
    let group = idle.request.place.group.as_ref().map(ToString::to_string);
    let no_set = group
        .as_ref()
        .map(|group| format!("no node that it may use has a {group}, by which it requests one set"));
    let attribute = (reason == Some(&Reason::NoMultinode)).then(|| "no_multinode_jobs".to_owned());
    Cause::of_job(Tier::Never, "does-not-fit", name(turn), predicate)
        .with_objects(attribute)
        .with_objects(group)
        .with_objects(order.map(|order| order.taken).unwrap_or_default().into_iter().take(4))
        .number("wanted", idle.request.total_chunks())
        .note(note)
        .note(no_set)
        .note(one_sided_match::note(turn, idle))
}

/// The queue or the server lacks the resource even in total.
fn owner_lacks(turn: &JobTurn, shortage: &Shortage, at_queue: bool) -> Cause {
    let snap = &turn.plan().snap;
    let job = turn.plan().job(turn.job);
    let resource = snap.catalogue.name(shortage.resource);
    let place = if at_queue { format!("queue {}", job.queue) } else { "the server".to_owned() };
    let kind = snap.catalogue.kind(shortage.resource);
    let (requested, have) = match &shortage.detail {
        ShortageDetail::Amounts { requested, total, .. } => (requested.show(kind), total.show(kind)),
        ShortageDetail::Differs { requested, found } => (requested.to_string(), found.to_string()),
        ShortageDetail::Erased => (String::new(), String::new()),
    };
    let switch = matches!(kind, ResourceType::Boolean | ResourceType::Text | ResourceType::TextArray);
    let dynamic = snap.policy.server_dyn_res.contains(resource);
    let note = if switch || dynamic {
        "not final: an operator or a program changes this value, and the job runs again then"
    } else {
        "final until an operator raises resources_available there"
    };
    let sentence = format!(
        "{requested} {resource} requested of {place}, which has {have}: {} cannot run while that holds",
        job.short_name()
    );
    let queue = at_queue.then(|| job.queue.to_string());
    let kind = match (switch || dynamic, at_queue) {
        (true, _) => "switched-off",
        (false, true) => "queue-resource",
        (false, false) => "server-resource",
    };
    Cause::new(Tier::Never, kind, sentence)
        .with_objects([resource.to_string()])
        .set_by([format!("resources_available.{resource}")])
        .with_objects(queue)
        .number("wanted", requested)
        .number("total", have)
        .note(note.to_owned())
}

/// The scheduler reports never, but the job fits on the idle cluster: nodes are out of service, or something else is
/// temporary.
fn never_for_now(turn: &JobTurn) -> Cause {
    let plan = turn.plan();
    let room = FitAnalysis::new(&turn.start, &turn.request, &turn.list, AmountBasis::Total);
    let gone: Vec<Bit> = room
        .could_serve()
        .iter()
        .copied()
        .filter(|bit| turn.start.occupancy.states[*bit].is_out_of_service())
        .collect();
    // Without them it fitted when the cycle began, so it is not their absence.
    let gone = if turn.fits_at_start() { Vec::new() } else { gone };
    let outcome = turn.outcome();
    let reason = outcome.and_then(|outcome| outcome.rejection.as_ref()).map(|rejection| &rejection.reason);
    let resource = match reason {
        Some(Reason::Resource(shortage)) => Some(plan.snap.catalogue.name(shortage.resource).to_string()),
        _ => None,
    };
    let names = names(plan, &gone);
    let sentence = if gone.is_empty() {
        format!(
            "the scheduler reports never, yet {} fits the empty cluster: it waits, and may run later",
            name(turn)
        )
    } else {
        format!(
            "the scheduler reports never, but that holds only while {} {} {} ({}): {} fits when {} back",
            words::count(gone.len(), "node"),
            if gone.len() == 1 { "is" } else { "are" },
            out_of_service_text(&turn.start, &gone),
            words::first_names(&names, 3),
            name(turn),
            if gone.len() == 1 { "it is" } else { "they are" }
        )
    };
    Cause::new(Tier::Never, "never-for-now", sentence)
        .with_objects(names.iter().take(8).cloned())
        .with_objects(resource)
        .number("gone", gone.len())
        .note("temporary: not final".to_owned())
}

#[cfg(test)]
mod tests;
