//! Derives observations of jobs from snapshots and their cycles.

use qscope_engine::cluster::{Epoch, Job, JobId, JobState, Name, ResourceId, Seconds, number_of};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_explain::last_outcomes;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    BEFORE_RECORDING, NOT_LOOKED_AT, NOT_RECORDED, Observations, QueueExit, STARTS, without_amounts,
};

/// Maximum time between snapshots. Recordings are made every minute or so; after a longer gap nothing is known about
/// it.
const LONGEST: Seconds = Seconds(30 * 60);

/// Length of the part at the beginning of such a gap for which the last observation is still valid.
const BREATH: Seconds = Seconds(60);

/// Returns why a job waits according to a cycle, in the scheduler's words without amounts.
pub(crate) fn reason_in(run: &Run, outcome: &Outcome) -> String {
    match &outcome.rejection {
        _ if run.is_refused(outcome) => "refused by the server".to_owned(),
        _ if outcome.verdict == Verdict::Run => STARTS.to_owned(),
        Some(found) => without_amounts(&found.comment(&run.plan.snap.catalogue)),
        None => NOT_CONSIDERED.to_owned(),
    }
}

/// Reason of a job about which the cycle decides nothing.
const NOT_CONSIDERED: &str = "not considered";

/// Returns why a job waits according to its state alone.
fn reason_of_state(job: &Job) -> Option<&'static str> {
    match job.state {
        JobState::Held => Some("held"),
        JobState::Waiting => Some("waits for its execution time"),
        JobState::Suspended | JobState::UserSuspended => Some("suspended"),
        _ => None,
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
        let placed = PlacedSubjobs::of(run);
        for outcome in last_outcomes(run) {
            let job = &snap.jobs[outcome.job];
            let waiting = self.jobs.get_mut(&job.name).filter(|track| track.waiting_since == Some(now));
            let Some(track) = waiting.filter(|_| !job.is_subjob()) else { continue };
            let reason = reason_in(run, outcome);
            let of_state = reason_of_state(job).filter(|_| reason == NOT_CONSIDERED);
            track.mark(now, of_state.map_or(reason, str::to_owned));
            track.starting_at(now, placed.starting_cores(outcome.job, job));
            if let Some(estimate) = &outcome.estimate {
                track.promise(now, estimate.start);
            }
        }
        for subjob in snap.jobs.iter().filter(|job| job.is_represented_by_array()) {
            match placed.reasons.get(&*subjob.name) {
                Some(reason) => self.mark(&subjob.name, now, reason.as_str()),
                None => self.mark_with_array(subjob, now),
            }
        }
        self.note_departures(run, now);
        let order = run.outcomes().map(|outcome| snap.jobs[outcome.job].name.clone());
        self.orders.push((now, order.collect()));
        self.see(now);
    }

    fn take_job(&mut self, job: &Job, now: Epoch) {
        let before = self.last.filter(|_| !self.jobs.contains_key(&job.name));
        let begin = self.orders.first().map(|(first, _)| *first);
        let track = self.track(&job.name);
        track.user = Some(job.owner.clone());
        track.queue = Some(job.queue.clone());
        track.queued = track.queued.or(job.queued).or(job.created).or(job.eligible);
        if let (Some(last), Some(begin), Some(queued)) = (before, begin, track.queued) {
            let is_just_there = queued >= last && now - last <= LONGEST;
            track.mark(queued.max(begin), if is_just_there { NOT_LOOKED_AT } else { NOT_RECORDED });
        }
        let left = track.exit.take();
        track.is_subjob = job.is_subjob();
        track.subjob_cores = cores_of_one(job).filter(|_| job.is_array()).unwrap_or(0);
        let has_run = job.state.is_over() && job.started.is_some();
        if job.state.has_nodes() || job.is_all_started() || has_run {
            let used = used_walltime(job);
            track.runs(track.resumed(used, now).or(job.started), now);
        } else if job.state.is_over() {
            // Finished jobs stay in the dumps for days.
            let last_seen = track.waiting_since.or(track.queued).unwrap_or(now);
            track.exit = left.or(Some(QueueExit::unseen(last_seen, now)));
        } else if job.state.is_suspended() {
            // Its first wait ended with its start, even if that is not in the recording. The dump goes on to state that
            // start while it is suspended.
            if let Some(start) =
                job.started.filter(|start| track.waits_since().is_none_or(|since| *start > since))
            {
                track.runs(Some(start), now);
            }
            track.waits_at(now, "suspended at or before");
            track.used = used_walltime(job);
        } else {
            track.waits_at(now, "requeued at or before");
            track.used = None;
        }
        // An array all of whose subjobs have started waited for the last ones.
        if let Some(cores) = cores(job).filter(|_| track.demand.is_empty() || !job.is_all_started()) {
            track.demands(now, cores);
        }
    }

    /// Marks a subjob that the cycle leaves with the reason of its array, which is considered instead.
    fn mark_with_array(&mut self, subjob: &Job, now: Epoch) {
        let array = subjob.array.as_ref().and_then(|array| array.parent.as_ref());
        let last = array.and_then(|array| self.jobs.get(array)).and_then(|track| track.marks.last());
        if let Some((_, reason)) = last.cloned() {
            self.mark(&subjob.name, now, reason);
        }
    }

    /// Notes that jobs which waited are no longer in the dumps: they were deleted, or started and ended in between.
    fn note_departures(&mut self, run: &Run, now: Epoch) {
        let here: FxHashSet<&Name> = run.plan.snap.jobs.iter().map(|job| &job.name).collect();
        for (name, track) in &mut self.jobs {
            if let (Some(last_seen), None) = (track.waiting_since, &track.exit)
                && !here.contains(name)
            {
                track.exit = Some(QueueExit::unseen(last_seen, now));
            }
        }
    }

    fn mark_all(&mut self, at: Epoch, reason: &'static str) {
        for track in
            self.jobs.values_mut().filter(|track| track.waiting_since.is_some() && track.exit.is_none())
        {
            track.mark(at, reason);
            track.starting_at(at, 0);
        }
    }
}

/// The subjobs to which a cycle gives nodes.
struct PlacedSubjobs {
    /// That each starts, or that the server refuses it, by full id.
    reasons: FxHashMap<String, String>,
    /// Number of subjobs that start, by array.
    started: FxHashMap<JobId, u64>,
}

impl PlacedSubjobs {
    fn of(run: &Run) -> Self {
        let mut found = Self { reasons: FxHashMap::default(), started: FxHashMap::default() };
        let has_nodes = |outcome: &&Outcome| outcome.subjob.is_some() && outcome.placed.is_some();
        for outcome in run.outcomes().filter(has_nodes) {
            found.reasons.insert(outcome.name(&run.plan.snap), reason_in(run, outcome));
            if run.is_start(outcome) {
                *found.started.entry(outcome.job).or_default() += 1;
            }
        }
        found
    }

    /// Returns the number of cores of the subjobs of an array that start; 0 for other jobs.
    fn starting_cores(&self, id: JobId, array: &Job) -> u64 {
        let started = self.started.get(&id).copied().unwrap_or(0);
        cores_of_one(array).unwrap_or(0).saturating_mul(started)
    }
}

/// Returns the seconds that a job has run, without suspended time, if the dump has them.
fn used_walltime(job: &Job) -> Option<i64> {
    job.used.amount(ResourceId::walltime()).map(|used| used.0 as i64)
}

/// Returns the number of cores that a job requests; for an array, those of all subjobs still to start.
fn cores(job: &Job) -> Option<u64> {
    let subjobs = job.array.as_ref().map_or(1, |array| number_of(array.remaining.len()).max(1));
    Some(cores_of_one(job)?.saturating_mul(subjobs.into()))
}

/// Returns the number of cores that a job requests; for an array, those of one subjob.
fn cores_of_one(job: &Job) -> Option<u64> {
    Some(job.requested.amount(ResourceId::ncpus())?.0.max(0.0) as u64)
}

#[cfg(test)]
mod tests;
