//! The cluster at a later time: starting jobs are put on their nodes, ending jobs and reservations are removed, as
//! the server would do it.

mod occupying;

use std::sync::Arc;

use occupying::{assign, occupy, preempt, start};
use qscope_engine::cluster::{
    Amount, Epoch, ExecVnode, Job, JobId, JobState, Name, NodeId, NodeState, Reservation, ReservationState,
    ResourceId, ResvId, Seconds, Snapshot, Value,
};
use qscope_engine::cycle::{Confirmation, Outcome, Run, ServerAction, Setup, Universe, refused_steps};
use qscope_engine::universe::{job_end, may_preempt};
use rustc_hash::FxHashMap;

use crate::moments::MomentSequence;

/// A cluster run forward cycle by cycle, each at the next time at which anything changes by itself.
pub struct ForecastStepper {
    /// Data derived for the last cycle; the next cycle reuses whatever is unchanged.
    last: Universe,
    /// Vnodes by name; they do not change during a forecast.
    places: VnodeIndex,
    /// Changes of prime time at which no job started.
    moments: MomentSequence,
    /// The last event, or cycle in which a job started.
    last_event: Epoch,
    /// Whether the next cycle is one that no event asks for.
    is_by_timer: bool,
}

/// Time between two cycles that no event asks for, unless the server states its own (days rule 3).
const ITERATION: Seconds = Seconds(600);
/// Time after the last event in which cycles are run by the timer, as in a simulation (days rule 10).
const PATIENCE: Seconds = Seconds(86_400);

impl ForecastStepper {
    /// Starts from this cycle.
    pub fn new(run: &Arc<Run>) -> Self {
        Self {
            last: run.universe(),
            places: VnodeIndex::new(&run.plan.snap),
            moments: MomentSequence::default(),
            last_event: run.plan.snap.now,
            is_by_timer: false,
        }
    }

    /// Returns the cluster right after a cycle and the moment of the next; `None` if nothing is left to change.
    pub fn after(&mut self, run: Arc<Run>) -> (Snapshot, Option<Epoch>) {
        let setup = run.setup.clone();
        // A cycle that confirms a reservation considers no job; the next one follows immediately (rule 6.9).
        let follows = run.confirmations.iter().any(Confirmation::is_confirmed);
        let starts = run.starts().next().is_some();
        if starts || !self.is_by_timer {
            self.last_event = run.plan.snap.now;
        }
        // After preemptions, starts that may be preempted and refused starts the next cycle finds another cluster than this
        // one did. It is run once, as this may be so forever.
        let is_preempting = || run.actions.iter().any(|action| matches!(action, ServerAction::Preempt(..)));
        let may_be_preempted = || starts && may_preempt(&run.plan.snap);
        let is_unsettled =
            !self.is_by_timer && (!run.refused().is_empty() || may_be_preempted() || is_preempting());
        self.last = run.universe();
        let timed = run.may_pass_threshold().then(|| run.clone());
        let after = after(run, &self.places);
        if follows {
            self.is_by_timer = false;
            let at_once = after.now;
            return (after, Some(at_once));
        }
        let (once, change) = (happens_once(&after, &setup), setup.windows.prime.next_change(after.now));
        let next = self.moments.earlier(once, change, !starts);
        let before = next.unwrap_or(self.last_event + PATIENCE + Seconds(1));
        let by_timer = timer_cycle(&after, before, timed.as_deref(), is_unsettled);
        self.is_by_timer = by_timer.is_some();
        (after, by_timer.or(next))
    }

    /// Runs the cycle at a later moment, after everything that ends or begins until then.
    pub fn cycle_at(&self, after: Snapshot, at: Epoch) -> Arc<Run> {
        Arc::new(self.last.run_cycle_on(Arc::new(pass(after, &self.places, at))))
    }
}

/// Returns the first cycle by the timer before a moment that may make a difference: the next one if the last cycle left
/// the cluster unsettled, else the first in which a job of `timed` has waited long enough to pass the threshold of the
/// formula.
fn timer_cycle(after: &Snapshot, before: Epoch, timed: Option<&Run>, is_unsettled: bool) -> Option<Epoch> {
    let step = Seconds(after.server.scheduler_iteration.unwrap_or(ITERATION).0.max(1));
    let most = ((before - after.now).0 - 1) / step.0;
    let count = match is_unsettled {
        true => (most >= 1).then_some(1),
        false => timed.and_then(|run| run.first_over_threshold(step, most)),
    };
    count.map(|count| after.now + Seconds(step.0 * count))
}

/// Returns the cluster right after a cycle: jobs it started are running, jobs it preempted are not, and reservations
/// it confirmed have their nodes. If nothing else holds the cycle, its cluster is reused instead of copied.
pub fn after_cycle(run: Arc<Run>) -> Snapshot {
    let places = VnodeIndex::new(&run.plan.snap);
    after(run, &places)
}

fn after(run: Arc<Run>, places: &VnodeIndex) -> Snapshot {
    let refused = refused_steps(&run);
    let changes: Vec<(Outcome, Option<ExecVnode>)> = run
        .steps
        .enumerate()
        .filter(|(_, step)| step.outcome.placed.is_some() || !step.outcome.victims.is_empty())
        .map(|(ix, step)| {
            let placed = step.outcome.placed.as_ref().filter(|_| !refused.contains(&ix));
            let text = placed.map(|placed| placed.allocation.exec_vnode(&run.plan));
            (step.outcome.clone(), text.and_then(|text| ExecVnode::parse(&text).ok()))
        })
        .collect();
    let confirmed: Vec<(ResvId, Option<ExecVnode>)> = run
        .confirmations
        .iter()
        .filter_map(|tried| {
            let on = tried.result.as_ref().ok()?.exec_vnode(&run.plan);
            Some((tried.reservation, ExecVnode::parse(&on).ok()))
        })
        .collect();
    let shared = run.plan.snap.clone();
    drop(run);
    let mut snap = Arc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone());
    for (outcome, on) in changes {
        for (victim, method) in &outcome.victims {
            preempt(&mut snap, places, *victim, *method);
        }
        if let Some(on) = on {
            start(&mut snap, places, &outcome, on);
        }
    }
    for (id, on) in confirmed {
        let reservation = &mut snap.reservations[id];
        reservation.state = ReservationState::Confirmed;
        reservation.substate = ReservationState::Confirmed;
        let name = reservation.name.clone();
        reservation.nodes.clone_from(&on);
        for node in on.iter().flat_map(|on| places.nodes_of(on)) {
            snap.nodes[node].reservations.push(name.clone());
        }
    }
    snap
}

/// Returns when a running job is expected to end: by its walltime, as soft walltimes end nothing.
fn end_of(job: &Job, now: Epoch) -> Option<Epoch> {
    if !job.state.has_nodes() {
        return None;
    }
    let walltime = job.requested.amount(ResourceId::walltime());
    let length = walltime.map_or(Seconds::UNLIMITED, |amount| Seconds(amount.0 as i64));
    Some(job_end(job.state, job.started, length, None, now).max(now + Seconds(1)))
}

/// Returns when a reservation is to start or end, if it is.
fn turn_of(reservation: &Reservation, now: Epoch) -> Option<Epoch> {
    let end =
        reservation.end.or(reservation.start.zip(reservation.duration).map(|(start, span)| start + span));
    if reservation.is_running() {
        return end.map(|end| end.max(now + Seconds(1)));
    }
    reservation.start.filter(|start| reservation.keeps_nodes() && *start > now)
}

/// Returns the next moment at which anything but prime time changes by itself: an end, a reservation, a start time of
/// a waiting job, the beginning or end of dedicated time.
fn happens_once(snap: &Snapshot, setup: &Setup) -> Option<Epoch> {
    let now = snap.now;
    let ends = snap.jobs.iter().filter_map(|job| end_of(job, now));
    let turns = snap.reservations.iter().filter_map(|reservation| turn_of(reservation, now));
    let waits =
        snap.jobs.iter().filter(|job| job.state == JobState::Waiting).filter_map(|job| job.execution_time);
    let dedicated = setup.windows.dedicated.next_event(now);
    ends.chain(turns).chain(waits).chain(dedicated).filter(|at| *at > now).min()
}

/// Moves the cluster to a later moment, applying everything that ends or begins until then.
fn pass(mut snap: Snapshot, places: &VnodeIndex, at: Epoch) -> Snapshot {
    let now = snap.now;
    let passed = at - now;
    for id in snap.jobs.ids().collect::<Vec<_>>() {
        // Read first: a job that is written to is no longer shared with the previous cycle.
        let job = &snap.jobs[id];
        if end_of(job, now).is_some_and(|end| end <= at) {
            let job = job.clone();
            end(&mut snap, places, id, &job);
        } else if job.state.has_nodes() {
            if let Some(used) = job.used.amount(ResourceId::walltime()) {
                let used = Value::Amount(Amount(used.0 + passed.0 as f64));
                snap.jobs[id].used.set(ResourceId::walltime(), used);
            }
        } else if job.state == JobState::Waiting && job.execution_time.is_some_and(|time| time <= at) {
            snap.jobs[id].state = JobState::Queued;
        } else if snap.server.eligible_time_enable && job.waits_for_nodes() {
            let job = &mut snap.jobs[id];
            job.eligible_time = Seconds(job.eligible_time.0.saturating_add(passed.0));
        }
    }
    for id in snap.reservations.ids().collect::<Vec<_>>() {
        let reservation = snap.reservations[id].clone();
        if turn_of(&reservation, now).is_some_and(|turn| turn <= at) {
            advance_reservation(&mut snap, places, id, &reservation);
        }
    }
    snap.now = at;
    snap
}

/// Moves the clock of a cluster, applying everything due by then in order; no job starts and none arrives.
pub fn move_clock(mut snap: Snapshot, at: Epoch) -> Snapshot {
    let places = VnodeIndex::new(&snap);
    // A reservation may begin and end in between.
    while let Some(turn) = snap.reservations.iter().filter_map(|one| turn_of(one, snap.now)).min()
        && turn < at
    {
        snap = pass(snap, &places, turn);
    }
    pass(snap, &places, at)
}

fn end(snap: &mut Snapshot, places: &VnodeIndex, id: JobId, job: &Job) {
    occupy(snap, places, job, -1.0);
    let parent = job.array.as_ref().and_then(|array| array.parent.clone());
    let is_counted = snap.reads(job);
    let ended = &mut snap.jobs[id];
    ended.is_counted = is_counted;
    ended.state = if parent.is_some() { JobState::Expired } else { JobState::Finished };
    ended.exec_vnode = None;
    let array = parent.and_then(|name| snap.job_named(&name)).map(|id| &mut snap.jobs[id]);
    if let Some(array) = array.and_then(|job| job.array.as_mut()) {
        array.running = array.running.map(|running| running.saturating_sub(1));
    }
}

/// Starts a reservation, or ends and removes it.
fn advance_reservation(snap: &mut Snapshot, vnodes: &VnodeIndex, id: ResvId, reservation: &Reservation) {
    let starts = !reservation.is_running();
    let sign = if starts { 1.0 } else { -1.0 };
    let on = reservation.nodes.clone().unwrap_or_default();
    assign(snap, vnodes, &on, sign);
    let sharedness = reservation.place.as_ref().map(|place| place.sharedness).unwrap_or_default();
    for node in vnodes.nodes_of(&on) {
        let node = &mut snap.nodes[node];
        // Its end frees also a node that the dump shows as reserved as a whole although its sharing would not make it so.
        if !starts || node.sharing.is_exclusive(sharedness) {
            node.states = node.states.with_if(NodeState::ResvExclusive, starts);
        }
        if !starts {
            node.reservations.retain(|name| *name != reservation.name);
        }
    }
    if let Some(queue) = reservation.queue.as_ref().and_then(|name| snap.queue_named(name)) {
        snap.queues[queue].started = starts;
    }
    let state = if starts { ReservationState::Running } else { ReservationState::Finished };
    snap.reservations[id].state = state;
    snap.reservations[id].substate = state;
}

/// Vnodes by name and by host.
struct VnodeIndex {
    nodes: FxHashMap<Name, NodeId>,
    hosts: FxHashMap<Name, Vec<NodeId>>,
}

impl VnodeIndex {
    fn new(snap: &Snapshot) -> Self {
        let nodes = snap.nodes.enumerate().map(|(id, node)| (node.name.clone(), id)).collect();
        let mut hosts: FxHashMap<Name, Vec<NodeId>> = FxHashMap::default();
        for (id, node) in snap.nodes.enumerate() {
            for host in node.available.get(ResourceId::host()).map(Value::texts).unwrap_or_default() {
                hosts.entry(host.clone()).or_default().push(id);
            }
        }
        Self { nodes, hosts }
    }

    fn nodes_of(&self, on: &ExecVnode) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> =
            on.parts().filter_map(|part| self.nodes.get(&*part.vnode).copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Returns all vnodes of a vnode's host.
    fn vnodes_of_host(&self, snap: &Snapshot, id: NodeId) -> Vec<NodeId> {
        let hosts = snap.nodes[id].available.get(ResourceId::host()).map(Value::texts).unwrap_or_default();
        let named = hosts.first().and_then(|host| self.hosts.get(host));
        named.cloned().unwrap_or_else(|| vec![id])
    }
}
