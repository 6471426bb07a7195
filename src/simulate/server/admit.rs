//! Admission of jobs: those of the start state, and arrivals (days rule 1).

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Job, JobState, QueueKind, ResourceId, Seconds, Snapshot};

use super::SimulatedServer;
use super::depend::UnknownDependencies;
use super::occupancy::ServerOccupancy;
use super::placement::JobPlacement;
use crate::arrivals::used_walltime;
use crate::clock::{ClockEvent, EventQueue};
use crate::rejection::RejectionReason;
use crate::track::{JobOrigin, SimulatedJob, SimulatedJobId, SimulatedJobs, UNKNOWN_HOLD, walltime};
use crate::{Arrival, Arrivals, JobBehaviour, Scaling};

impl SimulatedServer {
    /// Creates the server at the start, with all known future events planned.
    pub(crate) fn new(start: Snapshot, arrivals: Arrivals, scaling: Option<Scaling>) -> Self {
        let floor = ServerOccupancy::new(&start);
        let cores = floor.cores(&start);
        let mut start = start;
        // Suspended jobs are assumed to have released everything.
        let whole = |job: Arc<Job>| Job { released: None, ..Arc::unwrap_or_clone(job) };
        let jobs: Vec<Job> = std::mem::take(&mut start.jobs).into_iter().map(whole).collect();
        start.nodes.change_where(|_, node| !node.jobs.is_empty(), |_, node| node.jobs.clear());
        let mut server = Self {
            floor,
            order: Vec::with_capacity(jobs.len()),
            tracks: SimulatedJobs::default(),
            clock: EventQueue::default(),
            dependants: Vec::new(),
            unknown_depends: UnknownDependencies::default(),
            running: Vec::new(),
            arrivals: Vec::new(),
            rejected: Vec::new(),
            cycle: 0,
            asked: true,
            removed_in_use: Vec::new(),
            scaling,
            cores,
            snap: Arc::new(start),
        };
        server.clear_sums();
        let running_first: Vec<Job> =
            jobs.iter().filter(|job| job.state == JobState::Running).cloned().collect();
        server.plan_reservations();
        for (job, rank) in jobs.into_iter().zip(1..) {
            let fate = arrivals.start.get(&job.name).cloned().unwrap_or_default();
            server.take_over(job, rank, fate);
        }
        server.put_on_nodes(running_first);
        server.floor.clone().show_all(server.snap_mut());
        let now = server.now();
        for (nth, arrival) in arrivals.jobs.iter().enumerate() {
            server.clock.plan(arrival.at.max(now), ClockEvent::Arrives(nth));
        }
        for change in &arrivals.nodes {
            let name = change.node.clone();
            let event =
                if change.is_ready { ClockEvent::NodeReady(name) } else { ClockEvent::NodeRemoved(name) };
            server.clock.plan(change.at.max(now), event);
        }
        server.plan_pools();
        server.arrivals = arrivals.jobs.into_iter().map(Some).collect();
        server.settle_depends();
        server.asked = true;
        server
    }

    /// Adds a job of the start state.
    fn take_over(&mut self, mut job: Job, rank: i64, mut fate: JobBehaviour) {
        job.queue_rank = job.queue_rank.or(Some(rank));
        (job.estimate, job.topjob, job.comment) = (None, None, None);
        if !self.snap.server.eligible_time_enable {
            job.accrue_type = None;
        }
        let at = job.queued.or(job.created).unwrap_or(self.now());
        let origin = self.origin(&job);
        if let JobOrigin::Subjob(parent, index) = origin {
            let of = &self.tracks[parent].fate;
            fate.runtime = fate.runtime.or_else(|| of.runtimes.get(&index).copied()).or(of.runtime);
        }
        let mut track = SimulatedJob::new(&job, at, origin, fate);
        if has_run(&job) {
            track.run.earlier_seconds = used_walltime(&job).unwrap_or(0);
            track.result.start = job.started.or(Some(self.now() - Seconds(track.run.earlier_seconds)));
            track.result.exec_vnode = job.exec_vnode.as_ref().map(|nodes| nodes.to_string().into());
        }
        track.result.was_present = true;
        track.run.starts = job.run_count;
        self.register(track, job);
    }

    /// Returns the origin of a job of the start state.
    fn origin(&self, job: &Job) -> JobOrigin {
        let subjob = job.array.as_ref().filter(|array| !array.is_parent).and_then(|array| {
            let parent = self.tracks.find(array.parent.as_deref()?)?;
            Some(JobOrigin::Subjob(parent, array.index?))
        });
        subjob.unwrap_or(JobOrigin::Start)
    }

    /// Puts the running jobs of the start state on their vnodes, in the order of their starts.
    fn put_on_nodes(&mut self, mut jobs: Vec<Job>) {
        jobs.sort_by_key(|job| job.started);
        let now = self.now();
        for job in jobs {
            let Some(id) = self.tracks.find(&job.name) else { continue };
            let ran = elapsed_seconds(&job, &self.tracks[id].fate, now);
            let started = job.started.unwrap_or(now - Seconds(ran));
            self.tracks[id].result.start = Some(started);
            self.tracks[id].run.earlier_seconds = ran;
            self.mark_array_begun(id, started);
            if let Some(placement) = job.exec_vnode.clone().map(JobPlacement::from) {
                // It is already in the dump's count of running subjobs.
                self.count_running(id, -1);
                // A job running past its walltime ends one second later, as the scheduler expects.
                let is_over = walltime(&job).is_some_and(|limit| ran >= limit.0);
                let least = if is_over { Seconds::EXITING } else { Seconds(0) };
                self.continue_running(id, &job, &placement, least);
            }
        }
    }

    /// Admits an arriving job or rejects it: its queue does not exist, or its id is already known.
    pub(crate) fn arrive(&mut self, nth: usize) {
        let Some(mut arrival) = self.arrivals.get_mut(nth).and_then(Option::take) else { return };
        let is_there = self.tracks.find(&arrival.name).is_some();
        let Some(mut job) = arrival.job.take() else {
            let rejection = if is_there { RejectionReason::DuplicateId } else { RejectionReason::NotRead };
            self.rejected.push((arrival, rejection));
            return;
        };
        let queue = self.snap.queue_named(&job.queue).and_then(|queue| self.snap.queues.checked(queue));
        let has_queue = queue.is_some_and(|queue| queue.kind == QueueKind::Execution);
        let rejection = is_there.then_some(RejectionReason::DuplicateId).filter(|_| has_queue);
        if let Some(rejection) = rejection.or((!has_queue).then_some(RejectionReason::NoQueue)) {
            self.rejected.push((arrival, rejection));
            return;
        }
        self.asked = true;
        let Arrival { at, real_start, fate, .. } = arrival;
        job.queue_rank =
            job.queue_rank.or(i64::try_from(nth).ok().map(|nth| at.0.saturating_mul(1_000_000) + nth));
        if self.snap.server.eligible_time_enable && at < self.now() && job.waits_for_nodes() {
            job.eligible_time.0 += (self.now() - at).0;
        }
        let id = self.register(SimulatedJob::new(&job, at, JobOrigin::Arrived, fate), *job);
        self.tracks[id].result.was = real_start;
        if self.tracks[id].hold.depends {
            self.settle_depends();
        }
    }

    /// Registers a job and plans its known future events.
    fn register(&mut self, mut track: SimulatedJob, job: Job) -> SimulatedJobId {
        let now = self.now();
        track.result.user = job.owner.clone();
        track.result.queue = job.queue.clone();
        track.result.walltime = walltime(&job).map(|seconds| seconds.0);
        track.result.requested = job.requested.amount(ResourceId::ncpus()).map(|cores| cores.0 as i64);
        track.depends = crate::dependency::read(job.depend.as_deref().unwrap_or_default());
        let has_own = job.state == JobState::Held || !job.holds.is_empty();
        let is_still =
            matches!(job.state, JobState::Queued | JobState::Held | JobState::Waiting | JobState::Begun);
        if has_own && is_still {
            track.hold.letters = own_letters(&job, !track.depends.is_empty());
        }
        track.hold.until = job.execution_time.filter(|until| *until > now);
        track.hold.depends = is_still && !track.depends.is_empty();
        let (release, cancel, until) = (track.fate.release, track.fate.cancel, track.hold.until);
        let has_depends = track.hold.depends;
        let id = self.tracks.add(track);
        self.insert(None, id, job);
        if is_still {
            let begun = self.job(id).is_some_and(|job| job.state == JobState::Begun);
            if begun {
                self.tracks[id].result.start = self.job(id).and_then(|job| job.started).or(Some(now));
            }
            self.settle_state(id);
        }
        let plan = |at: Epoch| at.max(now);
        if let Some(at) = release {
            self.clock.plan(plan(at), ClockEvent::HoldReleased(id));
        }
        if let Some(at) = until {
            self.clock.plan(plan(at), ClockEvent::TimeReached(id));
        }
        if let Some(at) = cancel {
            self.clock.plan(plan(at), ClockEvent::Cancelled(id));
        }
        if has_depends {
            self.dependants.push(id);
        }
        id
    }

    /// Releases the holds of a job by its user, an operator or the system.
    pub(crate) fn release(&mut self, id: SimulatedJobId) {
        if !self.tracks[id].is_at_server || self.tracks[id].hold.letters.is_empty() {
            return;
        }
        self.asked = true;
        self.tracks[id].hold.letters.clear();
        self.settle_state(id);
    }

    /// Handles the execution time of a job.
    pub(crate) fn reach_time(&mut self, id: SimulatedJobId) {
        if !self.tracks[id].is_at_server || self.tracks[id].hold.until.is_none() {
            return;
        }
        self.asked = true;
        self.tracks[id].hold.until = None;
        self.settle_state(id);
    }
}

/// Returns the holds of a job except the one for an unmet dependency, which the server sets and releases itself.
fn own_letters(job: &Job, depends: bool) -> String {
    // Of a job that is held, for an unknown reason where the dump shows none.
    if job.holds.is_empty() && !depends {
        return UNKNOWN_HOLD.to_owned();
    }
    job.holds.chars().filter(|letter| *letter != 's' || !depends).collect()
}

/// Whether a job that is not running will continue an earlier run: it is suspended, or checkpointed with its nodes
/// kept.
fn has_run(job: &Job) -> bool {
    job.state == JobState::Suspended || (job.state == JobState::Queued && job.exec_vnode.is_some())
}

/// Longest time, in seconds, by which the used times of a running job are older than its dump.
const REPORTED_WITHIN: i64 = 600;

/// Returns the seconds that a running job has run (days rule 1): the used walltime, in which suspended time does not
/// count. The server gets it every few minutes only; if it is not older than that, the job has run since its start.
pub(crate) fn elapsed_seconds(job: &Job, behaviour: &JobBehaviour, now: Epoch) -> i64 {
    let since_start = job.started.map(|started| (now - started).0.max(0));
    let used = used_walltime(job).filter(|used| *used > 0);
    let is_late = |(since, used): (i64, i64)| (0..=REPORTED_WITHIN).contains(&(since - used));
    let used = used.filter(|_| !since_start.zip(used).is_some_and(is_late));
    behaviour.run_seconds.or(used).or(since_start).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Amount, Value};

    #[test]
    fn a_job_held_for_no_reason_that_the_dump_shows_stays_held() {
        use crate::track::JobHolds;
        let letters =
            |holds: &str, depends| own_letters(&Job { holds: holds.into(), ..Job::default() }, depends);
        assert_eq!([letters("u", false), letters("s", true), letters("", true)], ["u", "", ""]);
        let hold = JobHolds { letters: letters("", false), ..JobHolds::default() };
        assert_eq!((hold.state(Epoch(0)), &*hold.types()), (JobState::Held, ""));
    }

    #[test]
    fn the_used_walltime_counts_unless_it_is_only_older_than_the_dump() {
        let after = |used: i64, fate: &JobBehaviour| {
            let mut job = Job { started: Some(Epoch(0)), ..Job::default() };
            job.used.set(ResourceId::walltime(), Value::Amount(Amount(used as f64)));
            elapsed_seconds(&job, fate, Epoch(10_000))
        };
        let fate = JobBehaviour::default();
        assert_eq!(after(1800, &fate), 1800, "it was suspended in between");
        assert_eq!(after(9900, &fate), 10_000, "reported some minutes ago");
        assert_eq!(after(0, &fate), 10_000, "not reported yet");
        assert_eq!(after(12_000, &fate), 12_000, "checkpointed before its start");
        assert_eq!(after(9900, &JobBehaviour { run_seconds: Some(9900), ..fate }), 9900, "known exactly");
    }
}
