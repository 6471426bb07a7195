//! Ends of jobs: by themselves, at their walltime, by their owners, or with the jobs they depend on (days rule 6).

use super::SimulatedServer;
use crate::job_result::JobEnd;
use crate::track::{JobOrigin, SimulatedJobId, walltime};

/// Exit status of a job that was killed or deleted.
const KILLED: i32 = 271;

impl SimulatedServer {
    /// Ends a job that has reached its run time or its walltime.
    pub(crate) fn end_by_time(&mut self, id: SimulatedJobId) {
        let Some(job) = self.job(id) else { return };
        let limit = walltime(job);
        let track = &self.tracks[id];
        let is_killed =
            limit.is_some_and(|limit| track.fate.runtime.is_some_and(|runtime| runtime > limit.0));
        self.asked = true;
        if is_killed {
            self.end(id, JobEnd::Killed, KILLED);
        } else {
            self.end(id, JobEnd::Done, self.tracks[id].fate.exit);
        }
    }

    /// Deletes a job on behalf of its owner, if it has not started yet.
    pub(crate) fn cancel(&mut self, id: SimulatedJobId) {
        if !self.tracks[id].is_at_server || self.tracks[id].has_started() {
            return;
        }
        self.asked |= self.delete(id);
    }

    /// Kills a job with its reservation.
    pub(crate) fn kill(&mut self, id: SimulatedJobId) {
        self.end(id, JobEnd::Killed, KILLED);
    }

    /// Deletes a job. Returns whether another job is released by that.
    pub(crate) fn delete(&mut self, id: SimulatedJobId) -> bool {
        self.end(id, JobEnd::Deleted, KILLED)
    }

    /// Removes a job from the server, then settles dependencies on it. Returns whether another job is released by
    /// that.
    fn end(&mut self, id: SimulatedJobId, how: JobEnd, exit: i32) -> bool {
        self.leave(id, how, exit);
        self.settle_depends()
    }

    /// Removes a job from the server, and its array if this was the last subjob.
    pub(crate) fn leave(&mut self, id: SimulatedJobId, how: JobEnd, exit: i32) {
        let now = self.now();
        if self.tracks[id].run.running_since.is_some() {
            self.stop_running(id);
        }
        let parent = self.remove(id).and_then(|_| self.ended_parent_of(id, exit));
        let track = &mut self.tracks[id];
        track.is_at_server = false;
        track.exit = Some(exit);
        track.result.end = Some(now);
        track.result.state = how;
        track.fate.runtimes.clear();
        if let Some(parent) = parent {
            let worst = self.tracks[parent].highest_exit;
            self.leave(parent, JobEnd::Done, worst);
        }
    }

    fn ended_parent_of(&mut self, id: SimulatedJobId, exit: i32) -> Option<SimulatedJobId> {
        let JobOrigin::Subjob(parent, _) = self.tracks[id].origin else { return None };
        let worst = &mut self.tracks[parent].highest_exit;
        *worst = (*worst).max(exit);
        self.ended_parent(id)
    }
}
