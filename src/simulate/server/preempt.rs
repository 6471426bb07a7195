//! Preemption of jobs (days rule 7).

use qscope_engine::cluster::{JobState, ResourceList, Substate};
use qscope_engine::universe::PreemptMethod;

use super::SimulatedServer;
use crate::track::{JobOrigin, SimulatedJobId};

impl SimulatedServer {
    /// Takes a job off its vnodes. Returns whether it was deleted.
    pub(crate) fn preempt(&mut self, id: SimulatedJobId, method: PreemptMethod) -> bool {
        let now = self.now();
        if self.tracks[id].run.running_since.is_none() {
            return false;
        }
        self.tracks[id].result.preempted.push((now, method));
        if method == PreemptMethod::Delete {
            self.delete(id);
            return true;
        }
        self.stop_running(id);
        match method {
            PreemptMethod::Suspend => {
                if let Some(job) = self.job_mut(id) {
                    job.state = JobState::Suspended;
                    job.substate = Substate::SCHED_SUSPENDED;
                }
            }
            PreemptMethod::Checkpoint => {
                if let Some(job) = self.job_mut(id) {
                    job.state = JobState::Queued;
                    job.substate = Substate(10);
                    job.started = None;
                }
            }
            _ => self.requeue(id),
        }
        false
    }

    /// Requeues a job, so that it will start from the beginning.
    fn requeue(&mut self, id: SimulatedJobId) {
        self.tracks[id].run.earlier_seconds = 0;
        if matches!(self.tracks[id].origin, JobOrigin::Subjob(..)) {
            self.give_index_back(id);
            return;
        }
        if let Some(job) = self.job_mut(id) {
            job.state = JobState::Queued;
            job.substate = Substate(10);
            job.started = None;
            job.exec_vnode = None;
            job.used = ResourceList::default();
        }
    }
}
