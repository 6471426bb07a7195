//! Derives observations of jobs from snapshots and their cycles.

use qscope_engine::cluster::{Epoch, Job, JobState, Name, ResourceId, Seconds};
use qscope_engine::cycle::{Outcome, Run, Verdict};

use super::{BEFORE_RECORDING, NOT_RECORDED, Observations, without_amounts};

/// Maximum time between snapshots. Recordings are made every minute or so; after a longer gap nothing is known about
/// it.
const LONGEST: Seconds = Seconds(30 * 60);

/// Length of the part at the beginning of such a gap for which the last observation is still valid.
const BREATH: Seconds = Seconds(60);

/// Returns why a job waits according to a cycle, in the scheduler's words without amounts.
pub(crate) fn reason_in(run: &Run, outcome: &Outcome) -> String {
    match &outcome.rejection {
        _ if run.is_refused(outcome) => "refused by the server".to_owned(),
        _ if outcome.verdict == Verdict::Run => "starts in the next cycle".to_owned(),
        Some(found) => without_amounts(&found.comment(&run.plan.snap.catalogue)),
        None => "not considered".to_owned(),
    }
}

impl Observations {
    /// Creates observations of a recording.
    pub fn of_snapshots() -> Self {
        Self::new(BEFORE_RECORDING)
    }

    /// Adds a snapshot with its cycle; snapshots must come in the order of time.
    pub fn take(&mut self, run: &Run) {
        let snap = &run.plan.snap;
        let now = snap.now;
        if let Some(last) = self.last.filter(|last| now - *last > LONGEST) {
            self.mark_all(last + BREATH, NOT_RECORDED);
        }
        for job in &snap.jobs {
            self.take_job(job, now);
        }
        for outcome in run.outcomes() {
            let name = &snap.jobs[outcome.job].name;
            let is_waiting = self.jobs.get(name).is_some_and(|track| track.started.is_none());
            if !is_waiting {
                continue;
            }
            self.mark(name, now, reason_in(run, outcome));
            if let Some(estimate) = &outcome.estimate {
                self.promise(name, now, estimate.start);
            }
        }
        self.leave(run, now);
        let order = run.outcomes().map(|outcome| snap.jobs[outcome.job].name.clone());
        self.orders.push((now, order.collect()));
        self.see(now);
    }

    fn take_job(&mut self, job: &Job, now: Epoch) {
        let cores = job.requested.amount(ResourceId::ncpus()).map(|cores| cores.0.max(0.0) as u64);
        let track = self.track(&job.name);
        track.user = Some(job.owner.clone());
        track.queue = Some(job.queue.clone());
        track.cores = cores;
        track.queued = track.queued.or(job.queued).or(job.created).or(job.eligible);
        track.left = None;
        if job.state.has_nodes() {
            track.started = track.started.or(job.started).or(Some(now));
        }
        let held = match job.state {
            JobState::Held => Some("held"),
            JobState::Waiting => Some("waits for its execution time"),
            JobState::Suspended => Some("suspended"),
            _ => None,
        };
        if let Some(reason) = held.filter(|_| self.track(&job.name).started.is_none()) {
            self.mark(&job.name, now, reason);
        }
    }

    /// Notes that jobs which waited and are gone were deleted, or started and ended in between.
    fn leave(&mut self, run: &Run, now: Epoch) {
        let here: rustc_hash::FxHashSet<&Name> = run.plan.snap.jobs.iter().map(|job| &job.name).collect();
        for (name, track) in &mut self.jobs {
            if track.started.is_none() && track.left.is_none() && !here.contains(name) {
                track.left = Some(now);
            }
        }
    }

    fn mark_all(&mut self, at: Epoch, reason: &'static str) {
        let is_open = |track: &super::observations::Track| track.started.is_none() && track.left.is_none();
        let open: Vec<Name> =
            self.jobs.iter().filter(|(_, track)| is_open(track)).map(|(name, _)| name.clone()).collect();
        for name in open {
            self.mark(&name, at, reason);
        }
    }
}
