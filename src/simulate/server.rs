//! The simulated server: what clients would print about it at the current second, and its future events.
//!
//! A cycle sees a [`Snapshot`] that is updated in place, not read again (days rule 4). Next to it is data that no
//! client prints: run times of jobs, their dependencies, and their results.

pub(crate) mod admit;
pub(crate) mod arrays;
pub(crate) mod depend;
pub(crate) mod finish;
pub(crate) mod nodes;
pub(crate) mod occupancy;
pub(crate) mod placement;
pub(crate) mod preempt;
pub(crate) mod reserve;
pub(crate) mod start;
pub(crate) mod sums;

use std::sync::Arc;

use qscope_engine::cluster::{
    Epoch, Id, Job, JobId, JobState, NodeId, ReservationState, Seconds, Snapshot, Substate,
};

use super::{Arrival, Scaling};
use crate::clock::{ClockEvent, EventQueue};
use crate::rejection::RejectionReason;
use crate::track::{SimulatedJobId, SimulatedJobs};
use depend::UnknownDependencies;
use occupancy::ServerOccupancy;

/// The server and its clock.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedServer {
    /// What a cycle sees.
    pub(crate) snap: Arc<Snapshot>,
    /// The job at each position of the snapshot.
    pub(crate) order: Vec<SimulatedJobId>,
    /// All jobs that were ever at the server.
    pub(crate) tracks: SimulatedJobs,
    /// Future events.
    pub(crate) clock: EventQueue,
    /// Jobs and reservations on each vnode.
    pub(crate) floor: ServerOccupancy,
    /// Jobs that wait for others, in server order.
    pub(crate) dependants: Vec<SimulatedJobId>,
    pub(crate) unknown_depends: UnknownDependencies,
    /// Running jobs, in the order of their starts.
    pub(crate) running: Vec<SimulatedJobId>,
    /// Future arrivals, by their position in the list.
    pub(crate) arrivals: Vec<Option<Arrival>>,
    pub(crate) rejected: Vec<(Arrival, RejectionReason)>,
    /// Number of cycles so far, including empty ones.
    pub(crate) cycle: u64,
    /// Whether an event has requested a cycle since the last one.
    pub(crate) asked: bool,
    /// Vnodes to be removed that still have jobs.
    pub(crate) removed_in_use: Vec<NodeId>,
    /// Vnodes that are ordered when jobs need them.
    pub(crate) scaling: Option<Scaling>,
    /// Cores of the vnodes that are up.
    pub(crate) cores: f64,
}

impl SimulatedServer {
    /// Returns the current time.
    pub(crate) fn now(&self) -> Epoch {
        self.snap.now
    }

    /// Returns the snapshot mutably, copying it if the record of a cycle still holds it.
    pub(crate) fn snap_mut(&mut self) -> &mut Snapshot {
        Arc::make_mut(&mut self.snap)
    }

    /// Returns the position of a job in the snapshot, while it is at the server.
    pub(crate) fn position(&self, id: SimulatedJobId) -> Option<usize> {
        self.order.iter().position(|have| *have == id)
    }

    /// Returns a job as clients would print it, while it is at the server.
    pub(crate) fn job(&self, id: SimulatedJobId) -> Option<&Job> {
        self.snap.jobs.checked(JobId::at(self.position(id)?))
    }

    /// The same, mutably.
    pub(crate) fn job_mut(&mut self, id: SimulatedJobId) -> Option<&mut Job> {
        let at = self.position(id)?;
        self.snap_mut().jobs.checked_mut(JobId::at(at))
    }

    pub(crate) fn track_of(&self, id: JobId) -> Option<SimulatedJobId> {
        self.order.get(id.0 as usize).copied()
    }

    /// Inserts a job at a position, or after all others.
    pub(crate) fn insert(&mut self, at: Option<usize>, id: SimulatedJobId, job: Job) {
        let at = at.unwrap_or(self.order.len()).min(self.order.len());
        self.order.insert(at, id);
        self.snap_mut().jobs.insert_at(at, job);
    }

    pub(crate) fn remove(&mut self, id: SimulatedJobId) -> Option<Job> {
        let at = self.position(id)?;
        self.order.remove(at);
        self.snap_mut().jobs.remove_at(at).map(Arc::unwrap_or_clone)
    }

    /// Advances the clock. Eligible time accrues for jobs that were queued or suspended until now (days rule 9).
    pub(crate) fn advance(&mut self, to: Epoch) {
        let passed = Seconds((to - self.now()).0);
        if passed.0 <= 0 {
            return;
        }
        let snap = self.snap_mut();
        snap.now = to;
        if snap.server.eligible_time_enable {
            snap.jobs.change_where(|_, job| job.waits_for_nodes(), |_, job| job.eligible_time.0 += passed.0);
        }
    }

    pub(crate) fn next_event(&mut self) -> Option<Epoch> {
        let Self { clock, tracks, scaling, .. } = self;
        clock.next_at(|event| match event {
            ClockEvent::JobEnds { job, run } => {
                let track = &tracks[*job];
                track.run.running_since.is_some() && track.run.run_number == *run
            }
            ClockEvent::NodeIdle { node, since } => {
                scaling.as_ref().is_some_and(|scaling| scaling.is_idle_since(node, *since))
            }
            _ => true,
        })
    }

    /// Processes all events that are due, in order (days rule 2); returns whether there were any.
    pub(crate) fn handle_due(&mut self) -> bool {
        let now = self.now();
        let mut handled = false;
        while self.next_event().is_some_and(|next| next <= now) {
            let Some(event) = self.clock.take(now) else { break };
            handled = true;
            self.handle(&event);
        }
        self.remove_empty();
        handled
    }

    fn handle(&mut self, event: &ClockEvent) {
        match event {
            ClockEvent::JobEnds { job, .. } => self.end_by_time(*job),
            ClockEvent::ReservationEnds(name) => self.end_reservation(name),
            ClockEvent::ReservationStarts(name) => self.start_reservation(name),
            ClockEvent::NodeReady(name) => self.ready(name),
            ClockEvent::NodeRemoved(name) => self.give_back(name),
            ClockEvent::NodeIdle { node, .. } => self.return_to_pool(node),
            ClockEvent::HoldReleased(job) => self.release(*job),
            ClockEvent::TimeReached(job) => self.reach_time(*job),
            ClockEvent::Cancelled(job) => self.cancel(*job),
            ClockEvent::Arrives(nth) => self.arrive(*nth),
        }
    }

    /// Whether a cycle would have anything to decide (days rule 3).
    pub(crate) fn has_work(&self) -> bool {
        let unconfirmed = ReservationState::Unconfirmed;
        self.waiting() > 0 || self.snap.reservations.iter().any(|resv| resv.state == unconfirmed)
    }

    /// Returns the number of jobs queued or suspended; an array with indices left counts as one.
    pub(crate) fn waiting(&self) -> usize {
        self.snap.jobs.iter().filter(|job| job.waits_for_nodes()).count()
    }

    /// Returns the cores of all running jobs.
    pub(crate) fn busy_cores(&self) -> f64 {
        // An empty floating-point sum would be negative zero.
        self.running.iter().fold(0.0, |sum, id| sum + self.tracks[*id].held.cores)
    }

    /// Sets the state of a job that neither runs nor is suspended according to its holds (days rule 4).
    pub(crate) fn settle_state(&mut self, id: SimulatedJobId) {
        let now = self.now();
        let hold = self.tracks[id].hold.clone();
        let begun = self.tracks[id].is_array && self.tracks[id].has_started();
        let state = match hold.state(now) {
            JobState::Queued if begun => JobState::Begun,
            state => state,
        };
        let Some(job) = self.job_mut(id) else { return };
        let was_queued = job.state.is_queued() && job.eligible.is_some();
        job.state = state;
        job.holds = hold.types().into();
        job.substate = Substate(match state {
            JobState::Held if hold.depends => 22,
            JobState::Held => 20,
            JobState::Waiting => 30,
            _ => 10,
        });
        match state {
            JobState::Queued | JobState::Begun if !was_queued => job.eligible = Some(now),
            JobState::Queued | JobState::Begun => {}
            _ => job.eligible = None,
        }
    }
}
