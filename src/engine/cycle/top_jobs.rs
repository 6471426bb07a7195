//! Selects top jobs, and applies strict ordering to the other jobs (rules 6.3, 6.8).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{JobId, JobState, QueueId, ResourceId, Seconds};
use crate::universe::{
    Allocation, JobRequest, Occupant, PieceResources, Plan, State, expected_end, read_allocation,
};

use super::calendar::estimate;
use super::rehearsal::SimulationRecorder;
use super::{Agenda, Outcome, Setup, TopJob, Verdict};

/// Number of top jobs so far.
#[derive(Clone, Debug, Default)]
pub(super) struct TopJobCounts {
    server: u32,
    queues: FxHashMap<QueueId, u32>,
}

impl TopJobCounts {
    /// Plans a job that could not run, if it may become a top job, and returns the estimate.
    pub(super) fn plan(
        &mut self,
        state: &mut State,
        setup: &Setup,
        agenda: &Agenda,
        outcome: &Outcome,
        recording: SimulationRecorder<'_>,
    ) -> Option<TopJob> {
        let order = setup.order;
        let is_planned = order.backfill && (order.strict || state.plan.snap.scheduler.enforce_resumption);
        if !is_planned || outcome.verdict != Verdict::NotNow {
            return None;
        }
        let plan = state.plan.clone();
        let choice = outcome.would_use?;
        let request = plan.request(outcome.job, state.ledger.preempted[outcome.job]).ok()?;
        let queue = plan.queue_of(outcome.job)?;
        let right = PreemptionRights {
            resumed: must_be_resumed(state, agenda, outcome.job),
            // Applies in any case: a preempted job needs no free place among the top jobs, but takes one.
            preempted: agenda.is_preempted(outcome.job),
        };
        if !self.may_become_top(&plan, setup, outcome, request, queue, right) {
            return None;
        }
        let mut found = estimate(state, setup, outcome.job, choice, recording)?;
        let occupant = occupant_of(state, outcome.job);
        let length = length_of(state, outcome.job, request);
        state.make_top(occupant, found.start, found.start + length, &found.allocation);
        match plan.snap.queues[queue].backfill_depth {
            _ if plan.snap.scheduler.enforce_resumption && right.preempted => {}
            Some(_) => *self.of_queue(queue) += 1,
            None => self.server += 1,
        }
        if let Some(whole) = former_placement(state, outcome.job) {
            found.allocation = whole;
        }
        Some(found)
    }

    fn may_become_top(
        &mut self,
        plan: &Plan,
        setup: &Setup,
        outcome: &Outcome,
        request: &JobRequest,
        queue: QueueId,
        right: PreemptionRights,
    ) -> bool {
        let job = plan.job(outcome.job);
        let room = match plan.snap.queues[queue].backfill_depth {
            Some(depth) => *self.of_queue(queue) < depth,
            None => self.server < setup.order.depth,
        };
        plan.reservation_of(outcome.job).is_none()
            && (!request.has_requirement(&plan.shapes, ResourceId::aoe())
                || plan.snap.policy.allow_aoe_calendar)
            && (right.resumed || ((room || right.preempted) && !job.topjob_ineligible && setup.order.strict))
    }

    fn of_queue(&mut self, queue: QueueId) -> &mut u32 {
        self.queues.entry(queue).or_default()
    }
}

/// Rights that preemption gives a job in addition to its place in the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PreemptionRights {
    /// It must not be overtaken at all.
    resumed: bool,
    /// It was preempted in this cycle.
    preempted: bool,
}

/// Whether a preempted job must not be overtaken: `sched_preempt_enforce_resumption`, for jobs of normal priority and
/// above (rule 6.8).
fn must_be_resumed(state: &State, agenda: &Agenda, job: JobId) -> bool {
    state.plan.snap.scheduler.enforce_resumption
        && agenda.is_preempted(job)
        && state.ledger.levels[job].priority >= state.plan.levels.normal()
}

/// Returns the whole former placement of a job that was preempted in this cycle and returns to it, or that was
/// suspended earlier and kept part of it. An estimate shows all of it, including what it did not release and what the
/// scheduler does not check, with the resources of each node in reverse order (rule M34).
fn former_placement(state: &State, job: JobId) -> Option<Arc<Allocation>> {
    let plan = &state.plan;
    let of = plan.job(job);
    let goes_back = state.ledger.returns(job) || of.released_part().is_some();
    let had = of.exec_vnode.as_ref().filter(|_| goes_back)?;
    let mut whole = read_allocation(plan, had);
    for piece in &mut whole.pieces {
        let amounts: Vec<_> = Allocation::consumables_of_piece(plan, piece).collect();
        piece.gives = PieceResources::Amounts(amounts.into_iter().rev().collect());
    }
    Some(Arc::new(whole))
}

/// Returns the length that a job is planned for. One preempted in this cycle is planned for its whole length again,
/// regardless of the time used, and if it was overdue, until its expected end (rule M23); one preempted earlier for
/// the time it has left.
pub(super) fn length_of(state: &State, job: JobId, request: &JobRequest) -> Seconds {
    if state.ledger.preempted[job].is_none() {
        return request.duration;
    }
    let plan = &state.plan;
    let whole = plan.requests[job].as_deref().unwrap_or(request);
    let of = plan.job(job);
    let started = of.started.filter(|_| of.state == JobState::Running);
    started.map_or(whole.duration, |at| expected_end(plan, of, whole, false) - at)
}

/// Returns the occupant when a job starts: the next subjob of an array, otherwise the job itself.
pub(super) fn occupant_of(state: &State, job: JobId) -> Occupant {
    let next = state.plan.job(job).array.as_ref().filter(|array| array.is_parent).and_then(|array| {
        let at = usize::try_from(state.ledger.started[job]).ok()?;
        array.remaining.get(at).copied()
    });
    Occupant::Job(job, next)
}

/// Refuses the jobs that strict ordering stops after this outcome, and returns them.
pub(super) fn stop_the_rest(
    state: &mut State,
    setup: &Setup,
    agenda: &Agenda,
    outcome: &Outcome,
) -> Vec<JobId> {
    let order = setup.order;
    let depth = || {
        let plan = &state.plan;
        plan.queue_of(outcome.job).and_then(|queue| plan.snap.queues[queue].backfill_depth)
    };
    let whole_queue = order.strict_fifo || (order.strict && order.backfill && depth() == Some(0));
    let everything = order.strict && !order.backfill;
    if !whole_queue && !everything {
        return Vec::new();
    }
    let plan = state.plan.clone();
    if plan.reservation_of(outcome.job).is_some() {
        return Vec::new();
    }
    let queue = &plan.job(outcome.job).queue;
    let stopped = |id: &JobId| {
        agenda.is_behind(state, *id)
            && plan.reservation_of(*id).is_none()
            && (everything || plan.job(*id).queue == *queue)
    };
    let jobs: Vec<JobId> = plan.snap.jobs.ids().filter(stopped).collect();
    for id in &jobs {
        state.refuse(*id, None);
    }
    jobs
}
