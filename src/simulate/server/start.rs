//! Starting and resuming jobs (days rule 5).

use qscope_engine::cluster::{Amount, Job, JobState, PlaceSharing, ResourceId, Seconds, Substate, Value};

use super::SimulatedServer;
use super::placement::JobPlacement;
use crate::clock::ClockEvent;
use crate::track::{SimulatedJobId, walltime};

impl SimulatedServer {
    /// Starts a job, unless it has gone. Returns whether it started.
    pub(crate) fn start(
        &mut self,
        id: SimulatedJobId,
        placement: &JobPlacement,
        shrunk_to: Option<Seconds>,
    ) -> bool {
        let now = self.now();
        let Some(mut job) = self.job(id).cloned() else { return false };
        let resumed = job.state == JobState::Suspended;
        let length = shrunk_to.filter(|_| !resumed && job.requested.get(min_walltime(self)).is_some());
        if let Some(length) = length.filter(|length| *length != Seconds::UNLIMITED) {
            let length = Value::Amount(Amount(length.0 as f64));
            job.requested.set(ResourceId::walltime(), length);
        }
        job.state = JobState::Running;
        job.substate = Substate(42);
        if !resumed {
            job.started = Some(now);
            job.run_count += 1;
            job.exec_vnode = Some(placement.chunks.clone());
            self.tracks[id].run.starts += 1;
            self.tracks[id].run.is_new = true;
            self.tracks[id].result.runs += 1;
        }
        if let Some(have) = self.job_mut(id) {
            *have = job.clone();
        }
        let result = &mut self.tracks[id].result;
        result.start = result.start.or(Some(now));
        result.walltime = walltime(&job).map(|seconds| seconds.0);
        self.mark_array_begun(id, now);
        self.continue_running(id, &job, placement, Seconds(0));
        true
    }

    /// Puts a running job on its vnodes and plans its end, no sooner than `least` from now.
    pub(crate) fn continue_running(
        &mut self,
        id: SimulatedJobId,
        job: &Job,
        placement: &JobPlacement,
        least: Seconds,
    ) {
        let now = self.now();
        let held = self.floor.holdings(&self.snap, &placement.chunks, sharedness(job));
        let is_inside = self.is_inside(&job.queue);
        let mut floor = std::mem::take(&mut self.floor);
        floor.occupy(self.snap_mut(), id, &job.name, &held, is_inside);
        self.floor = floor;
        self.add_sums(job, 1.0);
        self.count_running(id, 1);
        self.running.push(id);
        let track = &mut self.tracks[id];
        track.result.exec_vnode = Some(placement.text.clone());
        track.result.cores = held.cores;
        track.held = held;
        track.run.running_since = Some(now);
        track.run.run_number += 1;
        let limit = walltime(job);
        let length = track.length(limit).map(|length| limit.map_or(length, |limit| length.min(limit.0)));
        if let Some(length) = length {
            let left = (length - track.run.earlier_seconds).max(least.0);
            let run = track.run.run_number;
            self.clock.plan(now + Seconds(left), ClockEvent::JobEnds { job: id, run });
        }
    }

    /// Takes a running job off its vnodes; the time it has run is kept.
    pub(crate) fn stop_running(&mut self, id: SimulatedJobId) {
        let now = self.now();
        let Some(job) = self.job(id).cloned() else { return };
        let held = std::mem::take(&mut self.tracks[id].held);
        let mut floor = std::mem::take(&mut self.floor);
        floor.vacate(self.snap_mut(), id, &job.name, &held);
        self.floor = floor;
        self.add_sums(&job, -1.0);
        self.count_running(id, -1);
        self.running.retain(|have| *have != id);
        let track = &mut self.tracks[id];
        track.run.earlier_seconds = track.run.seconds(now);
        track.run.running_since = None;
        track.counted = None;
    }
}

fn sharedness(job: &Job) -> PlaceSharing {
    job.place.as_ref().map(|place| place.sharedness).unwrap_or_default()
}

fn min_walltime(server: &SimulatedServer) -> ResourceId {
    server.snap.catalogue.id("min_walltime").unwrap_or(ResourceId::walltime())
}
