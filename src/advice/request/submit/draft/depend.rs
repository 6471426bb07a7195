//! Dependencies of a submitted job: the server holds it as long as one of them is not met.

use qscope_engine::cluster::{Job, JobState};

use super::JobDraft;

impl JobDraft<'_> {
    /// Holds the job if it depends on jobs of the dump that have not ended or, with `after`, not started. What the dump
    /// does not show is a doubt.
    pub(super) fn depend_on(&mut self, job: &mut Job, depend: &str) {
        let mut is_held = false;
        for part in depend.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (kind, ids) = part.split_once(':').unwrap_or((part, ""));
            if !matches!(kind, "after" | "afterok" | "afternotok" | "afterany") {
                self.doubts.push(format!("whether depend={part} holds it"));
                continue;
            }
            for id in ids.split(':').map(|id| id.split('@').next().unwrap_or(id)) {
                match self.snap.job_meant(id).map(|id| self.snap.jobs[id].state) {
                    Some(state) => is_held |= !state.is_over() && (kind != "after" || waits_to_start(state)),
                    None => self.doubts.push(format!("how {id}, which it depends on, has ended")),
                }
            }
        }
        if is_held {
            job.state = JobState::Held;
            job.holds = format!("{}s", job.holds).as_str().into();
        }
        if !depend.is_empty() {
            job.depend = Some(depend.into());
        }
    }
}

fn waits_to_start(state: JobState) -> bool {
    matches!(state, JobState::Queued | JobState::Held | JobState::Waiting)
}
