//! The occupants that block a job: running jobs and reservations whose end lets it start, in order, and what a top
//! job ahead of it waits for.

mod ends;
mod limited;

use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, JobId, ResourceId, Seconds};
use qscope_engine::cycle::{ConsiderationMode, Eligibility, Outcome, Run, consider, simulate_until};
use qscope_engine::placement::{Probe, ProposedPlacement};
use qscope_engine::universe::{Bit, EventKind, Occupant, State};

use super::moments::{MomentSequence, change_at};
use super::schedule::occupant_id;
use super::{Cause, JobTurn, Tier, decided, standing_preemptions};
pub(crate) use ends::end_by_walltime;
use ends::{end_by_walltimes, is_planned, overdue_since, own_reservation_end, starts_behind};
use limited::{LimitCountedJobs, OccupantEnd, is_only_limited};

/// One end that has to come first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AwaitedEnd {
    /// The occupant that ends: a job, a subjob or a reservation.
    pub who: String,
    /// Time of the end.
    pub at: Epoch,
    /// Its nodes that the job would get.
    pub nodes: Vec<String>,
    /// Whether it counts towards a limit that the job hits, whatever its nodes.
    pub limit: bool,
    /// Whether it is not running yet but a top job with a planned start.
    pub planned: bool,
    /// Whether it is considered after the job and starts in this cycle on nodes that the job could not use.
    pub behind: bool,
    /// Whether the server refuses its start, so it blocks the job only in the cycle's books.
    pub refused: bool,
    /// When its walltime was over, if it is overdue: its end is assumed.
    pub overdue_since: Option<Epoch>,
}

/// Everything that blocks a job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blockers {
    /// Ends that have to come first, in order of time.
    pub ends: Vec<AwaitedEnd>,
    /// When the job could start given current plans, if no other job were waiting.
    pub start_if_alone: Option<Epoch>,
    /// What changes in prime or dedicated time at that moment, if no occupant ends then: `dedicated time ends`.
    pub change: Option<&'static str>,
    /// When its own reservation ends, if there is no room before that: it is deleted then.
    pub reservation_end: Option<Epoch>,
    /// What the jobs ahead of it wait for, one sentence each.
    pub chain: Vec<WaitChainLink>,
}

/// What a job ahead waits for itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitChainLink {
    /// One sentence.
    pub text: String,
    /// The job ahead and the jobs that it waits for.
    pub jobs: Vec<String>,
}

/// Maximum number of moments examined.
const MAX_MOMENTS: usize = 5000;

/// The first placement of a job given current plans, if no other job were waiting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstFit {
    pub start: Epoch,
    /// The end; `None` without a walltime.
    pub end: Option<Epoch>,
    /// The nodes it would get.
    pub nodes: Vec<Bit>,
}

/// Returns the first moment after a cycle at which a job fits, given all known ends and planned starts; `None` if
/// there is none.
pub fn first_fit(run: &Arc<Run>, job: JobId) -> Option<FirstFit> {
    let turn = JobTurn::new(run, job)?;
    let mut state = run.end_at_server().without_journal();
    end_by_walltimes(&mut state);
    let length = turn.request.duration;
    // What blocked it in the cycle's books may be a start that the server refuses.
    if let Some(nodes) = fit_beside_refused(&turn) {
        return Some(fit(&state, length, nodes));
    }
    match wait_for_room(&mut state, &turn, &mut |_, _| {}) {
        EndOfWait::Placed(placed) => Some(fit(&state, length, placed.allocation.nodes())),
        EndOfWait::ReservationEnds(_) | EndOfWait::NoRoom => None,
    }
}

/// How the wait of a job for room ends, given all known ends and planned starts.
enum EndOfWait {
    /// It fits, at the time of the state.
    Placed(ProposedPlacement),
    /// Its own reservation ends first.
    ReservationEnds(Epoch),
    NoRoom,
}

/// Moves a state from moment to moment until the job fits; `on_moment` gets each moment before the state is moved there.
fn wait_for_room(state: &mut State, turn: &JobTurn, on_moment: &mut dyn FnMut(&State, Epoch)) -> EndOfWait {
    let setup = &turn.run.setup;
    let mode = ConsiderationMode::Simulated(turn.choice);
    let mut moments = MomentSequence::default();
    for _ in 0..MAX_MOMENTS {
        let Some(at) = moments.next(state, &setup.windows) else { break };
        if let Some(end) = own_reservation_end(state, turn.job, at) {
            return EndOfWait::ReservationEnds(end);
        }
        on_moment(state, at);
        simulate_until(state, at);
        if let Some(placed) = consider(state, setup, turn.job, mode, &mut Probe::off()).placed {
            return EndOfWait::Placed(placed);
        }
    }
    EndOfWait::NoRoom
}

/// Describes a fit in a state for a job of this length.
fn fit(state: &State, length: Seconds, nodes: Vec<Bit>) -> FirstFit {
    let start = state.now;
    let end = (length < Seconds::UNLIMITED).then(|| start + length);
    FirstFit { start, end, nodes }
}

/// Returns the occupants that have to end before the job could start if it were first in the queue. Nothing blocks a
/// job that is not considered, because it waits for its own state, its queue or another cycle; nor a job that can
/// never run.
pub fn find_blockers(turn: &JobTurn, causes: &[Cause]) -> Blockers {
    let is_out =
        |cause: &Cause| matches!(cause.tier, Tier::NotEligible | Tier::Stopped | Tier::NotConsidered);
    let is_refused = turn.outcome().is_some_and(|outcome| turn.run.is_refused(outcome));
    // A job without shares is not considered either, though its tier is never.
    let is_not_considered = matches!(turn.run.eligibility[turn.job], Eligibility::Excluded(_));
    let is_never = |cause: &Cause| cause.tier == Tier::Never && cause.kind != "never-for-now";
    if is_refused || is_not_considered || causes.first().is_some_and(|cause| is_out(cause) || is_never(cause))
    {
        return Blockers::default();
    }
    // Starts after it in this cycle also block it. A top job has its own plan in the end state, so its turn is used.
    let is_top = turn.outcome().is_some_and(|outcome| outcome.estimate.is_some());
    let from = if is_top { turn.state() } else { turn.run.end_at_server() };
    let mut state = from.without_journal();
    end_by_walltimes(&mut state);
    let limits = LimitCountedJobs::of(turn, causes);
    let mut ended: Vec<OccupantEnd> = Vec::new();
    let mut found = Blockers { chain: chain(turn, causes), ..Blockers::default() };
    if !is_top && fit_beside_refused(turn).is_some() {
        return Blockers { start_if_alone: Some(state.now), ..found };
    }
    // Only the order blocks it: no end gives it room that it does not have.
    if causes.iter().any(|cause| cause.kind == "strict-order") && outcome_in(from, turn).placed.is_some() {
        return found;
    }
    let (mut last, mut known) = (state.now, 0);
    let end = wait_for_room(&mut state, turn, &mut |state, at| {
        (last, known) = (at, ended.len());
        let coming = state.timeline.iter().take_while(|(key, _)| key.at <= at);
        let ends = coming.filter(|(key, _)| key.kind == EventKind::End);
        ended.extend(ends.map(|(key, event)| (key.at, event.occupant, event.allocation.clone())));
    });
    match end {
        EndOfWait::Placed(placed) => {
            found.start_if_alone = Some(state.now);
            found.change = change_at(&turn.run.setup.windows, last).filter(|_| ended.len() == known);
            found.ends = blockers_of(turn, (from, &state), &ended, &placed.allocation.nodes(), &limits);
        }
        EndOfWait::ReservationEnds(end) => found.reservation_end = Some(end),
        EndOfWait::NoRoom => {}
    }
    found
}

/// Returns nodes for a job that only refused starts kept out: it fits next to what the server has after the cycle,
/// but not in the cycle's books.
fn fit_beside_refused(turn: &JobTurn) -> Option<Vec<Bit>> {
    let run = &turn.run;
    if run.refused().is_empty() {
        return None;
    }
    let there = outcome_in(run.end_at_server(), turn).placed?;
    outcome_in(&run.end, turn).placed.is_none().then(|| there.allocation.nodes())
}

/// Considers the job in a state as it is.
fn outcome_in(state: &State, turn: &JobTurn) -> Outcome {
    let (mut state, mode) = (state.without_journal(), ConsiderationMode::Simulated(turn.choice));
    consider(&mut state, &turn.run.setup, turn.job, mode, &mut Probe::off())
}

/// Of the occupants that ended, returns those whose nodes the job gets or that counted towards its limit.
fn blockers_of(
    turn: &JobTurn,
    (from, state): (&State, &State),
    ended: &[OccupantEnd],
    nodes: &[Bit],
    limits: &LimitCountedJobs,
) -> Vec<AwaitedEnd> {
    let plan = turn.plan();
    let was_free =
        |bit: &Bit| from.occupancy.open_nodes.contains(*bit) && from.occupancy.occupied.contains(*bit);
    let counted: Vec<&OccupantEnd> =
        ended.iter().filter(|(_, occupant, _)| limits.has(plan, *occupant)).collect();
    let only_limited = is_only_limited(turn, from, &counted);
    let preempted = standing_preemptions(&turn.run, turn.run.steps.len());
    let awaited = |(at, occupant): (Epoch, Occupant), nodes: Vec<String>, limit: bool| AwaitedEnd {
        who: occupant_id(plan, occupant),
        at,
        nodes,
        limit,
        planned: is_planned(turn, &preempted, occupant),
        behind: starts_behind(turn, occupant),
        refused: turn.run.refused().contains(&occupant),
        overdue_since: overdue_since(plan, &preempted, occupant),
    };
    let mut found = Vec::new();
    for (at, occupant, allocation) in ended {
        let mine = allocation.nodes();
        let common: Vec<String> = mine
            .iter()
            .filter(|bit| nodes.contains(bit))
            .map(|bit| plan.node_name(*bit).to_string())
            .collect();
        let limit = limits.has(plan, *occupant);
        if only_limited && !limit {
            continue;
        }
        if !common.is_empty() || limit {
            found.push(awaited((*at, *occupant), common, limit));
        }
    }
    // If no end released a node of its own, the passing of time did: name the last end before the start.
    if found.is_empty()
        && let Some((at, occupant, _)) = ended.last().filter(|_| !nodes.iter().any(was_free))
    {
        found.push(awaited(((*at).min(state.now), *occupant), Vec::new(), false));
    }
    found
}

/// Returns what the top jobs that block it wait for.
fn chain(turn: &JobTurn, causes: &[Cause]) -> Vec<WaitChainLink> {
    let plan = turn.plan();
    let snap = &plan.snap;
    let ahead = causes.iter().filter(|cause| matches!(cause.kind, "planned" | "strict-order" | "overtaken"));
    let mut found = Vec::new();
    for name in ahead.flat_map(|cause| &cause.objects) {
        let Some(id) = snap.job_named(name) else { continue };
        let Some(top) = decided(&turn.run, id).and_then(|outcome| outcome.estimate.as_ref()) else {
            continue;
        };
        let nodes = top.allocation.nodes();
        let waits: Vec<String> = holding(turn, id, &nodes);
        let job = plan.job(id);
        let chunks = job.requested.amount(ResourceId::nodect());
        let size =
            chunks.map_or(String::new(), |n| format!(", {}", super::words::count(n.0 as u64, "chunk")));
        let text = format!(
            "{} (user {}{size}) itself waits until {} for {}",
            job.short_name(),
            job.user,
            super::words::moment(snap, top.start),
            if waits.is_empty() { "its nodes".to_owned() } else { super::words::some_jobs(&waits, 4) }
        );
        let about = std::iter::once(job.name.to_string()).chain(waits.into_iter().take(4));
        found.push(WaitChainLink { text, jobs: about.collect() });
    }
    found
}

/// Returns the running jobs on some nodes, the last to end first.
fn holding(turn: &JobTurn, job: JobId, nodes: &[Bit]) -> Vec<String> {
    let plan = turn.plan();
    let mut found: Vec<(Epoch, String)> = Vec::new();
    for (key, event) in turn.start.timeline.iter().filter(|(key, _)| key.kind == EventKind::End) {
        let Occupant::Job(other, _) = event.occupant else { continue };
        if other != job && event.allocation.nodes().iter().any(|bit| nodes.contains(bit)) {
            found.push((key.at, plan.job(other).name.to_string()));
        }
    }
    found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    found.into_iter().map(|(_, name)| name).collect()
}
